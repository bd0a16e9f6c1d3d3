"""Choosing the best over the last axis: compiled tools for agents.

    best(values, legal)                      index of the highest value that is legal
    best_k(values, count, legal)             indices of the `count` highest, all different, best first
    top(values, size)                        the `size` highest as a bool set
    marks_above(fit, threshold, low, high)   everything above a threshold, repaired to a legal number of marks

All of them work on the last axis and broadcast over the others: values (n, k, m) with legal (n, k, m), (m,) or none;
size and threshold a number or an array (n, k). Among equal values the lowest index comes first. Inputs are never
written to, and may be read-only, broadcast, or slices. Values are float32 or float64 (smaller types are widened); NaN
is not allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["best", "best_k", "marks_above", "top"]

Indices = NDArray[np.int64]
Set = NDArray[np.bool_]


def best(values: ArrayLike, legal: ArrayLike | None = None) -> Indices:
    """Index of the highest legal value; -1 where nothing is legal.

    values: (..., m); legal: bool, broadcasts against values; None: everything is -> int64 (...)
    """
    values, allowed = _with_legal(values, legal)
    return cast(Indices, _best(values, allowed))


def best_k(values: ArrayLike, count: int, legal: ArrayLike | None = None) -> Indices:
    """Indices of the `count` highest legal values, all different, best first; -1 where fewer are legal.

    values: (..., m); count: 0 or more; legal: as in `best` -> int64 (..., count)
    """
    values, allowed = _with_legal(values, legal)
    return cast(Indices, _best_k(values, allowed, np.empty(count, np.int8)))


def top(values: ArrayLike, size: ArrayLike) -> Set:
    """The `size` highest values as a set; everything where size is m or more.

    values: (..., m); size: int, a number or (...), may differ from row to row -> bool (..., m)
    """
    return cast(Set, _top(values, np.asarray(size, np.int64)))


def marks_above(fit: ArrayLike, threshold: ArrayLike, minimum: ArrayLike = 1, maximum: ArrayLike | None = None) -> Set:
    """Mark everything above a threshold; with too few, add the best of the rest; with too many, drop the worst.

    fit: (..., m); threshold: in units of fit, a number or (...); minimum, maximum: legal numbers of marks, numbers or
    (...), maximum None: m -> bool (..., m)
    """
    fit = np.asarray(fit)
    threshold = np.asarray(threshold, fit.dtype if fit.dtype.kind == "f" else np.float64)
    most = fit.shape[-1] if maximum is None else maximum
    limits = np.asarray(minimum, np.int64), np.asarray(most, np.int64)
    return cast(Set, _marks_above(fit, threshold, *limits))


def _with_legal(values: ArrayLike, legal: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    values = np.asarray(values)
    return values, np.broadcast_to(True if legal is None else np.asarray(legal, bool), values.shape)


def _compiled(layout: str, *signatures: str) -> Callable[[Callable[..., None]], Any]:
    made: Any = numba.guvectorize(list(signatures), layout, nopython=True, cache=True)  # type: ignore[no-untyped-call]
    return cast(Callable[[Callable[..., None]], Any], made)


@_compiled("(m),(m)->()", "(float32[:], boolean[:], int64[:])", "(float64[:], boolean[:], int64[:])")
def _best(values: Any, legal: Any, out: Any) -> None:
    found = -1
    for i in range(len(values)):
        if legal[i] and (found < 0 or values[i] > values[found]):
            found = i
    out[0] = found


@_compiled(
    "(m),(m),(c)->(c)", "(float32[:], boolean[:], int8[:], int64[:])", "(float64[:], boolean[:], int8[:], int64[:])"
)
def _best_k(values: Any, legal: Any, places: Any, out: Any) -> None:
    for place in range(len(places)):
        found = -1
        for i in range(len(values)):
            if legal[i] and (found < 0 or values[i] > values[found]):
                taken = False
                for earlier in range(place):
                    taken |= out[earlier] == i
                if not taken:
                    found = i
        out[place] = found


@_compiled("(m),()->(m)", "(float32[:], int64, boolean[:])", "(float64[:], int64, boolean[:])")
def _top(values: Any, size: Any, out: Any) -> None:
    m = len(values)
    few = size <= m // 2  # else drop the worst, of equal ones the last: fewer passes
    for i in range(m):
        out[i] = not few
    for _ in range(max(size, 0) if few else m - min(size, m)):
        found = -1
        for i in range(m):
            if out[i] != few and (found < 0 or (values[i] > values[found] if few else values[i] <= values[found])):
                found = i
        out[found] = few


@_compiled(
    "(m),(),(),()->(m)",
    "(float32[:], float32, int64, int64, boolean[:])",
    "(float64[:], float64, int64, int64, boolean[:])",
)
def _marks_above(fit: Any, threshold: Any, minimum: Any, maximum: Any, out: Any) -> None:
    count = 0
    for i in range(len(fit)):
        above = fit[i] > threshold
        out[i] = above
        count += above
    while count < min(minimum, len(fit)):
        found = -1
        for i in range(len(fit)):
            if not out[i] and (found < 0 or fit[i] > fit[found]):
                found = i
        out[found] = True
        count += 1
    while count > max(maximum, 0):
        found = -1
        for i in range(len(fit)):
            if out[i] and (found < 0 or fit[i] <= fit[found]):
                found = i
        out[found] = False
        count -= 1
