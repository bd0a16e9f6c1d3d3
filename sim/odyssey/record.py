"""The turns of a batch: kept as they were played, and put into columns only when somebody reads them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.asking import Group
from sim.columns import Columns
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.views import PUBLIC, OdysseyHistory


class Turn(NamedTuple):
    """What one turn brought in the n games that were still being played, by seat."""

    rows: NDArray[np.int64]  # (n,) games of the batch, ascending
    images: NDArray[np.int16]  # (n, images)
    owners: NDArray[np.int8]  # (n, images)
    votes: NDArray[np.int16]  # (n, players, votes)
    trap: NDArray[np.int16]  # (n,)
    points: NDArray[np.int16]  # (n, sides)
    vagueness: NDArray[np.float32]  # (n,)
    found: NDArray[np.int8]  # (n,)
    voters: NDArray[np.int8]  # (n,)


class Record:
    """The turns that are over. Histories show what is public of them, and each agent the vagueness of its own clues."""

    def __init__(self, n: int, rules: OdysseyRules, groups: list[Group]) -> None:
        self.rules = rules
        self.turns: list[Turn] = []
        shapes: dict[str, tuple[tuple[int, ...], type]] = {
            "images": ((rules.images,), np.int16),
            "owners": ((rules.images,), np.int8),
            "votes": ((rules.players, rules.votes), np.int16),
            "points": ((rules.sides,), np.int16),
            "trap": ((), np.int16),
        }
        self.public = Columns(n, shapes)
        self.told = {group.agent: Columns(n, {"vagueness": ((), np.float32)}) for group in groups}
        self.teller = {int(seat): group.agent for group in groups for seat in group.seats}

    def add(self, turn: Turn, storyteller: int) -> None:
        """One more turn; its arrays must not change any more."""
        self.turns.append(turn)
        self.public.note(turn.rows, {name: getattr(turn, name) for name in PUBLIC})
        for agent, own in self.told.items():
            mine = agent is self.teller[storyteller]
            own.note(turn.rows, {"vagueness": turn.vagueness if mine else np.full_like(turn.vagueness, np.nan)})

    def history(self, turn: int, rows: NDArray[np.int64], group: Group) -> OdysseyHistory:
        """What an agent's seats could have written down before a turn. rows: (n,), games of the batch."""
        return OdysseyHistory(turn, self.rules.players, rows, group.seats, self.public, self.told[group.agent])

    def rows(self, turns: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """The columns of `TurnRows`. turns: (games of the batch,), how many turns each game had."""
        first = np.cumsum(turns, dtype=np.int64) - turns
        place = np.concatenate([first[turn.rows] + number for number, turn in enumerate(self.turns)])
        sizes = [len(turn.rows) for turn in self.turns]

        def column(per_turn: list[NDArray[Any]]) -> NDArray[Any]:
            together = np.concatenate(per_turn)
            out = np.empty_like(together)
            out[place] = together
            return out

        number = np.repeat(np.arange(len(sizes)), sizes)
        storyteller = number % self.rules.players
        found, voters = (column([getattr(turn, name) for turn in self.turns]) for name in ("found", "voters"))
        points = np.concatenate([turn.points for turn in self.turns])
        own = points[np.arange(len(points)), storyteller % self.rules.sides]
        case = np.where(found < 0, -1, np.where(found == 0, 0, np.where(found == voters, 2, 1)))
        return {
            "game": column([turn.rows for turn in self.turns]),
            "turn": column([number.astype(np.int32)]),
            "storyteller": column([storyteller.astype(np.int8)]),
            "vagueness": column([turn.vagueness for turn in self.turns]),
            "voters": voters,
            "found": found,
            "case": case.astype(np.int8),
            "storyteller_points": column([own]),
            "others_points": column([(points.sum(1) - own).astype(np.int16)]),
            "second_votes": column([((turn.votes >= 0).sum(2) == 2).sum(1, dtype=np.int8) for turn in self.turns]),
            "points": column([points]),
        }
