"""What a player of Stella sees at each decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.views import History, View, read_only

if TYPE_CHECKING:
    pass

__all__ = ["MarkView", "RevealView", "ScoutView", "StellaHistory", "StellaView"]


class StellaHistory(History):
    """Past rounds, all of it public: games first, then the round.

    counts: int (n, rounds, players) announced marks; dark, fallen: bool (n, rounds, players)
    revealed: bool (n, rounds, cards) cards that were revealed; owners: bool (n, rounds, players, cards) who had marked
    them (False where not revealed); points: int (n, rounds, players)
    len(history) is the number of past rounds.
    """

    __slots__ = ("_rounds", "counts", "dark", "fallen", "owners", "points", "revealed")

    counts: NDArray[np.int8]
    dark: NDArray[np.bool_]
    fallen: NDArray[np.bool_]
    revealed: NDArray[np.bool_]
    owners: NDArray[np.bool_]
    points: NDArray[np.int16]

    def __init__(self, rounds: int, columns: dict[str, NDArray[Any]]) -> None:
        self._rounds = rounds
        for name, column in columns.items():
            object.__setattr__(self, name, read_only(column[:, :rounds]))

    def __len__(self) -> int:
        return self._rounds

    def take(self, rows: Any) -> Self:
        names = ("counts", "dark", "fallen", "revealed", "owners", "points")
        return type(self)(self._rounds, {name: getattr(self, name)[rows] for name in names})


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StellaView(View["StellaRules", "ReadingModel", StellaHistory]):
    """What every decision of Stella shows (see `sim.views.View`); m = cards of the grid, row by row.

    round: int, from 0; images: int16 (n, m), the card numbers on the grid
    """

    round: int
    images: NDArray[np.int16]


class MarkView(StellaView):
    """Association: which cards to mark."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RevealView(StellaView):
    """After the announcement: in which order to reveal. `legal` are the own marks.

    marks: bool (n, k, m), the own marks; counts: int8 (n, players), the announced numbers of marks
    """

    marks: NDArray[np.bool_]
    counts: NDArray[np.int8]

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal", "marks")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoutView(RevealView):
    """One reveal. `legal` are the own marks that are not revealed yet; acting only where the seat is the scout.

    priority: float64 (n, k, m), the own reply to reveal_order; revealed: bool (n, m); owners: bool (n, players, m), who
    marked the revealed cards (False where not revealed); fallen: bool (n, players)
    """

    priority: NDArray[np.float64]
    revealed: NDArray[np.bool_]
    owners: NDArray[np.bool_]
    fallen: NDArray[np.bool_]

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal", "marks", "priority")
