"""Figures of the house rules: differences from the printed rules, swept fields, and the search."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.house.comparison import RETUNED, Compared, Entry, Play, stacked
from experiments.house.measures import Measure
from experiments.house.rule_sets import Varied, value_words
from experiments.house.search import Goal, Searched, Trial
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
        value = compared.cell(compared.plays[0], compared.entries[0], measure).value
        printed = (value.scaled(100) if measure.is_share else value).number()
        axis.set_xlabel(f"difference in {unit_of(measure)}\n({compared.entries[0].name}: {printed})")
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
        axis.set_ylabel(unit_of(measure))
    plots.legend(figure, axes)
    return figure


def percent(estimates: Estimates, measure: Measure) -> Estimates:
    """Shares in per cent; everything else as it is."""
    if not measure.is_share:
        return estimates
    return Estimates(100 * estimates.value, 100 * estimates.low, 100 * estimates.high, estimates.n)


def unit_of(measure: Measure) -> str:
    """The unit that values are shown in: shares in per cent."""
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


def search(searched: Searched, compared: Compared, winners: Sequence[Trial], title: str) -> Figure:
    """Several goals: all trials in the plane of the first two, the front marked. One goal: its measure by trial."""
    figure, axes = plots.new_figure(1, 1, 7.5, 5.2, title)
    axis = axes[0, 0]
    entries = {entry.name: entry for entry in compared.entries}
    fresh = [entries[trial.name] for trial in winners]
    if len(searched.goals) == 1:
        goal = searched.goals[0]
        played = searched.different
        values = percent(stacked([trial.values[0] for trial in played]), goal.measure).value
        axis.plot([trial.number + 1 for trial in played], values, "o", color="0.6", markersize=4, label="trial")
        again = percent(compared.values(RETUNED, fresh, goal.measure), goal.measure)
        _cross(axis, [trial.number + 1 for trial in winners], again, "measured again on fresh deals")
        axis.set_xlabel("trial")
        _goal_axis(axis, goal, vertical=False)
    else:
        first, second = searched.goals[:2]
        x = percent(stacked([trial.values[0] for trial in searched.different]), first.measure).value
        y = percent(stacked([trial.values[1] for trial in searched.different]), second.measure).value
        on_front = np.isin([trial.number for trial in searched.different], [trial.number for trial in searched.front])
        axis.plot(x[~on_front], y[~on_front], "o", color="0.72", markersize=4, label="trial")
        axis.plot(x[on_front], y[on_front], "D", color="0.25", markerfacecolor="white", label="trial on the front")
        again_x = percent(compared.values(RETUNED, fresh, first.measure), first.measure)
        again_y = percent(compared.values(RETUNED, fresh, second.measure), second.measure)
        _cross(axis, again_x, again_y, "measured again on fresh deals")
        _goal_axis(axis, first, vertical=True)
        _goal_axis(axis, second, vertical=False)
    printed = compared.entries[0]
    cells = [percent(compared.values(RETUNED, [printed], goal.measure), goal.measure).value[0] for goal in searched.goals]
    if len(cells) == 1:
        axis.axhline(cells[0], color="0.5", linestyle="--", linewidth=1, label=printed.name)
    else:
        axis.plot(cells[0], cells[1], "*", color="black", markersize=11, label=printed.name)
    plots.legend(figure, axes, columns=3)
    return figure


def _cross(axis: Axes, x: Any, y: Estimates, label: str) -> None:
    """Points with intervals in one or both directions."""
    both = isinstance(x, Estimates)
    errors = {"xerr": np.nan_to_num(x.half_width)} if both else {}
    axis.errorbar(
        x.value if both else x, y.value, yerr=np.nan_to_num(y.half_width), linestyle="none", capsize=2.5, elinewidth=1,
        marker="s", color=plots.COLOURS[0], label=label, **errors,
    )  # fmt: skip


def _goal_axis(axis: Axes, goal: Goal, vertical: bool) -> None:
    """Name the axis after the goal's measure, and draw the wanted value."""
    label = f"{goal.measure.label}, {unit_of(goal.measure)}"
    if isinstance(goal.wanted, str):
        label += f" (goal: {goal.wanted})"
    else:
        value = 100 * goal.wanted if goal.measure.is_share else goal.wanted
        plots.reference(axis, value, "goal", vertical=vertical)
    (axis.set_xlabel if vertical else axis.set_ylabel)(label)
