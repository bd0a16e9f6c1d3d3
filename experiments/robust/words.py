"""What the robustness runs found, in words: holds, or depends on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.robust.extremes import Best
from experiments.robust.sobol import ENTERS

if TYPE_CHECKING:
    from experiments.robustness import Finding

HOW = (
    "Differences: win share of Stella's avoider among `people`, whole games; points of Odyssey's storyteller in one "
    "turn, best-fit voters. difference: in the world as given; like people: in World.like('people'); least, mean, "
    "most: over sampled worlds, on the same deals in each. worlds against: below 0 for certain (95 % for all worlds "
    "together). Total index: share of the worlds' variance that goes with a parameter, interactions included, with "
    "95 % intervals over the base sample. In Stella neither clarity_sd nor storyteller_floor enters, in Odyssey "
    "breadth_sd does not: index 0 by construction. With a floor the storyteller draws a clue again that seems to miss "
    "the own image: an aim of 0.9 then comes out clearer than it sounds."
)


def verdict(finding: Finding) -> str:
    """One plain sentence: holds / holds but for / depends on what."""
    claim, n = finding.claim, len(finding.values)
    start = f"{finding.players} players, {claim.text}: "
    over = f"{finding.values.min():.2g} to {finding.values.max():.2g} over {n} worlds"
    total = finding.indices.of(finding.indices.top)[1]
    lower, _, upper = finding.thirds(finding.indices.top)
    moved = (
        f"{finding.indices.top} moves it most (total index {total.short()}): {lower.short()} in the lower third of its "
        f"range, {upper.short()} in the upper"
    )
    plain = finding.without_floor
    if plain.any() and not plain.all():
        moved += (
            f"; without a floor {finding.values[plain].min():.2g} to {finding.values[plain].max():.2g}, against it in "
            f"{int(finding.contradicts[plain].sum())} of {int(plain.sum())} worlds"
        )
    above = float((finding.values > 0).mean())
    if finding.against == 0 and above >= 0.95:
        return (
            f"{start}holds ({over}, {finding.here.short()} here, {finding.like_people.short()} like people); {moved}."
        )
    if finding.against == 0:
        return f"{start}not contradicted, but only {above:.0%} of the worlds lie above 0 ({over}); {moved}."
    share = finding.against / n
    return (
        f"{start}depends on {finding.indices.top} ({over}; against it in {finding.against} worlds, {share:.0%}); "
        f"{moved}."
    )


def groups(best: Sequence[Best]) -> list[list[Best]]:
    """The same table and criterion in all its worlds."""
    found: dict[Any, list[Best]] = {}
    for part in best:
        found.setdefault((part.game, part.players, part.field, part.criterion), []).append(part)
    return list(found.values())


def common(group: Sequence[Best]) -> list[float]:
    """Settings that are not told from the best in any of the worlds."""
    inside = np.all([part.best.inside for part in group], axis=0)
    return [setting for setting, good in zip(group[0].settings, inside, strict=True) if good]


def moves(group: Sequence[Best]) -> tuple[str, float]:
    """The parameter between whose ends the best setting moves most (mean over the corners), and by how much."""
    names = ENTERS[group[0].game]
    corners = [part for part in group if part.ends]
    best = np.array([part.settings[part.best.index] for part in corners])
    shifts = []
    for i in range(len(names)):
        high = np.array([part.ends[i] == "+" for part in corners])
        shifts.append(float(best[high].mean() - best[~high].mean()))
    top = int(np.argmax(np.abs(shifts)))
    return names[top], shifts[top]


def stays_row(group: Sequence[Best]) -> dict[str, Any]:
    """One row of stays_best.csv."""
    first = group[0]
    labels = [f"{setting:g}" for setting in first.settings]
    at = [part.settings[part.best.index] for part in group]
    everywhere = common(group)
    name, shift = moves(group)
    return {
        "game": first.game, "players": first.players, "field": first.field, "criterion": first.criterion,
        "here": first.best.words(labels), "n_worlds": len(group), "n_deals": first.best.n,
        "best_in_all_worlds": " ".join(f"{setting:g}" for setting in everywhere) or "none",
        "highest_from": min(at), "highest_to": max(at), "moved_most_by": name, "shift_low_to_high": shift,
    }  # fmt: skip


def stays(group: Sequence[Best]) -> str:
    """One plain sentence: the best setting holds, or depends on what."""
    row = stays_row(group)
    what = "risk" if row["game"] == "stella" else "vagueness"
    start = f"{row['players']} players, best {what} by {row['criterion']} among `{row['field']}` (here {row['here']}): "
    span = f"highest at {row['highest_from']:g} to {row['highest_to']:g} in {row['n_worlds']} worlds"
    if row["best_in_all_worlds"] != "none":
        return f"{start}holds, {row['best_in_all_worlds'].replace(' ', ', ')} can be the best in all ({span})."
    return (
        f"{start}depends on {row['moved_most_by']}, from whose low to high end it moves by "
        f"{row['shift_low_to_high']:+.2g} ({span})."
    )


def sentence(findings: Sequence[Finding], best: Sequence[Best]) -> str:
    """The answer: every claim over all numbers of players, then whether the best settings stay."""
    parts = []
    for name in dict.fromkeys(finding.claim.name for finding in findings):
        mine = [finding for finding in findings if finding.claim.name == name]
        claim = mine[0].claim.text
        players = _listed([str(finding.players) for finding in mine])
        worlds = len(mine[0].values)
        least, most = min(f.values.min() for f in mine), max(f.values.max() for f in mine)
        against = [finding for finding in mine if finding.against]
        if not against:
            over = f"{least:.2g} to {most:.2g} over {worlds} worlds each"
            parts.append(f"{claim} holds with {players} players ({over}, none against)")
            continue
        worst = max(against, key=lambda finding: finding.against)
        at = _listed([f"{finding.players} players {finding.against / worlds:.0%}" for finding in against])
        lower, _, upper = worst.thirds(worst.indices.top)
        parts.append(
            f"{claim} depends on {worst.indices.top} (against it: {at} of {worlds} worlds; with {worst.players} "
            f"players {lower.short()} in the lower third of its range, {upper.short()} in the upper){_plain(against)}"
        )
    for game, what in (("stella", "risk"), ("odyssey", "vagueness")):
        mine_best = [
            g for g in groups(best) if g[0].game == game and g[0].criterion == "win share" and g[0].field == "people"
        ]
        if mine_best:
            said = []
            for group in mine_best:
                row = stays_row(group)
                everywhere = row["best_in_all_worlds"].replace(" ", ", ")
                said.append(
                    f"{row['players']} players {everywhere}"
                    if everywhere != "none"
                    else f"{row['players']} players none ({row['highest_from']:g} to {row['highest_to']:g})"
                )
            parts.append(f"best {what} by win share in all {len(mine_best[0])} extreme worlds: {', '.join(said)}")
    return (". ".join(part[0].upper() + part[1:] for part in parts)) + "."


def _plain(findings: Sequence[Finding]) -> str:
    """How the worlds without a floor judge."""
    parts = [
        f"{finding.players} players {finding.contradicts[finding.without_floor].mean():.0%}"
        for finding in findings
        if finding.without_floor.any() and not finding.without_floor.all()
    ]
    return f"; among worlds without a floor, against it: {_listed(parts)}" if parts else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
