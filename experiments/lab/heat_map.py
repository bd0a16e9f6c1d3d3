"""A matrix of numbers as a picture that reads in grey: dark is much, and every cell says its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.lab.estimate import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LIGHT, _DARK = 0.08, 0.78
"""Grey levels used: the lightest cell still differs from paper, the darkest still shows its frame."""


def heat_map(
    axis: Axes,
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    bold: Any = None,
    words: Any = None,
    low: float | None = None,
    high: float | None = None,
) -> None:
    """Draw values (rows, columns); NaN stays white with a dash.

    bold: cells printed bold, bool of the same shape; words: what cells say instead of the number, where not empty;
    low, high: ends of the grey, the least and the most unless given.
    """
    from matplotlib import colormaps

    known = values[np.isfinite(values)]
    low = float(known.min()) if low is None and len(known) else low or 0.0
    high = float(known.max()) if high is None and len(known) else high or 1.0
    level = _LIGHT + (_DARK - _LIGHT) * (values - low) / ((high - low) or 1.0)
    colours = colormaps["Greys"](np.where(np.isfinite(level), level, 0.0))
    colours[~np.isfinite(level)] = 1.0
    axis.imshow(colours, aspect="auto")
    for row, column in np.ndindex(*values.shape):
        value, said = values[row, column], "" if words is None else words[row, column]
        axis.text(
            column, row, said or (f"{value:.2f}" if np.isfinite(value) else "–"), ha="center", va="center",
            color="white" if level[row, column] > 0.55 else "black",
            fontweight="bold" if bold is not None and bold[row, column] else "normal",
        )  # fmt: skip
    axis.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(rows)), rows)
    axis.set_xticks(np.arange(0.5, len(columns) - 1), minor=True)
    axis.set_yticks(np.arange(0.5, len(rows) - 1), minor=True)
    axis.grid(False)
    axis.grid(True, which="minor", color="white", linewidth=1.5)
    axis.tick_params(which="both", length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
