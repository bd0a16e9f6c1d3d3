"""Keyed random numbers: every number is a pure function of where it is used.

splitmix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators") as a counter-based one:
`word(key, i)` is the i-th output of a splitmix64 whose state starts at `key`. A seed and a deal give a key, the key
with a turn or round and a purpose gives another, and the index (a card, a seat, a draw) is hashed with that. Neither
batch, block, order nor worker appears anywhere, so a game comes out the same alone and among a million.

Three forms, equal bit by bit: NumPy (`word`, `deal_keys`, ...) for whole arrays, compiled (`c_word`, ...) for kernels,
and `scalar`, in plain Python integers, for reference. Normals are 16-bit lanes of a word through a table of 65,536
float32 normal quantiles, four to a word; equal draws do happen, and every choice of a best takes the lowest index.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sim.compiled import kernel

U64 = np.uint64
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

GAMMA: Final = U64(0x9E3779B97F4A7C15)
C1: Final = U64(0xBF58476D1CE4E5B9)
C2: Final = U64(0x94D049BB133111EB)
ONE: Final = U64(1)
S11, S16, S27, S30, S31, S32 = U64(11), U64(16), U64(27), U64(30), U64(31), U64(32)
LOW16, LOW32 = U64(0xFFFF), U64(0xFFFFFFFF)
PER_STEP: Final = 64
"""Purposes per turn or round: `purpose_key` hashes step * 64 + purpose."""

DEAL, RESHUFFLE, CLUE, READING = 0, 1, 2, 3
TELL, HAND_IN, VOTE, TRAP, MARK, REVEAL_ORDER, SCOUT, GAME = 8, 9, 10, 11, 12, 13, 14, 15

MAX_SEED: Final = 2**64 - 1
TO_UNIT: Final = 2.0**-53


def _normals() -> NDArray[np.float32]:
    upper = ndtri((np.arange(32768, 65536) + 0.5) / 65536).astype(np.float32)
    table = np.concatenate([-upper[::-1], upper])
    table.flags.writeable = False
    return table


NORMALS: Final[NDArray[np.float32]] = _normals()
"""float32 (65536,): standard normal quantiles at (i + 0.5) / 65536, exactly symmetric."""


# NumPy: whole arrays -----------------------------------------------------------------------------------------------


def mix(z: Any) -> Keys:
    """splitmix64's finaliser, a bijection of 64-bit words. z: uint64, any shape -> the same shape."""
    z = np.asarray(z, U64)
    with np.errstate(over="ignore"):
        z = (z ^ (z >> S30)) * C1
        z = (z ^ (z >> S27)) * C2
    return np.asarray(z ^ (z >> S31), U64)


def word(keys: Any, index: Any) -> Keys:
    """The index-th word of each key's stream. keys, index: integers that broadcast -> uint64 of their common shape."""
    with np.errstate(over="ignore"):
        return mix(np.asarray(keys, U64) + (np.asarray(index).astype(U64) + ONE) * GAMMA)


def deal_keys(seed: int, deals: Any) -> Keys:
    """One key per deal. seed: 0..2**64-1; deals: integers, 0 or more, any shape -> uint64, the same shape."""
    return word(word(U64(seed), 0), deals)


def purpose_keys(keys: Any, step: Any, purpose: int) -> Keys:
    """A sub-key per deal for one purpose at one turn or round (`step`; 0 for set-up)."""
    if isinstance(step, int) and np.ndim(keys) == 1:  # what an engine asks for at every turn: compiled
        out = np.empty(len(keys), U64)
        _words(keys, step * PER_STEP + purpose, out)
        return out
    return word(keys, np.asarray(step) * PER_STEP + purpose)


# Compiled: for kernels -----------------------------------------------------------------------------------------------


@kernel
def c_mix(z: Any) -> Any:
    """splitmix64's finaliser."""
    z = (z ^ (z >> S30)) * C1
    z = (z ^ (z >> S27)) * C2
    return z ^ (z >> S31)


@kernel
def c_word(key: Any, index: Any) -> Any:
    """The index-th output of the splitmix64 that starts at `key`."""
    return c_mix(key + U64(index + 1) * GAMMA)


@kernel
def _words(keys: Any, index: Any, out: Any) -> None:
    for g in range(len(keys)):
        out[g] = c_word(keys[g], index)


@kernel
def c_purpose_key(key: Any, step: Any, purpose: Any) -> Any:
    """The key of a purpose at a turn or round."""
    return c_word(key, step * PER_STEP + purpose)


