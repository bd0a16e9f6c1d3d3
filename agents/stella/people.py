"""`people`: marking as people do, some freely, some sparingly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from agents.choice import marks_above
from agents.registry import register
from agents.stella.base import Marks, StellaAgent
from sim.stella.views import MarkView

__all__ = ["THRESHOLD_MEAN", "THRESHOLD_SD", "People"]

THRESHOLD_MEAN: Final = 0.5
THRESHOLD_SD: Final = 0.35


@register("people")
@dataclass(frozen=True)
class People(StellaAgent):
    """Has a threshold for the whole game, N(0.5, 0.35^2), and marks every card that fits better.

    The threshold is drawn anew for every game and seat, so that a table holds people who mark freely and people who
    mark sparingly. Too few or too many marks are repaired with the best of the rest, or without the worst. Thresholds
    are judged, not measured; that rates of marking differ from person to person is what makes darkness a risk.
    """

    def mark(self, view: MarkView) -> Marks:
        draw = view.random.per_game.normal(1)[..., 0]
        threshold = (THRESHOLD_MEAN + THRESHOLD_SD * draw).astype(np.float32)
        return marks_above(view.fit, threshold, view.rules.minimum_marks, view.rules.maximum_marks)
