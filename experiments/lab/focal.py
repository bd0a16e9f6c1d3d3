"""One agent in question among others: what it made of its games, also where the others turn out to be its equals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import sim
from sim.summary import WIN_UNIT


def focal_members(match: sim.Match) -> list[int]:
    """Member 0 and all members that equal it.

    One member among others sits in every seat once per deal; a table of equals has one seating, in which every seat
    counts. Either way a deal adds up as many seats as there are players.
    """
    return [member for member, agent in enumerate(match.agents) if agent == match.agents[0]]


def outcomes(games: sim.Games) -> dict[str, NDArray[np.int64]]:
    """Sums over the focal members, int64 (games,) each, of a game in which every member is a side.

    win: win shares in units of 1 / 27,720; points: scores; margin: (players - 1) x (own score minus the mean of the
    others').
    """
    members, players = focal_members(games.match), games.match.rules.players
    scores = games.scores.astype(np.int64)
    points = scores[:, members].sum(1)
    return {
        "win": games.winners[:, members].sum(1) * (WIN_UNIT // games.winners.sum(1)),
        "points": points,
        "margin": points * players - scores.sum(1) * len(members),
    }


def is_focal(games: sim.Games, row: Any, seat: Any) -> NDArray[np.bool_]:
    """Whether a seat in a game (its row) is a focal member's: bool, of the shape of `row` and `seat`."""
    member = (np.asarray(seat) - games.seating[row]) % games.match.rules.players
    return np.isin(member, focal_members(games.match))
