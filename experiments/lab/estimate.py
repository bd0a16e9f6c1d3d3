"""A number with its interval and what it was measured on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its 95 % interval, and the number of replications behind it.

    value, low, high: in the unit of what was measured; low and high are NaN where there is no interval (one deal, or a
    value that symmetry fixes). n: how many of `of`; of: the unit of replication, in words ("deals").
    `str()` gives '0.31 (0.29 to 0.33; n = 2,000 deals)'.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: int = 0
    of: str = "deals"

    @property
    def half_width(self) -> float:
        """Half the length of the interval; NaN without one."""
        return (self.high - self.low) / 2

    @property
    def has_interval(self) -> bool:
        """Both ends of the interval are numbers."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        return f"{self.number()} ({self.interval()}; n = {self.n:,} {self.of})"

    def number(self) -> str:
        """The value alone, with as many digits as its interval carries."""
        return format_number(self.value, decimals(self.value, self.half_width))

    def interval(self) -> str:
        """'0.29 to 0.33', or 'no interval'."""
        if not self.has_interval:
            return "no interval"
        digits = decimals(self.value, self.half_width)
        return f"{format_number(self.low, digits)} to {format_number(self.high, digits)}"

    def short(self) -> str:
        """'0.31 (0.29 to 0.33)': for tables that name n once."""
        return f"{self.number()} ({self.interval()})" if self.has_interval else self.number()

    def within(self, low: float, high: float) -> Estimate:
        """The same with an interval that stays within low..high: a share's within 0..1."""
        return replace(self, low=float(np.maximum(self.low, low)), high=float(np.minimum(self.high, high)))

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in another unit (100: per cent; a negative factor swaps the ends)."""
        ends = sorted((self.low * factor, self.high * factor)) if self.has_interval else [math.nan, math.nan]
        return Estimate(self.value * factor, ends[0], ends[1], self.n, self.of)


@dataclass(frozen=True, slots=True)
class Estimates:
    """Many estimates at once: one column each. value, low, high, n: arrays of one shape; of: unit of replication."""

    value: Floats
    low: Floats
    high: Floats
    n: NDArray[np.int64]
    of: str = "deals"

    @classmethod
    def stack(cls, parts: Sequence[Estimate]) -> Estimates:
        """Several estimates of one kind, one after the other."""
        return cls(
            np.array([part.value for part in parts]),
            np.array([part.low for part in parts]),
            np.array([part.high for part in parts]),
            np.array([part.n for part in parts]),
            parts[0].of if parts else "deals",
        )

    def __getitem__(self, index: Any) -> Estimate:
        """The estimate at one index (an int, or a tuple for arrays of more axes)."""
        return Estimate(
            float(self.value[index]), float(self.low[index]), float(self.high[index]), int(self.n[index]), self.of
        )

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[Estimate]:
        return (self[i] for i in range(len(self)))

    def within(self, low: float, high: float) -> Estimates:
        """The same with intervals that stay within low..high: a share's within 0..1."""
        return replace(self, low=np.maximum(self.low, low), high=np.minimum(self.high, high))

    @property
    def half_width(self) -> Floats:
        """Half the length of each interval, of the shape of `value`; NaN without one."""
        return (self.high - self.low) / 2

    def columns(self, name: str) -> dict[str, Floats]:
        """Three columns for a summary, each of the shape of `value`: `name`, `name_low`, `name_high`."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def decimals(value: float, half_width: float) -> int:
    """Digits after the point: down to the first digit of the half-width; without one, three significant digits."""
    scale = half_width if half_width > 0 and math.isfinite(half_width) else abs(value) / 100
    if not scale > 0 or not math.isfinite(scale):
        return 2
    return min(8, max(0, math.ceil(-math.log10(scale) - 1e-9)))


def format_number(value: float, digits: int) -> str:
    """'1,234.5'; '-' for a missing number; never '-0.0'."""
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    text = f"{value:,.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.,") else text
