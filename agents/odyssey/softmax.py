"""`softmax`: prefers what fits better, without certainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from annotated_types import Ge, Le

from agents.choice import best, best_k
from agents.odyssey.base import Indices, single_vote
from agents.odyssey.best_fit import BestFit
from agents.probit import constant
from agents.registry import register
from sim.odyssey.views import HandInView, VoteView

__all__ = ["Softmax"]

_LEVELS: Final = 65_536
_GUMBEL: Final = constant(-np.log(-np.log((np.arange(_LEVELS) + 0.5) / _LEVELS)))
"""Gumbel quantiles, float32."""


@register("softmax")
@dataclass(frozen=True)
class Softmax(BestFit):
    """Hands in and votes for an image with chance proportional to exp(fit / temperature).

    Done by the Gumbel trick (Gumbel 1954; Yellott 1977): the highest of fit + temperature * Gumbel noise has just these
    chances, and the next highest ones are the draws without replacement that follow. Temperature 0 is the best fit; the
    higher, the closer to random. Tells at 0.5.
    """

    temperature: Annotated[float, Ge(0), Le(100)] = 0.5

    def hand_in(self, view: HandInView) -> Indices:
        return best_k(self._tempered(view), view.rules.images_handed_in, view.legal)

    def vote(self, view: VoteView) -> Indices:
        return single_vote(best(self._tempered(view), view.legal), view.rules.votes)

    def _tempered(self, view: HandInView | VoteView) -> Any:
        noise = _GUMBEL[view.random.integers(0, _LEVELS, view.fit.shape[-1])]
        return view.fit + np.float32(self.temperature) * noise
