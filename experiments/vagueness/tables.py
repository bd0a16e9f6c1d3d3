"""One storyteller of every vagueness at one table: what is summed per deal, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sim
from agents.parameters import spec_number
from experiments.lab import statistics
from experiments.lab.best import BestSettings, best_settings
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.focal import is_focal, outcomes
from experiments.lab.statistics import rare
from sim.odyssey import OdysseyRules
from sim.summary import WIN_UNIT

CASES = ("all", "some", "none")
CRITERIA = {"points": "own points", "margin": "margin", "win_share": "win share"}
"""By what a vagueness can be the best, in words."""
SHOWN = (3, 4, 6, 8, 12)
"""Numbers of players with a column of their own in the figure, where more than five are played."""


@dataclass(frozen=True, eq=False)
class Table:
    """One storyteller of every vagueness in one field with one number of players: per-deal sums, one per vagueness.

    fresh: per-deal sums by spec, on deals that had no part in choosing: the best ones, `tuned` and `adaptive`.
    tuned: the vagueness that `tuned` computes for the table.
    """

    rules: OdysseyRules
    field: str
    vaguenesses: tuple[float, ...]
    sums: tuple[DealSums, ...]
    tuned: float
    fresh: Mapping[str, DealSums]

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def title(self) -> str:
        """'4 players', and how many images each where it is not one."""
        each = self.rules.images_handed_in
        return f"{self.players} players" + (f", {each} images each" if each > 1 else "")

    @property
    def labels(self) -> list[str]:
        """The vaguenesses in words."""
        return [f"{vagueness:g}" for vagueness in self.vaguenesses]

    def estimates(self, column: str) -> Estimates:
        """One per vagueness. column: one of MEASURES."""
        return Estimates.stack([self.estimate(sums, column) for sums in self.sums])

    def estimate(self, sums: DealSums, column: str) -> Estimate:
        """A mean per game, or a ratio per turn told, over deals.

        A case that no turn, or every turn, had gets Clopper and Pearson's interval of the share of deals that show it:
        no narrower than one for turns would be. So does a win share of 0.
        """
        if column == "win_share" and not sums["win"].any():
            return rare(sums["win"] != 0)
        if column in CASES and not sums[column].any():
            return rare(sums[column] != 0)
        if column in CASES and (sums[column] == sums["turns"]).all():
            return rare(sums[column] == sums["turns"])
        if column not in _PER_GAME:
            return statistics.ratio(self.each(sums, column), sums["turns"])[()]
        values = self.per_deal(sums, column)
        fixed = bool((values == values[0]).all())  # by symmetry, where it tells as all others do
        return Estimate(float(values[0]), n=len(values)) if fixed else statistics.mean(values)[()]

    def per_deal(self, sums: DealSums, column: str) -> NDArray[np.float64]:
        """Per-deal values whose mean is the estimate; of a ratio r, its linear form r + (points - r turns) / mean."""
        if column in _PER_GAME:
            name, unit = _PER_GAME[column]
            return sums.per(name, unit(self.players))
        return _linear(self.each(sums, column), sums["turns"])

    def each(self, sums: DealSums, column: str) -> NDArray[np.float64]:
        """A column of the turns told, per deal; what was given is the mean of the other players."""
        return np.asarray(sums[column] / (self.players - 1 if column == "given" else 1), float)

    @cached_property
    def _best(self) -> dict[str, BestSettings]:
        return {
            criterion: best_settings(np.stack([self.per_deal(sums, criterion) for sums in self.sums], axis=1))
            for criterion in CRITERIA
        }

    def best(self, criterion: str) -> BestSettings:
        """The vaguenesses that cannot be told from the best. criterion: one of CRITERIA."""
        return self._best[criterion]

    def best_spec(self, criterion: str) -> str:
        """Spec of the storyteller of highest mean."""
        return spec_of(self.vaguenesses[self.best(criterion).index])

    def again(self, criterion: str) -> Estimate:
        """The best one's value on fresh deals."""
        return self.estimate(self.fresh[self.best_spec(criterion)], criterion)

    def minus_best(self, spec: str, criterion: str) -> Estimate:
        """What another storyteller makes more than the best one, on the same fresh deals."""
        mine, other = self.fresh[spec], self.fresh[self.best_spec(criterion)]
        if np.array_equal(self.per_deal(mine, criterion), self.per_deal(other, criterion)):
            return Estimate(0.0, n=len(mine))
        if criterion in _PER_GAME:
            return statistics.paired(self.per_deal(mine, criterion), self.per_deal(other, criterion))[()]
        return mine.paired_ratio(other, criterion, "turns")


_PER_GAME: Mapping[str, tuple[str, Callable[[int], float]]] = {
    "margin": ("margin", lambda players: players * (players - 1)),
    "win_share": ("win", lambda players: players * WIN_UNIT),
}
"""Column of the sums, and what a deal's sum is divided by: its games, one per seating."""
MEASURES = {
    "points": "points_per_turn", "given": "given_per_turn", "margin": "margin", "win_share": "win_share",
    "all": "all_share_of_turns", "some": "some_share_of_turns", "none": "none_share_of_turns",
}  # fmt: skip
"""What is measured of every vagueness, and its name in the summary."""


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the storyteller in question is member 0, and all its equals."""
    turns = games.turn_rows
    assert turns is not None
    made = outcomes(games)
    deal, mine = games.deal[turns.game], is_focal(games, turns.game, turns.storyteller)
    case = turns.case[mine]
    return (
        DealSums.collect(games.deal, **{name: made[name] for name in ("win", "margin")})
        .with_rows(
            deal[mine],
            turns=np.ones(len(case), np.int64),
            points=turns.storyteller_points[mine],
            given=turns.others_points[mine],
            told=turns.vagueness[mine].astype(np.float64),
            none=case == 0,
            some=case == 1,
            all=case == 2,
        )
        .with_rows(
            deal[~mine],
            others_turns=np.ones(int((~mine).sum()), np.int64),
            others_told=turns.vagueness[~mine].astype(np.float64),
        )
    )


def shown(tables: Sequence[Table]) -> list[Table]:
    """All, or the five of SHOWN where more are played."""
    if len(tables) <= len(SHOWN):
        return list(tables)
    some = [table for table in tables if table.players in SHOWN]
    return some or [tables[0], tables[-1]]


def spec_of(vagueness: float) -> str:
    """The spec of a storyteller of that vagueness."""
    return f"storyteller:vagueness={spec_number(vagueness)}"


def _linear(top: NDArray[Any], bottom: NDArray[Any]) -> NDArray[np.float64]:
    ratio = top.sum() / bottom.sum()
    return np.asarray(ratio + (top - ratio * bottom) / bottom.mean(), float)
