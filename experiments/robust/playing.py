"""Matches of one player of interest (member 0) among others, and what is counted of them per deal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import sim
from agents.registry import make
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Game
from sim.summary import WIN_UNIT
from sim.world import World

if TYPE_CHECKING:
    from experiments.lab.context import Context


def win_match(context: Context, game: Game, players: int, agent: Any, field: str, world: World) -> sim.Match:
    """Whole games, every deal in all seatings."""
    swept = {"players": players} if game == "stella" else {"players": players, "variant": "standard"}
    rules = context.rules(game, **swept)
    return sim.Match([agent, *[make(game, field)] * (players - 1)], rules, world)


def points_match(context: Context, players: int, agent: Any, field: str, world: World) -> sim.Match:
    """The first turn of Odyssey alone; the agent is its storyteller."""
    rules = context.rules("odyssey", players=players, variant="standard", max_turns=1)
    return sim.Match([agent, *[make("odyssey", field)] * (players - 1)], rules, world, seating="fixed")


def win_sums(games: sim.Games) -> DealSums:
    """Win share of member 0, in units of 1/WIN_UNIT, summed over a deal's seatings."""
    return DealSums.collect(games.deal, win=games.winners[:, 0] * (WIN_UNIT // games.winners.sum(1)))


def point_sums(games: sim.Games) -> DealSums:
    """Raw points of the storyteller in its turn."""
    rows = games.turn_rows
    assert rows is not None
    return DealSums.collect(games.deal[rows.game], points=rows.storyteller_points.astype(np.int64))
