"""`bluff`: a storyteller whose red token lies where everybody votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from agents.choice import best, best_k
from agents.odyssey.base import Indices, single_vote
from agents.odyssey.best_fit import BestFit
from agents.odyssey.party import liking
from agents.registry import register
from sim.odyssey.views import TrapView, VoteView

__all__ = ["Bluff"]


@register("bluff")
@dataclass(frozen=True)
class Bluff(BestFit):
    """Party: as storyteller votes for its second choice, so that the red token can take the favourite.

    The red token may not lie on the own voted image, so an honest storyteller must leave the favourite alone and
    traps the second best, as everybody expects. The bluff gives up the favourite's votes and wipes them out for the
    others. Otherwise votes as `party` does, with its `discount`; where red and green may share an image there is
    nothing to bluff about, and in the other variants it plays like `greedy`.
    """

    discount: Annotated[float, Ge(0), Le(10)] = 0.7

    def vote(self, view: VoteView) -> Indices:
        liked, rules = liking(view, self.discount), view.rules
        choice = best(liked, view.legal)
        if rules.trap and not rules.trap_may_match_own_vote:
            second = best_k(liked, 2, view.legal)[..., 1]
            choice = np.where(view.seats == view.storyteller, second, choice)
        return single_vote(choice, rules.votes)

    def trap(self, view: TrapView) -> Indices:
        return best(liking(view, self.discount), view.legal)
