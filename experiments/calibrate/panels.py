"""Figures whose rows hold different numbers of panels, each row with margins of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.lab import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def rows_of_panels(
    columns: Sequence[int], heights: Sequence[float], width: float, height: float, title: str
) -> tuple[Figure, list[list[Axes]]]:
    """columns: panels in each row; heights: of the rows, relative; width, height: inches, of the whole."""
    import matplotlib

    figure, whole = plots.new_figure(len(columns), 1, width, height, title, height_ratios=heights)
    grid, rows = whole[0, 0].get_gridspec(), []
    for axis in whole[:, 0]:
        axis.remove()
    with matplotlib.rc_context(plots.STYLE):
        for i, count in enumerate(columns):
            row = grid[i, 0].subgridspec(1, count)
            rows.append([figure.add_subplot(row[0, j]) for j in range(count)])
    return figure, rows
