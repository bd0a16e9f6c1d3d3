"""What the calibration found, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.calibrate.comparing import LEVEL, Row
from experiments.calibrate.figures import figures
from experiments.calibrate.fits import Fits
from experiments.calibrate.likelihood import Fit
from experiments.calibrate.likelihood import within as region_limit
from experiments.calibrate.marks import agreement_for_overlap, mark_fits
from sim.world import PEOPLE, World


def sentence(rows: Sequence[Row], found: Fits) -> str:
    """The answer: what is compatible, what the two extremes and the people's rounds come to, with intervals."""
    tested = {row.figure: row for row in rows if row.verdict != "not tested"}
    against = [f"{name} (p {p_words(row.p)})" for name, row in tested.items() if row.verdict == "not compatible"]
    literal, vague, people = (found.by_name[name] for name in ("literal", "vague", "people"))
    everybody = found.by_name["all rounds"]
    inside = "among them" if people.p_committed >= LEVEL else "not among them"
    far = everybody.ratio_committed / region_limit(2)
    with_models = "inside" if far <= 1 else "just outside" if far <= 1.5 else "outside"
    best = people.point
    return (
        f"{len(tested) - len(against)} of {len(tested)} tested figures are compatible with the model, each kind of "
        "storyteller at the vagueness in use for it"
        + (f"; not {', '.join(against)}" if against else "")
        + f". By vagueness alone it comes nearest to the literal storytellers at {_span(literal, 'vagueness')} (p of "
        f"the fit {p_words(literal.p_fit)}, n = {literal.n} rounds), to the vague ones at {_span(vague, 'vagueness')} "
        f"(p {p_words(vague.p_fit)}, n = {vague.n}). The {people.n} rounds that people told fit best at agreement "
        f"{best['agreement']:g}, vagueness {best['vagueness']:g}, clarity_sd {best['clarity_sd']:g} (p of the fit "
        f"{p_words(people.p_fit)}), and leave open agreement {_ends(people, 'agreement')}, vagueness "
        f"{_ends(people, 'vagueness')}, clarity_sd {_ends(people, 'clarity_sd')} (95 % each); the values in use are "
        f"{inside} (p {p_words(people.p_committed)}), and {with_models} the 95 % region of all {everybody.n} rounds, "
        "those told by models included."
    )


def notes(world: World, seed: int, n: int, rows: Sequence[Row], found: Fits) -> list[str]:
    """Denominators and intervals, what the marks and Codenames say, the fitted world, and the fits one by one."""
    entry, game = figures()["wikiart_marks"], figures()["codenames_best_three"]
    agreement, within, breadth = mark_fits(world, entry)
    boards = max(100, n // 10)
    close = agreement_for_overlap(
        world, game["set_overlap"], seed, boards, game["cards"], game["chosen"], game["listeners"]
    )
    tests = len({row.figure for row in rows if row.verdict != "not tested"})
    return [
        "Shares of the units named in `of`; 95 % intervals: Clopper and Pearson for counted rounds, Student's t over "
        "rounds for pairs, for WikiArt and Codenames the widest that so many artworks or boards can have (their spread "
        f"is not known). p: one test per figure, both sides' sampling error in it; of {tests} true ones about "
        f"{tests * LEVEL:.1f} would fall below .05. The two figures on pairs share their rounds with the counts.",
        f"WikiArt: the correlation over all words together, {entry['latent_correlation']:g}, also holds how widely "
        f"words differ in their rate; within a word it is {within['fitted']:.2f} on average (n = {within['n']} words). "
        f"At breadth_sd {world.breadth_sd:g}, people's marks need agreement {_fitted(agreement)} (this world: "
        f"{world.agreement_mean:g}); at the agreement within words, breadth_sd {_fitted(breadth)} (n = "
        f"{agreement['n']:,} artworks). The words were feelings about paintings: evidence on abstract words.",
        f"Codenames: it would take an agreement of {close:.2f}. Those clues were aimed at three of the twelve words "
        f"and hit {game['intended_hit']:.0%} of them; Stella's words are aimed at no card, so this is an upper bound.",
        f"The fitted world: {_parameters(people_parameters(found))} (agreement from the marks, clarity_sd from all "
        f"rounds at that agreement); World.like('people') has {_parameters(PEOPLE)}.",
        *found.notes,
    ]


def people_parameters(found: Fits) -> dict[str, float]:
    """The fitted world, on the grid: agreement_mean to two digits, clarity_sd to the nearest 0.05."""
    point = found.by_name["all rounds, agreement of the marks"].point
    return {"agreement_mean": round(point["agreement"], 2), "clarity_sd": round(point["clarity_sd"], 2)}


def p_words(value: float) -> str:
    """A p-value in words: 0.062, or 'below .001'."""
    return "-" if np.isnan(value) else f"{value:.2g}" if value >= 0.001 else "below .001"


def _parameters(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def _ends(fit: Fit, name: str) -> str:
    low, high = fit.interval(name)
    points = getattr(fit.grid, name)
    edges = [end for end, at in (("lowest", low == points[0]), ("highest", high == points[-1])) if at]
    return f"{low:g} to {high:g}" + (f" (the {' and '.join(edges)} tried)" if edges else "")


def _span(fit: Fit, name: str) -> str:
    return f"{fit.point[name]:g} ({_ends(fit, name)})"


def _fitted(row: Mapping[str, Any]) -> str:
    return f"{row['fitted']:.2f} ({row['fitted_low']:.2f} to {row['fitted_high']:.2f})"
