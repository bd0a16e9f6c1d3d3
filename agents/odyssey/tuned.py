"""`tuned`: the vagueness that is best at this table, by computation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from agents.odyssey.best_fit import BestFit
from agents.odyssey.storyteller import Storyteller
from agents.registry import register
from sim.match import Match, simulate
from sim.odyssey import OdysseyRules
from sim.odyssey.views import TellView

__all__ = ["Tuned", "best_vagueness"]

GRID: Final = tuple(i / 20 for i in range(21))
TURNS: Final = 12_000
SEED: Final = 20_150_523


@register("tuned")
@dataclass(frozen=True)
class Tuned(BestFit):
    """Tells at the vagueness that earns its side most above the mean of the other sides.

    Points of one turn count. The vagueness is found by playing: 12,000 turns under the rules and in the world of the
    match, everybody taking the best fit, at each of 0, 0.05, ..., 1 on the same deals (`best_vagueness`). It is
    computed once per rules and world, always from the same keyed numbers. Assumes best-fit voters; points given to
    the others count, so where few play it tells clearer or vaguer than one who only counts own points.
    """

    def clue_vagueness(self, view: TellView) -> float:
        world: Any = view.world
        try:
            hash(world)
        except TypeError:
            name = type(world).__name__
            raise ValueError(
                f"tuned needs a world that can be hashed, like a frozen dataclass; {name} cannot"
            ) from None
        return best_vagueness(view.rules, world)


@lru_cache(maxsize=256)
def best_vagueness(rules: OdysseyRules, world: Any) -> float:
    """The vagueness of highest margin for the storyteller's side (ties: the lowest), standard and team.

    rules, world: those of the match, hashable -> 0..1
    """
    return GRID[int(np.argmax([storyteller_margin(rules, world, vagueness) for vagueness in GRID]))]


def storyteller_margin(rules: OdysseyRules, world: Any, vagueness: float) -> float:
    """Points of the storyteller's side minus the mean of the other sides, per turn, everybody taking the best fit."""
    once = rules.replace(target_score=None, storyteller_turns=1, max_turns=rules.players, minimum_score=-100_000)
    match = Match([Storyteller(vagueness=vagueness)] * rules.players, once, world, seating="fixed")
    games = simulate(match, -(-TURNS // rules.players), seed=SEED)
    turns = games.turn_rows
    own, others = int(turns.storyteller_points.sum()), int(turns.others_points.sum())
    return (own - others / (rules.sides - 1)) / len(turns.storyteller_points)
