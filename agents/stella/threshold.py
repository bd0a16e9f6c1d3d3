"""`threshold`: marks whatever fits well enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from agents.choice import marks_above
from agents.registry import register
from agents.stella.base import Marks, StellaAgent
from sim.stella.views import MarkView

__all__ = ["Threshold"]


@register("threshold")
@dataclass(frozen=True)
class Threshold(StellaAgent):
    """Marks every card whose fit is above `fit` (in standard deviations of a random card).

    Of 15 random cards 3.6 are above 0.7 on average. Too few or too many marks are repaired with the best of the rest,
    or without the worst. `people` is this strategy with a threshold of its own for every game and seat.
    """

    fit: Annotated[float, Ge(-5), Le(5)] = 0.7

    def mark(self, view: MarkView) -> Marks:
        return marks_above(view.fit, self.fit, view.rules.minimum_marks, view.rules.maximum_marks)
