"""What came out of a match: columns per game, per turn or round, frames, and summaries that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.summary import Summary, deal_ranges, refuse_overlap

if TYPE_CHECKING:
    import pandas as pd

    from sim.match import Match

__all__ = ["Games", "Rounds", "TurnRows"]


@dataclass(frozen=True, eq=False)
class Rounds:
    """Stella, per round and player: arrays (games, rounds, players), by seat in `Played`, by member in `Games`.

    marks: announced marks; dark: lantern turned; fallen: revealed a card that nobody else had marked
    sparks, super_sparks: counted apart; erased: stars erased; points: of the round
    """

    marks: NDArray[np.int8]
    dark: NDArray[np.bool_]
    fallen: NDArray[np.bool_]
    sparks: NDArray[np.int8]
    super_sparks: NDArray[np.int8]
    erased: NDArray[np.int16]
    points: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class TurnRows:
    """Odyssey, one entry per turn, sorted by game and turn: arrays (rows,).

    game: row of the game in `Games`; turn: from 0; storyteller: seat; vagueness: 0..1 (NaN in party)
    voters; found: how many of them found the image (-1 in party); case: 0 none, 1 some, 2 all (-1 in party)
    storyteller_points: raw points of the storyteller's side in that turn; second_votes: voters who used a second vote
    others_points: raw points of all other sides in that turn
    points: (rows, sides), raw points of every side in that turn, by seat in `Played`, by member in `Games`
    """

    game: NDArray[np.int64]
    turn: NDArray[np.int32]
    storyteller: NDArray[np.int8]
    vagueness: NDArray[np.float32]
    voters: NDArray[np.int8]
    found: NDArray[np.int8]
    case: NDArray[np.int8]
    storyteller_points: NDArray[np.int16]
    others_points: NDArray[np.int16]
    second_votes: NDArray[np.int8]
    points: NDArray[np.int16]


class Played(NamedTuple):
    """One batch, by seat: what `play` returns.

    scores: int32 (games, sides); winners: bool (games, sides); finished: bool (games,)
    turns: int32 (games,), Odyssey
    """

    scores: NDArray[np.int32]
    winners: NDArray[np.bool_]
    finished: NDArray[np.bool_]
    turns: NDArray[np.int32] | None = None
    turn_rows: TurnRows | None = None
    rounds: Rounds | None = None


CASES = ("none", "some", "all")


@dataclass(frozen=True, eq=False)
class Games:
    """Games of one match, rows sorted by deal, then seating; columns of members in lineup order.

    scores: int32 (games, sides), in team column j is members j and j + players/2; winners: bool, the same shape (ties:
    several); finished: bool (games,), False where the safety stop `max_turns` ended the game
    deal, seating: int64 (games,); Odyssey: turns, int32 (games,), and turn_rows; Stella: rounds
    `a + b` puts games of one match and seed together, in any order to the same bits; overlapping deals are refused.
    """

    match: Match
    seed: int
    deal: NDArray[np.int64]
    seating: NDArray[np.int64]
    scores: NDArray[np.int32]
    winners: NDArray[np.bool_]
    finished: NDArray[np.bool_]
    turns: NDArray[np.int32] | None
    turn_rows: TurnRows | None
    rounds: Rounds | None

    @classmethod
    def from_seats(cls, match: Match, seed: int, seating: int, deals: NDArray[np.int64], played: Played) -> Games:
        """Columns of one seating, turned from seats to members. deals: int64 (games,)."""
        sides = (np.arange(match.n_sides) + seating) % match.n_sides
        members = (np.arange(match.rules.players) + seating) % match.rules.players
        rounds = played.rounds
        if rounds is not None:
            rounds = Rounds(*(getattr(rounds, f.name)[:, :, members] for f in fields(Rounds)))
        turn_rows = played.turn_rows
        if turn_rows is not None:
            turn_rows = replace(turn_rows, points=turn_rows.points[:, sides])
        return cls(
            match, seed, deals, np.full(len(deals), seating, np.int64), played.scores[:, sides],
            played.winners[:, sides], played.finished, played.turns, turn_rows, rounds,
        )  # fmt: skip

    @classmethod
    def merged(cls, parts: Sequence[Games]) -> Games:
        """Several sets of games of one match and seed as one, sorted by deal and seating."""
        first = parts[0]
        if len(parts) == 1:
            return first
        for part in parts[1:]:
            if part.match != first.match or part.seed != first.seed:
                alike = replace(part.match, world=first.match.world) == first.match and part.seed == first.seed
                hint = "; their worlds differ: a world of your own must be equal to its pickled copy" if alike else ""
                raise ValueError(f"games of different matches or seeds do not add up{hint}")
        deal = np.concatenate([part.deal for part in parts])
        seating = np.concatenate([part.seating for part in parts])
        order = np.lexsort((seating, deal))
        deal, seating = deal[order], seating[order]
        same = (deal[1:] == deal[:-1]) & (seating[1:] == seating[:-1])
        if same.any():
            raise ValueError(f"deal {deal[1:][same][0]} stands in both sets of games: overlapping deals do not add up")

        def column(name: str) -> Any:
            return np.concatenate([getattr(part, name) for part in parts])[order]

        rounds = turn_rows = turns = None
        if first.rounds is not None:
            together = {
                f.name: np.concatenate([getattr(part.rounds, f.name) for part in parts]) for f in fields(Rounds)
            }
            rounds = Rounds(**{name: values[order] for name, values in together.items()})
        if first.turns is not None:
            turns = column("turns")
        if first.turn_rows is not None:
            turn_rows = _merged_turns([part.turn_rows for part in parts], [len(part.deal) for part in parts], order)
        return cls(
            first.match, first.seed, deal, seating, column("scores"), column("winners"), column("finished"),
            turns, turn_rows, rounds,
        )  # fmt: skip

    def __add__(self, other: Games) -> Games:
        if not isinstance(other, Games):
            return NotImplemented
        refuse_overlap(deal_ranges(self.deal), deal_ranges(other.deal))
        return Games.merged([self, other])

    def __len__(self) -> int:
        return len(self.deal)

    @property
    def n_deals(self) -> int:
        """How many different deals were played."""
        return len(np.unique(self.deal))

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """float64 (games, sides): 1 / number of winning sides for a winner, else 0."""
        return np.asarray(self.winners / self.winners.sum(1, keepdims=True))

    def seat_of(self, member: Any) -> NDArray[np.int64]:
        """The seat of a member in every game: int64 (games,)."""
        return np.asarray((member + self.seating) % self.match.rules.players)

    def summary(self) -> Summary:
        """Score, margin and win share per agent, with intervals over deals."""
        return Summary.of(self)

    def to_frame(self) -> pd.DataFrame:
        """One row per game and member; the columns are named in `sim.frames.games_frame`."""
        from sim.frames import games_frame

        return games_frame(self)

    def turns_frame(self) -> pd.DataFrame:
        """Odyssey: one row per turn; the columns are named in `sim.frames.turns_frame`."""
        from sim.frames import turns_frame

        return turns_frame(self)

    def rounds_frame(self) -> pd.DataFrame:
        """Stella: one row per round and player; the columns are named in `sim.frames.rounds_frame`."""
        from sim.frames import rounds_frame

        return rounds_frame(self)

    def __repr__(self) -> str:
        return (
            f"<Games: {len(self):,} games of {self.match.game} "
            f"({self.n_deals:,} deals x {self.match.seatings} seatings), lineup {', '.join(self.match.specs())}, "
            f"seed {self.seed}>"
        )

    def _repr_html_(self) -> str:
        from html import escape

        match = self.match
        seatings = f", each in {match.seatings} seatings" if match.seatings > 1 else ""
        games = f"<b>{len(self):,} games of {match.game.capitalize()}</b>"
        head = f"{games}: {self.n_deals:,} deals{seatings}, seed {self.seed}"
        lineup = ", ".join(f"<code>{escape(spec)}</code>" for spec in match.specs())
        return f"<p>{head}<br>Lineup: {lineup}</p>{self.summary()._repr_html_()}"


def _merged_turns(parts: list[Any], sizes: list[int], order: NDArray[np.int64]) -> TurnRows:
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    game = np.concatenate([part.game + start for part, start in zip(parts, starts, strict=True)])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    game = place[game]
    turn = np.concatenate([part.turn for part in parts])
    rows = np.lexsort((turn, game))
    columns = {f.name: np.concatenate([getattr(part, f.name) for part in parts])[rows] for f in fields(TurnRows)}
    columns["game"] = game[rows]
    return TurnRows(**columns)
