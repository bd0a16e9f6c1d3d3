"""A tournament as a picture: who wins how much at whose table, and the rating beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.contest.standing import Standing
from experiments.lab import plots
from experiments.lab.estimate import Estimates
from experiments.lab.heat_map import heat_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(standing: Standing) -> Figure:
    """Who wins how much at whose table, and the rating beside it, agents in the same rows."""
    order = standing.order
    names = [standing.names[agent] for agent in order]
    n = len(order)
    kind = {"round-robin": "Tournament of pairs", "gauntlet": "Gauntlet", "mixed": "Tournament at mixed tables"}
    title = f"{kind[standing.scheme]}: {standing.game}, {standing.players} players, {standing.play.n_deals:,} deals"
    # wide enough for the titles: what sticks out of a panel would push the panels apart
    wide, name = max(4.8, 1 + 0.62 * n), 0.085 * max(map(len, names))
    width = wide + 3.6 + name * (2 if standing.scheme == "gauntlet" else 1) + 0.6
    height = 1.8 + 0.42 * n + (0 if standing.scheme == "gauntlet" else 0.6 * name)
    drawn, axes = plots.new_figure(1, 2, width, height, title, width_ratios=[wide, 3.6])
    left, right = axes[0]
    fair = 1 / standing.sides
    if standing.scheme == "gauntlet":
        _gauntlet(standing, left)
    else:
        mixed = standing.scheme == "mixed"
        cells = standing.mean(f"pair.{'ahead' if mixed else 'win_share'}", shares=True)
        level = 0.5 if mixed else fair
        values = cells.value[np.ix_(order, order)].copy()
        np.fill_diagonal(values, level)
        words = np.full((n, n), "", dtype=object)
        np.fill_diagonal(words, "even" if mixed else "fair")
        heat_map(left, values, names, names, bold=cells.low[np.ix_(order, order)] > level, words=words, low=0.0)
        if mixed:
            left.set_title(
                "How often the row has more points than the column\n(ties half; bold: more often than not, 95 %)",
                loc="left",
            )
            left.set_xlabel("... than this agent at the same table")
        else:
            left.set_title(
                f"Win share of one row agent at a table of the column\n(fair: {fair:.2f}; bold: more than fair, 95 %)",
                loc="left",
            )
            left.set_xlabel("... among this agent on all other sides")
    _rating(standing, right)
    return drawn


def _gauntlet(standing: Standing, axis: Any) -> None:
    fields = [b for b in standing.order if b != standing.focus]
    shares = standing.mean("pair.win_share", shares=True)
    at = (standing.focus, fields)
    row = Estimates(shares.value[at], shares.low[at], shares.high[at], shares.n[at])
    plots.bars(axis, [f"among {standing.names[b]}" for b in fields], row)
    for place, share in enumerate(row):
        number = axis.text(max(share.value, share.high) + 0.01, place, f"{share.value:.2f}", va="center", bbox=_PAPER)
        number.set_in_layout(False)
    plots.reference(axis, 1 / standing.sides, vertical=True)
    axis.set_xlim(0, min(1.1, float(np.nanmax(np.maximum(row.value, row.high))) + 0.12))
    axis.set_title(
        f"Win share of {standing.names[standing.focus]}, alone\n(dotted: fair share {1 / standing.sides:.2f})",
        loc="left",
    )
    axis.set_xlabel("victories per game")


_PAPER: Any = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}


def _rating(standing: Standing, axis: Any) -> None:
    """Points with bars, agents in the order of the rating; an arrow where there is no bound."""
    points, order = standing.rating.points, standing.order
    place = np.arange(len(order))
    value, low, high = (np.asarray(ends)[order] for ends in (points.value, points.low, points.high))
    finite = np.concatenate([value, low[np.isfinite(low)], high[np.isfinite(high)]])
    margin = 0.08 * (finite.max() - finite.min()) or 10.0
    left, right = float(finite.min() - margin), float(finite.max() + 5 * margin)
    reach = [np.nan_to_num(value - np.maximum(low, left)), np.nan_to_num(np.minimum(high, right) - value)]
    axis.errorbar(
        value,
        place,
        xerr=np.maximum(reach, 0),
        fmt="o",
        color="black",
        markerfacecolor="white",
        capsize=3,
        elinewidth=1.3,
    )
    for row, (v, top) in enumerate(zip(value, high, strict=True)):
        edge = top if np.isfinite(top) else v
        axis.text(edge + margin / 2, row, f"{v:+.0f}", va="center", bbox=_PAPER).set_in_layout(False)
    for ends, edge, marker in ((low, left, "<"), (high, right, ">")):
        rows = place[~np.isfinite(ends)]
        if len(rows):
            axis.plot(np.full(len(rows), edge), rows, linestyle="", marker=marker, color="black", clip_on=False)
    plots.reference(axis, 0.0, vertical=True)
    axis.set_xlim(left, right)
    axis.set_ylim(len(order) - 0.5, -0.5)
    axis.set_yticks(place, [standing.names[agent] for agent in order] if standing.scheme == "gauntlet" else [])
    axis.grid(False, axis="y")
    axis.set_title("Rating with 95 % intervals\n(400 points: ten times the strength)", loc="left")
    axis.set_xlabel("points, mean of the pool 0")
