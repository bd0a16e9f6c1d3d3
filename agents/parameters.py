"""Parameters of agents: their bounds, read from the annotations; their text, as it stands in specs."""

from __future__ import annotations

import inspect
import math
import types
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import annotated_types as bounds
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

__all__ = ["Parameter", "parameters_of", "spec_number"]

_CHECKED = (int, float, bool, str, type(None))
REQUIRED = object()
"""Default of a parameter that has none."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an agent class."""

    owner: str
    name: str
    hint: Any
    default: Any
    allowed: str
    """What is allowed, in words: "0..1", "1 or more", "safest, boldest or random"."""

    def checked(self, value: Any) -> Any:
        """The value in the type of the annotation. Raises ValueError naming agent, parameter, value and range."""
        if not _is_plain(self.hint):
            return value
        if isinstance(value, float) and not math.isfinite(value):
            raise self.refused(value)
        try:
            return _adapter(self.hint).validate_python(value, strict=True)
        except ValidationError:
            raise self.refused(value) from None

    def parsed(self, text: str) -> Any:
        """The value that a spec's text stands for, by the parameter's type. Raises ValueError as `checked` does."""
        if text.lower() == "none" and type(None) in _alternatives(self.hint):
            return None
        for kind in (int, float):
            if kind in _alternatives(self.hint):
                try:
                    value = kind(text)
                except ValueError:
                    continue
                return self.checked(value)
        if bool in _alternatives(self.hint) and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if str in _alternatives(self.hint) or any(isinstance(choice, str) for choice in _alternatives(self.hint)):
            return self.checked(text)
        raise self.refused(text)

    def refused(self, value: Any) -> ValueError:
        """The error for a value that is not allowed."""
        shown = spec_number(value) if isinstance(value, float) else repr(value)
        return ValueError(f"{self.owner}: {self.name} = {shown} is not allowed; allowed: {self.allowed}")


def parameters_of(cls: type) -> dict[str, Parameter]:
    """The parameters of an agent class: own ones in the order of its constructor, then keyword-only ones."""
    own = [name for name, hint in inspect.get_annotations(cls).items() if "ClassVar" not in str(hint)]
    if own and "__dataclass_fields__" not in cls.__dict__:
        raise TypeError(
            f"{cls.__module__}:{cls.__qualname__} has parameters: put @dataclass(frozen=True) above its class"
        )
    return _parameters_of(cls)


@cache
def _parameters_of(cls: Any) -> dict[str, Parameter]:
    hints = get_type_hints(cls, include_extras=True)
    found = {}
    for field in sorted(fields(cls), key=lambda field: bool(field.kw_only)):
        default = REQUIRED
        if field.default is not MISSING:
            default = field.default
        elif field.default_factory is not MISSING:
            default = field.default_factory()
        hint = hints[field.name]
        found[field.name] = Parameter(cls.spec_name(), field.name, hint, default, _allowed(hint))
    return found


def spec_number(value: Any) -> str:
    """A value as specs write it: 0.2, 1 (for 1.0), none, true, safest."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float):
        text = repr(value)
        return text.removesuffix(".0") if "e" not in text else text
    return str(value)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _parts(hint: Any) -> list[Any]:
    """The types of a union, else the type alone."""
    if get_origin(hint) in (Union, types.UnionType):
        return [part for choice in get_args(hint) for part in _parts(choice)]
    return [hint]


def _alternatives(hint: Any) -> list[Any]:
    """The bare types that a value may have; for Literal, its values."""
    found: list[Any] = []
    for part in _parts(hint):
        if get_origin(part) is Annotated:
            found += _alternatives(get_args(part)[0])
        elif get_origin(part) is Literal:
            found += get_args(part)
        else:
            found.append(part)
    return found


def _is_plain(hint: Any) -> bool:
    return all(part in _CHECKED or isinstance(part, str | int) for part in _alternatives(hint))


def _allowed(hint: Any) -> str:
    """What a type accepts, in words."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        return _bounded(kind, notes)
    parts = _parts(hint)
    if len(parts) > 1:
        return " or ".join(_allowed(part) for part in parts)
    if get_origin(hint) is Literal:
        *rest, last = (str(choice) for choice in get_args(hint))
        return f"{', '.join(rest)} or {last}" if rest else last
    names = {int: "a whole number", float: "a finite number", bool: "true or false", str: "a text", type(None): "none"}
    return names.get(hint, getattr(hint, "__name__", str(hint)))


def _bounded(kind: Any, notes: list[Any]) -> str:
    flat = [note for outer in notes for note in (outer.metadata if isinstance(outer, FieldInfo) else [outer])]
    limits: dict[str, Any] = {}
    for note in flat:
        for name in ("ge", "gt", "le", "lt"):
            if isinstance(note, bounds.Interval | bounds.Ge | bounds.Gt | bounds.Le | bounds.Lt):
                limit = getattr(note, name, None)
                if limit is not None:
                    limits[name] = limit
    whole = "whole numbers " if int in _alternatives(kind) else ""
    text = {name: spec_number(float(limit)) for name, limit in limits.items()}
    if "ge" in text and "le" in text:
        return f"{whole}{text['ge']}..{text['le']}"
    words = {"ge": "{} or more", "gt": "above {}", "le": "at most {}", "lt": "below {}"}
    return whole + " and ".join(words[name].format(limit) for name, limit in text.items()) if text else _allowed(kind)
