"""All fits of the calibration: to people's rounds, to the two extremes, from one set to another, with a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.odyssey.storyteller import LIKE
from experiments.calibrate.figures import Told, alike_rounds, figures
from experiments.calibrate.likelihood import (
    AXES,
    Fit,
    Grid,
    Prediction,
    Surface,
    alike_log_likelihood,
    deviance,
    fit,
    log_likelihood,
    place_on,
    predict,
    saturated,
    surface,
    within,
)
from experiments.calibrate.marks import mark_fits
from experiments.calibrate.turns import first_turns, shares_with_floor
from experiments.lab.statistics import clopper_pearson
from sim.odyssey import OdysseyRules
from sim.world import World

if TYPE_CHECKING:
    import pandas as pd

HUMAN = ("human_3_players", "human_4_players")
FLOORS = (None, -0.5, 0.0, 0.5)


@dataclass(frozen=True, eq=False)
class Fits:
    """Everything that was fitted.

    by_name: "people" (all three parameters free), "alike" (decoys too), "own world" and "vagueness" (fewer free),
    "3 players", "4 players", "literal", "vague"; "all rounds" (agreement and clarity_sd common to all storytellers, a
    vagueness for each kind), "all rounds, agreement of the marks" (clarity_sd alone at WikiArt's agreement)
    table, cross, floors: the tables that are stored; notes: lines to print
    """

    by_name: Mapping[str, Fit]
    table: pd.DataFrame
    predictions: Sequence[tuple[Told, Told, Prediction]]
    cross: pd.DataFrame
    floors: pd.DataFrame
    notes: Sequence[str]


def fits(
    world: World,
    sets: Mapping[str, Told],
    rules: Mapping[str, OdysseyRules],
    seed: int,
    n: int,
    replicates: int,
    fine: bool,
) -> Fits:
    """Fit everything. n: turns behind every share; replicates: of every bootstrap; fine: the committed grid."""
    import pandas as pd

    marked = round(float(mark_fits(world, figures()["wikiart_marks"])[0]["fitted"]), 2)
    grid = Grid.around(world, tuple(LIKE.values()), fine, marked)
    everything = surface(world, [rules[name] for name in sets], list(sets.values()), grid, seed, n)
    places = {name: place for place, name in enumerate(sets)}
    human = [sets[name] for name in HUMAN]
    counts = [figure.counts for figure in human]
    people = everything.take(*(places[name] for name in HUMAN))
    own = people.at(agreement=world.agreement_mean)
    here = own.at(clarity_sd=world.clarity_sd)
    used = {"agreement": world.agreement_mean, "vagueness": LIKE["people"], "clarity_sd": world.clarity_sd}
    assert everything.alike is not None
    found_by = figures()["human_4_players"]["found_by"]
    alike = alike_log_likelihood(everything.alike, found_by[0], found_by[1], alike_rounds()[0])
    done = {
        "people": fit(people, counts, 200, replicates, used),
        "alike": fit(people, counts, committed=used, extra=alike),
        "own world": fit(own, counts, 210, replicates, used),
        "vagueness": fit(here, counts, 220, replicates, used),
        "3 players": fit(own.take(0), counts[:1], 230, replicates, used),
        "4 players": fit(own.take(1), counts[1:], 240, replicates, used),
    }
    alone = [fit(people, counts)]
    for i, name in enumerate(("literal", "vague")):
        key = f"{name}_5_players"
        single, seen = everything.take(places[key]), [sets[key].counts]
        fixed = single.at(agreement=world.agreement_mean, clarity_sd=world.clarity_sd)
        done[name] = fit(fixed, seen, 250 + 10 * i, replicates, {**used, "vagueness": LIKE[name]})
        alone.append(fit(single, seen))
    done["all rounds"] = together(alone, used)
    done["all rounds, agreement of the marks"] = together(alone, used, marked)
    swapped = Surface(own.grid, own.shares[::-1])
    predictions = [
        (human[0], human[1], predict(own, counts, 300, replicates)),
        (human[1], human[0], predict(swapped, counts[::-1], 310, replicates)),
    ]
    tables = [rules[name] for name in HUMAN]
    again = surface(world, tables, human, here.grid, seed, n, first_deal=n)
    place = here.grid.index(**used)
    twice = [
        sum(float(deviance(part[place], x)) for part, x in zip(s.shares, counts, strict=True)) for s in (here, again)
    ]
    floors = pd.DataFrame(_floors(world, human, tables, seed, n))
    return Fits(
        done, pd.DataFrame([_row(name, done[name], used) for name in done]), predictions,
        pd.DataFrame([row for prediction in predictions for row in _cross(*prediction)]), floors,
        _notes(done, twice, predictions, floors, n, replicates),
    )  # fmt: skip


def together(fits: Sequence[Fit], used: Mapping[str, float], agreement: float | None = None) -> Fit:
    """Agreement and clarity_sd common to several kinds of storytellers, each at the vagueness that suits it best.

    fits: on the same grid; agreement: hold it at this value. The outcome has no vagueness (NaN), for each has its own.
    """
    grid = replace(fits[0].grid, vagueness=np.array([np.nan]))
    deviances = np.sum([fit.profile("agreement", "clarity_sd") + fit.deviance for fit in fits], axis=0)
    place = place_on(grid.agreement, used["agreement"]), place_on(grid.clarity_sd, used["clarity_sd"])
    there = float(deviances[place])
    if agreement is not None:
        row = place_on(grid.agreement, agreement)
        grid, deviances = replace(grid, agreement=grid.agreement[row : row + 1]), deviances[row : row + 1]
    i, j = (int(k) for k in np.unravel_index(int(np.argmin(deviances)), deviances.shape))
    least = float(deviances[i, j])
    ratio = (deviances - least)[:, None, :]
    ours = there - least if agreement is None else np.nan
    return Fit(grid, ratio, (i, 0, j), least, np.nan, sum(fit.n for fit in fits), ours)


_ROUNDS = {
    "people": "people", "alike": "people, and who chose the same decoy", "own world": "people", "vagueness": "people",
    "3 players": "people, 3 players", "4 players": "people, 4 players", "literal": "literal language models, 5 players",
    "vague": "vague image models, 5 players", "all rounds": "people, literal and vague models",
    "all rounds, agreement of the marks": "people, literal and vague models",
}  # fmt: skip


def _row(name: str, found: Fit, used: Mapping[str, float]) -> dict[str, Any]:
    """One row of fits.csv. Intervals: profile likelihood, 95 %, on the grid; empty where a parameter was held fixed."""
    free = [axis for axis in AXES if len(getattr(found.grid, axis)) > 1]
    row: dict[str, Any] = {"fit": name, "rounds": _ROUNDS[name], "n_rounds": found.n, "free": ", ".join(free)}
    for axis in AXES:
        low, high = found.interval(axis)
        points = getattr(found.grid, axis)
        row |= {axis: found.point[axis], f"{axis}_low": low, f"{axis}_high": high}
        row[f"{axis}_at_edge"] = len(points) > 1 and bool(low == points[0] or high == points[-1])
    like = name if name in LIKE else "people"
    row |= {"deviance": found.deviance, "p_of_fit": found.p_fit}
    row["vagueness_in_use"] = np.nan if name.startswith("all") else LIKE[like]
    row |= {f"{axis}_in_use": used[axis] for axis in ("agreement", "clarity_sd")}
    row |= {"ratio_in_use": found.ratio_committed, "p_in_use": found.p_committed}
    known = np.isfinite(found.ratio_committed)
    row["in_use_inside_region"] = found.ratio_committed <= within(len(free)) if known else None
    return row


def _cross(told: Told, predicted: Told, prediction: Prediction) -> list[dict[str, Any]]:
    """Rows of cross.csv: shares seen (exact intervals) and predicted (95 % of what as many new rounds would show)."""
    rows = []
    for i, outcome in enumerate(predicted.outcomes):
        seen = clopper_pearson(int(predicted.counts[i]), predicted.n)
        rows.append(
            {
                "fitted_to": f"{told.players} players", "fitted_rounds": told.n,
                "predicted": f"{predicted.players} players",
                "outcome": outcome, "n_rounds": predicted.n, "seen": seen.value, "seen_low": seen.low,
                "seen_high": seen.high, "model": float(prediction.shares[i]), "model_low": float(prediction.low[i]),
                "model_high": float(prediction.high[i]), "deviance": prediction.deviance, "p_value": prediction.p,
            }
        )  # fmt: skip
    return rows


def _floors(
    world: World, human: Sequence[Told], tables: Sequence[OdysseyRules], seed: int, n: int
) -> list[dict[str, Any]]:
    """Storytellers who draw a clue again below a floor: the best of a coarse grid, in the world's agreement."""
    vagueness, clarity_sd = np.arange(8, 21)[:, None] / 20, np.arange(3, 14)[None, :] / 5
    aim, n = world.clarity_span * (1 - vagueness), min(n, 4_000)
    plain = world.replace(storyteller_floor=None)
    turns = [first_turns(plain, table, seed, n, 0.5) for table in tables]
    bound = sum(float(saturated(figure.counts)) for figure in human)
    rows: list[dict[str, Any]] = []
    for floor in FLOORS:
        low = -1e9 if floor is None else floor
        total = sum(
            log_likelihood(shares_with_floor(part, aim, clarity_sd, low), figure.counts)
            for part, figure in zip(turns, human, strict=True)
        )
        i, j = np.unravel_index(int(np.argmax(total)), np.shape(total))
        rows.append(
            {
                "storyteller_floor": "none" if floor is None else f"{floor:g}", "vagueness": float(vagueness[i, 0]),
                "clarity_sd": float(clarity_sd[0, j]), "agreement": world.agreement_mean,
                "deviance": 2 * (bound - float(np.max(total))), "n_rounds": sum(figure.n for figure in human),
                "n_deals": n,
            }
        )  # fmt: skip
    return rows


def _notes(
    done: Mapping[str, Fit], twice: Sequence[float], predictions: Sequence[tuple[Told, Told, Prediction]],
    floors: pd.DataFrame, n: int, replicates: int,
) -> list[str]:  # fmt: skip
    vagueness, alike = done["vagueness"], done["alike"]
    low, high = vagueness.interval("vagueness")
    least, most = alike.interval("agreement")
    crossed = "; ".join(
        f"the {a.players}-player rounds (n = {a.n}) predict the {b.players}-player rounds (n = {b.n}): p {x.p:.2g}"
        for a, b, x in predictions
    )
    tried = ", ".join(f"{row['storyteller_floor']} {row['deviance']:.1f}" for row in floors.to_dict("records"))
    everybody, marked = done["all rounds"], done["all rounds, agreement of the marks"]
    sd_low, sd_high = everybody.interval("clarity_sd")
    at_low, at_high = marked.interval("clarity_sd")
    return [
        f"Fits: every share from {n:,} turns, the same at every point of the grid (no floor), exact in vagueness and "
        f"clarity_sd; regions by likelihood ratio; p by parametric bootstrap with refitting ({replicates:,}). In the "
        f"world as it is, people's vagueness is {vagueness.point['vagueness']:g} ({low:g} to {high:g}; deviance "
        f"{vagueness.deviance:.1f}, p {vagueness.p_fit:.2g}). With who chose the same decoy, agreement is {least:g} to "
        f"{most:g}.",
        f"All {everybody.n} rounds, one agreement and clarity_sd and a vagueness for each of the three kinds of "
        f"storytellers: clarity_sd {sd_low:g} to {sd_high:g}, whatever the agreement; likelihood ratio of this world "
        f"{everybody.ratio_committed:.1f} (95 % region: {within(2):.1f}). At the agreement of the marks, "
        f"{marked.point['agreement']:g}: clarity_sd {marked.point['clarity_sd']:g} ({at_low:g} to {at_high:g}), "
        f"deviance {marked.deviance:.1f}.",
        f"The simulation's own error: deviance of the values in use {twice[0]:.2f}, on {n:,} fresh turns "
        f"{twice[1]:.2f}.",
        f"One from the other, at the world's agreement: {crossed}.",
        f"storyteller_floor, deviance at its best: {tried} (n = {done['people'].n} rounds): a difference below "
        f"{within(1):.2f} tells none apart.",
    ]
