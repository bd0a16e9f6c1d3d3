"""What most Odyssey strategies do alike: take what fits best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.choice import best, best_k
from agents.odyssey.base import Indices, OdysseyAgent, single_vote
from sim.odyssey import Clue
from sim.odyssey.views import HandInView, TellView, VoteView

__all__ = ["BestFit"]


@dataclass(frozen=True)
class BestFit(OdysseyAgent):
    """Hands in the best fits of the hand, and votes once, for the best fit on the table; ties: the lowest index.

    As storyteller it takes any card (in this world no slot is better than another) and gives a clue of
    `clue_vagueness`.
    """

    def clue_vagueness(self, view: TellView) -> float | NDArray[Any]:
        """How vague a clue to give: 0..1, one number or (n, k)."""
        return 0.5

    def tell(self, view: TellView) -> Clue:
        shape = view.hand.shape[:2]
        slot = view.random.integers(0, view.hand.shape[-1], 1)[..., 0]
        return Clue(slot, np.broadcast_to(np.asarray(self.clue_vagueness(view), np.float32), shape))

    def hand_in(self, view: HandInView) -> Indices:
        if view.rules.images_handed_in == 1:
            return best(view.fit, view.legal)[..., None]
        return best_k(view.fit, view.rules.images_handed_in, view.legal)

    def vote(self, view: VoteView) -> Indices:
        return single_vote(best(view.fit, view.legal), view.rules.votes)
