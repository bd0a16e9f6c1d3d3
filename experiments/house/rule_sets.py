"""Rule sets by name: from files, from the command line, or as all values of swept fields."""

from __future__ import annotations

import difflib
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import experiments
from experiments.house.measures import AnyRules
from experiments.lab.experiment import Game
from experiments.lab.given import RULES, parse_value
from sim.rules import Rules, RulesError

FOLDER = Path(experiments.__path__[0]) / "rules"
MOST_RULE_SETS = 100
"""Of a sweep: more would be no table to read."""
_INLINE = re.compile(r"^[^:=#/\\]+:\s*(?:$|#|\w+\s*=)")
_RANGE = re.compile(r"^(-?\d+)\.\.(-?\d+)$")

Resolve = Callable[[Mapping[str, Any]], AnyRules]


@dataclass(frozen=True)
class RuleSet:
    """Rules fields under a name. fields: name and plain value of each; comment: one line for people."""

    name: str
    fields: tuple[tuple[str, Any], ...] = ()
    comment: str = ""

    def __str__(self) -> str:
        """As it is written on the command line: 'NAME: field=value, field=value # comment'."""
        fields = ", ".join(f"{name}={value_words(value)}" for name, value in self.fields)
        return f"{self.name}: {fields}".rstrip() + (f" # {self.comment}" if self.comment else "")


@dataclass(frozen=True)
class Varied:
    """A field and the values it takes. option: as it was written, for messages; bounds: if it was given as a range."""

    option: str
    field: str
    values: Sequence[Any]
    bounds: tuple[int, int] | None = None


def shipped(game: Game) -> tuple[RuleSet, ...]:
    """The rule sets that come with the lab, as printed first, then by name."""
    found = [load(path, game) for path in sorted(FOLDER.glob(f"{game}_*.toml"))]
    return tuple(sorted(found, key=lambda rule_set: bool(rule_set.fields)))


def read(text: str, game: Game) -> RuleSet:
    """A rule set from a word of the command line: a file, the name of a shipped one, or 'NAME: field=value, ...'.

    Raises ValueError for a file that is not there, is broken or is of the other game, and for unknown fields.
    """
    if _INLINE.match(text):
        return _inline(text, game)
    if text.endswith(".toml") or Path(text).is_file():
        return load(Path(text), game)
    path = FOLDER / f"{game}_{re.sub(r'[ -]', '_', text.strip().lower())}.toml"
    if not path.is_file():
        there = ", ".join(repr(rule_set.name) for rule_set in shipped(game))
        raise ValueError(
            f"--compare {text!r}: neither a rules file (FILE.toml) nor a rule set of {game} that comes with the lab "
            f"({there}) nor 'NAME: field=value, ...'"
        )
    return load(path, game)


def load(path: Path, game: Game) -> RuleSet:
    """A rules file; its name is the file's, without the game, and its comment the first comment line."""
    rules = Rules.from_toml(path)
    if rules.game != game:
        raise ValueError(f"{path}: rules of {rules.game}, but the game is {game} (choose with --game {rules.game})")
    text = path.read_text(encoding="utf-8")
    given = {name: plain_value(value) for name, value in tomllib.loads(text).items() if name != "game"}
    comment = next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")), "")
    name = re.sub(r"[:=#/\\]", " ", path.stem.removeprefix(f"{game}_").replace("_", " "))
    return RuleSet(name, tuple(given.items()), comment)


def _inline(text: str, game: Game) -> RuleSet:
    body, _, comment = text.partition("#")
    name, _, fields = (part.strip() for part in body.partition(":"))
    given: dict[str, Any] = {}
    for part in split(fields):
        field, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ValueError(f"--compare {text!r}: expected field=value, not {part!r}")
        known_field(f"--compare {text!r}", field, game)
        given[field] = field_value(field, value, game)
    return RuleSet(name, tuple(given.items()), comment.strip())


def varied(text: str, option: str, game: Game) -> Varied:
    """'field=a,b,c' or 'field=low..high' as a field and its values (a range: all whole numbers in it).

    Raises ValueError for an unknown field, nothing to vary, or a value given twice.
    """
    said = f"{option} {text}"
    field, equals, listed = (part.strip() for part in text.partition("="))
    if not equals or not listed:
        raise ValueError(f"{said}: expected field=a,b,c or field=low..high, like {option} vote_points_cap=1,2,3,none")
    known_field(said, field, game)
    bounds = _RANGE.match(listed)
    if bounds:
        low, high = int(bounds[1]), int(bounds[2])
        if low >= high:
            raise ValueError(f"{said}: a range goes from a lower to a higher number")
        for end in (low, high):
            refuse_value(said, field, end, game)
        return Varied(said, field, range(low, high + 1), (low, high))
    values = tuple(field_value(field, value, game) for value in split(listed))
    twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
    if twice is not None:
        raise ValueError(f"{said}: {value_words(twice)} is there twice")
    for value in values:
        refuse_value(said, field, value, game)
    return Varied(said, field, values)


def product(fields: Sequence[Varied]) -> tuple[RuleSet, ...]:
    """A rule set for every combination of the fields' values, the last field fastest. ValueError for too many."""
    number = 1
    for one in fields:
        number *= len(one.values)
    if number > MOST_RULE_SETS:
        raise ValueError(
            f"{fields[-1].option}: {number:,} rule sets, at most {MOST_RULE_SETS} can be swept (use --tune)"
        )
    names = [one.field for one in fields]
    return tuple(
        RuleSet(named(given), tuple(given.items()))
        for values in itertools.product(*(one.values for one in fields))
        for given in [dict(zip(names, values, strict=True))]
    )


def named(fields: Mapping[str, Any]) -> str:
    """'vote points cap 2, players 5': how a rule set without a name is called."""
    return ", ".join(f"{name.replace('_', ' ')} {value_words(value)}" for name, value in fields.items())


def known_field(said: str, field: str, game: Game) -> None:
    """ValueError if the game has no such field, with the one that may have been meant."""
    known = RULES[game].model_fields
    if field not in known:
        near = difflib.get_close_matches(field, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        other = next((other for other in RULES if other != game and field in RULES[other].model_fields), None)
        whose = f" in {game} (it is a field of {other})" if other else ""
        raise ValueError(f"{said}: no rules field {field!r}{whose}; {hint}there is {', '.join(known)}")


def refuse_value(said: str, field: str, value: Any, game: Game) -> None:
    """ValueError if the value is of the wrong type or out of the field's own range, which it names."""
    try:
        RULES[game](**{field: value})
    except RulesError as error:
        own = [problem.text for problem in error.problems if problem.fields == (field,)]
        if own:
            raise ValueError(f"{said}: {own[0]}") from None


def field_value(field: str, text: str, game: Game) -> Any:
    """A value as it is written on the command line: 3, true, none, off, [sparks]."""
    as_list = isinstance(RULES[game].model_fields[field].default, tuple)
    return plain_value(parse_value(text.strip(), as_list))


def plain_value(value: Any) -> Any:
    """Lists as tuples, 'none' as None."""
    if isinstance(value, list):
        return tuple(value)
    return None if isinstance(value, str) and value == "none" else value


def value_words(value: Any) -> str:
    """A value as TOML writes it, without quotes."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value)


def split(text: str) -> list[str]:
    """Parts between commas that stand in no brackets."""
    return [part.strip() for part in _parts(text) if part.strip()]


def _parts(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if character == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]
