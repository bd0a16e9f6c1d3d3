"""Keyed random numbers in plain Python integers: every number is a pure function of where it is used."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

Item = TypeVar("Item")

MASK = 2**64 - 1
GAMMA, C1, C2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

DEAL, RESHUFFLE, CLUE, READING = 0, 1, 2, 3
TELL, HAND_IN, VOTE, TRAP, MARK, REVEAL_ORDER, SCOUT, GAME = 8, 9, 10, 11, 12, 13, 14, 15


def mix(z: int) -> int:
    """The output function of splitmix64."""
    z = ((z ^ (z >> 30)) * C1) & MASK
    z = ((z ^ (z >> 27)) * C2) & MASK
    return z ^ (z >> 31)


def word(key: int, i: int) -> int:
    """Word i (64 bits) of the source `key`."""
    return mix((key + (i + 1) * GAMMA) & MASK)


def deal_key(seed: int, deal: int) -> int:
    return word(word(seed, 0), deal)


def purpose_key(key_of_deal: int, step: int, purpose: int) -> int:
    return word(key_of_deal, step * 64 + purpose)


def agent_key(key_of_deal: int, step: int, decision: int, seat: int, stream: int) -> int:
    return word(word(purpose_key(key_of_deal, step, decision), seat), stream)


def lane(w: int, number: int) -> int:
    """16 bits of a word; lane 0 is the lowest."""
    return (w >> (16 * number)) & 0xFFFF


@cache
def normals() -> list[np.float32]:
    """The 65,536 normal quantiles, exactly symmetric."""
    upper = [np.float32(ndtri((i + 0.5) / 65536)) for i in range(32768, 65536)]
    return [-q for q in reversed(upper)] + upper


def below(bits: int, n: int) -> int:
    """A number in 0..n-1 from 32 bits."""
    return (bits * n) >> 32


def uniform(w: int) -> float:
    """A number in [0, 1) from a word."""
    return (w >> 11) * 2.0**-53


def integer(w: int, low: int, high: int) -> int:
    """A number in low..high-1 from a word."""
    return low + below(w >> 32, high - low)


def normal(key: int, i: int) -> np.float32:
    """Normal number i of the source `key`, four to a word."""
    return normals()[lane(word(key, i // 4), i % 4)]


def permutation(key: int, items: list[Item]) -> list[Item]:
    """A shuffled copy of `items`."""
    items = list(items)
    n = len(items)
    for i in range(n - 1):
        w = word(key, i // 2)
        half = w >> 32 if i % 2 == 0 else w & 0xFFFFFFFF
        j = i + below(half, n - i)
        items[i], items[j] = items[j], items[i]
    return items


class Numbers:
    """A seat's own numbers for one decision: `view.random` of a scalar player."""

    def __init__(self, key_of_deal: int, step: int, decision: int, seat: int) -> None:
        self.key_of_deal, self.step, self.decision, self.seat = key_of_deal, step, decision, seat

    def _key(self, stream: int) -> int:
        return agent_key(self.key_of_deal, self.step, self.decision, self.seat, stream)

    def uniform(self, size: int, stream: int = 0) -> list[float]:
        return [uniform(word(self._key(stream), i)) for i in range(size)]

    def integers(self, low: int, high: int, size: int, stream: int = 0) -> list[int]:
        return [integer(word(self._key(stream), i), low, high) for i in range(size)]

    def normal(self, size: int, stream: int = 0) -> list[np.float32]:
        return [normal(self._key(stream), i) for i in range(size)]

    @property
    def per_game(self) -> Numbers:
        """The numbers that stay the same in every decision of the game."""
        return Numbers(self.key_of_deal, 0, GAME, self.seat)