@kernel
def c_lane(w: Any, lane: Any) -> Any:
    """16 of a word's bits. lane: 0..3, the lowest first."""
    return (w >> U64(16 * lane)) & LOW16


@kernel
def c_below(half: Any, n: Any) -> Any:
    """An integer in 0..n-1 from 32 random bits."""
    return np.int64((half * U64(n)) >> S32)


@kernel
def c_half(key: Any, index: Any) -> Any:
    """32 random bits: two to a word, the upper half first."""
    w = c_word(key, index >> 1)
    return (w & LOW32) if index & 1 else (w >> S32)


@kernel
def c_draw(items: Any, key: Any, index: Any, n: Any) -> Any:
    """Step `index` of shuffling items[:n]: afterwards items[index] is final, so a pile is shuffled as it is drawn."""
    j = index + c_below(c_half(key, index), n - index)
    item = items[j]
    items[j] = items[index]
    items[index] = item
    return item


# Plain Python integers: the reference --------------------------------------------------------------------------------

_MASK = MAX_SEED


class scalar:  # noqa: N801  (a namespace: scalar.word reads like the other two forms)
    """The same numbers, one at a time, in plain Python integers."""

    @staticmethod
    def mix(z: int) -> int:
        """splitmix64's finaliser."""
        z = ((z ^ (z >> 30)) * int(C1)) & _MASK
        z = ((z ^ (z >> 27)) * int(C2)) & _MASK
        return z ^ (z >> 31)

    @staticmethod
    def word(key: int, index: int) -> int:
        """The index-th output of the splitmix64 that starts at `key`: 64 bits."""
        return scalar.mix((key + (index + 1) * int(GAMMA)) & _MASK)

    @staticmethod
    def deal_key(seed: int, deal: int) -> int:
        """The key of everything in one deal."""
        return scalar.word(scalar.word(seed, 0), deal)

    @staticmethod
    def purpose_key(key: int, step: int, purpose: int) -> int:
        """The key of a purpose at a turn or round; key: of the deal."""
        return scalar.word(key, step * PER_STEP + purpose)

    @staticmethod
    def lane(w: int, lane: int) -> int:
        """16 of a word's bits. lane: 0..3, the lowest first."""
        return (w >> (16 * lane)) & 0xFFFF

    @staticmethod
    def half(key: int, index: int) -> int:
        """32 random bits: two to a word, the upper half first."""
        w = scalar.word(key, index // 2)
        return w & 0xFFFFFFFF if index % 2 else w >> 32

    @staticmethod
    def below(half: int, n: int) -> int:
        """An integer in 0..n-1 from 32 random bits."""
        return (half * n) >> 32

    @staticmethod
    def permutation(key: int, items: list[int]) -> list[int]:
        """The items in an order that the key decides."""
        items = list(items)
        n = len(items)
        for i in range(n - 1):
            j = i + scalar.below(scalar.half(key, i), n - i)
            items[i], items[j] = items[j], items[i]
        return items

    @staticmethod
    def agent_key(purpose_key: int, seat: int, stream: int = 0) -> int:
        """The key of an agent's own numbers at one decision, seat and stream."""
        return scalar.word(scalar.word(purpose_key, seat), stream)

    @staticmethod
    def uniform(key: int, index: int) -> float:
        """The index-th number of a key, 0 <= u < 1."""
        return (scalar.word(key, index) >> 11) * TO_UNIT

    @staticmethod
    def integer(key: int, index: int, low: int, high: int) -> int:
        """The index-th integer of a key, low..high-1."""
        return low + scalar.below(scalar.word(key, index) >> 32, high - low)

    @staticmethod
    def normal(key: int, index: int) -> float:
        """The index-th standard normal of a key: one lane through the table of quantiles."""
        return float(NORMALS[scalar.lane(scalar.word(key, index // 4), index % 4)])


@kernel
def c_permutations(keys: Any, items: Any) -> None:
    """Shuffle each row in place. keys: uint64 (n,); items: integers (n, m)."""
    m = items.shape[1]
    for g in range(items.shape[0]):
        for i in range(m - 1):
            c_draw(items[g], keys[g], i, m)


def permutations(keys: Keys, size: int) -> NDArray[np.int16]:
    """One permutation of 0..size-1 per key. keys: uint64 (n,); size: 1..32767 -> int16 (n, size)."""
    items = np.tile(np.arange(size, dtype=np.int16), (len(keys), 1))
    c_permutations(keys, items)
    return items
