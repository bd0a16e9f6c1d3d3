"""Likelihood of counted rounds over a grid of agreement, vagueness and clarity_sd, its region, and what it predicts.

Multinomial: log L = sum over outcomes of count x log share. Deviance: 2 (log L of the counts' own shares - log L).
Regions hold every grid point whose likelihood ratio 2 (max log L - log L) stays within a chi-square quantile (Wilks
1938), with as many degrees of freedom as parameters are read off together. Because the counts are small, tests take
their distribution from a parametric bootstrap with refitting (Efron and Tibshirani 1993, chapter 6), not from
chi-square. All draws are keyed: the same numbers on every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from experiments.calibrate.figures import Told
from experiments.calibrate.turns import Outcomes, chance_above, first_turns
from experiments.lab.estimate import Floats
from sim.odyssey import OdysseyRules
from sim.randomness import TO_UNIT, word
from sim.world import World

AXES = ("agreement", "vagueness", "clarity_sd")
_SMALLEST = 1e-300
_CHUNK = 50


@dataclass(frozen=True, eq=False)
class Grid:
    """The points of each parameter, ascending: agreement (mean over clues), vagueness, clarity_sd."""

    agreement: Floats
    vagueness: Floats
    clarity_sd: Floats

    @classmethod
    def around(cls, world: World, vaguenesses: Sequence[float], fine: bool = True, *agreements: float) -> Grid:
        """The lab's grid, with the world's own values, given vaguenesses and further agreements among its points."""
        step = 1 if fine else 4
        least = world.agreement_sd**2  # a Beta of mean m has room for this sd where m (1 - m) exceeds it
        agreement = _points(np.arange(5, 96, 5 * step) / 100, world.agreement_mean, *agreements)
        return cls(
            agreement[agreement * (1 - agreement) > least + 1e-9],
            _points(np.arange(0, 101, 2 * step) / 100, *vaguenesses),
            _points(np.arange(10, 401, 5 * step) / 100, world.clarity_sd),
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        return len(self.agreement), len(self.vagueness), len(self.clarity_sd)

    def point(self, index: Sequence[int]) -> dict[str, float]:
        return {name: float(getattr(self, name)[i]) for name, i in zip(AXES, index, strict=True)}

    def index(self, **values: float) -> tuple[int, ...]:
        """The place of a point. ValueError for a value that is not on the grid."""
        return tuple(place_on(getattr(self, name), values[name], name) for name in AXES)


@dataclass(frozen=True, eq=False)
class Surface:
    """What the model gives at every point of a grid: shares, one array (*grid, outcomes) per set of rounds."""

    grid: Grid
    shares: tuple[Floats, ...]
    alike: Floats | None = None
    """(*grid, 2), of a set of four players: P(two choose the same decoy | nobody finds the image), (| one does)."""

    def at(self, **values: float) -> Surface:
        """The slice at fixed values of some parameters; their axes stay, with one point."""
        grid, where = self.grid, [slice(None)] * 3
        for name, value in values.items():
            place = place_on(getattr(grid, name), value, name)
            where[AXES.index(name)] = slice(place, place + 1)
            grid = replace(grid, **{name: getattr(grid, name)[place : place + 1]})
        cut = tuple(where)
        alike = None if self.alike is None else self.alike[cut]
        return Surface(grid, tuple(shares[cut] for shares in self.shares), alike)

    def take(self, *sets: int) -> Surface:
        """Some of the sets of rounds."""
        return replace(self, shares=tuple(self.shares[i] for i in sets))


def surface(
    world: World,
    rules: Sequence[OdysseyRules],
    sets: Sequence[Told],
    grid: Grid,
    seed: int,
    n: int,
    first_deal: int = 0,
) -> Surface:
    """The model's shares over the grid, from the same n turns at every point (no floor). rules: one per set."""
    aim = world.clarity_span * (1 - grid.vagueness)
    above = chance_above(aim[:, None], grid.clarity_sd[None, :])
    shares: list[list[Floats]] = [[] for _ in sets]
    alike = []
    for agreement in grid.agreement:
        here = world.replace(agreement_mean=float(agreement), storyteller_floor=None)
        for i, (table, figure) in enumerate(zip(rules, sets, strict=True)):
            outcomes = Outcomes.of(first_turns(here, table, seed, n, 0.5, first_deal))
            plain = np.maximum(outcomes.shares(above), 0)
            shares[i].append(figure.grouped(plain))
            if outcomes.alike is not None:
                chance = outcomes.alike_shares(above) / np.maximum(plain[..., :2], _SMALLEST)
                alike.append(np.clip(np.where(plain[..., :2] > 1e-9, chance, 0.5), 0, 1))
    return Surface(grid, tuple(np.stack(parts) for parts in shares), np.stack(alike) if alike else None)


