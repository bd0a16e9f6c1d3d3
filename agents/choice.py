"""Choosing the best over the last axis: compiled tools for agents.

    best(values, legal)                      index of the highest value that is legal
    best_k(values, count, legal)             indices of the `count` highest, all different, best first
    top(values, size)                        the `size` highest as a bool set
    marks_above(fit, threshold, low, high)   everything above a threshold, repaired to a legal number of marks

All of them work on the last axis and broadcast over the others: values (n, k, m) with legal (n, k, m), (m,) or none;
size and threshold a number or an array (n, k). Among equal values the lowest index comes first. Inputs are never
written to, and may be read-only, broadcast, or slices (contiguous ones are not copied). Values are float32 or float64;
others are taken as float64. NaN is not allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agents.probit import constant
from sim.compiled import kernel

__all__ = ["best", "best_k", "marks_above", "top"]

Indices = NDArray[np.int64]
Set = NDArray[np.bool_]


def best(values: ArrayLike, legal: ArrayLike | None = None) -> Indices:
    """Index of the highest legal value; -1 where nothing is legal.

    values: (..., m); legal: bool, broadcasts against values; None: everything is -> int64 (...)
    """
    return best_k(values, 1, legal)[..., 0]


def best_k(values: ArrayLike, count: int, legal: ArrayLike | None = None) -> Indices:
    """Indices of the `count` highest legal values, all different, best first; -1 where fewer are legal.

    values: (..., m); count: 0 or more; legal: as in `best` -> int64 (..., count)
    """
    shape, rows = _rows(values)
    out = np.empty((len(rows), count), np.int64)
    if rows.dtype == np.float32 and rows.shape[1] <= MOST_PLACES:
        _best_k_of_bits(rows.view(np.int32), _legal(legal, shape), out)
    else:
        _best_k(rows, _legal(legal, shape), out)
    return out.reshape(*shape[:-1], count)


def top(values: ArrayLike, size: ArrayLike) -> Set:
    """The `size` highest values as a set; everything where size is m or more.

    values: (..., m); size: int, a number or (...), may differ from row to row -> bool (..., m)
    """
    shape, rows = _rows(values)
    out = np.empty(rows.shape, np.bool_)
    _top(rows, _per_row(size, shape, np.int64), out)
    return out.reshape(shape)


def marks_above(fit: ArrayLike, threshold: ArrayLike, minimum: ArrayLike = 1, maximum: ArrayLike | None = None) -> Set:
    """Mark everything above a threshold; with too few, add the best of the rest; with too many, drop the worst.

    fit: (..., m); threshold: in units of fit, a number or (...); minimum, maximum: legal numbers of marks, numbers or
    (...), maximum None: m -> bool (..., m)
    """
    shape, rows = _rows(fit)
    least = _per_row(minimum, shape, np.int64)
    most = _per_row(shape[-1] if maximum is None else maximum, shape, np.int64)
    out = np.empty(rows.shape, np.bool_)
    _marks_above(rows, _per_row(threshold, shape, rows.dtype), least, most, out)
    return out.reshape(shape)


def _rows(values: ArrayLike) -> tuple[tuple[int, ...], NDArray[Any]]:
    """The shape, and all rows one below the other: contiguous (rows, m)."""
    array = np.asarray(values)
    kind = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return array.shape, constant(array, kind).reshape(-1, array.shape[-1])


def _legal(legal: ArrayLike | None, shape: tuple[int, ...]) -> Set:
    """bool (rows, m), or (1, m) where it is the same for all rows."""
    given = np.asarray(True if legal is None else legal, np.bool_)
    if given.shape == shape and given.flags.c_contiguous:
        return given.reshape(-1, shape[-1])
    if not any(given.strides[:-1]):  # one row for all: a single one, or one that is repeated without taking room
        row = given[(0,) * (given.ndim - 1)] if given.ndim else given
        return constant(np.broadcast_to(row, shape[-1:]), bool).reshape(1, -1)
    return constant(np.broadcast_to(given, shape), bool).reshape(-1, shape[-1])


def _per_row(number: ArrayLike, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """One number a row (rows,), or (1,) where it is the same for all rows."""
    given = np.asarray(number, kind)
    if given.ndim == 0:
        return constant(given.reshape(1), kind)
    return constant(np.broadcast_to(given, shape[:-1]), kind).reshape(-1)


@kernel
def _best_k(values: Any, legal: Any, out: Any) -> None:
    common = len(legal) == 1
    for r in range(len(values)):
        row, allowed, chosen = values[r], legal[0 if common else r], out[r]
        for place in range(len(chosen)):
            found = -1
            for i in range(len(row)):
                if allowed[i] and (found < 0 or row[i] > row[found]):
                    taken = False
                    for earlier in range(place):
                        taken |= chosen[earlier] == i
                    if not taken:
                        found = i
            chosen[place] = found


PLACE_BITS = 10
MOST_PLACES = 1 << PLACE_BITS
NOTHING, ANYTHING = np.int64(-(2**63)), np.int64(2**63 - 1)


@kernel
def _best_k_of_bits(bits: Any, legal: Any, out: Any) -> None:
    """What `_best_k` does, several times as fast, for float32: bits, the values read as int32.

    Floats stand in the order of their bits, the negative ones backwards. With the place subtracted below that number,
    one maximum of whole numbers finds the highest value of the lowest place, without a branch to be mispredicted; the
    next best is the highest below it.
    """
    common = len(legal) == 1
    for r in range(len(bits)):
        allowed = 0 if common else r
        highest = ANYTHING
        for x in range(out.shape[1]):
            last, highest = highest, NOTHING
            for place in range(bits.shape[1]):  # a slice of the row would make LLVM go one by one
                value = np.int64(bits[r, place])
                ordered = value if value >= 0 else -(value & 0x7FFFFFFF)
                rank = (ordered << PLACE_BITS) - place
                highest = max(highest, rank if legal[allowed, place] & (rank < last) else NOTHING)
            out[r, x] = -1 if highest == NOTHING else -highest & (MOST_PLACES - 1)


@kernel
def _top(values: Any, sizes: Any, out: Any) -> None:
    m = values.shape[1]
    common = len(sizes) == 1
    rank = np.empty(m, np.int32)
    for r in range(len(values)):
        row, chosen, size = values[r], out[r], np.int32(sizes[0 if common else r])
        # rank = how many are ahead: no branches, so that the compiler takes several cards at a time
        rank[:] = 0
        for other in range(m):
            ahead = row[other]
            for i in range(other):
                rank[i] += np.int32(ahead > row[i])
            for i in range(other + 1, m):
                rank[i] += np.int32(ahead >= row[i])
        for i in range(m):
            chosen[i] = rank[i] < size


@kernel
def _marks_above(fit: Any, thresholds: Any, minimum: Any, maximum: Any, out: Any) -> None:
    m = fit.shape[1]
    for r in range(len(fit)):
        row, marks = fit[r], out[r]
        threshold = thresholds[0 if len(thresholds) == 1 else r]
        count = 0
        for i in range(m):
            above = row[i] > threshold
            marks[i] = above
            count += above
        least = min(minimum[0 if len(minimum) == 1 else r], m)
        while count < least:
            found = -1
            for i in range(m):
                if not marks[i] and (found < 0 or row[i] > row[found]):
                    found = i
            marks[found] = True
            count += 1
        most = max(maximum[0 if len(maximum) == 1 else r], 0)
        while count > most:
            found = -1
            for i in range(m):
                if marks[i] and (found < 0 or row[i] <= row[found]):
                    found = i
            marks[found] = False
            count -= 1
