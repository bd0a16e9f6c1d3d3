"""`storyteller`: a storyteller of fixed vagueness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from annotated_types import Ge, Le

from agents.odyssey.best_fit import BestFit
from agents.registry import register
from sim.odyssey.views import TellView

__all__ = ["LIKE", "Storyteller"]

LIKE: Final[dict[str, float]] = {"people": 0.7, "literal": 0.15, "vague": 0.85}
"""Vagueness at which the default world tells like people, like literal language models, like vague image models."""


@register("storyteller")
@dataclass(frozen=True)
class Storyteller(BestFit):
    """Tells every clue at one vagueness, given as a number or by whom it tells like; else takes the best fit.

    vagueness: 0 = as literal as can be, 1 = fits the own image no better than a random card. like: people (0.7),
    literal (0.15, the profile of 135 rounds told by literal language models), vague (0.85, 140 rounds of vague image
    models). Give one of the two; with neither it tells like people.
    """

    vagueness: Annotated[float, Ge(0), Le(1)] | None = None
    like: Literal["people", "literal", "vague"] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vagueness is not None and self.like is not None:
            raise ValueError(
                f"storyteller: vagueness = {self.vagueness:g} and like = {self.like}: give only one of them"
            )
        if self.vagueness is None and self.like is None:
            object.__setattr__(self, "like", "people")

    def clue_vagueness(self, view: TellView) -> float:
        return LIKE[self.like] if self.like is not None else float(self.vagueness or 0)