def log_likelihood(shares: ArrayLike, counts: ArrayLike) -> Floats:
    """Sum of count x log share over the last axis; a share of 0 with a count makes it hopeless, without one not."""
    return np.asarray((np.asarray(counts) * np.log(np.maximum(shares, _SMALLEST))).sum(axis=-1), float)


def saturated(counts: ArrayLike) -> Floats:
    """The log-likelihood of counts under their own shares, over the last axis (0 log 0 = 0)."""
    x = np.asarray(counts, float)
    return log_likelihood(np.where(x > 0, x / x.sum(axis=-1, keepdims=True), 1.0), x)


def deviance(shares: ArrayLike, counts: ArrayLike) -> Floats:
    """2 sum of count x log(count / expected): 0 where the shares are those of the counts."""
    return 2 * (saturated(counts) - log_likelihood(shares, counts))


def alike_log_likelihood(chances: Floats, none: int, one: int, alike: int) -> Floats:
    """log P(in `alike` of none + one rounds two choose the same decoy). chances: (..., 2), for no and one finder."""
    from scipy.stats import binom

    ways = [
        np.asarray(binom.pmf(j, none, chances[..., 0]) * binom.pmf(alike - j, one, chances[..., 1]), np.float64)
        for j in range(max(0, alike - one), min(none, alike) + 1)
    ]
    return np.asarray(np.log(np.maximum(np.sum(ways, axis=0), _SMALLEST)), float)


@dataclass(frozen=True, eq=False)
class Fit:
    """The best point of a grid for some rounds, and what is not ruled out.

    ratio: 2 (max log L - log L) on the grid; best: index of the best point (lowest on ties); deviance: there
    p_fit: bootstrap p-value of the deviance, refitting; lowest: the deviance needs no test where it is NaN
    ratio_committed, p_committed: likelihood ratio of the values in use against the best, and its bootstrap p-value
    """

    grid: Grid
    ratio: Floats
    best: tuple[int, ...]
    deviance: float
    p_fit: float
    n: int
    ratio_committed: float = np.nan
    p_committed: float = np.nan

    @property
    def point(self) -> dict[str, float]:
        return self.grid.point(self.best)

    def profile(self, *names: str) -> Floats:
        """The ratio at each value of some parameters, the others at their best: an axis per name, in grid order."""
        return np.asarray(self.ratio.min(axis=tuple(i for i, name in enumerate(AXES) if name not in names)), float)

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """Ends of the profile-likelihood interval, on the grid; NaN for a parameter that is held fixed."""
        points = getattr(self.grid, name)
        if len(points) == 1:
            return np.nan, np.nan
        inside = points[self.profile(name) <= within(1, level)]
        return float(inside[0]), float(inside[-1])


def within(parameters: int, level: float = 0.95) -> float:
    """How high a likelihood ratio may be inside a region for so many parameters: the chi-square quantile."""
    return float(chdtri(parameters, 1 - level))


def fit(
    model: Surface,
    counts: Sequence[NDArray[np.int64]],
    key: int = 0,
    replicates: int = 0,
    committed: dict[str, float] | None = None,
    extra: Floats | None = None,
) -> Fit:
    """Fit the grid to counted rounds. extra: further log-likelihood on the grid (then there is no p-value of the fit).

    replicates: of each bootstrap, 0 for none; committed: the point in use, to be compared with the best.
    """
    parts = [log_likelihood(shares, x) for shares, x in zip(model.shares, counts, strict=True)]
    total = np.sum(parts if extra is None else [*parts, extra], axis=0)
    best = tuple(int(i) for i in np.unravel_index(int(np.argmax(total)), total.shape))
    bound = sum(float(saturated(x)) for x in counts)
    found = Fit(
        model.grid, 2 * (total[best] - total), best, 2 * (bound - float(total[best])), np.nan,
        int(sum(x.sum() for x in counts)),
    )  # fmt: skip
    place = None if committed is None else model.grid.index(**committed)
    if place is not None:
        found = replace(found, ratio_committed=float(found.ratio[place]))
    if replicates == 0 or extra is not None:
        return found
    sizes = [int(x.sum()) for x in counts]
    draws = simulated_counts([shares[best] for shares in model.shares], sizes, key, replicates)
    again = np.sum([saturated(x) for x in draws], axis=0)
    found = replace(found, p_fit=p_value(2 * (again - refit(model, draws)[0]), found.deviance))
    if place is None:
        return found
    draws = simulated_counts([shares[place] for shares in model.shares], sizes, key + 1, replicates)
    there = np.sum([log_likelihood(shares[place], x) for shares, x in zip(model.shares, draws, strict=True)], axis=0)
    return replace(found, p_committed=p_value(2 * (refit(model, draws)[0] - there), found.ratio_committed))


