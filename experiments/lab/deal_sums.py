"""What games add up to, per deal: the table that every statistic of the lab is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.lab import statistics
from experiments.lab.estimate import Estimate, Estimates

GAMES = "games"
"""The column that is always there: how many games (seatings) of each deal were played."""


@dataclass(frozen=True, eq=False)
class DealSums:
    """Per-deal sums of named columns. Blocks of deals merge with `+`, in any order, to the same bits.

    deals: int64 (deals,), ascending, each once. columns: name -> int64 or float64 (deals, ...); `games` is among them.
    Nothing is summed across deals before the end, so float columns merge to the same bits too. 8 bytes per number.
    A reducer for `sim.simulate(match, keep=reducer)` returns one of these per block:

        def reducer(games: sim.Games) -> DealSums:
            return DealSums.collect(games.deal, score=games.scores[:, 0], won=games.winners[:, 0])
    """

    deals: NDArray[np.int64]
    columns: Mapping[str, NDArray[Any]]

    @classmethod
    def collect(cls, deal: ArrayLike, /, **columns: ArrayLike) -> DealSums:
        """Add up rows by deal. deal: int (rows,), the deal of each row; columns: numbers or truth values (rows, ...).

        Whole numbers and truth values become int64, others float64. ValueError for a column of another length.
        """
        numbers = np.asarray(deal, np.int64)
        order = np.argsort(numbers, kind="stable")
        deals, first, count = np.unique(numbers[order], return_index=True, return_counts=True)
        sums: dict[str, NDArray[Any]] = {GAMES: count.astype(np.int64)}
        for name, given in columns.items():
            values = np.asarray(given)
            if values.shape[:1] != numbers.shape:
                raise ValueError(f"column {name!r}: values of shape {values.shape} for {len(numbers)} rows")
            values = values.astype(np.int64 if values.dtype.kind in "biu" else np.float64)[order]
            sums[name] = np.add.reduceat(values, first, axis=0) if len(first) else values
        return cls(deals, sums)

    def with_rows(self, deal: ArrayLike, /, **columns: ArrayLike) -> DealSums:
        """More columns, as in `collect`, from rows of another kind (turns beside games). Deals without one get 0.

        ValueError for a row of a deal that is not here.
        """
        extra = DealSums.collect(deal, **columns)
        place = np.searchsorted(self.deals, extra.deals)
        if len(extra.deals) and (place.max() >= len(self.deals) or (self.deals[place] != extra.deals).any()):
            raise ValueError("with_rows: rows of deals that have no games here")
        sums = dict(self.columns)
        for name in columns:
            part = extra.columns[name]
            sums[name] = np.zeros((len(self.deals), *part.shape[1:]), part.dtype)
            sums[name][place] = part
        return DealSums(self.deals, sums)

    def __len__(self) -> int:
        """Number of deals."""
        return len(self.deals)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """The per-deal sums of one column (deals, ...). KeyError lists the columns there are."""
        if column not in self.columns:
            raise KeyError(f"no column {column!r}; there is {', '.join(self.columns)}")
        return self.columns[column]

    def __add__(self, other: DealSums) -> DealSums:
        """Both blocks in one, sorted by deal. ValueError if they share a deal or differ in columns."""
        if not isinstance(other, DealSums):
            return NotImplemented
        return DealSums.merge([self, other])

    @staticmethod
    def merge(blocks: list[DealSums]) -> DealSums:
        """All blocks in one, faster than adding one by one. ValueError as for `+`, or without blocks."""
        if not blocks:
            raise ValueError("merge: no blocks")
        names = list(blocks[0].columns)
        for block in blocks[1:]:
            if set(block.columns) != set(names):
                raise ValueError(f"blocks of different columns: {', '.join(names)} and {', '.join(block.columns)}")
        deals = np.concatenate([block.deals for block in blocks])
        order = np.argsort(deals, kind="stable")
        deals = deals[order]
        twice = deals[1:][deals[1:] == deals[:-1]]
        if len(twice):
            raise ValueError(f"blocks overlap: deal {twice[0]} is in two of them ({len(twice)} such deals)")
        return DealSums(deals, {name: np.concatenate([block[name] for block in blocks])[order] for name in names})

    def per(self, column: str, per: float | str = GAMES) -> NDArray[np.float64]:
        """Per-deal means: column / per. per: a number, or a column that is the same in every deal.

        ValueError when it differs from deal to deal: a mean of quotients is no quotient of means; use `ratio`.
        """
        values = self[column]
        if not isinstance(per, str):
            return np.asarray(values / per, float)
        count = self[per]
        if count.ndim != 1 or (count != count[0]).any():
            raise ValueError(f"{per!r} differs from deal to deal: use ratio({column!r}, {per!r})")
        return np.asarray(values / count[0], float)

    def means(self, column: str, per: float | str = GAMES) -> Estimates:
        """Means with Student t intervals over deals, for every trailing index of the column. `per` as in `per()`."""
        return statistics.mean(self.per(column, per))

    def mean(self, column: str, per: float | str = GAMES) -> Estimate:
        """Mean of a one-number column, per game unless told otherwise, with Student's t interval over deals."""
        return self.means(column, per)[()]

    def told(self, column: str, per: float | str = GAMES, event: bool = False) -> Estimate:
        """As `mean`, without the false certainty of a column that is the same on every deal.

        Such a value has no interval (symmetry or the rules fix it). event: the column counts what happens at most once
        in each of `per`; one that no deal shows, or that every deal shows throughout, has the interval of `rare`, and
        others stay within 0..1.
        """
        values = self[column]
        if event and not values.any():
            return statistics.rare(values != 0)
        if event and not isinstance(per, str) and (values == per).all():
            return statistics.rare(values == per)
        estimate = self.mean(column, per)
        if (values == values[0]).all():
            return Estimate(estimate.value, n=estimate.n)
        if event:
            return Estimate(estimate.value, max(0.0, estimate.low), min(1.0, estimate.high), estimate.n)
        return estimate

    def ratios(self, numerator: str, denominator: str) -> Estimates:
        """Ratios of sums with jackknife intervals over deals, for every trailing index."""
        top, bottom = _level(self[numerator], self[denominator])
        return statistics.ratio(top, bottom)

    def ratio(self, numerator: str, denominator: str) -> Estimate:
        """Ratio of two columns' sums (points per turn) with a jackknife interval over deals."""
        return self.ratios(numerator, denominator)[()]

    def rare(self, column: str) -> Estimate:
        """Share of deals whose sum is not 0, with Clopper and Pearson's exact interval."""
        return statistics.rare(self[column] != 0)

    def common(self, other: DealSums) -> tuple[DealSums, DealSums]:
        """Both, cut to the deals they share. ValueError if there are none."""
        _, mine, theirs = np.intersect1d(self.deals, other.deals, assume_unique=True, return_indices=True)
        if len(mine) == 0:
            raise ValueError("paired: no deal in common")
        return self.take(mine), other.take(theirs)

    def take(self, rows: NDArray[Any]) -> DealSums:
        """Some of the deals. rows: indices, or a mask (deals,)."""
        return DealSums(self.deals[rows], {name: values[rows] for name, values in self.columns.items()})

    def paired(self, other: DealSums, column: str, per: float | str = GAMES) -> Estimate:
        """Mean difference self - other of one column, per game unless told otherwise, over common deals."""
        mine, theirs = self.common(other)
        return statistics.paired(mine.per(column, per), theirs.per(column, per))[()]

    def paired_ratio(self, other: DealSums, numerator: str, denominator: str) -> Estimate:
        """Difference self - other of a ratio of sums over common deals (jackknife)."""
        mine, theirs = self.common(other)
        tops = _level(mine[numerator], mine[denominator])
        bottoms = _level(theirs[numerator], theirs[denominator])
        return statistics.ratio_difference(*tops, *bottoms)[()]

    def equals(self, other: DealSums) -> bool:
        """The same deals and, bit for bit, the same sums."""
        return (
            np.array_equal(self.deals, other.deals)
            and set(self.columns) == set(other.columns)
            and all(np.array_equal(self[name], other[name], equal_nan=True) for name in self.columns)
        )


def _level(top: NDArray[Any], bottom: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give both the same number of axes, so that a column of several numbers can be divided by a plain one."""
    axes = max(top.ndim, bottom.ndim)
    return (
        top.reshape(top.shape + (1,) * (axes - top.ndim)),
        bottom.reshape(bottom.shape + (1,) * (axes - bottom.ndim)),
    )
