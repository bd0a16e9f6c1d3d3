"""How many deals: where the variance comes from, what a wanted precision needs, and when one may stop looking."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from experiments.lab import statistics
from experiments.lab.estimate import Estimates, Floats


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """Variance of one game's number, told apart, in squared units of that number.

    deal: what all seatings of a deal share (luck of the cards); seating: what a seating has on every deal (turn order);
    rest: what is left. deals, seatings: what was measured. Negative components are set to 0.
    """

    deal: float
    seating: float
    rest: float
    deals: int
    seatings: int

    @property
    def total(self) -> float:
        """Variance of a single game."""
        return self.deal + self.seating + self.rest

    @property
    def deal_mean(self) -> float:
        """Variance of a deal's mean over all its seatings: seats cancel, the rest is averaged."""
        return self.deal + self.rest / self.seatings

    @property
    def gain(self) -> float:
        """How many independent games, seated at random, one game of a deal in all seatings is worth."""
        return self.total / (self.seatings * self.deal_mean) if self.deal_mean > 0 else math.inf

    def deals_needed(self, half_width: float, level: float = statistics.LEVEL) -> int:
        """Deals, each played in all seatings, for an interval of +- half_width."""
        return deals_needed(math.sqrt(self.deal_mean), half_width, level)

    def row(self) -> dict[str, float]:
        """Shares in per cent of the total, for a table."""
        total = self.total or math.nan
        return {f"{name} %": 100 * getattr(self, name) / total for name in ("deal", "seating", "rest")}


def variance_split(values: ArrayLike) -> VarianceSplit:
    """Two-way analysis of variance without replication. values: (deals, seatings), at least 2 deals.

    With one seating there is no telling deal and rest apart: all of it is counted as deal.
    """
    x = np.asarray(values, float)
    if x.ndim != 2 or x.shape[0] < 2 or x.shape[1] < 1:
        raise ValueError(f"values: expected (deals, seatings) with at least two deals, got shape {x.shape}")
    n, p = x.shape
    by_deal, by_seating, centre = x.mean(axis=1), x.mean(axis=0), x.mean()
    if p == 1:
        return VarianceSplit(float(by_deal.var(ddof=1)), 0.0, 0.0, n, p)
    rest = float(((x - by_deal[:, None] - by_seating + centre) ** 2).sum() / ((n - 1) * (p - 1)))
    deal = max(0.0, float(by_deal.var(ddof=1)) - rest / p)
    seating = max(0.0, float(by_seating.var(ddof=1)) - rest / n)
    return VarianceSplit(deal, seating, rest, n, p)


def deals_needed(sd: float, half_width: float, level: float = statistics.LEVEL) -> int:
    """Fewest deals whose Student t interval is +- half_width or narrower, given the sd of deal means (2 at least)."""
    if not half_width > 0 or not sd >= 0:
        raise ValueError(f"sd = {sd}, half_width = {half_width}: expected sd >= 0 and half_width > 0")
    normal = float(statistics.t_quantile(10**9, level))
    n = max(2, math.ceil((normal * sd / half_width) ** 2))
    while float(statistics.t_quantile(n, level)) * sd / math.sqrt(n) > half_width * (1 + 1e-12):
        n += 1 + n // 100_000
    return n


def asymptotic_sequence(values: ArrayLike, tuned_for: int = 2_000, level: float = statistics.LEVEL) -> Estimates:
    """A confidence sequence for means of any kind: the interval may be looked at after every deal.

    values: (deals, ...) of all deals so far. tuned_for: number of deals at which it is narrowest. Normal-mixture
    boundary with the estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024, Time-uniform central
    limit theory and asymptotic confidence sequences, Annals of Statistics 52, theorem 2.2): time-uniform as the number
    of deals at the first look grows; look from about 100 deals on. About 1.5 times as wide as a single look's.
    """
    x = np.asarray(values, float)
    plain = statistics.mean(x, level)
    n = len(x)
    if n < 2:
        return plain
    half = sequence_factor(n, tuned_for, level) / math.sqrt(n) * x.std(axis=0, ddof=1)
    return Estimates(plain.value, plain.value - half, plain.value + half, plain.n)


