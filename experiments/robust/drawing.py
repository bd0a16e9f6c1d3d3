"""The figure of the robustness runs: what moves the differences, how far, and whether the best settings stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.calibrate.panels import rows_of_panels
from experiments.lab import plots, statistics
from experiments.robust.extremes import Best
from experiments.robust.sobol import ENTERS, NO_FLOOR, RANGES
from experiments.robust.words import groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.robustness import Finding

WORDS = {
    "agreement_mean": "agreement", "breadth_sd": "breadth_sd", "clarity_sd": "clarity_sd",
    "storyteller_floor": "storyteller's\nfloor",
}  # fmt: skip
TITLES = {
    "some caution": "Stella: win share of\nrisk 0.2 minus risk 1",
    "much caution": "Stella: win share of\nrisk 0.2 minus risk 0.6",
    "not too vague": "Odyssey: points as teller at\nvagueness 0.5 minus 0.9",
    "not too literal": "Odyssey: points as teller at\nvagueness 0.5 minus 0.1",
}


def draw(findings: Sequence[Finding], best: Sequence[Best]) -> Figure:
    """Columns: the claims. Rows: total indices, differences over the parameter that moves them, best settings."""
    claims = list(dict.fromkeys(finding.claim.name for finding in findings))
    title = "Do the answers depend on what is not known of people?"
    shown = _shown(groups(best))
    columns = (len(claims), len(claims), len(shown))
    figure, (first, second, last) = rows_of_panels(columns, (0.95, 1.05, 1.1), 13.5, 11.5, title)
    series = {n: i for i, n in enumerate(sorted({finding.players for finding in findings}))}
    for top, middle, claim in zip(first, second, claims, strict=True):
        mine = [finding for finding in findings if finding.claim.name == claim]
        _indices(top, mine, series)
        top.set_title(TITLES[claim], loc="left")
        _over(middle, mine, series)
    first[0].set_ylabel("total Sobol index\n(95 % intervals)")
    second[0].set_ylabel("difference\n(above 0: as concluded)")
    for axis, group in zip(last, shown, strict=True):
        _settings(axis, group)
    plots.legend(figure, [*first, *second, *last], columns=4)
    return figure


def _indices(axis: Axes, findings: Sequence[Finding], series: dict[int, int]) -> None:
    names = list(RANGES)
    step = 0.7 / max(1, len(findings))
    for k, finding in enumerate(findings):
        found = [finding.indices.of(name)[1] for name in names]
        x = np.arange(len(names)) + step * (k - (len(findings) - 1) / 2)
        value, low, high = (np.array([getattr(e, end) for e in found]) for end in ("value", "low", "high"))
        error = np.maximum(np.nan_to_num(np.array([value - low, high - value])), 0)
        look = {**plots.style(series[finding.players]), "linestyle": ""}
        axis.errorbar(x, value, yerr=error, capsize=2, elinewidth=1, label=f"{finding.players} players", **look)
    for place, name in enumerate(names):
        if name not in ENTERS[findings[0].claim.game]:
            axis.text(place, 0.08, "does not enter", ha="center", va="bottom", color="0.35", rotation=90)
    axis.set_xticks(np.arange(len(names)), [WORDS[name] for name in names], rotation=30, ha="right")
    axis.set_xlim(-0.5, len(names) - 0.5)
    axis.set_ylim(min(0.0, axis.get_ylim()[0]), max(1.1, axis.get_ylim()[1]))
    axis.grid(False, axis="x")


def _over(axis: Axes, findings: Sequence[Finding], series: dict[int, int]) -> None:
    """Every sampled world, over the parameter that moves the difference most for most numbers of players."""
    tops = [finding.indices.top for finding in findings]
    name = max(dict.fromkeys(tops), key=tops.count)
    for finding in findings:
        x = finding.sample.rows[:, finding.sample.names.index(name)]
        look = plots.style(series[finding.players])
        plain = finding.without_floor & ("storyteller_floor" in finding.sample.names)
        for part, face, label in (
            (~plain, "white", ""),
            (plain, look["color"], "filled: storytellers without a floor"),
        ):
            if part.any():
                axis.plot(
                    x[part], finding.values[part], linestyle="", marker=look["marker"], color=look["color"],
                    markersize=3.2, markerfacecolor=face, markeredgewidth=0.6, alpha=0.8, label=label or None,
                )  # fmt: skip
    middle = findings[len(findings) // 2]
    half = float(np.median(middle.errors)) * float(statistics.t_quantile(middle.here.n))
    low, high = RANGES[name]
    axis.errorbar(
        low + 0.965 * (high - low), max(float(f.values.max()) for f in findings) - half, yerr=half, capsize=3,
        color="black", label="95 % interval of one world",
    )  # fmt: skip
    plots.reference(axis, 0)
    axis.set_xlabel(
        WORDS[name].replace("\n", " ") + (f" (below {NO_FLOOR:g}: none)" if name == "storyteller_floor" else "")
    )
    axis.set_xlim(low - 0.02 * (high - low), high + 0.02 * (high - low))


def _shown(all_groups: Sequence[list[Best]]) -> list[list[Best]]:
    """Four panels for four players (else the first number): Stella; Odyssey among `people` twice; among `bayes`."""
    found = []
    for game, field, criterion in (
        ("stella", "people", "win share"), ("odyssey", "people", "win share"),
        ("odyssey", "people", "points per turn told"), ("odyssey", "bayes", "win share"),
    ):  # fmt: skip
        mine = [g for g in all_groups if (g[0].game, g[0].field, g[0].criterion) == (game, field, criterion)]
        four = [g for g in mine if g[0].players == 4] or mine
        found += four[:1]
    return found


def _settings(axis: Axes, group: Sequence[Best]) -> None:
    """One row per world: the settings that cannot be told from the best, the highest filled."""
    first = group[0]
    settings = np.array(first.settings)
    for y, part in enumerate(group):
        inside = settings[part.best.inside]
        axis.plot(inside, np.full(len(inside), y), color="0.5", linewidth=1)
        axis.plot(
            inside, np.full(len(inside), y), linestyle="", marker="o", color="black", markerfacecolor="white",
            label=plots.NOT_TOLD,
        )  # fmt: skip
        axis.plot(settings[part.best.index], y, linestyle="", marker="o", color="black", label="highest")
    names = [WORDS[name].replace("\n", " ").replace("storyteller's ", "") for name in ENTERS[first.game]]
    axis.set_yticks(np.arange(len(group)), [" ".join(part.world) if part.ends else part.world for part in group])
    axis.set_ylim(len(group) - 0.5, -0.5)
    axis.set_xlim(-0.04, 1.04)
    what = "risk" if first.game == "stella" else "vagueness"
    axis.set_xlabel(f"{what}\n(- low, + high:\n{', '.join(names)})")
    points = first.criterion.startswith("points")
    by, unit = ("points as teller", "turns") if points else ("win share", "deals")
    axis.set_title(f"Best {what} by {by},\n{first.players} players, {first.field}, {first.best.n:,} {unit}", loc="left")
