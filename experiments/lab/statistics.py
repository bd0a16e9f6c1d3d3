"""Intervals over deals. A deal is the unit of replication: games that share one are never counted apart.

Every function takes per-deal numbers with the deals first, `(deals, ...)`, and works on all further axes at once.
Intervals are two-sided, 95 % unless told otherwise. With fewer than two deals there is no interval (NaN).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.lab.estimate import Estimate, Estimates, Floats
from sim.randomness import TO_UNIT, word

LEVEL = 0.95


def t_quantile(deals: ArrayLike, level: float = LEVEL, parameters: int = 1) -> Any:
    """Two-sided Student t critical value for `deals` replications, of their shape; NaN without a degree of freedom."""
    from scipy.special import stdtrit

    freedom = np.asarray(deals, float) - parameters
    return np.where(freedom > 0, stdtrit(np.maximum(freedom, 1), (1 + level) / 2), np.nan)


def mean(values: ArrayLike, level: float = LEVEL) -> Estimates:
    """Mean over deals with Student's t interval. values: (deals, ...) -> Estimates of shape (...).

    ValueError for no deals, or for values that are not finite.
    """
    x = _per_deal(values, "values")
    n = len(x)
    centre = x.mean(axis=0)
    half = t_quantile(n, level) * x.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(centre.shape, np.nan)
    return _estimates(centre, half, n)


def paired(values: ArrayLike, other: ArrayLike, level: float = LEVEL) -> Estimates:
    """Mean of values - other over common deals, row by row. Both (deals, ...), the same deals in the same order."""
    a, b = _per_deal(values, "values"), _per_deal(other, "other")
    if len(a) != len(b):
        raise ValueError(f"paired differences need the same deals: {len(a)} and {len(b)} were given")
    return mean(a - b, level)


def ratio(numerator: ArrayLike, denominator: ArrayLike, level: float = LEVEL) -> Estimates:
    """Ratio of sums (points per turn, say) with a jackknife interval over deals.

    numerator, denominator: per-deal sums (deals, ...). The value is the plain ratio of the sums; the standard error is
    the jackknife's, from the leave-one-out ratios in closed form, with Student's t (Efron and Tibshirani 1993, An
    Introduction to the Bootstrap, chapter 11). NaN where the denominator's sum is 0.
    """
    value, spread = jackknife_ratio(_per_deal(numerator, "numerator"), _per_deal(denominator, "denominator"))
    n = len(spread)
    return _estimates(value, t_quantile(n, level) * jackknife_error(spread), n)


def ratio_difference(
    numerator: ArrayLike,
    denominator: ArrayLike,
    other_numerator: ArrayLike,
    other_denominator: ArrayLike,
    level: float = LEVEL,
) -> Estimates:
    """Difference of two ratios of sums over common deals: a deal is left out of both at once. Arrays as in `ratio`."""
    first, first_spread = jackknife_ratio(_per_deal(numerator, "numerator"), _per_deal(denominator, "denominator"))
    second, second_spread = jackknife_ratio(
        _per_deal(other_numerator, "other_numerator"), _per_deal(other_denominator, "other_denominator")
    )
    n = len(first_spread)
    if n != len(second_spread):
        raise ValueError(f"paired differences need the same deals: {n} and {len(second_spread)} were given")
    return _estimates(first - second, t_quantile(n, level) * jackknife_error(first_spread - second_spread), n)


def jackknife_ratio(numerator: Floats, denominator: Floats) -> tuple[Floats, Floats]:
    """The ratio of sums (...), and the ratios with each deal left out (deals, ...); NaN where a denominator is 0."""
    if numerator.shape[:1] != denominator.shape[:1]:
        raise ValueError(f"numerator of {len(numerator)} deals, denominator of {len(denominator)}")
    top, bottom = numerator.sum(axis=0), denominator.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(bottom != 0, top / bottom, np.nan)
        rest = bottom - denominator
        left_out = np.where(rest != 0, (top - numerator) / rest, np.nan)
    return value, left_out


def jackknife_error(left_out: Floats) -> Floats:
    """The jackknife's standard error from leave-one-out values (deals, ...) -> (...)."""
    n = len(left_out)
    squares = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(squares * (n - 1) / n), float)


def rare(happened: ArrayLike, level: float = LEVEL) -> Estimate:
    """Share of deals in which something happened, exact: Clopper and Pearson (1934). happened: bool (deals,).

    For rare events, above all when none (or every deal) shows it and Student's t has nothing to say.
    """
    seen = np.asarray(happened, bool)
    if seen.ndim != 1 or len(seen) == 0:
        raise ValueError(f"happened: expected one truth value per deal, got an array of shape {seen.shape}")
    return clopper_pearson(int(seen.sum()), len(seen), level)


def clopper_pearson(seen: int, n: int, level: float = LEVEL) -> Estimate:
    """Exact interval of a share: `seen` of `n` independent deals. ValueError unless 0 <= seen <= n and n >= 1."""
    from scipy.special import betaincinv

    if not 0 <= seen <= n or n < 1:
        raise ValueError(f"seen = {seen} of n = {n}: expected 0 <= seen <= n and n >= 1")
    tail = (1 - level) / 2
    low = float(betaincinv(seen, n - seen + 1, tail)) if seen else 0.0
    high = float(betaincinv(seen + 1, n - seen, 1 - tail)) if seen < n else 1.0
    return Estimate(seen / n, low, high, n)


def bootstrap_weights(key: int, deals: ArrayLike, replicates: int, first: int = 0) -> NDArray[np.int64]:
    """Keyed Poisson(1) bootstrap weights, int64 (replicates, deals): how often a deal counts in a replicate.

    A weight is a pure function of (key, replicate, deal), so blocks of deals can be weighted apart and added up in any
    order. key: 0..2**64-1; deals: deal numbers (deals,). Oza and Russell (2001), Online Bagging and Boosting.
    """
    keys = word(word(np.uint64(key), np.arange(first, first + replicates)), 0)
    u = (word(keys[:, None], np.asarray(deals)[None, :]) >> np.uint64(11)) * TO_UNIT
    return np.searchsorted(_POISSON, u, side="right")


def _poisson_table() -> Floats:
    """P(Poisson(1) <= k), k = 0..18: the last is 1 to float64."""
    mass = np.exp(-1.0) / np.cumprod(np.maximum(np.arange(19.0), 1))
    return np.asarray(np.minimum(np.cumsum(mass), 1.0), float)


_POISSON = _poisson_table()


def _per_deal(values: ArrayLike, name: str) -> Floats:
    x = np.asarray(values, float)
    if x.ndim == 0 or len(x) == 0:
        raise ValueError(f"{name}: expected one row per deal and at least one deal, got an array of shape {x.shape}")
    if not np.isfinite(x).all():
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise ValueError(f"{name}: {x[first]} at index {first} is not a finite number")
    return x


def _estimates(value: Floats, half: Floats, n: int) -> Estimates:
    value = np.asarray(value, float)
    half = np.broadcast_to(half, value.shape)
    return Estimates(value, value - half, value + half, np.full(value.shape, n, np.int64))
