"""A quantity that was measured several times."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Spread(NamedTuple):
    """Median, lowest and highest of so many repetitions."""

    median: float
    lowest: float
    highest: float
    repetitions: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        measured = np.array(list(values))
        return cls(float(np.median(measured)), float(measured.min()), float(measured.max()), len(measured))
