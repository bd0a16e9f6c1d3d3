"""`random`: neither tells, nor chooses, nor votes by what the pictures show."""

from __future__ import annotations

from dataclasses import dataclass

from agents.choice import best, best_k
from agents.odyssey.base import Indices, OdysseyAgent, single_vote
from agents.registry import register
from sim.odyssey import Clue
from sim.odyssey.views import HandInView, TellView, TrapView, VoteView

__all__ = ["Random"]


@register("random")
@dataclass(frozen=True)
class Random(OdysseyAgent):
    """Everything uniform: slot, vagueness on 0..1, different decoys, one vote and the red token on legal images.

    Never uses a second vote. It finds the storyteller's image with chance 1 / (images that it may vote for).
    """

    def tell(self, view: TellView) -> Clue:
        slot = view.random.integers(0, view.hand.shape[-1], 1)[..., 0]
        return Clue(slot, view.random.uniform(1, stream=1)[..., 0])

    def hand_in(self, view: HandInView) -> Indices:
        return best_k(view.random.uniform(view.fit.shape[-1]), view.rules.images_handed_in, view.legal)

    def vote(self, view: VoteView) -> Indices:
        return single_vote(best(view.random.uniform(view.fit.shape[-1]), view.legal), view.rules.votes)

    def trap(self, view: TrapView) -> Indices:
        return best(view.random.uniform(view.fit.shape[-1]), view.legal)
