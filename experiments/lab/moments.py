"""Means of per-deal numbers that arrive in pieces: memory does not grow with the number of deals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from experiments.lab import statistics
from experiments.lab.estimate import Estimates, Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """Number of deals, mean and sum of squared deviations of an array of numbers per deal.

    mean, squares: (...). `a + b` puts disjoint deals together (Chan, Golub and LeVeque 1983, Algorithms for computing
    the sample variance, The American Statistician 37); pieces always added in the same order give the same bits.
    """

    n: int
    mean: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats) -> Moments:
        """values: (deals, ...), at least one deal. NaN where there is nothing to measure, on every deal alike."""
        mean = values.mean(axis=0)
        return cls(len(values), mean, ((values - mean) ** 2).sum(axis=0))

    def __add__(self, other: Moments) -> Moments:
        n = self.n + other.n
        gap = other.mean - self.mean
        squares = self.squares + other.squares + gap**2 * (self.n * other.n / n)
        return Moments(n, self.mean + gap * (other.n / n), squares)

    @property
    def sd(self) -> Floats:
        """Standard deviation over deals, of the shape of `mean`; 0 where every deal gave the same."""
        if self.n < 2:
            return np.full(self.mean.shape, np.nan)
        noise = 1e-20 * self.n * np.maximum(self.mean**2, 1e-20)
        return np.asarray(np.sqrt(np.where(self.squares <= noise, 0.0, self.squares) / (self.n - 1)), float)

    def estimates(self, factor: float | None = None, shares: bool = False) -> Estimates:
        """Means with 95 % intervals: value +- factor x sd / sqrt(n). factor: Student's t unless given.

        What was the same on every deal has no interval; a share (0..1) that was always 0 or always 1 has Clopper and
        Pearson's on deals.
        """
        wide = float(statistics.t_quantile(self.n)) if factor is None else factor
        half = np.where(self.sd > 0, wide * self.sd / math.sqrt(self.n), np.nan)
        value, low, high = np.array(self.mean, float), self.mean - half, self.mean + half
        if shares and self.n > 1:
            for seen, where in ((0, value == 0), (self.n, value == 1)):
                exact = statistics.clopper_pearson(seen, self.n)
                low, high = np.where(where, exact.low, low), np.where(where, exact.high, high)
        return Estimates(value, low, high, np.full(value.shape, self.n, np.int64))
