"""The contract of an Odyssey strategy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.choice import best
from sim.odyssey import Clue
from sim.odyssey.views import HandInView, TellView, TrapView, VoteView

__all__ = ["Indices", "OdysseyAgent", "single_vote"]

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class OdysseyAgent(Agent, ABC):
    """Base of Odyssey strategies: `tell` (standard, team), `hand_in`, `vote`, and in party `trap`.

    In party nobody is asked to tell; in team a hand-in is an offer, which the better fit of two partners wins.
    """

    game: ClassVar[str] = "odyssey"

    @abstractmethod
    def tell(self, view: TellView) -> Clue:
        """The storyteller's card and how vague a clue to give. -> Clue(slot int (n, k), vagueness 0..1 (n, k))."""

    @abstractmethod
    def hand_in(self, view: HandInView) -> Indices:
        """Which cards to hand in for another's clue. -> different slots, int (n, k, rules.images_handed_in)."""

    @abstractmethod
    def vote(self, view: VoteView) -> Indices:
        """Which image is the storyteller's. -> images, int (n, k, rules.votes); -1 for an unused second vote."""

    def trap(self, view: TrapView) -> Indices:
        """Party: where the storyteller puts the red token, after the vote. -> image int (n, k); here: the best fit."""
        return best(view.fit, view.legal)


def single_vote(images: Indices, votes: int) -> Indices:
    """One vote and no second. images: int (n, k); votes: rules.votes -> int64 (n, k, votes)."""
    if votes == 1:
        return images[..., None]
    out = np.full((*images.shape, votes), -1, np.int64)
    out[..., 0] = images
    return out
