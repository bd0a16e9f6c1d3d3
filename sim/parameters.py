"""Frozen, validated sets of parameters: what rules objects and worlds share.

Such an object is a value: frozen, equal by its resolved fields, usable as a dictionary key, read from and written to
TOML. Fields that were left out are resolved when it is made; which were given is remembered, so that `replace` acts on
those and resolves again. Errors name class, field, value and what is allowed.
"""

from __future__ import annotations

import difflib
import html
import re
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, NamedTuple, Self, Union, cast, get_args, get_origin

import annotated_types
import numpy as np
import tomli_w
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError
from pydantic.fields import FieldInfo

__all__ = ["FieldDoc", "ParameterError", "Parameters", "Problem", "parameter"]


class Problem(NamedTuple):
    """One thing that is wrong with a rules object: the fields it is about, the most telling first, and a sentence."""

    fields: tuple[str, ...]
    text: str


class ParameterError(ValueError):
    """Parameters that cannot be: the message has a line per problem, with class, field, value and what is allowed."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class FieldDoc(NamedTuple):
    """What a reader needs to know of a field; all words."""

    name: str
    meaning: str
    allowed: str
    default: str


def parameter(
    default: Any, meaning: str, *, default_words: str = "", ge: float | None = None, le: float | None = None
) -> Any:
    """A field of a class of parameters; `default_words` say the default where it depends on other fields."""
    return Field(default, description=meaning, ge=ge, le=le, json_schema_extra={"default_words": default_words})


class Parameters(BaseModel):
    """Base of rules objects and of `World`.

    Raises:
        ParameterError (a ValueError): an unknown field, a wrong type, a value out of range, an impossible combination.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    _error: ClassVar[type[ParameterError]] = ParameterError
    _file: ClassVar[str] = "parameters file"
    _given: dict[str, Any] = PrivateAttr(default_factory=dict)

    def __init__(self, /, **given: Any) -> None:
        cls = type(self)
        problems = [cls._unknown(name) for name in given if name not in cls.model_fields]
        given = {name: cls._plain(name, value) for name, value in given.items() if name in cls.model_fields}
        try:
            super().__init__(**cls._resolve(given))
        except ValidationError as error:
            wrong = dict.fromkeys(str(part["loc"][0]) for part in error.errors())
            problems += [cls._wrong_value(name, given[name]) for name in wrong]
        else:
            problems += self._conflicts()
        if problems:
            raise self._error("\n".join(problem.text for problem in problems), problems)
        self._given = given

    # What a class fills in --------------------------------------------------------------------------------------------

    @classmethod
    def _resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every field: what was given (of any type, not yet checked), else its default."""
        return {name: info.default for name, info in cls.model_fields.items()} | dict(given)

    def _conflicts(self) -> list[Problem]:
        """What is wrong although every field by itself is of the right type and range."""
        return []

    def _conflict(self, name: str, reason: str, *others: str) -> Problem:
        """A problem of field `name`, given the fields `others`."""
        return Problem((name, *others), f"{type(self).__name__}.{name} = {_shown(getattr(self, name))}: {reason}")

    # A value ----------------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            raise self._error(
                f"{type(self).__name__} is frozen: use {self._file.split()[0]}.replace({name}={_shown(value)})"
            )
        super().__setattr__(name, value)

    def replace(self, **fields: Any) -> Self:
        """The same with `fields` changed: what was left out when this object was made is resolved again."""
        return type(self)(**{**self._given, **fields})

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As in pydantic, but checked: `replace` under another name."""
        return self.replace(**(update or {}))

    def changed(self) -> tuple[str, ...]:
        """Names of the fields that were given and are not what they would be if left out."""
        cls = type(self)
        without = {name: {n: v for n, v in self._given.items() if n != name} for name in self._given}
        return tuple(n for n in cls.model_fields if n in without and getattr(self, n) != cls._resolve(without[n])[n])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.changed())})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """A table of all fields, those that differ from the default marked."""
        changed = self.changed()
        rows = []
        for doc in type(self).fields():
            value = html.escape(_words(getattr(self, doc.name)))
            cell, mark = (f"<b>{value}</b>", "&#9679;") if doc.name in changed else (value, "")
            rows.append(
                f"<tr><td>{mark}</td><td>{doc.name}</td><td>{cell}</td>"
                f"<td style='text-align: left'>{html.escape(doc.meaning)}</td></tr>"
            )
        head = "<tr><th></th><th>field</th><th>value</th><th style='text-align: left'>meaning</th></tr>"
        caption = f"<caption>{type(self).__name__} (&#9679; not the default)</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"

    @classmethod
    def fields(cls) -> tuple[FieldDoc, ...]:
        """Name, meaning, allowed values and default of every field, in words."""
        docs = []
        for name, info in cls.model_fields.items():
            extra = cast(dict[str, str], info.json_schema_extra)
            default = extra["default_words"] or _words(info.default)
            docs.append(FieldDoc(name, info.description or "", _allowed(info), default))
        return tuple(docs)

    # Files ------------------------------------------------------------------------------------------------------------

    def to_toml(self) -> str:
        """All resolved fields as TOML; `from_toml` reads it."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        words = {name: "none" if value is None else value for name, value in values.items()}
        return tomli_w.dumps(words)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Self:
        """Read from a file what `to_toml` writes; fields may be left out.

        Raises:
            ParameterError: no such file, broken TOML, or wrong fields; names the file and the line.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise cls._error(f"{path}: there is no such {cls._file}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise cls._error(f"{path}: cannot be read as a text file ({error})") from None
        try:
            given = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise cls._error(_broken_toml(path, text, str(error))) from None
        try:
            return cls._from_file(given)
        except ParameterError as error:
            lines = [f"{_place(path, text, problem.fields)}: {problem.text}" for problem in error.problems]
            raise cls._error("\n".join(lines), error.problems) from None

    @classmethod
    def _from_file(cls, given: dict[str, Any]) -> Self:
        """The object that a file's content describes."""
        return cls(**given)

    # What was given ---------------------------------------------------------------------------------------------------

    @classmethod
    def _plain(cls, name: str, value: Any) -> Any:
        """`value` with "none", lists and NumPy scalars as the field's own plain types; anything else as it is."""
        if value == "none" and isinstance(value, str) and NoneType in get_args(cls.model_fields[name].annotation):
            return None
        if isinstance(value, list):
            return tuple(value)
        return value.item() if isinstance(value, np.integer | np.bool_) else value

    @classmethod
    def _unknown(cls, name: str) -> Problem:
        near = difflib.get_close_matches(name, cls.model_fields, 1)
        hint = f'; did you mean "{near[0]}"?' if near else "."
        return Problem((name,), f'{cls.__name__} has no field "{name}"{hint} Fields: {", ".join(cls.model_fields)}')

    @classmethod
    def _wrong_value(cls, name: str, value: Any) -> Problem:
        allowed = _allowed(cls.model_fields[name])
        return Problem((name,), f"{cls.__name__}.{name} = {_shown(value)}: must be {allowed}")


def _allowed(info: FieldInfo) -> str:
    """The values of a field, in words: of its annotation and its bounds."""
    kinds = get_args(info.annotation) if get_origin(info.annotation) in (Union, UnionType) else (info.annotation,)
    words = [_allowed_kind(kind, info.metadata) for kind in kinds if kind is not NoneType]
    return " or ".join([*words, '"none"'] if NoneType in kinds else words)


def _allowed_kind(kind: Any, bounds: Sequence[Any]) -> str:
    if kind is bool:
        return "true or false"
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f'"{value}"' for value in get_args(kind))
    if get_origin(kind) is tuple:
        return "a list, which may be empty, of distinct names " + _allowed_kind(get_args(kind)[0], ())[4:]
    low = [bound.ge for bound in bounds if isinstance(bound, annotated_types.Ge)]
    high = [bound.le for bound in bounds if isinstance(bound, annotated_types.Le)]
    number = "a number" if kind is float else "an integer"
    if high:
        return f"{number} from {low[0]:,} to {high[0]:,}"
    return f"{number}, {low[0]:,} or more"


def _words(value: Any) -> str:
    """A value as TOML writes it, without quotes."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_words, value)) + "]"
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str("none" if value is None else value)


def _shown(value: Any) -> str:
    """A value in a message, cut where long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _place(path: str | PathLike[str], text: str, names: Sequence[str]) -> str:
    """`path, line 3` of the first of the names that is a key of the file, else the path alone."""
    for name in names:
        key = re.compile(rf"""\s*(\[+\s*)?["']?{re.escape(name)}["']?\s*[=.\]]""")
        for number, line in enumerate(text.split("\n"), 1):
            if key.match(line):
                return f"{path}, line {number}"
    return str(path)


def _broken_toml(path: str | PathLike[str], text: str, message: str) -> str:
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = int(found[1]) if found and found[1] else len(text.rstrip("\n").split("\n"))
    reason = message[: found.start()] if found else message
    return f"{path}, line {line}: not valid TOML: {reason}"


# Arrays that users give to the rules' functions ---------------------------------------------------------------------
