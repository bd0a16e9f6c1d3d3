"""The calibration's figure: people beside the model, what their rounds leave open, and what predicts what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.odyssey.storyteller import LIKE
from experiments.calibrate.comparing import Row
from experiments.calibrate.figures import Told
from experiments.calibrate.fits import Fits
from experiments.calibrate.likelihood import AXES, Fit, within
from experiments.calibrate.panels import rows_of_panels
from experiments.lab import plots
from experiments.lab.estimate import Estimate
from experiments.lab.statistics import clopper_pearson
from sim.world import PEOPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAIRS = (("vagueness", "clarity_sd"), ("vagueness", "agreement"), ("clarity_sd", "agreement"))
WORDS = {"agreement": "agreement of readings", "vagueness": "vagueness of clues", "clarity_sd": "clarity_sd"}
SHORT = {
    "people, 4 players: same image": "two voters choose the\nsame image",
    "people, 4 players: same decoy": "two who miss it choose\nthe same decoy",
    "WikiArt marks": "WikiArt: another marks it,\ngiven that I do",
    "Codenames: best three of twelve": "Codenames: overlap of\ntwo best threes of twelve",
}
SHOWN = {
    "tables of people": "tables of people:\n{}",
    "vision-language storytellers": "vision-language models:\nteller scores nothing",
}  # fmt: skip


def draw(rows: Sequence[Row], found: Fits, sets: Mapping[str, Told], titles: Mapping[str, str]) -> Figure:
    """Three rows of panels; every interval is 95 %."""
    title = "How well does the model of what clues mean fit what people did?"
    figure, (first, (left, right), last) = rows_of_panels((4, 2, 4), (1, 1.25, 1.1), 12.5, 11.6, title)
    for axis, name in zip(first, sets, strict=True):
        mine = [row for row in rows if row.figure == titles[name]]
        _beside(axis, [row.outcome.removeprefix("found by ") for row in mine], mine)
        axis.set_title(f"{_wrapped(titles[name])}\n{sets[name].n} rounds, p = {mine[0].p:.2g}", loc="left")
        axis.set_xlabel("voters who found the image")
    first[0].set_ylabel("share of rounds")
    _others(left, rows)
    _profiles(right, found)
    fit = found.by_name["people"]
    for axis, (x, y) in zip(last[:3], PAIRS, strict=True):
        _region(axis, fit, x, y, found)
    last[0].set_title(f"What people's {fit.n} rounds leave open\n(the third parameter at its best)", loc="left")
    _crossed(last[3], found)
    plots.legend(figure, [*first, left, right, *last], columns=4)
    return figure


def _wrapped(title: str) -> str:
    return title.replace(" models, ", " models,\n")


def _beside(axis: Axes, labels: Sequence[str], rows: Sequence[Row]) -> None:
    place = np.arange(len(rows))
    _points(axis, place - 0.13, [row.people for row in rows], 0, "people (or models that tell)")
    _points(axis, place + 0.13, [row.model for row in rows], 1, "this model")
    axis.set_xticks(place, labels)
    axis.set_xlim(-0.5, len(rows) - 0.5)
    axis.set_ylim(0, 0.8)
    axis.grid(False, axis="x")


def _points(
    axis: Axes, x: Any, estimates: Sequence[Estimate], index: int, label: str, horizontal: bool = False
) -> None:  # fmt: skip
    value, low, high = (np.array([getattr(e, end) for e in estimates]) for end in ("value", "low", "high"))
    error = np.maximum(np.nan_to_num(np.array([value - low, high - value])), 0)
    look = {**plots.style(index), "linestyle": ""}
    if index == 0:
        look["markerfacecolor"] = look["color"]
    across = {"xerr": error} if horizontal else {"yerr": error}
    first, second = (value, x) if horizontal else (x, value)
    axis.errorbar(first, second, capsize=2.5, elinewidth=1.2, label=label, **across, **look)


def _others(axis: Axes, rows: Sequence[Row]) -> None:
    """Shares of other kinds: tested ones above, those without a usable n below."""
    tested = [row for row in rows if row.figure in SHORT and "latent" not in row.outcome]
    shown = [row for row in rows if row.figure in SHOWN]
    labels = [f"{SHORT[row.figure]}" for row in tested]
    labels += [SHOWN[row.figure].format(row.outcome) for row in shown]
    place = np.arange(len(labels))
    both = [*tested, *shown]
    _points(axis, place - 0.14, [row.people for row in both], 0, "people (or models that tell)", horizontal=True)
    _points(axis, place + 0.14, [row.model for row in both], 1, "this model", horizontal=True)
    for y, row in enumerate(tested):
        p = "p < .001" if row.p < 0.001 else f"p = {row.p:.2g}"
        axis.text(1.03, y, f"{p}, n = {row.people.n:,}", va="center", ha="left")
    for y in range(len(tested), len(both)):
        axis.text(1.03, y, "no n: not tested", va="center", ha="left")
    axis.axhline(len(tested) - 0.5, color="0.6", linewidth=0.8)
    axis.set_yticks(place, labels)
    axis.set_ylim(len(labels) - 0.5, -0.5)
    axis.set_xlim(0, 1.42)
    axis.set_xticks(np.arange(6) / 5)
    axis.grid(False, axis="y")
    axis.set_xlabel("share")
    axis.set_title("Other figures of people", loc="left")


def _profiles(axis: Axes, found: Fits) -> None:
    """How much worse each vagueness fits, in the world as it is; arrows mark the vaguenesses in use."""
    kinds = {
        "vagueness": ("people", "people"),
        "literal": ("literal", "literal models"),
        "vague": ("vague", "vague models"),
    }
    for i, (name, (like, words)) in enumerate(kinds.items()):
        fit, look = found.by_name[name], plots.style(2 + i)
        x, y = fit.grid.vagueness, fit.profile("vagueness")
        inside = y < 12
        axis.plot(
            x[inside], y[inside], color=look["color"], linestyle=plots.LINES[i], marker=look["marker"], markevery=2,
            markerfacecolor="white", label=f"{words}: {fit.n} rounds",
        )  # fmt: skip
        axis.annotate(
            f"{LIKE[like]:g}", (LIKE[like], 0), (LIKE[like], -1.7), ha="center", va="center", fontsize=8.5,
            arrowprops={"arrowstyle": "-|>", "color": look["color"]},
        )  # fmt: skip
    plots.reference(axis, within(1), "95 % limit")
    axis.set_xlim(0, 1)
    axis.set_ylim(-2.4, 11)
    axis.set_yticks([0, 2, 4, 6, 8, 10])
    axis.set_xlabel("vagueness of clues (arrows: values in use)")
    axis.set_ylabel("2 (max log L - log L)")
    axis.set_title("Which vagueness tells like whom? (all else as in the world)", loc="left")


def _region(axis: Axes, fit: Fit, x: str, y: str, found: Fits) -> None:
    """The 95 % and 50 % regions of two parameters, the third at its best."""
    ratio = fit.profile(x, y)
    if AXES.index(x) < AXES.index(y):
        ratio = ratio.T
    xs, ys = getattr(fit.grid, x), getattr(fit.grid, y)
    axis.contourf(xs, ys, ratio, levels=[0, within(2, 0.5), within(2)], colors=["0.72", "0.9"], vmin=0)
    widths, dashes = [0.8, 1.3], ["--", "-"]
    axis.contour(
        xs, ys, ratio, levels=[within(2, 0.5), within(2)], colors="black", linewidths=widths, linestyles=dashes
    )  # fmt: skip
    axis.plot([], [], color="black", linewidth=1.3, label="95 % region")
    axis.plot([], [], color="black", linewidth=0.8, linestyle="--", label="50 % region")
    if "vagueness" not in (x, y):
        common = found.by_name["all rounds"].ratio[:, 0, :]
        axis.contour(xs, ys, common, levels=[within(2)], colors=plots.COLOURS[1], linewidths=1.6, linestyles=":")
        axis.plot(
            [],
            [],
            color=plots.COLOURS[1],
            linewidth=1.6,
            linestyle=":",
            label=f"95 % region of all {found.by_name['all rounds'].n} rounds",
        )
    if {x, y} == {"clarity_sd", "agreement"}:
        people = {"agreement": PEOPLE["agreement_mean"], "clarity_sd": PEOPLE["clarity_sd"]}
        axis.plot(people[x], people[y], marker="^", color=plots.COLOURS[1], linestyle="", label="World.like('people')")
    axis.plot(
        fit.point[x], fit.point[y], marker="x", markersize=8, markeredgewidth=2, color="black", linestyle="",
        label=f"best fit to {fit.n} rounds", clip_on=False,
    )  # fmt: skip
    row = found.table[found.table["fit"] == "people"].iloc[0]
    axis.plot(
        row[f"{x}_in_use"], row[f"{y}_in_use"], marker="o", color="black", markerfacecolor="white", linestyle="",
        markersize=7, label="values in use",
    )  # fmt: skip
    axis.set_xlim(xs[0], xs[-1])
    axis.set_ylim(ys[0], ys[-1])
    axis.set_xlabel(WORDS[x])
    axis.set_ylabel(WORDS[y])
    axis.grid(False)


def _crossed(axis: Axes, found: Fits) -> None:
    """Shares seen, and predicted from the other number of players."""
    labels: list[str] = []
    start = 0
    for told, predicted, prediction in found.predictions:
        place = start + np.arange(len(predicted.outcomes))
        seen = [clopper_pearson(int(k), predicted.n) for k in predicted.counts]
        ends = zip(prediction.shares, prediction.low, prediction.high, strict=True)
        foretold = [Estimate(float(share), float(low), float(high)) for share, low, high in ends]
        _points(axis, place - 0.14, seen, 0, "people (or models that tell)")
        _points(axis, place + 0.14, foretold, 3, "predicted from the other number of players")
        labels += [f"{k}" for k in range(predicted.players)]
        words = f"{predicted.players} from {told.players}\np = {prediction.p:.2g}"
        axis.text(float(place.mean()), 0.985, words, ha="center", va="top")
        start = int(place[-1]) + 2
        labels += [""]
    axis.set_xticks(np.arange(len(labels) - 1), labels[:-1])
    axis.set_ylim(0, 1)
    axis.set_xlabel("voters who found the image")
    axis.set_ylabel("share of rounds")
    axis.set_title("One number of players\npredicted from the other", loc="left")
    axis.grid(False, axis="x")
