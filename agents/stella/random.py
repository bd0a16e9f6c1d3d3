"""`random`: no idea of the word at all."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from agents.choice import top
from agents.registry import register
from agents.stella.base import Marks, Order, StellaAgent
from sim.stella.views import MarkView

__all__ = ["Random"]


@register("random")
@dataclass(frozen=True)
class Random(StellaAgent):
    """Marks a uniform number of uniformly chosen cards, and reveals them in a uniform order.

    The number is uniform on minimum_marks..maximum_marks; given the number, every set of that size is equally likely
    (the cards with the highest of independent uniform numbers). The yardstick that every strategy must beat.
    """

    _: KW_ONLY
    order: Order = "random"

    def mark(self, view: MarkView) -> Marks:
        rules = view.rules
        number = view.random.integers(rules.minimum_marks, rules.maximum_marks + 1, 1)[..., 0]
        return top(view.random.uniform(view.fit.shape[-1], stream=1), number)
