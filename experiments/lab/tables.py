"""Tables in words: numbers with their intervals, in a terminal, a notebook or a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from experiments.lab.estimate import Estimate
from experiments.lab.progress import in_notebook

if TYPE_CHECKING:
    import pandas as pd

LOW, HIGH = "_low", "_high"


def folded(frame: pd.DataFrame) -> pd.DataFrame:
    """Every cell as text; the columns x, x_low and x_high become one, '0.31 (0.29 to 0.33)'. Names lose underscores."""
    import pandas as pd

    cells: dict[str, list[str]] = {}
    for name in frame.columns:
        if _is_end(str(name), frame):
            continue
        if f"{name}{LOW}" in frame.columns and f"{name}{HIGH}" in frame.columns:
            ends = zip(frame[name], frame[f"{name}{LOW}"], frame[f"{name}{HIGH}"], strict=True)
            cells[_words(name)] = [Estimate(float(v), float(a), float(b)).short() for v, a, b in ends]
        else:
            cells[_words(name)] = [cell(value) for value in frame[name]]
    return pd.DataFrame(cells)


def cell(value: Any) -> str:
    """One value as text: 1,234; 0.317; yes; '-' for what is missing."""
    if value is None:
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    if isinstance(value, float | np.floating):
        return "-" if np.isnan(value) else f"{value + 0.0:,.4g}"
    return "-" if str(value) in ("nan", "<NA>", "NaT") else str(value)


def show(frame: pd.DataFrame, title: str = "", stream: TextIO | None = None) -> None:
    """Print a table to `stream` (standard output): ruled in a terminal or notebook, aligned plain text in a pipe."""
    stream = sys.stdout if stream is None else stream
    text = folded(frame)
    if not (stream.isatty() or (stream is sys.stdout and in_notebook())):
        stream.write(plain(text, title) + "\n")
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for name in text.columns:
        table.add_column(name, justify="right" if _is_number(frame, name) else "left", overflow="fold")
    for row in text.itertuples(index=False):
        table.add_row(*row)
    Console(file=stream, markup=False, highlight=False).print(table)


def plain(text: pd.DataFrame, title: str = "") -> str:
    """Text cells in aligned columns, two spaces apart, never cut."""
    columns = []
    for name in text.columns:
        values = [str(name), *text[name].astype(str)]
        width = max(map(len, values))
        left = not any(character.isdigit() for character in "".join(values[1:]))
        columns.append([v.ljust(width) if left else v.rjust(width) for v in values])
    lines = ["  ".join(parts).rstrip() for parts in zip(*columns, strict=True)]
    rule = "  ".join("-" * len(column[0]) for column in columns)
    return "\n".join([*([title] if title else []), lines[0], rule, *lines[1:]]) if columns else title


def _words(name: Any) -> str:
    return str(name).replace("_", " ")


def _is_end(name: str, frame: pd.DataFrame) -> bool:
    """The column is the low or high end of another's interval."""
    return any(
        name.endswith(end)
        and name.removesuffix(end) in frame.columns
        and name.removesuffix(end) + other in frame.columns
        for end, other in ((LOW, HIGH), (HIGH, LOW))
    )


def _is_number(frame: pd.DataFrame, shown: str) -> bool:
    return any(_words(name) == shown and frame[name].dtype.kind in "iuf" for name in frame.columns)
