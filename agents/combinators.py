"""Strategies made of strategies, for both games: one that errs, and one that is now this and now that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from agents.base import Agent
from agents.choice import best
from agents.parameters import spec_number
from agents.registry import Game, game_of, make, split
from sim.odyssey import Clue

__all__ = ["Mixed", "Noisy"]

DECISIONS = {"stella": ("mark", "reveal_order", "scout"), "odyssey": ("tell", "hand_in", "vote", "trap")}


class _Wrapper(Agent):
    """Offers the decisions of the agents inside, and `scout` only if one of them has it."""

    def _inner(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _decide(self, decision: str, view: Any) -> Any:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        # only reached for what is no attribute; "agent" and "agents" are missing while a pickle is being read
        if name.startswith("_") or name in ("agent", "agents"):
            raise AttributeError(name)
        if name == "game":
            return game_of(self._inner()[0])
        if name in DECISIONS[self.game] and any(hasattr(agent, name) for agent in self._inner()):
            return partial(self._decide, name)
        raise AttributeError(f"{self} has no {name!r}")


@dataclass(frozen=True)
class Noisy(_Wrapper):
    """Plays like `agent`, but each decision is replaced by the `random` agent's with probability `rate`.

    The coin is keyed by seed, deal, turn or round, decision and seat; the agent inside draws from streams of its own.
    In Stella the order of revealing is one decision; where `agent` thinks again at every reveal, each reveal is one.
    agent: of either game; rate: 0..1. Raises ValueError for anything else.
    """

    registered_name: ClassVar[str] = "noisy"

    agent: Any
    rate: Annotated[float, Ge(0), Le(1)]

    def __post_init__(self) -> None:
        game_of(self.agent)
        super().__post_init__()

    def __str__(self) -> str:
        return f"noisy:agent=[{self.agent}],rate={spec_number(self.rate)}"

    def _inner(self) -> tuple[Any, ...]:
        return (self.agent,)

    def _decide(self, decision: str, view: Any) -> Any:
        sensible = getattr(self.agent, decision)(view.with_stream(0))
        errs = view.random.uniform(1)[..., 0] < self.rate
        return _merged(errs, _random_reply(self.game, decision, view.with_stream(1)), sensible)


@dataclass(frozen=True)
class Mixed(_Wrapper):
    """In each game and at each seat plays one of `agents`, the same from the first decision to the last.

    Which one is keyed by seed, deal and seat, with chances proportional to `weights`. agents: of one game, one or more;
    weights: as many numbers, 0 or more, not all 0; none: equal. Raises ValueError for anything else.
    """

    registered_name: ClassVar[str] = "mixed"

    agents: tuple[Any, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.agents, str) or not isinstance(self.agents, Iterable):
            raise ValueError(f"mixed: agents = {self.agents!r} is not allowed; allowed: a list of agents")
        agents = tuple(self.agents)
        if not agents:
            raise ValueError("mixed: agents is empty; allowed: one agent or more")
        games = [game_of(agent) for agent in agents]
        if len(set(games)) > 1:
            told = ", ".join(f"{agent} ({game})" for agent, game in zip(agents, games, strict=True))
            raise ValueError(f"mixed: agents must all play one game, not {told}")
        weights = tuple(float(w) for w in self.weights) if self.weights is not None else (1.0,) * len(agents)
        if len(weights) != len(agents):
            raise ValueError(f"mixed: weights = {weights} has {len(weights)} numbers; allowed: {len(agents)}")
        if not all(isfinite(w) and w >= 0 for w in weights) or sum(weights) == 0:
            raise ValueError(f"mixed: weights = {weights} is not allowed; allowed: numbers of 0 or more, not all 0")
        object.__setattr__(self, "agents", agents)
        object.__setattr__(self, "weights", weights)

    def __str__(self) -> str:
        weights = self.weights or ()
        agents = ";".join(str(agent) for agent in self.agents)
        return f"mixed:agents=[{agents}],weights=[{';'.join(spec_number(w) for w in weights)}]"

    def _inner(self) -> tuple[Any, ...]:
        return self.agents

    def _decide(self, decision: str, view: Any) -> Any:
        weights = np.array(self.weights, np.float64)
        upto = np.cumsum(weights) / weights.sum()
        played = np.searchsorted(upto[:-1], view.random.per_game.uniform(1)[..., 0], side="right")
        reply: Any = None
        for index, agent in enumerate(self.agents):
            own = played == index
            acting = view.acting & own
            acting.flags.writeable = False
            inner = replace(view.with_stream(index), acting=acting)
            own_reply = getattr(agent, decision)(inner) if hasattr(agent, decision) else _planned_reveal(inner)
            reply = own_reply if index == 0 else _merged(own, own_reply, reply)
        return reply


def noisy_from_spec(game: Game, given: dict[str, str]) -> Noisy:
    """`noisy:agent=[spec],rate=0.1`."""
    _expect("noisy:agent=[spec],rate=0.1", given, ("agent", "rate"), ("agent", "rate"))
    try:
        rate = float(given["rate"])
    except ValueError:
        raise ValueError(f"noisy: rate = {given['rate']} is not allowed; allowed: 0..1") from None
    return Noisy(make(game, _bare(given["agent"])), rate)


def mixed_from_spec(game: Game, given: dict[str, str]) -> Mixed:
    """`mixed:agents=[spec;spec],weights=[3;1]`."""
    _expect("mixed:agents=[spec;spec],weights=[3;1]", given, ("agents", "weights"), ("agents",))
    agents = tuple(make(game, spec) for spec in split(_bare(given["agents"]), ";"))
    if "weights" not in given:
        return Mixed(agents)
    try:
        return Mixed(agents, tuple(float(weight) for weight in split(_bare(given["weights"]), ";")))
    except ValueError as error:
        raise ValueError(f"mixed:weights={given['weights']}: {error}") from None


def _expect(form: str, given: dict[str, str], known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"{form.partition(':')[0]} has no parameter {name!r}: write {form}")
    for name in needed:
        if name not in given:
            raise ValueError(f"{form.partition(':')[0]} needs {name}: write {form}")


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("[") and text.endswith("]") else text


def _planned_reveal(view: Any) -> NDArray[np.int64]:
    """The next mark in the order that was given after the announcement."""
    return best(view.priority, view.legal)


def _random_reply(game: str, decision: str, view: Any) -> Any:
    if decision == "scout":
        return best(view.random.uniform(view.legal.shape[-1]), view.legal)
    decide: Callable[[Any], Any] = getattr(make("stella" if game == "stella" else "odyssey", "random"), decision)
    return decide(view)


def _merged(first: NDArray[np.bool_], yes: Any, no: Any) -> Any:
    """`yes` where `first` (n, k), else `no`. A reply of the wrong kind is passed on for the engine to refuse."""
    if isinstance(yes, Clue) and isinstance(no, Clue):
        return Clue(*(_merged(first, a, b) for a, b in zip(yes, no, strict=True)))
    for reply, other in ((no, yes), (yes, no)):
        if isinstance(reply, Clue) or np.shape(reply) != np.shape(other) or np.ndim(reply) not in (2, 3):
            return reply
    return np.where(first if np.ndim(no) == 2 else first[..., None], yes, no)
