"""How time grows: with players, deals and different agents, each with its fitted exponent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import sim
from agents.registry import make
from experiments.speed.rates import SPECS, cpu_seconds
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules


@dataclass(frozen=True)
class Growth:
    """Time at several sizes, and the slope of log time over log size (1: proportional)."""

    what: str
    sizes: tuple[int, ...]
    microseconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        return float(np.polyfit(np.log(self.sizes), np.log(self.microseconds), 1)[0])


def measure_all(games: int, repetitions: int) -> list[Growth]:
    """Time per turn or round over players, in all over deals, per turn or round over the number of different agents."""
    deals = tuple(games * 2**step for step in range(5))
    return [
        _growth("Odyssey: time per turn over players", (3, 4, 6, 8, 10, 12), repetitions, lambda p: _odyssey(p, games)),
        _growth("Stella: time per round over players", (2, 3, 4, 6, 8, 12), repetitions, lambda p: _stella(p, games)),
        _growth("Odyssey, 6 players: time over deals", deals, repetitions, lambda n: _odyssey(6, n, whole=True)),
        _growth("Stella, 4 players: time over deals", deals, repetitions, lambda n: _stella(4, n, whole=True)),
        _growth("Odyssey, 6 players: time per turn over different agents", (1, 2, 3, 4, 6), repetitions,
                lambda k: _odyssey(6, games, different=k)),
        _growth("Stella, 6 players: time per round over different agents", (1, 2, 3, 4, 6), repetitions,
                lambda k: _stella(6, games, different=k)),
    ]  # fmt: skip


def _growth(what: str, sizes: Sequence[int], repetitions: int, seconds: Callable[[int], float]) -> Growth:
    for size in (sizes[0], sizes[-1]):
        seconds(size)
    times = np.median([[seconds(size) for size in sizes] for _ in range(repetitions)], axis=0)
    return Growth(what, tuple(sizes), tuple(float(x) for x in times * 1e6))


def _odyssey(players: int, games: int, different: int = 1, whole: bool = False) -> float:
    """Seconds of all games, or per game and turn. different: agents that differ in their vagueness a little."""
    specs = (
        [SPECS["odyssey"]] if different == 1 else [f"storyteller:vagueness={0.5 + i / 100}" for i in range(different)]
    )
    lineup = [make("odyssey", specs[seat % len(specs)]) for seat in range(players)]
    match = sim.Match(lineup, OdysseyRules(players=players), seating="fixed")
    seconds = cpu_seconds(lambda: sim.simulate(match, games, seed=1, keep="summary"))
    if whole:
        return seconds
    turns = sim.simulate(match, 500, seed=1).turns
    return seconds / games / float(turns.mean())


def _stella(players: int, games: int, different: int = 1, whole: bool = False) -> float:
    """Seconds of all games, or per game and round. different: agents that differ in their threshold a little."""
    lineup = [make("stella", f"threshold:fit={0.7 + seat % different / 100}") for seat in range(players)]
    match = sim.Match(lineup, StellaRules(players=players), seating="fixed")
    seconds = cpu_seconds(lambda: sim.simulate(match, games, seed=1, keep="summary"))
    return seconds if whole else seconds / games / match.rules.rounds  # type: ignore[union-attr]
