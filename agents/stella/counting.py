"""`counting`: a scout that counts what the others have left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from agents.choice import best, top
from agents.registry import register
from agents.stella.avoider import number_within_risk
from agents.stella.base import Marks, StellaAgent
from agents.stella.inference import chance_matched_now
from sim.stella.views import MarkView, ScoutView

__all__ = ["Counting"]


@register("counting")
@dataclass(frozen=True)
class Counting(StellaAgent):
    """Marks as `avoider` does, and thinks again at every reveal: names the mark most likely to be matched by now.

    Every other player has the announced count minus the marks seen so far left among the cards still hidden; the more
    that is, the likelier they hold a card that fits well. The chance that somebody holds it is worked out for each own
    mark (`agents.stella.inference.chance_matched_now`); a fallen player's marks match as any other's. Assumes that the
    others reveal their marks in no special order. `order` is not used.

    In the probit world this comes out as the order of the own fit, the same as `avoider`: counts and revealed marks
    say how freely each player marks, but nothing that tells two hidden cards apart. (Going by expected stars would
    not differ either: naming i before j is better if v_i / (1 - m_i) > v_j / (1 - m_j), m the chance and v the worth
    of a match, and that rises with the fit.) So it shows what thinking again is worth: nothing there; other worlds
    may differ.
    """

    risk: Annotated[float, Ge(0), Le(1)] = 0.2

    def mark(self, view: MarkView) -> Marks:
        return top(view.fit, number_within_risk(view, self.risk))

    def scout(self, view: ScoutView) -> NDArray[np.int64]:
        """-> card int64 (n, k): the own unrevealed mark with the best chance of a match; ties: the best fit."""
        chance = chance_matched_now(view)
        likeliest = chance == chance.max(axis=-1, keepdims=True)
        return best(view.fit, view.legal & likeliest)
