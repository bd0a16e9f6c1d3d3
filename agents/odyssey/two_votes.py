"""`two_votes`: a second vote when in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from agents.choice import best_k
from agents.odyssey.base import Indices
from agents.odyssey.best_fit import BestFit
from agents.registry import register
from sim.odyssey.views import VoteView

__all__ = ["TwoVotes"]


@register("two_votes")
@dataclass(frozen=True)
class TwoVotes(BestFit):
    """Votes for the best fit, and for the second best too where it comes within `margin` of the best.

    A second vote raises the chance of the points for finding (3), and gives away the bonus of a single vote (1)
    whenever the first one was right; it also hands a point to whoever owns a wrong image. So it pays if 3 P(second is
    right) > bonus P(first is right) + what the given point costs: only where the two fit about equally. Margin 0
    never uses it. Where the rules have one vote (fewer than seven players) it plays like `greedy`.
    """

    margin: Annotated[float, Ge(0), Le(20)] = 0.3

    def vote(self, view: VoteView) -> Indices:
        if view.rules.votes == 1:
            return super().vote(view)
        votes = best_k(view.fit, 2, view.legal)
        fits = np.take_along_axis(view.fit, np.maximum(votes, 0), axis=-1)
        close = fits[..., 0] - fits[..., 1] < np.float32(self.margin)
        votes[..., 1] = np.where(close, votes[..., 1], -1)
        return votes
