"""How games went: the standing after every turn or round, who led, and who won."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sim
from sim.odyssey import OdysseyRules
from sim.summary import WIN_UNIT

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Course:
    """The course of some games; a step is a turn of Odyssey or a round of Stella.

    games: where the numbers come from; steps: (games,), how many steps each game had; standing: (games, most steps,
    sides), every side's score after each step, in member order (after the last step of a game: its final score);
    leader: (games, most steps), the side that leads alone, -1 if several do; lead: (games, most steps), how far the
    first side is ahead of the second; wins: (games, sides), in units of 1 / 27,720, a shared victory split.
    """

    games: sim.Games
    steps: Ints
    standing: Ints
    leader: Ints
    lead: Ints
    wins: Ints

    @classmethod
    def of(cls, games: sim.Games) -> Course:
        """The course of games that were kept with their turns or rounds."""
        steps, standing = _odyssey(games) if games.rounds is None else _stella(games)
        ordered = np.sort(standing, axis=2)
        lead = ordered[:, :, -1] - ordered[:, :, -2]
        leader = np.where(lead > 0, standing.argmax(axis=2), -1)
        wins = games.winners * (WIN_UNIT // games.winners.sum(axis=1, keepdims=True)).astype(np.int64)
        return cls(games, steps, standing, leader, lead, wins)

    @property
    def played(self) -> NDArray[np.bool_]:
        """bool (games, most steps): the step took place."""
        return np.asarray(np.arange(self.standing.shape[1]) < self.steps[:, None])

    def per_game(self, of_turns: NDArray[Any]) -> Ints:
        """Odyssey: sums over the turns of each game. of_turns: whole numbers or truth values (rows of `turn_rows`,)."""
        rows = self.games.turn_rows
        assert rows is not None
        return np.bincount(rows.game, of_turns, len(self.games)).astype(np.int64)

    def wins_of(self, side: Ints) -> Ints:
        """The wins of one side per game, 0 where side is -1. side: (games,)."""
        taken = np.take_along_axis(self.wins, np.maximum(side, 0)[:, None], axis=1)[:, 0]
        return np.where(side >= 0, taken, 0)


def _odyssey(games: sim.Games) -> tuple[Ints, Ints]:
    rows, rules = games.turn_rows, games.match.rules
    assert rows is not None and games.turns is not None and isinstance(rules, OdysseyRules)
    steps = games.turns.astype(np.int64)
    points = np.zeros((len(games), int(steps.max()), rules.sides), np.int64)
    points[rows.game, rows.turn] = rows.points
    standing = np.empty_like(points)
    score = np.zeros((len(games), rules.sides), np.int64)
    for turn in range(points.shape[1]):  # the floor holds after every turn, so sums over turns would not do
        score = np.maximum(score + points[:, turn], rules.minimum_score)
        standing[:, turn] = score
    return steps, standing


def _stella(games: sim.Games) -> tuple[Ints, Ints]:
    assert games.rounds is not None
    standing = games.rounds.points.astype(np.int64).cumsum(axis=1)
    return np.full(len(games), standing.shape[1], np.int64), standing
