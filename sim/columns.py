"""What was noted of past turns or rounds, for histories: kept as it came, put into columns only when it is read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FIRST_STEPS = 16
"""Turns or rounds that a column has room for at first; the room doubles when it is full."""


class Columns:
    """Columns (games of the batch, turns or rounds, ...), each filled only when somebody asks for it.

    n: games of the batch; shapes: per column its shape for one game and turn, and its type
    """

    def __init__(self, n: int, shapes: dict[str, tuple[tuple[int, ...], type]]) -> None:
        self.n = n
        self._shapes = shapes
        self._noted: list[tuple[Any, dict[str, NDArray[Any]]]] = []
        self._columns: dict[str, NDArray[Any]] = {}
        self._filled: dict[str, int] = {}

    def note(self, rows: Any, values: dict[str, NDArray[Any]]) -> None:
        """One more turn or round: values (games, ...) of the games in `rows`; they must not change any more."""
        self._noted.append((rows, values))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column, up to the last turn or round that was noted."""
        if name not in self._columns:
            shape, kind = self._shapes[name]
            self._columns[name] = np.zeros((self.n, FIRST_STEPS, *shape), kind)
        column = self._columns[name]
        for step in range(self._filled.get(name, 0), len(self._noted)):
            if step == column.shape[1]:
                column = self._columns[name] = np.concatenate([column, np.zeros_like(column)], 1)
            rows, values = self._noted[step]
            column[rows, step] = values[name]
        self._filled[name] = len(self._noted)
        return column
