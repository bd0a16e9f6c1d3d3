"""What views of both games share. A view shows what a player at the table sees, and holds no handle to the state."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.draws import Draws

R = TypeVar("R")
W = TypeVar("W")
H = TypeVar("H", bound="History")


def read_only(array: Any) -> Any:
    """Mark an array as read-only and return it."""
    array.flags.writeable = False
    return array


class Same:
    """Read-only arrays of one value, all made of one: `all_true(n, k)` is of that shape and costs nothing."""

    def __init__(self, value: Any, kind: type, size: int) -> None:
        self._flat: NDArray[Any] = read_only(np.full(size, value, kind))

    def __call__(self, *shape: int) -> NDArray[Any]:
        return self._flat[: prod(shape)].reshape(shape)


class History:
    """Past turns or rounds as a player could have written them down. Subclasses name the columns; games come first."""

    __slots__ = ()

    def take(self, rows: Any) -> Self:
        """The same history for some of the games, in the order of `rows`."""
        raise NotImplementedError

    def take_seats(self, columns: Any) -> Self:
        """The same history for some of the agent's seats: positions on the k axis."""
        return self


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class View(Generic[R, W, H]):
    """What every decision shows. n = games, k = the agent's seats that may act, m = slots, images or cards.

    rules: the rules object of the match; world: its world (common knowledge)
    seats: int64 (k,), ascending; acting: bool (n, k), False where the reply is ignored
    scores: int (n, sides), in seat order, before this turn or round
    fit: float32 (n, k, m), how well each card fits the clue or word, to its viewer; 0 where there is no clue yet
    legal: bool (n, k, m), what may be chosen
    random: keyed numbers (`Draws`): seed, deal, turn or round, decision, seat and stream
    history: what could have been written down of earlier turns or rounds
    All arrays are read-only.
    """

    rules: R
    world: W
    seats: NDArray[np.int64]
    acting: NDArray[np.bool_]
    scores: NDArray[Any]
    fit: NDArray[np.float32]
    legal: NDArray[np.bool_]
    random: Draws
    history: H

    def with_stream(self, index: int) -> Self:
        """The same view on another family of random streams: what a wrapper hands to the agent inside it."""
        return replace(self, random=self.random.family(index))

    def take(self, rows: Any) -> Self:
        """The view of some of the games, in the order of `rows` (indices or a bool mask)."""
        rows = np.asarray(rows)
        return replace(self, **{name: _taken(getattr(self, name), rows) for name in self._per_game()})

    def take_seats(self, columns: Any) -> Self:
        """The view of some of the agent's seats: positions on the k axis, in the order of `columns`."""
        columns = np.asarray(columns)
        changed: dict[str, Any] = {name: read_only(getattr(self, name)[:, columns]) for name in self._per_seat()}
        changed["seats"] = read_only(self.seats[columns])
        changed["random"] = self.random.take_seats(columns)
        changed["history"] = self.history.take_seats(columns)
        return replace(self, **changed)

    def _per_game(self) -> list[str]:
        fixed = ("rules", "world", "seats", "turn", "round")
        return [f.name for f in fields(self) if f.name not in fixed and getattr(self, f.name) is not None]

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal")


def _taken(value: Any, rows: NDArray[Any]) -> Any:
    if isinstance(value, Draws | History):
        return value.take(rows)
    return read_only(value[rows])
