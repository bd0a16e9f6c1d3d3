"""What a player of Stella sees at each decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.stella.rules import StellaRules
from sim.views import History, View, read_only
from sim.world import ReadingModel

if TYPE_CHECKING:
    from sim.columns import Columns

__all__ = ["MarkView", "RevealView", "ScoutView", "StellaHistory", "StellaView"]

PUBLIC = ("counts", "dark", "fallen", "revealed", "owners", "points")


class StellaHistory(History):
    """Past rounds, all of it public: games first, then the round.

    counts: int (n, rounds, players) announced marks; dark, fallen: bool (n, rounds, players)
    revealed: bool (n, rounds, cards) cards that were revealed; owners: bool (n, rounds, players, cards) who had marked
    them (False where not revealed); points: int (n, rounds, players)
    len(history) is the number of past rounds.
    """

    __slots__ = ("_public", "_rounds", "_rows")

    def __init__(self, rounds: int, public: Columns, rows: Any = ()) -> None:
        """The first `rounds` of the columns `public`; rows: the games, all of them where it is ()."""
        self._rounds = rounds
        self._public = public
        self._rows = rows

    def __len__(self) -> int:
        return self._rounds

    def __getattr__(self, name: str) -> Any:
        if name in PUBLIC:
            return read_only(self._public[name][:, : self._rounds][self._rows])
        raise AttributeError(name)

    def take(self, rows: Any) -> Self:
        games = np.arange(self._public.n)[self._rows]
        return type(self)(self._rounds, self._public, games[rows])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StellaView(View[StellaRules, ReadingModel, StellaHistory]):
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
