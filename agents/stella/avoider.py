"""`avoider`: as many marks as the darkness allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray

from agents.choice import top
from agents.registry import register
from agents.stella.base import Marks, StellaAgent
from agents.stella.inference import chance_all_fewer
from sim.stella.views import MarkView

__all__ = ["Avoider", "number_within_risk"]


@register("avoider")
@dataclass(frozen=True)
class Avoider(StellaAgent):
    """Marks as many of its best cards as it can while the chance of standing in the dark stays within `risk`.

    With k marks it stands alone with the most if every other player announces fewer than k. The chance of that is
    worked out from the own fits of all cards and from the numbers announced in earlier rounds
    (`agents.stella.inference`, which takes the others for `people`). risk 0 marks the minimum, risk 1 the maximum.

    It reads the rules: where everybody with the most is in the dark (darkness = "all_most"), the chance is that nobody
    announces more than k; where there is no darkness, it marks the maximum.
    """

    risk: Annotated[float, Ge(0), Le(1)] = 0.2

    def mark(self, view: MarkView) -> Marks:
        return top(view.fit, number_within_risk(view, self.risk))


def number_within_risk(view: MarkView, risk: float) -> NDArray[np.int64]:
    """The most marks with which the chance of darkness is at most `risk`. risk: 0..1 -> int64 (n, k)."""
    minimum, maximum = view.rules.minimum_marks, view.rules.maximum_marks
    if view.rules.darkness == "off" or risk == 1:
        return np.full(view.fit.shape[:2], maximum, np.int64)
    if risk == 0:
        return np.full(view.fit.shape[:2], minimum, np.int64)
    chance = chance_all_fewer(view)
    if view.rules.darkness == "all_most":
        certain = np.ones((*chance.shape[:2], 1), np.float32)
        chance = np.concatenate([chance[..., 1:], certain], axis=-1)
    # the chance rises with the number of marks, so those within the risk are the first ones above the minimum
    within = chance[..., minimum + 1 : maximum + 1] <= np.float32(risk)
    return np.asarray(minimum + within.sum(axis=-1), np.int64)
