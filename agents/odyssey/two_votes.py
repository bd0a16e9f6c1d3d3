"""`two_votes`: a second vote when in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from agents.choice import best_k
from agents.odyssey.base import Indices
from agents.odyssey.best_fit import BestFit
from agents.registry import register
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.views import VoteView

__all__ = ["TwoVotes", "worth_while"]

MOST = 20.0


STEEPNESS = 1.57
"""P(second best fit is right) / P(best fit is right) falls about as exp(-STEEPNESS x gap): `experiments.second_vote`
finds that a second vote stops paying at a gap of 0.7, where it is 1/3."""


@register("two_votes")
@dataclass(frozen=True)
class TwoVotes(BestFit):
    """Votes for the best fit, and for the second best too where it comes within `margin` of the best.

    A second vote raises the chance of the points for finding (3), and gives away the bonus of a single vote (1)
    whenever the first one was right: it pays if 3 P(second is right) > 1 P(first is right), so where the two fit about
    equally. margin: in units of fit, 0 never uses it; left out, it is weighed from the rules: log(points for finding /
    bonus) / 1.57, 0.7 under the published rules. Where the rules have one vote (fewer than seven players) it plays like
    `greedy`.
    """

    margin: Annotated[float, Ge(0), Le(MOST)] | None = None

    def vote(self, view: VoteView) -> Indices:
        if view.rules.votes == 1:
            return super().vote(view)
        margin = worth_while(view.rules) if self.margin is None else self.margin
        votes = best_k(view.fit, 2, view.legal)
        fits = np.take_along_axis(view.fit, np.maximum(votes, 0), axis=-1)
        close = fits[..., 0] - fits[..., 1] < np.float32(margin)
        votes[..., 1] = np.where(close, votes[..., 1], -1)
        return votes


def worth_while(rules: OdysseyRules) -> float:
    """The gap up to which a second vote gains more than the single-vote bonus that it gives away; 0..20, in fit."""
    gain, bonus = rules.points_finder, rules.single_vote_bonus
    if gain <= bonus:
        return 0.0
    return MOST if bonus == 0 else min(MOST, round(log(gain / bonus) / STEEPNESS, 3))
