"""The compiled tools against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agents.choice import best, best_k, marks_above, top

SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9))


@st.composite
def values(draw: Any) -> NDArray[Any]:
    """float32 or float64 with many equal values; contiguous, a slice, or broadcast; read-only."""
    n, k, m = draw(SHAPES)
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from([np.float32, np.float64]))
    array = (generator.integers(-3, 4, (n, k, 2 * m)) / 2).astype(kind)
    form = draw(st.sampled_from(["contiguous", "slice", "reversed", "broadcast"]))
    if form == "broadcast":
        return np.broadcast_to(array[:1, :1, :m], (n, k, m))
    array = {
        "contiguous": np.ascontiguousarray(array[..., :m]),
        "slice": array[..., ::2],
        "reversed": array[..., :m][..., ::-1],
    }[form]
    array.flags.writeable = False
    return array


def _legal(array: NDArray[Any], seed: int) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).random(array.shape) < 0.6


def _ranked(row: NDArray[Any], legal: NDArray[np.bool_]) -> list[int]:
    return [int(i) for i in np.argsort(-row, kind="stable") if legal[i]]


@settings(max_examples=150, deadline=None)
@given(values(), st.integers(0, 1000), st.integers(0, 5))
def test_best_and_best_k(array: NDArray[Any], seed: int, count: int) -> None:
    legal, before = _legal(array, seed), array.tobytes()
    one, many, free = best(array, legal), best_k(array, count, legal), best(array)
    assert one.dtype == many.dtype == np.int64
    assert many.shape == (*array.shape[:2], count)
    for index in np.ndindex(array.shape[:2]):
        ranked = [*_ranked(array[index], legal[index]), *[-1] * max(count, 1)]
        assert one[index] == ranked[0]
        assert many[index].tolist() == ranked[:count]
        assert free[index] == array[index].argmax()
    assert array.tobytes() == before


@settings(max_examples=150, deadline=None)
@given(values(), st.integers(0, 12), st.booleans())
def test_top(array: NDArray[Any], size: int, varies: bool) -> None:
    sizes: Any = np.random.default_rng(size).integers(0, 12, array.shape[:2]) if varies else size
    chosen = top(array, sizes)
    assert chosen.dtype == np.bool_
    for index in np.ndindex(array.shape[:2]):
        wanted = int(sizes[index]) if varies else size
        ranked = _ranked(array[index], np.ones(array.shape[2], bool))
        assert sorted(ranked[:wanted]) == np.flatnonzero(chosen[index]).tolist()


@settings(max_examples=150, deadline=None)
@given(values(), st.floats(-2, 2), st.integers(0, 9), st.integers(0, 9), st.booleans())
def test_marks_above(array: NDArray[Any], threshold: float, low: int, high: int, varies: bool) -> None:
    low, high = sorted((low, high))
    limit: Any = np.full(array.shape[:2], threshold, np.float32) if varies else threshold
    marks = marks_above(array, limit, low, high)
    for index in np.ndindex(array.shape[:2]):
        row, m = array[index], array.shape[2]
        above = int((row > np.asarray(threshold, np.float32 if varies else row.dtype)).sum())
        ranked = _ranked(row, np.ones(m, bool))
        wanted = min(max(above, min(low, m)), high)
        assert sorted(ranked[:wanted]) == np.flatnonzero(marks[index]).tolist()


def test_wider_and_smaller_types() -> None:
    whole = np.array([[3, 1, 7, 7]], np.int16)
    assert best(whole).tolist() == [2]
    assert marks_above(whole.astype(np.int64), 2.5).tolist() == [[True, False, True, True]]
    assert best(np.zeros((2, 3)), np.array([False, True, True])).tolist() == [1, 1]
    assert top([1.0, 3.0, 2.0], 2).tolist() == [False, True, True]
