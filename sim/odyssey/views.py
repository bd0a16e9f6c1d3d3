"""What a player of Odyssey sees at each decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.odyssey.rules import OdysseyRules
from sim.views import History, View, read_only
from sim.world import ReadingModel

if TYPE_CHECKING:
    from sim.columns import Columns

__all__ = ["HandInView", "OdysseyHistory", "OdysseyView", "TellView", "TrapView", "VoteView"]

PUBLIC = ("images", "owners", "votes", "points", "trap")


class OdysseyHistory(History):
    """Past turns, as a player could have written them down: games first, then the turn.

    storyteller: int64 (turns,) seats; images: int16 (n, turns, images) card numbers
    owners: int8 (n, turns, images) the seats that had handed them in
    votes: int16 (n, turns, players, votes), image indexes, -1 for none
    trap: int16 (n, turns), the image with the red token, -1 without; points: int16 (n, turns, sides), raw
    vagueness: float32 (n, k, turns), of the clues that the viewing seat told itself, NaN elsewhere
    len(history) is the number of past turns.
    """

    __slots__ = ("_players", "_public", "_rows", "_seats", "_told", "_turns", "storyteller")

    def __init__(
        self,
        turns: int,
        players: int,
        rows: NDArray[np.int64],
        seats: NDArray[np.int64],
        public: Columns,
        told: Columns,
    ) -> None:
        """Games `rows` of the columns `public`, and of `told`: the vagueness of what the viewing agent told itself."""
        self._turns = turns
        self._players = players
        self._rows = rows
        self._seats = seats
        self._public = public
        self._told = told
        self.storyteller: NDArray[np.int64] = read_only(np.arange(turns, dtype=np.int64) % players)

    def __len__(self) -> int:
        return self._turns

    def __getattr__(self, name: str) -> Any:
        if name in PUBLIC:
            return read_only(self._public[name][self._rows, : self._turns])
        raise AttributeError(name)

    @property
    def vagueness(self) -> NDArray[np.float32]:
        """float32 (n, k, turns): own clues' vagueness, NaN where another seat told."""
        told = self._told["vagueness"][self._rows, : self._turns]
        own = self._seats[:, None] == self.storyteller[None, :]
        out: NDArray[np.float32] = read_only(np.where(own[None], told[:, None, :], np.float32(np.nan)))
        return out

    def take(self, rows: Any) -> Self:
        return type(self)(self._turns, self._players, self._rows[rows], self._seats, self._public, self._told)

    def take_seats(self, columns: Any) -> Self:
        return type(self)(self._turns, self._players, self._rows, self._seats[columns], self._public, self._told)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OdysseyView(View[OdysseyRules, ReadingModel, OdysseyHistory]):
    """What every decision of Odyssey shows (see `sim.views.View`).

    turn: int, from 0; the storyteller is seat `storyteller`
    """

    turn: int

    @property
    def storyteller(self) -> int:
        """The storyteller's seat in this turn."""
        return self.turn % self.rules.players


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _HandView(OdysseyView):
    """hand: int16 (n, k, m), the card numbers in the own hand; m = slots."""

    hand: NDArray[np.int16]

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal", "hand")


class TellView(_HandView):
    """The storyteller's choice of a card and of a clue's vagueness. There is no clue yet: `fit` is 0."""

    __slots__ = ()


class HandInView(_HandView):
    """Which images to hand in. `fit` is how the cards in the hand fit the clue."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteView(OdysseyView):
    """Which image is the storyteller's. images: int16 (n, m), card numbers in ascending order, the same for all.

    own: bool (n, k, m), the images of the own side: the own image in party, where one may vote for it.
    """

    images: NDArray[np.int16]
    own_image: NDArray[np.bool_] | None = None

    @property
    def own(self) -> NDArray[np.bool_]:
        """bool (n, k, m): images of the own side."""
        return ~self.legal if self.own_image is None else self.own_image

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal") if self.own_image is None else ("acting", "fit", "legal", "own_image")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrapView(VoteView):
    """Where to put the red token. own_vote: int64 (n, k), the image that the storyteller voted for."""

    own_vote: NDArray[np.int64]

    def _per_seat(self) -> tuple[str, ...]:
        return ("acting", "fit", "legal", "own_image", "own_vote")
