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
FRESH = "measured again on fresh deals"


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
        players = compared.entries[0].rules.players
        axis.set_xlabel(f"difference in {unit_of(measure)}\n({compared.entries[0].name}, {players} players: {printed})")
        axis.set_ylim(len(entries) - 0.5, -0.5)
        for row in range(0, len(entries), 2):
            axis.axhspan(row - 0.5, row + 0.5, color="0.955", zorder=0, linewidth=0)
        axis.grid(False, axis="y")
        axis.tick_params(axis="y", length=0)
    plots.legend(figure, axes)
    return figure


def sweep(
    compared: Compared, fields: Sequence[Varied], entries: Sequence[Entry], reference: Entry, title: str
) -> Figure:
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
            plots.line(
                axis, np.arange(len(across)) + shift, percent(compared.values(play, own, measure), measure), i, label
            )
        printed = percent(compared.values(compared.plays[-1], [reference], measure), measure).value[0]
        plots.reference(axis, printed, f"{reference.name} ({compared.plays[-1]})")
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
    """One goal: its measure by trial. Several: all trials in the plane of the first goal and each of the others."""
    panels = max(1, len(searched.goals) - 1)
    columns = min(panels, 3)
    rows = math.ceil(panels / columns)
    width = 7.5 if panels == 1 else 4.6 * columns
    figure, axes = plots.new_figure(rows, columns, width, 4.3 * rows + 0.9, title)
    for number, axis in enumerate(axes.flat):
        if number >= panels:
            axis.set_visible(False)
        elif len(searched.goals) == 1:
            _by_trial(axis, searched, compared, winners)
        else:
            _plane(axis, searched, compared, winners, number + 1)
    plots.legend(figure, axes, columns=3)
    return figure


def _by_trial(axis: Axes, searched: Searched, compared: Compared, winners: Sequence[Trial]) -> None:
    """The measure of the only goal, trial by trial, and the winners' values on fresh deals."""
    goal, played = searched.goals[0], searched.different
    values = percent(stacked([trial.values[0] for trial in played]), goal.measure).value
    axis.plot([trial.number + 1 for trial in played], values, "o", color="0.6", markersize=4, label="trial")
    _cross(axis, [trial.number + 1 for trial in winners], _fresh(compared, winners, goal), FRESH)
    printed = percent(compared.values(RETUNED, compared.entries[:1], goal.measure), goal.measure)
    axis.axhline(printed.value[0], color="0.5", linestyle="--", linewidth=1, label=compared.entries[0].name)
    axis.set_xlabel("trial")
    _goal_axis(axis, goal, vertical=False)


def _plane(axis: Axes, searched: Searched, compared: Compared, winners: Sequence[Trial], other: int) -> None:
    """The measures of the first goal and of another: trials, the front, the winners' values on fresh deals."""
    goals, played = (searched.goals[0], searched.goals[other]), searched.different
    x, y = (
        percent(stacked([trial.values[i] for trial in played]), goal.measure).value
        for i, goal in zip((0, other), goals, strict=True)
    )
    on_front = np.isin([trial.number for trial in played], [trial.number for trial in searched.front])
    axis.plot(x[~on_front], y[~on_front], "o", color="0.72", markersize=4, label="trial")
    axis.plot(x[on_front], y[on_front], "D", color="0.25", markerfacecolor="white", label="trial on the front")
    _cross(axis, _fresh(compared, winners, goals[0]), _fresh(compared, winners, goals[1]), FRESH)
    printed = [
        percent(compared.values(RETUNED, compared.entries[:1], goal.measure), goal.measure).value[0] for goal in goals
    ]
    axis.plot(*printed, "*", color="black", markersize=11, linestyle="none", label=compared.entries[0].name)
    _goal_axis(axis, goals[0], vertical=True)
    _goal_axis(axis, goals[1], vertical=False)


def _fresh(compared: Compared, winners: Sequence[Trial], goal: Goal) -> Estimates:
    entries = {entry.name: entry for entry in compared.entries}
    return percent(compared.values(RETUNED, [entries[trial.name] for trial in winners], goal.measure), goal.measure)


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
    label = goal.measure.label + (f", {unit_of(goal.measure)}" if goal.measure.is_share else "")
    if isinstance(goal.wanted, str):
        label += f" (goal: {goal.wanted})"
    else:
        value = 100 * goal.wanted if goal.measure.is_share else goal.wanted
        plots.reference(axis, value, "goal", vertical=vertical)
    (axis.set_xlabel if vertical else axis.set_ylabel)(label)
