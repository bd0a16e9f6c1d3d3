"""Strengths of agents from who won which table, shared victories included: the Davidson-Luce model.

At a table of several sides the set T of winners has probability proportional to `tie[size of T]` times the geometric
mean of the strengths of its members; tie[1] = 1. Two sides: Davidson (1970), On extending the Bradley-Terry model to
accommodate ties, JASA 65. No ties: the first choice of Plackett and Luce. Any table: Firth, Kosmidis and Turner (2019),
Davidson-Luce model for multi-item choice with ties, arXiv:1909.07123; Turner, van Etten, Firth and Kosmidis (2020),
Modelling rankings in R: the PlackettLuce package, Computational Statistics 35.

The model is an exponential family: all that counts is the sum of win shares per agent (a victory shared by three counts
1/3 for each), the number of games per size of the winning set, and how often each table met. Sums have no order, so
neither has the rating. The log-likelihood is concave; SciPy maximises it with the exact gradient and Hessian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.lab.estimate import Estimates, Floats
from experiments.lab.statistics import LEVEL, t_quantile

PSEUDO = 0.5
"""Every agent also wins and loses half a game against one of average strength, and every size of tie comes up and stays
away half a time (`npseudo` of Turner et al.): nothing beside real numbers of games, but strengths stay finite."""
POINTS = 400 / log(10)
"""Rating points per unit of log-strength: 400 points are ten times the strength."""

Table = tuple[tuple[int, int], ...]
"""Who sits at a table: pairs (agent, how many sides it has there), agents ascending, each once."""


@dataclass(frozen=True, eq=False)
class Played:
    """What is known of the games: who met whom, and how it ended, as sums.

    tables: the kinds of table; wins: (..., tables, agents), win shares summed over games, 0 where nobody of them sits;
    ties: (..., tables, sizes), games by size of the winning set, size 1 first. Leading axes: replicates of a bootstrap.
    """

    tables: tuple[Table, ...]
    wins: Floats
    ties: Floats

    def __post_init__(self) -> None:
        agents = self.wins.shape[-1]
        if self.wins.shape[:-1] != self.ties.shape[:-1] or self.wins.shape[-2] != len(self.tables):
            raise ValueError(f"{len(self.tables)} tables, wins {self.wins.shape}, ties {self.ties.shape}: do not match")
        for table in self.tables:
            seated = [agent for agent, _ in table]
            if (
                seated != sorted(set(seated))
                or not all(0 <= a < agents for a in seated)
                or min(n for _, n in table) < 1
            ):
                raise ValueError(f"table {table}: expected (agent, sides), agents ascending within 0..{agents - 1}")
            if sum(sides for _, sides in table) > self.ties.shape[-1]:
                raise ValueError(f"table {table}: has more sides than ties has sizes ({self.ties.shape[-1]})")

    @property
    def n_agents(self) -> int:
        """How many agents took part."""
        return int(self.wins.shape[-1])

    @cached_property
    def games(self) -> Floats:
        """Games per table (..., tables)."""
        return np.asarray(self.ties.sum(axis=-1), float)


@dataclass(frozen=True, eq=False)
class Fit:
    """Maximum likelihood. strength: log-strengths (agents,), mean 0; log_tie: log of tie[2], tie[3], ... (sizes - 1,),
    -inf for a size that never came up; expected: win share per own side and game (tables, agents), NaN where absent."""

    strength: Floats
    log_tie: Floats
    expected: Floats


@dataclass(frozen=True, eq=False)
class Rating:
    """A fit with intervals over deals.

    strength: log-strengths; residuals: win share per own side, measured minus fitted (tables, agents), NaN where an
    agent does not sit; measured: win share per own side (tables, agents); components: number of the group (agents,) of
    agents that won against one another, directly or by way of others; where there are several, strengths between them
    have no bound on one side and the interval says so (infinite).
    """

    fit: Fit
    strength: Estimates
    measured: Floats
    residuals: Estimates
    components: NDArray[np.int64]

    @property
    def points(self) -> Estimates:
        """Strengths in rating points, mean 0."""
        s = self.strength
        return Estimates(s.value * POINTS, s.low * POINTS, s.high * POINTS, s.n)

    @property
    def worst(self) -> tuple[int, int]:
        """Table and agent of the largest residual."""
        table, agent = np.unravel_index(np.nanargmax(np.abs(self.residuals.value)), self.residuals.value.shape)
        return int(table), int(agent)


class DavidsonLuce:
    """The model for given kinds of table.

    tables: see `Table`; n_agents: 2 or more; sizes: of winning sets above 1 that occur at all (others have probability
    0, which is what maximum likelihood makes of them).
    """

    def __init__(self, tables: Sequence[Table], n_agents: int, sizes: Sequence[int]) -> None:
        if n_agents < 2 or not tables:
            raise ValueError(f"a rating needs two agents and a table, got {n_agents} agents and {len(tables)} tables")
        self.n_agents, self.sizes, self.tables = n_agents, tuple(sizes), tuple(tables)
        features: list[Floats] = []
        multiplicity: list[float] = []
        starts: list[int] = []
        for table in tables:
            starts.append(len(features))
            for winners in product(*(range(sides + 1) for _, sides in table)):
                size = sum(winners)
                if size == 1 or size in self.sizes:
                    row = np.zeros(n_agents + len(self.sizes))
                    for (agent, _), won in zip(table, winners, strict=True):
                        row[agent] = won / size
                    if size > 1:
                        row[n_agents + self.sizes.index(size)] = 1
                    features.append(row)
                    ways = [comb(sides, won) for (_, sides), won in zip(table, winners, strict=True)]
                    multiplicity.append(sum(log(way) for way in ways))
        self._features, self._log_ways, self._starts = np.array(features), np.array(multiplicity), np.array(starts)
        self._table = np.repeat(np.arange(len(starts)), np.diff([*starts, len(features)]))

    def fit(self, wins: Floats, ties: Floats, games: Floats, start: Fit | None = None) -> Fit:
        """Maximise the likelihood. wins: (agents,) win shares; ties: (sizes,), games per size of the model's sizes;
        games: (tables,); start: where to begin. RuntimeError if it does not converge."""
        from scipy.optimize import minimize

        observed, total = np.concatenate([wins, ties]), max(float(games.sum()), 1.0)

        def negative(theta: Floats) -> tuple[float, Floats]:
            log_sum, expected, _ = self._moments(theta)
            value = games @ log_sum - observed @ theta
            penalty = PSEUDO * (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum()
            return (value + penalty) / total, (games @ expected - observed + PSEUDO * np.tanh(theta / 2)) / total

        def hessian(theta: Floats) -> Floats:
            _, expected, chance = self._moments(theta)
            weighted = self._features * (chance * games[self._table])[:, None]
            curved = weighted.T @ self._features - (expected * games[:, None]).T @ expected
            return np.asarray((curved + np.diag(PSEUDO / 2 / np.cosh(theta / 2) ** 2)) / total)

        begin = np.zeros(len(observed)) if start is None else self._theta(start)
        found = minimize(negative, begin, jac=True, hess=hessian, method="trust-exact", options={"gtol": 1e-9})
        if np.abs(found.jac).max() > 1e-6:
            raise RuntimeError(f"the rating did not converge: {found.message}")
        return self._fit(found.x)

    def _theta(self, fit: Fit) -> Floats:
        return np.concatenate([fit.strength, [fit.log_tie[size - 2] for size in self.sizes]])

    def _fit(self, theta: Floats) -> Fit:
        strength, log_tie = theta[: self.n_agents], np.full(max(self._sides) - 1, -np.inf)
        log_tie[[size - 2 for size in self.sizes]] = theta[self.n_agents :]
        _, expected, _ = self._moments(theta)
        per_side = np.full((len(self.tables), self.n_agents), np.nan)
        for row, table in enumerate(self.tables):
            for agent, sides in table:
                per_side[row, agent] = expected[row, agent] / sides
        return Fit(strength - strength.mean(), log_tie, per_side)

    @property
    def _sides(self) -> list[int]:
        return [sum(sides for _, sides in table) for table in self.tables]

    def _moments(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Log of the normalising sum (tables,), expected features (tables, parameters), chance of each outcome."""
        weight = self._features @ theta + self._log_ways
        top = np.maximum.reduceat(weight, self._starts)
        chance = np.exp(weight - top[self._table])
        total = np.add.reduceat(chance, self._starts)
        chance /= total[self._table]
        expected = np.add.reduceat(self._features * chance[:, None], self._starts, axis=0)
        return np.log(total) + top, expected, chance


