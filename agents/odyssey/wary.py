"""`wary`: keeps away from where the red token is likely to lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from agents.choice import best_k
from agents.odyssey.base import Indices, single_vote
from agents.odyssey.best_fit import BestFit
from agents.odyssey.party import liking
from agents.registry import register
from sim.odyssey.views import VoteView

__all__ = ["Wary"]


@register("wary")
@dataclass(frozen=True)
class Wary(BestFit):
    """Party: expects the red token on the favourite, so votes for its second choice unless one stands out.

    `lead` is by how much the favourite must fit better than the second to be voted for all the same. As storyteller,
    who knows where the token goes, it votes and traps as `party` does. Otherwise as `party`, with its `discount`; in
    the other variants, or without a red token, it plays like `party`.
    """

    lead: Annotated[float, Ge(0), Le(20)] = 1
    discount: Annotated[float, Ge(0), Le(10)] = 0.7

    def vote(self, view: VoteView) -> Indices:
        liked = liking(view, self.discount)
        first, second = np.moveaxis(best_k(liked, 2, view.legal), -1, 0)
        if not view.rules.trap:
            return single_vote(first, view.rules.votes)
        fits = np.take_along_axis(liked, np.stack([first, np.maximum(second, 0)], axis=-1), axis=-1)
        shy = (fits[..., 0] - fits[..., 1] < np.float32(self.lead)) & (view.seats != view.storyteller) & (second >= 0)
        return single_vote(np.where(shy, second, first), view.rules.votes)
