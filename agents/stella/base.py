"""The contract of a Stella strategy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from sim.stella.views import MarkView, RevealView

__all__ = ["Marks", "Order", "Priority", "StellaAgent"]

Order = Literal["safest", "boldest", "random"]
Marks = NDArray[np.bool_]
Priority = NDArray[Any]


@dataclass(frozen=True)
class StellaAgent(Agent, ABC):
    """Base of Stella strategies: say how to `mark`; the order of revealing is `order`, or a `reveal_order` of your own.

    order: which own mark a scout names first: "safest" = the best fit, "boldest" = the worst fit, "random".
    A class that also has `scout(view: ScoutView) -> card (n, k)` is asked again at every reveal (slower).
    """

    game: ClassVar[str] = "stella"

    _: KW_ONLY
    order: Order = "safest"

    @abstractmethod
    def mark(self, view: MarkView) -> Marks:
        """Association. -> bool (n, k, cards), minimum_marks to maximum_marks of them true in each row."""

    def reveal_order(self, view: RevealView) -> Priority:
        """Asked once, after the announcement. -> float (n, k, cards): the own mark of highest priority goes first."""
        if self.order == "safest":
            return view.fit
        if self.order == "boldest":
            return -view.fit
        return view.random.uniform(view.fit.shape[-1])
