"""CSV files as tables for a page: numbers with their intervals in one cell, and what each cell is sorted by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.lab.tables import folded

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 400
"""Rows that a page shows of one table; the file has them all."""


@dataclass(frozen=True)
class Cell:
    """One cell. text: what is shown; key: the number it is sorted by, as text, or None where it sorts by its text."""

    text: str
    key: str | None


@dataclass(frozen=True)
class Table:
    """name: of the file; columns: heads; numeric: whether a column holds numbers; rows: cells; n_rows: of the file."""

    name: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_rows: int


def read_table(path: Path) -> Table:
    """The table of a CSV file that the lab wrote. ValueError for a file that is no table."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    except (pd.errors.EmptyDataError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not a table: {error}") from None
    return table(path.name, frame)


def table(name: str, frame: pd.DataFrame) -> Table:
    """A frame as a table; the columns x, x_low and x_high become one."""
    shown = frame.head(MOST_ROWS)
    text = folded(_whole(shown))
    raw = {str(column).replace("_", " "): shown[column] for column in shown.columns}
    numeric = tuple(raw[column].dtype.kind in "iuf" for column in text.columns)
    columns = [
        _cells(text[column], raw[column], is_number) for column, is_number in zip(text.columns, numeric, strict=True)
    ]
    return Table(name, tuple(text.columns), numeric, tuple(zip(*columns, strict=True)), len(frame))


def _cells(text: Iterable[str], raw: pd.Series[Any], is_number: bool) -> list[Cell]:
    if not is_number:
        return [Cell(_spelled(cell), None) for cell in text]
    keys = ["" if value != value else f"{value:.6g}" for value in raw]
    return [Cell(cell, key) for cell, key in zip(text, keys, strict=True)]


def _spelled(text: str) -> str:
    return {"True": "yes", "False": "no"}.get(text, text)


def _whole(frame: pd.DataFrame) -> pd.DataFrame:
    """Counts that became floats because some are missing, as whole numbers again."""
    counts = {
        name: "Int64"
        for name in frame.columns
        if frame[name].dtype.kind == "f"
        and f"{name}_low" not in frame.columns
        and not str(name).endswith(("_low", "_high"))
        and frame[name].isna().any()
        and (frame[name].dropna() % 1 == 0).all()
    }
    return frame.astype(counts)
