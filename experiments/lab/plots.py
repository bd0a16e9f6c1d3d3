"""Figures that read in grey and come out with the same bytes: markers, line styles and hatches beside colours."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from experiments.lab.best import BestSettings
from experiments.lab.estimate import Estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.88",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "hatch.linewidth": 0.6,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "svg.hashsalt": "dixit-lab",
    "svg.fonttype": "path",
}
COLOURS = ("#1b4f72", "#c0611f", "#2d8a57", "#7d3c98", "#8a8a1f", "#555555")
"""Line styles and markers tell series apart too; colours alone never do."""
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 2)))
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "+++")
NOT_TOLD = "not told from the best"


def style(index: int) -> dict[str, Any]:
    """Colour, marker and line of the index-th series: different in grey too. For `Axes.plot` and `Axes.errorbar`."""
    i = index % len(MARKERS)
    return {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": LINES[i], "markerfacecolor": "white"}


def bar_style(index: int) -> dict[str, Any]:
    """Face, edge and hatch of the index-th kind of bar. For `Axes.bar` and `Axes.fill_between`."""
    i = index % len(HATCHES)
    return {"facecolor": ("0.85", "white", "0.65")[i % 3], "edgecolor": COLOURS[i], "hatch": HATCHES[i]}


def new_figure(
    rows: int = 1, columns: int = 1, width: float = 8.0, height: float = 4.5, title: str = "", **subplots: Any
) -> tuple[Figure, Any]:
    """A figure in the lab's style and its axes, an array (rows, columns). width, height: inches, of the whole.

    subplots: passed to `Figure.subplots` (sharex, sharey, height_ratios, ...). The figure belongs to no window system.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False, **subplots)
        if title:
            figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure, axes


def player_panels(players: Sequence[int], rows: int = 1, title: str = "", **subplots: Any) -> tuple[Figure, Any]:
    """One column of panels per number of players, `rows` deep, x shared and y shared along each row."""
    options = {"sharex": True, "sharey": "row", **subplots}
    width, height = max(6.0, 2.6 * len(players) + 1), 2.7 * rows + 0.8
    figure, axes = new_figure(rows, len(players), width, height, title, **options)
    for axis, number in zip(axes[0], players, strict=True):
        axis.set_title(f"{number} players")
    return figure, axes


def line(axis: Axes, x: ArrayLike, estimates: Estimates, index: int = 0, label: str = "", band: bool = False) -> None:
    """A series with its 95 % intervals: bars, or a shaded band for dense x. x: (points,); index: style."""
    low, high, value = estimates.low, estimates.high, estimates.value
    look = style(index)
    if band:
        axis.plot(x, value, label=label or None, **look)
        axis.fill_between(np.asarray(x, float), low, high, color=look["color"], alpha=0.18, linewidth=0)
        return
    known = np.nan_to_num(np.array([value - low, high - value]), nan=0.0)
    axis.errorbar(x, value, yerr=np.maximum(known, 0), capsize=2.5, elinewidth=1, label=label or None, **look)


def bars(axis: Axes, labels: Sequence[str], estimates: Estimates, index: int = 0, horizontal: bool = True) -> None:
    """One bar per label with its interval, the first label on top."""
    place = np.arange(len(labels))
    known = np.maximum(np.nan_to_num(np.array([estimates.value - estimates.low, estimates.high - estimates.value])), 0)
    errors: dict[str, Any] = {"ecolor": "black", "capsize": 2.5, "error_kw": {"elinewidth": 1}}
    if horizontal:
        axis.barh(place, estimates.value, xerr=known, **errors, **bar_style(index))
        axis.set_yticks(place, labels)
        axis.invert_yaxis()
        axis.grid(False, axis="y")
    else:
        axis.bar(place, estimates.value, yerr=known, **errors, **bar_style(index))
        axis.set_xticks(place, labels)
        axis.grid(False, axis="x")


def best_band(axis: Axes, x: ArrayLike, best: BestSettings | ArrayLike, label: str = NOT_TOLD) -> None:
    """Shade and hatch the settings that cannot be told from the best. x: (settings,), ascending; best: or bool."""
    points = np.asarray(x, float)
    inside = best.inside if isinstance(best, BestSettings) else np.asarray(best, bool)
    middles = (points[1:] + points[:-1]) / 2
    edge = (points[1] - points[0]) / 2 if len(points) > 1 else 0.5
    lows, highs = np.concatenate([[points[0] - edge], middles]), np.concatenate([middles, [points[-1] + edge]])
    start: int | None = None
    for i in range(len(points) + 1):
        now = i < len(points) and bool(inside[i])
        if now and start is None:
            start = i
        elif not now and start is not None:
            axis.axvspan(
                lows[start],
                highs[i - 1],
                facecolor="0.9",
                edgecolor="0.75",
                hatch="////",
                linewidth=0,
                zorder=0,
                label=label,
            )
            start, label = None, ""


def reference(axis: Axes, value: float, label: str = "", vertical: bool = False) -> None:
    """A thin dotted line for a value to compare with (a fair share, zero)."""
    draw = axis.axvline if vertical else axis.axhline
    draw(value, color="0.35", linewidth=0.9, linestyle=(0, (1, 1.5)), zorder=1, label=label or None)


def legend(figure: Figure, axes: Any, columns: int | None = None) -> None:
    """One legend below the figure for all axes, each label once."""
    entries: dict[str, Any] = {}
    for axis in np.ravel(np.asarray(axes, object)):
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if entries:
        figure.legend(
            list(entries.values()), list(entries), loc="outside lower center", frameon=False,
            ncols=columns or min(len(entries), max(1, math.floor(figure.get_figwidth() / 2))),
        )  # fmt: skip


def figure_bytes(figure: Figure, kind: Literal["png", "svg"]) -> bytes:
    """The figure as a file's content, without date or names of software: equal figures give equal bytes."""
    import matplotlib

    metadata: dict[str, Any] = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    out = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(out, format=kind, metadata=metadata)
    return out.getvalue()
