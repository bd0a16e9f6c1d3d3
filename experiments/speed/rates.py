"""Games per second: the engine at several batch sizes, the compiled loop and the scalar oracle, in turns."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import experiments
import sim
from agents.registry import make
from experiments.lab.experiment import Game
from experiments.speed import limit
from experiments.speed.spread import Spread
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

SPECS = {"odyssey": "greedy", "stella": "threshold:fit=0.7"}
"""Who plays all seats: the agents whose choices the compiled loop makes too."""


@dataclass(frozen=True)
class Case:
    """A table whose speed is measured."""

    name: str
    rules: OdysseyRules | StellaRules

    @property
    def game(self) -> Game:
        return "odyssey" if isinstance(self.rules, OdysseyRules) else "stella"

    @property
    def match(self) -> sim.Match:
        return sim.Match([make(self.game, SPECS[self.game])] * self.rules.players, self.rules)

    @property
    def loop(self) -> Callable[[int], Any]:
        """Plays so many games in the compiled loop."""
        rules = self.rules
        if isinstance(rules, StellaRules):
            return lambda n: limit.stella(n, rules)
        return lambda n: limit.odyssey(n, rules)


CASES = (
    Case("Odyssey, 3 players", OdysseyRules(players=3)),
    Case("Odyssey, 6 players", OdysseyRules(players=6)),
    Case("Odyssey, 12 players", OdysseyRules(players=12)),
    Case("Odyssey Party, 8 players", OdysseyRules(players=8, variant="party")),
    Case("Odyssey Team, 8 players", OdysseyRules(players=8, variant="team")),
    Case("Stella, 3 players", StellaRules(players=3)),
    Case("Stella, 4 players", StellaRules(players=4)),
    Case("Stella, 6 players", StellaRules(players=6)),
)
HEADLINES = ("Odyssey, 6 players", "Stella, 4 players")
"""The cases with a goal in DESIGN, which the regression check measures."""


@dataclass(frozen=True)
class Speed:
    """What was measured of one case; rates in games per second of processor time, medians over repetitions.

    ratios: of the engine to the compiled loop in the same repetition, by batch size, with their spread
    """

    case: str
    games: int
    turns: float
    engine: Mapping[int, float]
    loop: float
    oracle: float
    ratios: Mapping[int, Spread]


def measure(case: Case, batches: Sequence[int], games: int, repetitions: int, oracle_games: int = 0) -> Speed:
    """Play `games` games by every rival in turn, `repetitions` times.

    The clock is the process's own processor time, so that what else the machine does counts little.
    """
    match = case.match
    rivals: dict[str, tuple[Callable[[int], Any], int]] = {
        str(batch): (partial(_engine, match, batch), max(16, min(games, 400 * batch))) for batch in batches
    }
    rivals["loop"] = (case.loop, games)
    for play, n in rivals.values():
        play(min(n, 64))
    rates: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(repetitions):
        for name, (play, n) in rivals.items():
            rates[name].append(n / cpu_seconds(partial(play, n)))
    engine = {batch: float(np.median(rates[str(batch)])) for batch in batches}
    ratios = {batch: Spread.of(np.divide(rates[str(batch)], rates["loop"])) for batch in batches}
    played = sim.simulate(match, 200, seed=1)
    return Speed(
        case=case.name,
        games=games,
        turns=float(played.turns.mean()) if played.turns is not None else float(case.rules.rounds),  # type: ignore[union-attr]
        engine=engine,
        loop=float(np.median(rates["loop"])),
        oracle=_oracle_rate(case, oracle_games) if oracle_games else float("nan"),
        ratios=ratios,
    )


def cpu_seconds(play: Callable[[], Any]) -> float:
    """Processor time of a call."""
    start = time.process_time()
    play()
    return time.process_time() - start


def _engine(match: sim.Match, batch: int, n: int) -> Any:
    return sim.simulate(match, n, seed=1, keep="summary", block_deals=batch)


def _oracle_rate(case: Case, games: int) -> float:
    """Games per second of the tests' scalar oracle; NaN where the tests are not at hand."""
    oracle = _oracle()
    if oracle is None:
        return float("nan")
    play_odyssey, play_stella, players = oracle
    world = sim.World()
    if isinstance(case.rules, OdysseyRules):
        table, play = [players.GreedyOdyssey()] * case.rules.players, play_odyssey
    else:
        table, play = [players.ThresholdStella(0.7)] * case.rules.players, play_stella
    return games / cpu_seconds(lambda: [play(case.rules, world, table, 1, deal) for deal in range(games)])


@lru_cache(maxsize=1)
def _oracle() -> tuple[Any, Any, Any] | None:
    tests = Path(experiments.__path__[0]).resolve().parent / "tests"
    if not (tests / "oracle").is_dir():
        return None
    sys.path.append(str(tests))
    try:
        from oracle import odyssey, players, stella  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(tests))
    return odyssey.play_odyssey, stella.play_stella, players
