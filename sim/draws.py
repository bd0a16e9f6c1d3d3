"""The random numbers of an agent: keyed by seed, deal, turn or round, decision, seat and stream, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.compiled import kernel
from sim.randomness import LOW16, NORMALS, S11, S16, S32, TO_UNIT, Floats, Integers, Keys, c_below, c_word

_FAMILY = 1 << 32


@kernel
def _uniform(keys: Any, seats: Any, path: Any, out: Any) -> None:
    for g in range(out.shape[0]):
        for i in range(out.shape[1]):
            key = c_word(keys[g], seats[i])
            for step in path:
                key = c_word(key, step)
            for x in range(out.shape[2]):
                out[g, i, x] = np.float64(c_word(key, x) >> S11) * TO_UNIT


@kernel
def _normal(keys: Any, seats: Any, path: Any, table: Any, out: Any) -> None:
    for g in range(out.shape[0]):
        for i in range(out.shape[1]):
            key = c_word(keys[g], seats[i])
            for step in path:
                key = c_word(key, step)
            w = c_word(key, 0)
            for x in range(out.shape[2]):
                if x & 3 == 0:
                    w = c_word(key, x >> 2)
                out[g, i, x] = table[w & LOW16]
                w >>= S16


@kernel
def _integers(keys: Any, seats: Any, path: Any, low: Any, span: Any, out: Any) -> None:
    for g in range(out.shape[0]):
        for i in range(out.shape[1]):
            key = c_word(keys[g], seats[i])
            for step in path:
                key = c_word(key, step)
            for x in range(out.shape[2]):
                out[g, i, x] = low + c_below(c_word(key, x) >> S32, span)


def _frozen(array: Any) -> Any:
    """The same array, read-only: kernels are compiled for read-only keys and seats alone."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


class Draws:
    """A source of keyed numbers for the k seats of an agent in n games.

    The same call gives the same numbers, whatever was asked before: numbers that should differ need another `stream`.
    Index i of a stream does not depend on `size`.

    What the methods return says nothing of the deal, but this is no vault. Its private keys come from the deal's key by
    splitmix64, a bijection that is fast to turn back, not a cryptographic hash: who read them, or worked them out from
    the numbers, could know every card. An agent must not look inside nor invert the numbers; `agents.check` finds those
    that read private fields.
    """

    __slots__ = ("_family", "_game_keys", "_keys", "_seats")

    def __init__(self, keys: Keys, game_keys: Keys, seats: Integers, family: tuple[int, ...] = ()) -> None:
        self._keys = _frozen(keys)
        self._game_keys = _frozen(game_keys)
        self._seats = _frozen(seats)
        self._family = family

    def uniform(self, size: int, stream: int = 0) -> Floats:
        """Uniform on [0, 1), 53 bits. size: numbers per game and seat; stream: 0 or more -> float64 (n, k, size)."""
        out: Floats = self._empty(size, np.float64)
        _uniform(self._keys, self._seats, self._path(stream), out)
        return out

    def normal(self, size: int, stream: int = 0) -> Floats:
        """Standard normal, from 65,536 quantiles (largest 4.33) -> float64 (n, k, size)."""
        out: Floats = self._empty(size, np.float64)
        _normal(self._keys, self._seats, self._path(stream), NORMALS, out)
        return out

    def integers(self, low: int, high: int, size: int, stream: int = 0) -> Integers:
        """Uniform on low..high-1 (high - low at most 2**32) -> int64 (n, k, size)."""
        if not 0 < high - low <= 2**32:
            raise ValueError(f"integers(low={low}, high={high}): high must be above low, by at most 2**32")
        out: Integers = self._empty(size, np.int64)
        _integers(self._keys, self._seats, self._path(stream), low, high - low, out)
        return out

    @property
    def per_game(self) -> Draws:
        """A source whose numbers stay the same through the whole game, in every turn, round and decision."""
        return Draws(self._game_keys, self._game_keys, self._seats, self._family)

    def family(self, index: int) -> Draws:
        """Another family of streams, for an agent inside an agent: no stream of it is a stream of this one."""
        return Draws(self._keys, self._game_keys, self._seats, (*self._family, _FAMILY + index))

    def take(self, rows: Any) -> Draws:
        """The source of some of the games, in the order of `rows`."""
        return Draws(self._keys[rows], self._game_keys[rows], self._seats, self._family)

    def take_seats(self, columns: Any) -> Draws:
        """The source of some of the seats: positions on the k axis, in the order of `columns`."""
        return Draws(self._keys, self._game_keys, self._seats[columns], self._family)

    def _path(self, stream: int) -> Integers:
        if stream < 0 or stream >= _FAMILY:
            raise ValueError(f"stream = {stream}: allowed are 0 to {_FAMILY - 1}")
        return np.array([*self._family, stream], np.int64)

    def _empty(self, size: int, kind: type) -> Any:
        if size < 0:
            raise ValueError(f"size = {size}: must be 0 or more")
        return np.empty((len(self._keys), len(self._seats), size), kind)
