"""The figure of `clue_vagueness`: what becomes of a clue, what it earns, what it wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from experiments.lab import plots
from experiments.lab.estimate import Estimates
from experiments.vagueness.tables import CASES, CRITERIA, Table, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def why(by_field: Mapping[str, Sequence[Table]]) -> Figure:
    """What becomes of a clue, what it earns, what it wins; below, the best vagueness over the number of players."""
    import matplotlib

    columns = [list(column) for column in zip(*(shown(mine) for mine in by_field.values()), strict=True)]
    width = max(9.0, 2.75 * len(columns) + 0.8)
    title = "How vague should a clue be? Too clear, and all find the storyteller's image; too vague, and nobody does"
    ratios = {"height_ratios": (1, 1, 1, 1.15)}
    with matplotlib.rc_context(plots.STYLE):
        figure, axes = plots.new_figure(4, len(columns), width, 12.0, title, gridspec_kw=ratios)
        grid = axes[0, 0].get_gridspec()
        for axis in axes[3]:
            axis.remove()
        bottom = grid[3, :].subgridspec(1, len(by_field))
        below = [figure.add_subplot(bottom[0, i]) for i in range(len(by_field))]
    for row in axes[:3]:
        for axis in row[1:]:
            axis.sharey(row[0])
            axis.tick_params(labelleft=False)
    for i, column in enumerate(columns):
        for index, table in enumerate(column):
            _column(axes[:3, i], table, index)
    for axis, label in zip(
        axes[:3, 0],
        ("share of its turns", "points per turn\nas storyteller", "win share in whole games /\nfair share"),
        strict=True,
    ):
        axis.set_ylabel(label)
    for row in axes[:3]:
        row[0].set_ylim(bottom=0)
    for axis, mine in zip(below, by_field.values(), strict=True):
        _best_panel(axis, mine)
    plots.legend(figure, [*axes[:3].ravel(), *below], columns=3)
    return figure


def _column(panels: NDArray[Any], table: Table, index: int) -> None:
    """The three panels of one number of players, as far as the index-th field fills them."""
    top, middle, lower = panels
    x = table.vaguenesses
    if index == 0:
        top.set_title(table.title)
        for i, case in enumerate(CASES):
            words = {"all": "all found it (too clear)", "some": "some found it", "none": "nobody found it (too vague)"}
            plots.line(top, x, table.estimates(case), i, f"{words[case]}, among {table.field}")
        plots.best_band(middle, x, table.best("points"), f"{plots.NOT_TOLD}, among {table.field}")
        plots.line(
            middle, x, table.estimates("given"), 5, f"mean points of the others on these turns, among {table.field}"
        )
        plots.best_band(lower, x, table.best("win_share"), f"{plots.NOT_TOLD}, among {table.field}")
        plots.reference(lower, 1, "fair share")
        lower.set_xlabel("vagueness of its clues")
    plots.line(middle, x, table.estimates("points"), 3 + index, f"own points or win share, among {table.field}")
    wins = table.estimates("win_share")
    n = table.players
    relative = Estimates(wins.value * n, wins.low * n, wins.high * n, wins.n)
    plots.line(lower, x, relative, 3 + index, f"own points or win share, among {table.field}")


def _best_panel(axis: Axes, tables: Sequence[Table]) -> None:
    """Over the number of players: every vagueness not told from the best, by each criterion, and that of `tuned`."""
    names = {"points": "own points per turn", "margin": "margin per game", "win_share": "win share"}
    for i, criterion in enumerate(CRITERIA):
        look, shift = plots.style(i), 0.22 * (i - 1)
        for table in tables:
            best = table.best(criterion)
            inside = np.array(table.vaguenesses)[best.inside]
            at = np.full(len(inside), table.players + shift)
            axis.plot(at, inside, color=look["color"], linewidth=0.9)
            axis.plot(at, inside, linestyle="", marker=look["marker"], color=look["color"], markerfacecolor="white")
            axis.plot(
                at[:1], [table.vaguenesses[best.index]], linestyle="", marker=look["marker"], color=look["color"],
                label=f"{names[criterion]}: filled = highest, open = {plots.NOT_TOLD}",
            )  # fmt: skip
    axis.plot(
        [table.players for table in tables], [table.tuned for table in tables], linestyle="", marker="_", color="black",
        markersize=16, markeredgewidth=2, label="`tuned` computes (for best-fit voters, margin per turn)",
    )  # fmt: skip
    axis.set_xticks([table.players for table in tables])
    axis.set_ylim(-0.04, 1.04)
    axis.set_xlabel("players")
    axis.set_ylabel("best vagueness")
    axis.set_title(f"Best vagueness among {tables[0].field}")