def rate(played: Played, replicates: Played, n_deals: int, critical: float | None = None) -> Rating:
    """Fit all games, then each replicate of them.

    played: the games, no leading axis; replicates: the same with deals weighted by a bootstrap, (replicates, ...): all
    games of a deal together, for they share its luck. n_deals: number of deals behind. Intervals: value +- critical x
    the replicates' standard deviation; critical: Student's t at 95 % unless given. ValueError without a game.
    """
    if not played.games.sum() > 0:
        raise ValueError("a rating needs at least one game")
    sizes = [size + 1 for size in range(1, played.ties.shape[-1]) if played.ties[:, size].sum() > 0]
    columns = [size - 1 for size in sizes]
    model = DavidsonLuce(played.tables, played.n_agents, sizes)

    def fitted(wins: Floats, ties: Floats, start: Fit | None) -> Fit:
        return model.fit(wins.sum(axis=0), ties[:, columns].sum(axis=0), ties.sum(axis=1), start)

    fit = fitted(played.wins, played.ties, None)
    refits = [fitted(wins, ties, fit) for wins, ties in zip(replicates.wins, replicates.ties, strict=True)]
    factor = float(t_quantile(n_deals, LEVEL)) if critical is None else critical
    half = factor * np.std([refit.strength for refit in refits], axis=0, ddof=1)
    low, high = fit.strength - half, fit.strength + half

    components, no_floor, no_ceiling = _components(played)
    if len(set(components)) > 1:
        low, high = np.where(no_floor, -np.inf, low), np.where(no_ceiling, np.inf, high)
        for never in map(int, np.flatnonzero(no_floor & ~no_ceiling)):
            high[never] = max(high[never], _bound(model, played, fit, never, n_deals, columns, sign=1))
        for always in map(int, np.flatnonzero(no_ceiling & ~no_floor)):
            low[always] = min(low[always], _bound(model, played, fit, always, n_deals, columns, sign=-1))

    sides = np.full(fit.expected.shape, np.nan)
    for row, table in enumerate(played.tables):
        for agent, own_sides in table:
            sides[row, agent] = own_sides

    def measured(wins: Floats, games: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(wins / (games[..., None] * sides), float)

    own = measured(played.wins, played.games)
    again = measured(replicates.wins, replicates.games) - np.array([refit.expected for refit in refits])
    gap = own - fit.expected
    spread = factor * np.nanstd(np.where(np.isnan(gap), 0.0, again), axis=0, ddof=1)
    return Rating(
        fit=fit,
        strength=Estimates(fit.strength, low, high, np.full(played.n_agents, n_deals, np.int64)),
        measured=own,
        residuals=Estimates(gap, gap - spread, gap + spread, np.full(gap.shape, n_deals, np.int64)),
        components=components,
    )


def _components(played: Played) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Groups of agents that won against one another; for each agent outside the largest group, whether its strength has
    no bound below (it never won, through whomever, against that group) or above."""
    from scipy.sparse.csgraph import connected_components, depth_first_order

    beats = np.zeros((played.n_agents, played.n_agents), bool)
    for row, table in enumerate(played.tables):
        for agent, _ in table:
            if played.wins[row, agent] > 0:
                beats[agent, [other for other, _ in table if other != agent]] = True
    _, labels = connected_components(beats.astype(np.int8), directed=True, connection="strong")
    main = int(np.argmax(labels == np.bincount(labels).argmax()))

    def reached(graph: NDArray[np.bool_]) -> NDArray[np.bool_]:
        found = np.zeros(played.n_agents, bool)
        found[depth_first_order(graph.astype(np.int8), main, return_predecessors=False)] = True
        return found

    wins_against, loses_against = reached(beats.T), reached(beats)
    return labels.astype(np.int64), ~wins_against, ~loses_against


def _bound(
    model: DavidsonLuce, played: Played, fit: Fit, agent: int, n_deals: int, columns: list[int], sign: int
) -> float:
    """The strength an agent that won (lost) nothing may still have: that of one with as many wins (losses) as an event
    may have that no deal showed, at 95 % (Clopper and Pearson), taken from (given to) the others in proportion."""
    wins = played.wins.sum(axis=0)
    moved = n_deals * (1 - ((1 - LEVEL) / 2) ** (1 / n_deals)) * sign
    others = np.arange(len(wins)) != agent
    share = wins * others if sign > 0 else np.asarray(others, float)
    moved = min(moved, share.sum() / 2) if sign > 0 else max(moved, -wins[agent] / 2)
    changed = wins - moved * share / share.sum()
    changed[agent] += moved
    ties = played.ties.sum(axis=0)[columns]
    return float(model.fit(changed, ties, played.games, fit).strength[agent])


def table_of(agents: ArrayLike) -> Table:
    """The table of these sides, one agent number each, in any order: (2, 0, 0) -> ((0, 2), (2, 1))."""
    found, counts = np.unique(np.asarray(agents, np.int64), return_counts=True)
    return tuple((int(agent), int(n)) for agent, n in zip(found, counts, strict=True))
