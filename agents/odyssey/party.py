"""`party`: honest agreeing, with the own image seen as the others see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from agents.choice import best
from agents.odyssey.base import Indices, single_vote
from agents.odyssey.best_fit import BestFit
from agents.registry import register
from sim.odyssey.views import VoteView

__all__ = ["Party", "liking"]


@register("party")
@dataclass(frozen=True)
class Party(BestFit):
    """Party: votes for what it expects most others to like; likes its own image less than it looks.

    `discount` is by how much. The own image was chosen as the best of a hand, so it looks better to its owner than to
    anybody else. With a card of own fit u, others' fit is a u on average (a: mean agreement). Another's image, chosen
    by its owner with a best fit of mean e, has a e on average, and my fit f moves that by g (f - a e), where g = V /
    (V + 1 - a) and V = a (1 - a) + a^2 var(best) is what is not known of the common reading. A typical own image, u =
    e, is then worth as much as another's of fit a e: it is (1 - a) e too attractive. Five cards have e = 1.16, which
    with a = 0.4 gives 0.70, the default.

    The red token goes on the best image that it may take. In the other variants it plays like `greedy`.
    """

    discount: Annotated[float, Ge(0), Le(10)] = 0.7

    def vote(self, view: VoteView) -> Indices:
        return single_vote(best(liking(view, self.discount), view.legal), view.rules.votes)


def liking(view: VoteView, discount: float) -> NDArray[np.float32]:
    """The own fit of every image, the own image's less `discount`. -> float32 (n, k, images)."""
    return np.asarray(view.fit - np.float32(discount) * view.own, np.float32)
