"""`top`: always the same number of marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from agents.choice import top
from agents.registry import register
from agents.stella.base import Marks, StellaAgent
from sim.stella.views import MarkView

__all__ = ["Top"]


@register("top")
@dataclass(frozen=True)
class Top(StellaAgent):
    """Marks the k cards that fit best, whatever the word.

    k is cut to minimum_marks..maximum_marks. Assumes nothing of the others; a broad word makes it stand in the dark
    less often, a narrow one more often.
    """

    k: Annotated[int, Ge(1), Le(40)] = 5

    def mark(self, view: MarkView) -> Marks:
        return top(view.fit, min(max(self.k, view.rules.minimum_marks), view.rules.maximum_marks))
