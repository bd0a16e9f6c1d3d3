"""Files with the same bytes on every run: JSON as it is given, CSV with floats of six significant digits."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def six_digits(value: float) -> float:
    """The float of six significant digits nearest to value; -0.0 becomes 0.0."""
    return float(f"{value:.6g}") + 0.0 if math.isfinite(value) else value


def plain(value: Any) -> Any:
    """A value as JSON has it: mappings, lists, text, numbers; None for NaN. TypeError for what has no such form.

    Numbers stay exact, for settings must come back as they were; measured ones go through `rounded` first.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be written as JSON")


def rounded(value: Any) -> Any:
    """A plain value with all floats at six significant digits."""
    if isinstance(value, float):
        return six_digits(value)
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def to_json(value: Any) -> str:
    """Indented JSON with a final newline; keys keep their order."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_csv(frame: pd.DataFrame) -> str:
    """CSV without an index, floats of six significant digits, missing values empty, '\\n' at line ends."""
    rounded = frame.copy()
    for name in frame.columns[[dtype.kind == "f" for dtype in frame.dtypes]]:
        rounded[name] = frame[name] + 0.0
    return str(rounded.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def fingerprint(value: Any, length: int = 8) -> str:
    """Hexadecimal digits that stand for a value: the same for equal values in any order of keys."""
    text = json.dumps(plain(value), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def differences(there: Any, here: Any, name: str = "") -> list[str]:
    """In words, where two plain values differ: 'settings.n_deals: 100 there, 200 here'."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        found: list[str] = []
        for key in [*there, *(key for key in here if key not in there)]:
            inner = f"{name}.{key}" if name else str(key)
            found += differences(there.get(key, _ABSENT), here.get(key, _ABSENT), inner)
        return found
    return [] if there == here else [f"{name}: {_shown(there)} there, {_shown(here)} here"]


class _Absent:
    def __repr__(self) -> str:
        return "not given"


_ABSENT = _Absent()


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, _Absent) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."
