"""Figures of the house rules: differences from the printed rules, swept fields, and the search."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.house.comparison import Compared, Entry, Play
from experiments.house.measures import Measure
from experiments.house.rule_sets import Varied, value_words
from experiments.lab import plots
from experiments.lab.estimate import Estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4


def differences(compared: Compared, title: str) -> Figure:
    """A panel per main measure: every rule set's difference from the printed rules, both kinds of play, 95 %."""
    entries = [entry for entry in compared.entries if not entry.is_reference]
    rows = math.ceil(len(compared.main) / COLUMNS)
    columns = min(COLUMNS, len(compared.main))
    height = rows * (0.9 + 0.3 * len(entries)) + 1.0
    figure, axes = plots.new_figure(rows, columns, 3.0 + 2.5 * columns, height, title, sharey=True)
    names = [textwrap.fill(entry.name, 26) for entry in entries]
    for number, axis in enumerate(axes.flat):
        if number >= len(compared.main):
            axis.set_visible(False)
            continue
        measure = compared.main[number]
        plots.reference(axis, 0.0, vertical=True)
        for i, play in enumerate(compared.plays):
            shift = 0.17 * (2 * i - 1) if len(compared.plays) == 2 else 0.0
            estimates = percent(compared.differences(play, entries, measure), measure)
            _points(axis, np.arange(len(entries)) + shift, estimates, i, play)
        axis.set_yticks(np.arange(len(entries)), names)
        axis.set_title(_label(measure), fontsize=9.5)
        axis.set_xlabel(f"difference, {_unit(measure)}")
        axis.set_ylim(len(entries) - 0.5, -0.5)
        for row in range(0, len(entries), 2):
            axis.axhspan(row - 0.5, row + 0.5, color="0.955", zorder=0, linewidth=0)
        axis.grid(False, axis="y")
        axis.tick_params(axis="y", length=0)
    plots.legend(figure, axes)
    return figure


def sweep(compared: Compared, fields: Sequence[Varied], entries: Sequence[Entry], reference: Entry, title: str) -> Figure:
    """A panel per main measure over the values of the first field: a line per kind of play, or per second value."""
    rows, columns = math.ceil(len(compared.main) / COLUMNS), min(COLUMNS, len(compared.main))
    figure, axes = plots.new_figure(rows, columns, 2.8 * columns + 0.6, 2.7 * rows + 0.9, title)
    across = fields[0].values
    series: list[tuple[str, Play, list[Entry]]] = []
    if len(fields) == 1:
        series = [(play, play, list(entries)) for play in compared.plays]
    else:
        step = len(fields[1].values)
        for i, value in enumerate(fields[1].values):
            label = f"{fields[1].field.replace('_', ' ')} {value_words(value)} ({compared.plays[-1]})"
            series.append((label, compared.plays[-1], list(entries[i::step])))
    for number, axis in enumerate(axes.flat):
        if number >= len(compared.main):
            axis.set_visible(False)
            continue
        measure = compared.main[number]
        for i, (label, play, own) in enumerate(series):
            shift = 0.05 * (i - (len(series) - 1) / 2)
            plots.line(axis, np.arange(len(across)) + shift, percent(compared.values(play, own, measure), measure), i, label)
        printed = percent(compared.values(compared.plays[-1], [reference], measure), measure).value[0]
        plots.reference(axis, printed, f"rules compared with ({compared.plays[-1]})")
        axis.set_xticks(np.arange(len(across)), [value_words(value) for value in across])
        axis.set_xlabel(fields[0].field.replace("_", " "))
        axis.set_title(_label(measure), fontsize=9.5)
        axis.set_ylabel(_unit(measure))
    plots.legend(figure, axes)
    return figure


def percent(estimates: Estimates, measure: Measure) -> Estimates:
    """Shares in per cent; everything else as it is."""
    if not measure.is_share:
        return estimates
    return Estimates(100 * estimates.value, 100 * estimates.low, 100 * estimates.high, estimates.n)


def unit_of(measure: Measure) -> str:
    return _unit(measure)


def _unit(measure: Measure) -> str:
    if not measure.is_share:
        return measure.unit
    return "% of rounds" if measure.per == "rounds x players" else f"% of {measure.per.split(' with')[0]}"


def _label(measure: Measure) -> str:
    return textwrap.fill(measure.label, 30)


def _points(axis: Axes, place: Any, estimates: Estimates, index: int, label: str) -> None:
    """Points with horizontal intervals: filled for the first series, hollow for the second."""
    known = np.array([estimates.value - estimates.low, estimates.high - estimates.value])
    look = plots.style(index)
    axis.errorbar(
        estimates.value, place, xerr=np.maximum(np.nan_to_num(known), 0), linestyle="none", capsize=2.5, elinewidth=1,
        color=look["color"], marker=look["marker"], markersize=5.5,
        markerfacecolor=look["color"] if index == 0 else "white", label=label,
    )  # fmt: skip
