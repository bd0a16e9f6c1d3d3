"""The rules and the world that a run was given, as content: from files and `--set`, or from a manifest."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from experiments.lab.experiment import Experiment, Game, Settings
from sim.odyssey import OdysseyRules
from sim.rules import Rules
from sim.stella import StellaRules
from sim.world import World

RULES: Mapping[Game, type[OdysseyRules] | type[StellaRules]] = {"odyssey": OdysseyRules, "stella": StellaRules}


@dataclass(frozen=True)
class Given:
    """rules: per game the fields that were given, to be resolved with those that the experiment sweeps; world."""

    rules: Mapping[Game, Mapping[str, Any]] = field(default_factory=dict)
    world: World = field(default_factory=World)
    fixed: frozenset[str] = frozenset()
    """Fields given by --set: an experiment that sweeps one of them refuses."""

    @property
    def default(self) -> bool:
        """Neither rules nor world were given."""
        return not any(self.rules.values()) and self.world == World()

    def resolve(self, game: Game, swept: Mapping[str, Any]) -> OdysseyRules | StellaRules:
        """The rules of a game with swept fields on top. ValueError (RulesError) for rules that cannot be."""
        refuse_swept(self.fixed, swept)
        return RULES[game](**{**self.rules.get(game, {}), **swept})


def load_given(experiment: Experiment[Any], settings: Settings) -> Given:
    """Read the rules file, `--set` and `--world`.

    Raises ValueError for a file that cannot be read or is of another game, an unknown field, a field that the
    experiment sweeps, or an unknown world.
    """
    rules: dict[Game, dict[str, Any]] = {}
    if settings.rules is not None:
        base = RULES[experiment.games[0]] if len(experiment.games) == 1 else Rules
        loaded = base.from_toml(settings.rules)
        game: Game = "odyssey" if isinstance(loaded, OdysseyRules) else "stella"
        if game not in experiment.games:
            raise ValueError(f"{settings.rules}: rules of {game}, but {experiment.name} {_plays(experiment)}")
        given = tomllib.loads(Path(settings.rules).read_text(encoding="utf-8"))
        rules[game] = {name: value for name, value in given.items() if name != "game"}
    fields = _fields(experiment, settings.set)
    refuse_swept(fields, experiment.swept)
    for game in experiment.games:
        here = {name: value for name, value in fields.items() if name in RULES[game].model_fields}
        if here:
            rules[game] = {**rules.get(game, {}), **here}
    return Given(rules, load_world(settings.world), frozenset(fields))


def refuse_other_game(settings: Settings, game: Game) -> None:
    """ValueError for a rules file of the other game, in an experiment that may be of either."""
    if settings.rules is not None and (other := Rules.from_toml(settings.rules).game) != game:
        raise ValueError(f"{settings.rules}: rules of {other}, but the game is {game} (choose with --game {other})")


def load_world(name: str) -> World:
    """A world by name, or from a TOML file. ValueError for neither."""
    if name.endswith(".toml") or Path(name).is_file():
        return World.from_toml(name)
    return World.like(name)


def refuse_swept(given: Any, swept: Any) -> None:
    """ValueError if a field was given by --set that the experiment sets itself."""
    for name in given:
        if name in swept:
            raise ValueError(
                f"--set {name}=...: this experiment sets {name} itself, from its own settings (see --help)"
            )


def _fields(experiment: Experiment[Any], texts: Sequence[str]) -> dict[str, Any]:
    """Name and value of every `--set`. ValueError for a field that is set twice."""
    fields: dict[str, Any] = {}
    for text in texts:
        name, value = _field(experiment, text)
        if name in fields:
            raise ValueError(f"--set {text}: {name} is set twice; set each field once")
        fields[name] = value
    return fields


def _field(experiment: Experiment[Any], text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name:
        raise ValueError(f"--set {text}: expected FIELD=VALUE, like --set deck_size=84")
    known = [field for game in experiment.games for field in RULES[game].model_fields]
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        if not known:
            raise ValueError(f"--set {text}: {experiment.name} {_plays(experiment)}")
        raise ValueError(f"--set {text}: no rules field {name!r}; {hint}there is {', '.join(dict.fromkeys(known))}")
    return name, parse_value(value, _is_list(experiment, name))


def parse_value(text: str, as_list: bool = False) -> Any:
    """A rules value from the command line, written as in TOML, quotes left out: 3, true, none, off, [sparks].

    as_list: a bare word, or several with commas, make a list; so does nothing at all.
    """
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        inner = text.strip("[]() ")
        if as_list or text[:1] in "[(":
            return [part.strip().strip("\"'") for part in inner.split(",") if part.strip()]
        return text
    return [value] if as_list and not isinstance(value, list) else value


def _is_list(experiment: Experiment[Any], name: str) -> bool:
    return any(
        isinstance(RULES[game].model_fields[name].default, tuple)
        for game in experiment.games
        if name in RULES[game].model_fields
    )


def _plays(experiment: Experiment[Any]) -> str:
    return f"plays {' and '.join(experiment.games)}" if experiment.games else "has no rules to set"
