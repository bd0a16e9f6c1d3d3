"""`people`: telling as people do."""

from __future__ import annotations

from dataclasses import dataclass

from agents.odyssey.best_fit import BestFit
from agents.odyssey.storyteller import LIKE
from agents.registry import register
from sim.odyssey.views import TellView

__all__ = ["People"]


@register("people")
@dataclass(frozen=True)
class People(BestFit):
    """Tells at vagueness 0.7 and takes the best fit everywhere else.

    0.7 is what 46 rounds told by people (Saravalle 2024 logs) come to in the default world.
    """

    def clue_vagueness(self, view: TellView) -> float:
        return LIKE["people"]
