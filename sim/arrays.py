"""Checks of arrays that users hand in: errors name what was given, what is allowed, and the game and seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["numbers", "refuse", "whole_numbers"]


def refuse(wrong: NDArray[np.bool_], axes: Sequence[str], reason: Callable[..., str]) -> None:
    """Raise ValueError for the first True of `wrong`: its place along the named axes, then `reason(*index)`."""
    if wrong.any():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))
        place = ", ".join(f"{axis} {i}" for axis, i in zip(axes, index, strict=True))
        raise ValueError(f"{place}: {reason(*index)}")


def numbers(name: str, values: Any, axes: Sequence[str], shape: Sequence[int | None]) -> NDArray[Any]:
    """`values` as an array of numbers of `shape` (None: any length), axes named in the singular; no NaN."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged; expected an array ({_shape_words(axes, shape)})") from None
    if array.ndim != len(shape) or any(want not in (None, got) for got, want in zip(array.shape, shape, strict=True)):
        raise ValueError(f"{name} has shape {array.shape}; expected ({_shape_words(axes, shape)})")
    if array.dtype.kind not in "iufb":
        raise ValueError(f"{name} is of type {array.dtype}; expected numbers")
    if array.dtype.kind == "f":
        refuse(np.isnan(array), axes, lambda *_: f"{name} = nan; expected a number")
    return array


def whole_numbers(
    name: str, values: Any, axes: Sequence[str], shape: Sequence[int | None], low: int, high: int
) -> NDArray[np.int64]:
    """As `numbers`, for integers from `low` to `high`; whole floats are accepted, booleans are not."""
    array = numbers(name, values, axes, shape)
    if array.dtype.kind == "b":
        raise ValueError(f"{name} is of type bool; expected integers from {low} to {high}")
    wrong = (array < low) | (array > high)
    if array.dtype.kind == "f":
        wrong |= array != np.floor(array)
    refuse(wrong, axes, lambda *index: f"{name} = {array[index]}; must be an integer from {low} to {high}")
    return array.astype(np.int64)


def _shape_words(axes: Sequence[str], shape: Sequence[int | None]) -> str:
    return ", ".join(f"{axis}s" if size is None else f"{size} {axis}s" for axis, size in zip(axes, shape, strict=True))