def sequence_factor(n: int, tuned_for: int = 2_000, level: float = statistics.LEVEL) -> float:
    """How many standard errors to each side `asymptotic_sequence` is wide at n deals: what Student's t is to a mean."""
    alpha = 1 - level
    rho2 = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha)) + 1) / tuned_for
    return math.sqrt(2 * (n * rho2 + 1) / (n * rho2) * math.log(math.sqrt(n * rho2 + 1) / alpha))


def bounded_sequence(
    values: ArrayLike, low: float = 0.0, high: float = 1.0, level: float = statistics.LEVEL
) -> Estimates:
    """A confidence sequence for means of bounded numbers (win shares), valid for every number of deals, not only many.

    values: (deals, ...), all within low..high, in the order of the deals. Predictable plug-in empirical Bernstein with
    running intersection (Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting, JRSS B
    86, theorem 2). The value is the plain mean. ValueError for a number out of range.
    """
    x = np.asarray(values, float)
    plain = statistics.mean(x, level)
    if x.min() < low or x.max() > high:
        raise ValueError(f"values: expected {low} to {high}, got {x.min()} to {x.max()}")
    alpha = 1 - level
    u = (x - low) / (high - low)
    t = np.arange(1, len(u) + 1).reshape((-1,) + (1,) * (u.ndim - 1))
    centre = (0.5 + np.cumsum(u, axis=0)) / (t + 1)
    variance = (0.25 + np.cumsum((u - centre) ** 2, axis=0)) / (t + 1)
    before = np.concatenate([np.full((1, *u.shape[1:]), 0.5), centre[:-1]])
    variance_before = np.concatenate([np.full((1, *u.shape[1:]), 0.25), variance[:-1]])
    bet = np.minimum(np.sqrt(2 * math.log(2 / alpha) / (variance_before * t * np.log1p(t))), 0.5)
    penalty = np.cumsum(4 * (u - before) ** 2 * (-np.log1p(-bet) - bet) / 4, axis=0)
    bets = np.cumsum(bet, axis=0)
    middle, half = np.cumsum(bet * u, axis=0) / bets, (math.log(2 / alpha) + penalty) / bets
    bottom, top = np.maximum(middle - half, 0).max(axis=0), np.minimum(middle + half, 1).min(axis=0)
    span = high - low
    return Estimates(plain.value, low + span * bottom, low + span * top, plain.n)


@dataclass(frozen=True, eq=False)
class Sequential:
    """Outcome of `play_until`. estimates: at the end; values: (deals, ...) of all deals; reached: narrow enough?"""

    estimates: Estimates
    values: Floats
    reached: bool

    @property
    def n_deals(self) -> int:
        """Deals played so far."""
        return len(self.values)


def play_until(
    play: Callable[[int, int], ArrayLike],
    half_width: float,
    max_deals: int,
    first_look: int = 200,
    kind: Literal["bounded", "asymptotic"] = "bounded",
    level: float = statistics.LEVEL,
) -> Sequential:
    """Play until every interval is +- half_width or narrower, honestly: a confidence sequence, looked at as it grows.

    play(first_deal, n_deals): per-deal numbers (n_deals, ...); within 0..1 for kind="bounded". Looks are at first_look
    deals and after every further half; at most max_deals. Stopping depends on nothing but the deals.
    """
    if not half_width > 0 or max_deals < 1:
        raise ValueError(f"half_width = {half_width}, max_deals = {max_deals}: expected more than 0 of both")
    parts: list[Floats] = []
    played, target = 0, min(first_look, max_deals)
    while True:
        parts.append(np.asarray(play(played, target - played), float))
        played = target
        values = np.concatenate(parts)
        if kind == "bounded":
            estimates = bounded_sequence(values, level=level)
        else:
            estimates = asymptotic_sequence(values, tuned_for=max(first_look, max_deals // 2), level=level)
        reached = bool((estimates.half_width <= half_width).all())
        if reached or played >= max_deals:
            return Sequential(estimates, values, reached)
        target = min(max_deals, played + max(1, played // 2))
