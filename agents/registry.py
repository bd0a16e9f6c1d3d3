"""Agents by name: `make("stella", "avoider:risk=0.2")`.

A spec is `name`, `name:parameter=value,parameter=value`, or `module:Class[:parameter=value,...]` for a class of your
own (the module is imported, also from the current folder). A value that is itself a spec stands in brackets, and a
list has semicolons: `noisy:agent=[avoider:risk=0.2],rate=0.1`, `mixed:agents=[people;greedy],weights=[3;1]`. Values
are read by the parameter's type; nothing is evaluated. `str(agent)` is its spec.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar

from agents.base import Agent
from agents.parameters import REQUIRED, Parameter, parameters_of, spec_number

__all__ = ["Description", "describe", "game_of", "make", "names", "register"]

Game = Literal["odyssey", "stella"]
GAMES: tuple[Game, ...] = ("odyssey", "stella")
A = TypeVar("A", bound=type[Agent])
_registered: dict[tuple[str, str], type[Agent]] = {}


def register(name: str) -> Callable[[A], A]:
    """Class decorator: enter a strategy under `name`, for the game of its base class.

    Raises ValueError if the name is taken by another class of that game.
    """

    def enter(cls: A) -> A:
        game = _game(cls)
        known = _registered.setdefault((game, name), cls)
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ValueError(f"{game} has an agent {name!r} already: {known.__module__}:{known.__qualname__}")
        _registered[game, name] = cls
        cls.registered_name = name
        return cls

    return enter


@cache
def _scan() -> None:
    """Import every module of agents/odyssey and agents/stella, so that its strategies enter themselves."""
    for game in GAMES:
        package = importlib.import_module(f"agents.{game}")
        for module in pkgutil.iter_modules(package.__path__, f"agents.{game}."):
            importlib.import_module(module.name)


def names(game: Game) -> list[str]:
    """The registered agents of a game, in alphabetical order. Raises ValueError for an unknown game."""
    _check_game(game)
    _scan()
    return sorted(name for of, name in _registered if of == game)


def make(game: Game, spec: str) -> Any:
    """The agent that a spec describes.

    game: "odyssey" or "stella"; spec: see above -> OdysseyAgent or StellaAgent
    Raises ValueError for an unknown game, name, parameter or value, and says what there is.
    """
    _check_game(game)
    _scan()
    head, rest = _split_once(str(spec).strip(), ":")
    wrapper = _wrappers().get(head)
    if wrapper is not None:
        return wrapper(game, _given(head, rest))
    if (game, head) in _registered:
        return _build(_registered[game, head], rest)
    if rest and "=" not in _split_once(rest, ":")[0]:
        class_name, parameters = _split_once(rest, ":")
        return _build(_imported(game, head, class_name), parameters)
    raise _unknown_agent(game, head)


def game_of(agent: Any) -> Game:
    """Which game an agent plays, by its decisions. Raises ValueError for what is no agent, or a class."""
    if not isinstance(agent, type):
        if callable(getattr(agent, "mark", None)):
            return "stella"
        if callable(getattr(agent, "vote", None)):
            return "odyssey"
    raise ValueError(f"expected an agent (an instance of OdysseyAgent or StellaAgent), received {agent!r}")


@dataclass(frozen=True)
class Description:
    """What `python -m agents` says of one agent."""

    game: Game
    name: str
    parameters: tuple[str, ...]
    """Like "risk = 0.2 (0..1)"."""
    line: str
    """The first line of its docstring."""


def describe(games: Iterable[Game] = GAMES) -> list[Description]:
    """Every registered agent of these games with its parameters, defaults and ranges."""
    found = []
    for game in games:
        for name in names(game):
            cls = _registered[game, name]
            shown = tuple(_shown(parameter) for parameter in parameters_of(cls).values())
            found.append(Description(game, name, shown, (cls.__doc__ or "").strip().split("\n")[0]))
    return found


def _game(cls: type) -> str:
    return str(getattr(cls, "game", "no game"))


def _shown(parameter: Parameter) -> str:
    default = "" if parameter.default is REQUIRED else f" = {spec_number(parameter.default)}"
    return f"{parameter.name}{default} ({parameter.allowed})"


def _check_game(game: str) -> None:
    if game not in GAMES:
        raise ValueError(f"unknown game {game!r}: there is odyssey and stella{_nearest(game, GAMES)}")


def _unknown_agent(game: Game, name: str) -> ValueError:
    for other in GAMES:
        if other != game and (other, name) in _registered:
            return ValueError(
                f"agent {name!r} plays {other}, not {game}; {game} has {', '.join(names(game))} (or module:Class)"
            )
    known = names(game)
    return ValueError(
        f"unknown {game} agent {name!r}: there is {', '.join(known)}, noisy, mixed (or module:Class)"
        f"{_nearest(name, [*known, 'noisy', 'mixed'])}"
    )


def _nearest(given: str, known: Iterable[str]) -> str:
    match = difflib.get_close_matches(str(given), list(known), n=1, cutoff=0.6)
    return f". Did you mean {match[0]!r}?" if match else ""


def _imported(game: Game, module: str, class_name: str) -> type[Agent]:
    spec = f"{module}:{class_name}"
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # whatever the module does while it is imported
        if isinstance(error, ModuleNotFoundError) and error.name == module and "." not in module:
            an = "an" if game == "odyssey" else "a"
            raise ValueError(
                f"{spec}: there is no module {module!r} to import, nor {an} {game} agent of that name; "
                f"{game} has {', '.join(names(game))}"
            ) from None
        said = " ".join(str(error).split())
        raise ValueError(f"{spec}: cannot import module {module!r}: {type(error).__name__}: {said}") from error
    try:
        for part in class_name.split("."):
            found = getattr(found, part)
    except AttributeError:
        classes = [name for name, value in vars(found).items() if isinstance(value, type) and issubclass(value, Agent)]
        listed = ", ".join(classes) or "no agent class"
        raise ValueError(f"{spec}: module {module!r} has {listed}{_nearest(class_name, classes)}") from None
    if not isinstance(found, type) or not issubclass(found, Agent):
        raise ValueError(f"{spec} is not an agent class: it must derive from {game.capitalize()}Agent")
    if _game(found) != game:
        raise ValueError(f"{spec} plays {_game(found)}, not {game}")
    return found


def _build(cls: type[Agent], text: str) -> Agent:
    name = cls.spec_name()
    try:
        known = parameters_of(cls)
    except TypeError as error:
        raise ValueError(str(error)) from error
    values = {}
    for parameter, value in _given(name, text).items():
        if parameter not in known:
            listed = ", ".join(_shown(p) for p in known.values())
            raise ValueError(
                f"{name} has no parameter {parameter!r}: it has {listed or 'none'}{_nearest(parameter, known)}"
            )
        values[parameter] = known[parameter].parsed(value)
    missing = [p.name for p in known.values() if p.default is REQUIRED and p.name not in values]
    if missing:
        raise ValueError(f"{name} needs {', '.join(missing)}: write {name}:{missing[0]}=...")
    try:
        return cls(**values)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{name} cannot be made: {type(error).__name__}: {error}") from error


def _given(name: str, text: str) -> dict[str, str]:
    """The `parameter=value` pairs of a spec. Raises ValueError for what is no pair or stands twice."""
    values: dict[str, str] = {}
    for part in split(text, ",") if text else []:
        parameter, equals, value = (piece.strip() for piece in part.partition("="))
        if not parameter or not equals or not value:
            raise ValueError(f"{name}:{text}: expected parameter=value, got {part!r}")
        if parameter in values:
            raise ValueError(f"{name}:{text}: {parameter!r} is given twice")
        values[parameter] = value
    return values


def split(text: str, mark: str) -> list[str]:
    """Cut at every `mark` that is outside brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth:
        raise ValueError(f"{text!r}: brackets do not match")
    return parts


def _split_once(text: str, mark: str) -> tuple[str, str]:
    before, _, after = text.partition(mark)
    return before, after


def _wrappers() -> dict[str, Callable[[Game, dict[str, str]], Any]]:
    from agents import combinators

    return {"noisy": combinators.noisy_from_spec, "mixed": combinators.mixed_from_spec}
