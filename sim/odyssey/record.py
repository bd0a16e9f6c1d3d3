"""The turns of a batch, written once per turn into columns that grow: what histories and results are made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.asking import Group
from sim.odyssey import table
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.views import PUBLIC, OdysseyHistory

FIRST_TURNS = 16
"""Turns that the columns hold at first; they double when full."""


class Record:
    """Columns (games of the batch, turns, ...), by seat. A turn is written when it is over, so histories show no more."""

    def __init__(self, n: int, rules: OdysseyRules, groups: list[Group]) -> None:
        self.rules = rules
        turns = min(FIRST_TURNS, rules.max_turns)
        if rules.storyteller_turns is not None:
            turns = min(rules.players * rules.storyteller_turns, rules.max_turns)
        shapes: dict[str, tuple[tuple[int, ...], type]] = {
            "images": ((rules.images,), np.int16),
            "owners": ((rules.images,), np.int8),
            "votes": ((rules.players, rules.votes), np.int8),
            "trap": ((), np.int8),
            "points": ((rules.sides,), np.int16),
            "vagueness": ((), np.float32),
            "found": ((), np.int8),
            "voters": ((), np.int8),
            "second_votes": ((), np.int8),
        }
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros((n, turns, *shape), kind) for name, (shape, kind) in shapes.items()
        }
        self.own_vagueness = {group.agent: np.full((n, turns), np.nan, np.float32) for group in groups}
        self.teller = {int(seat): group.agent for group in groups for seat in group.seats}

    def write(
        self, rows: Any, alive: Any, turn: int, storyteller: int, images: Any, owners: Any, votes: Any, trap: Any,
        points: Any, vagueness: Any, found: Any, voters: Any,
    ) -> None:  # fmt: skip
        if turn == self.columns["trap"].shape[1]:
            self._grow()
        table.record_turn(
            rows, alive, turn, images, owners, votes, trap, points, vagueness, found, voters, *self.columns.values()
        )
        self.own_vagueness[self.teller[storyteller]][rows, turn] = vagueness

    def history(self, turn: int, rows: NDArray[np.int64], group: Group) -> OdysseyHistory:
        public = {name: self.columns[name] for name in PUBLIC}
        return OdysseyHistory(turn, self.rules.players, rows, group.seats, public, self.own_vagueness[group.agent])

    def rows(self, turns: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
        """The columns of `TurnRows`: the turns that were played, one after the other."""
        columns = self.columns
        played = np.arange(columns["trap"].shape[1])[None, :] < turns[:, None]
        game, turn = np.nonzero(played)
        storyteller = turn % self.rules.players
        found, voters = columns["found"][played], columns["voters"][played]
        points = columns["points"][played]
        own = points[np.arange(len(turn)), storyteller % self.rules.sides]
        case = np.where(found < 0, -1, np.where(found == 0, 0, np.where(found == voters, 2, 1)))
        return {
            "game": game,
            "turn": turn.astype(np.int16),
            "storyteller": storyteller.astype(np.int8),
            "vagueness": columns["vagueness"][played],
            "voters": voters,
            "found": found,
            "case": case.astype(np.int8),
            "storyteller_points": own,
            "others_points": (points.sum(1) - own).astype(np.int16),
            "second_votes": columns["second_votes"][played],
        }

    def _grow(self) -> None:
        for table_of in (self.columns, self.own_vagueness):
            for name, column in table_of.items():  # type: ignore[attr-defined]
                table_of[name] = np.concatenate([column, np.zeros_like(column)], 1)  # type: ignore[index]
