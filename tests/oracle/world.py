"""What a clue means to people, one clue at a time. Every operation is rounded to float32, in the order written."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import beta

from . import keys

F = np.float32


@cache
def agreement_table(mean: float, sd: float) -> list[np.float32]:
    """4,096 equally likely values of the agreement: quantiles of the Beta with this mean and standard deviation."""
    if sd == 0:
        return [F(mean)] * 4096
    weight = mean * (1 - mean) / sd**2 - 1
    return [F(q) for q in beta.ppf((np.arange(4096) + 0.5) / 4096, mean * weight, (1 - mean) * weight)]


class Clue:
    """The clue (or word) of one turn (or round), and how every seat reads every card under it."""

    def __init__(self, world: Any, deal_key: int, step: int, *, broad: bool) -> None:
        self.world = world
        self.clue_key = keys.purpose_key(deal_key, step, keys.CLUE)
        self.reading_key = keys.purpose_key(deal_key, step, keys.READING)
        first = keys.word(self.clue_key, 0)
        table = agreement_table(world.agreement_mean, world.agreement_sd)
        self.agreement = table[keys.lane(first, 0) >> 4]
        self.common = F(math.sqrt(float(self.agreement)))
        self.personal = F(math.sqrt(1.0 - float(self.agreement)))
        self.breadth = F(world.breadth_sd) * keys.normals()[keys.lane(first, 1)] if broad else F(0)
        self._seen: dict[tuple[int, int], np.float32] = {}

    def _reading(self, card: int, lane: int) -> np.float32:
        if (card, lane) not in self._seen:
            w = keys.word(self.reading_key, card * 4 + lane // 4)
            self._seen[card, lane] = keys.normals()[keys.lane(w, lane % 4)]
        return self._seen[card, lane]

    def shared(self, card: int) -> np.float32:
        return self._reading(card, 0)

    def private(self, seat: int, card: int) -> np.float32:
        return self._reading(card, 1 + seat)

    def fit(self, seat: int, card: int) -> np.float32:
        """How well the clue fits a card that is not its source."""
        return (self.breadth + self.common * self.shared(card)) + self.personal * self.private(seat, card)

    def source_fit(self, seat: int, card: int, clarity: np.float32) -> np.float32:
        """How well the clue fits the storyteller's image."""
        return clarity + self.personal * self.private(seat, card)

    def clarity(self, storyteller: int, card: int, vagueness: float) -> np.float32:
        """What comes out of the storyteller's aim; with a floor, up to eight tries."""
        aim = F(self.world.clarity_span) * (F(1) - F(vagueness))
        tries = [
            aim + F(self.world.clarity_sd) * keys.normals()[keys.lane(keys.word(self.clue_key, 1 + i // 4), i % 4)]
            for i in range(8)
        ]
        if self.world.storyteller_floor is None:
            return tries[0]
        for clarity in tries:
            if self.source_fit(storyteller, card, clarity) >= F(self.world.storyteller_floor):
                return clarity
        return max(tries)