def refit(model: Surface, draws: Sequence[NDArray[np.int64]]) -> tuple[Floats, NDArray[np.int64]]:
    """Highest log-likelihood of every replicate, and its point's flat index. draws: (replicates, outcomes) each."""
    logs = [np.log(np.maximum(shares.reshape(-1, shares.shape[-1]), _SMALLEST)) for shares in model.shares]
    table, counts = np.concatenate(logs, axis=1), np.concatenate(draws, axis=1).astype(float)
    highest, where = np.empty(len(counts)), np.empty(len(counts), np.int64)
    for start in range(0, len(counts), _CHUNK):
        found = np.zeros((len(counts[start : start + _CHUNK]), len(table)))
        for outcome in range(table.shape[1]):  # in a fixed order: no BLAS product
            found += counts[start : start + _CHUNK, outcome, None] * table[None, :, outcome]
        where[start : start + _CHUNK] = found.argmax(axis=1)
        highest[start : start + _CHUNK] = found.max(axis=1)
    return highest, where


def simulated_counts(
    shares: Sequence[Floats], sizes: Sequence[int], key: int, replicates: int
) -> list[NDArray[np.int64]]:
    """Multinomial counts, (replicates, outcomes) per set. shares: (outcomes,) or (replicates, outcomes) each."""
    out = []
    for i, (share, size) in enumerate(zip(shares, sizes, strict=True)):
        rounds = word(word(word(np.uint64(key), i), np.arange(replicates))[:, None], np.arange(size))
        u = (rounds >> np.uint64(11)) * TO_UNIT
        edges = np.cumsum(np.broadcast_to(share, (replicates, share.shape[-1])), axis=1)[:, :-1]
        outcome = (u[:, :, None] >= edges[:, None, :]).sum(axis=2)
        out.append((outcome[:, :, None] == np.arange(share.shape[-1])).sum(axis=1))
    return out


def p_value(null: Floats, observed: float) -> float:
    """Share of the null distribution at or above the observed value; the observed one counts among them."""
    return float((1 + (null >= observed - 1e-9).sum()) / (1 + len(null)))


@dataclass(frozen=True, eq=False)
class Prediction:
    """One set of rounds predicted from another.

    shares: predicted; low, high: 95 % of the shares that as many new rounds would show, the fit's uncertainty included;
    deviance: of what was seen under the prediction; p: its bootstrap p-value
    """

    shares: Floats
    low: Floats
    high: Floats
    deviance: float
    p: float


def predict(model: Surface, counts: Sequence[NDArray[np.int64]], key: int, replicates: int) -> Prediction:
    """Predict the second of two sets of rounds from a fit to the first alone.

    Interval: new rounds of the first set are drawn from its own fit and refitted, rounds of the second drawn from that.
    p: both sets are drawn from the fit to both together (one and the same storyteller), the first is refitted, and the
    deviance of the second under that compared with what was seen.
    """
    sizes = [int(x.sum()) for x in counts]
    flat = [shares.reshape(-1, shares.shape[-1]) for shares in model.shares]
    first = model.take(0)

    def again(place: int, stream: int) -> tuple[list[NDArray[np.int64]], Floats]:
        draws = simulated_counts([shares[place] for shares in flat], sizes, key + stream, replicates)
        return draws, flat[1][refit(first, draws[:1])[1]]

    alone = int(refit(first, [counts[0][None]])[1][0])
    _, predicted = again(alone, 0)
    new = simulated_counts([predicted], [sizes[1]], key + 1, replicates)[0] / sizes[1]
    low, high = np.quantile(new, [0.025, 0.975], axis=0)
    seen = float(deviance(flat[1][alone], counts[1]))
    draws, predicted = again(int(refit(model, [x[None] for x in counts])[1][0]), 2)
    return Prediction(flat[1][alone], low, high, seen, p_value(deviance(predicted, draws[1]), seen))


def _points(regular: Floats, *more: float) -> Floats:
    return np.unique(np.round(np.concatenate([regular, np.asarray(more, float)]), 9))


def place_on(points: Floats, value: float, name: str = "value") -> int:
    """The place of a value among points. ValueError if it is not one of them."""
    place = int(np.argmin(np.abs(points - value)))
    if abs(points[place] - value) > 1e-6:
        raise ValueError(f"{name} = {value} is not on the grid")
    return place
