"""`greedy`: the best fit everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from agents.odyssey.best_fit import BestFit
from agents.registry import register

__all__ = ["Greedy"]


@register("greedy")
@dataclass(frozen=True)
class Greedy(BestFit):
    """Hands in and votes for what fits best, tells half-way between literal and vague (0.5), from any card.

    In party the red token goes on the best image that it may take. Thinks of nobody else; the plain player that all
    others are compared with.
    """
