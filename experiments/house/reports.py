"""What is printed: tables, sentences and notes of the house rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.house.comparison import RETUNED, UNCHANGED, Cell, Compared, Entry
from experiments.house.measures import Measure
from experiments.house.pictures import unit_of
from experiments.house.rule_cards import in_short
from experiments.house.search import Goal, Searched, Trial
from experiments.lab.estimate import Estimate
from experiments.lab.experiment import Game

if TYPE_CHECKING:
    import pandas as pd

ANSWERS: dict[Game, tuple[str, ...]] = {"odyssey": ("turns", "skill_random"), "stella": ("darkness", "skill_people")}
"""The measures that the answer is about."""


def main_table(compared: Compared, differences: bool = True) -> pd.DataFrame:
    """Rule sets by main measures: of references the value, of others the difference from their reference.

    differences: False shows values everywhere.
    """
    import pandas as pd

    rows = []
    for play, entry in compared.rows():
        spec = compared.cell(play, entry, compared.measures[0]).agent
        row = {"play": play.removeprefix("agents "), "rules": entry.name, "agents": spec.partition(":")[2] or spec}
        for measure in compared.main:
            cell = compared.cell(play, entry, measure)
            shown = cell.value.short() if entry.is_reference or not differences else signed(cell.difference)
            row[measure.short + (" %" if measure.is_share else "")] = _in_unit(
                cell, shown, entry.is_reference or not differences
            )
        row["in short"] = "(values)" if entry.is_reference else in_short(compared, play, entry)
        rows.append(row)
    return pd.DataFrame(rows)


def _in_unit(cell: Cell, shown: str, value: bool) -> str:
    if not cell.measure.is_share:
        return shown
    return cell.value.scaled(100).short() if value else signed(cell.difference.scaled(100))


def signed(apart: Estimate) -> str:
    """A difference with its sign and interval: '+2.5 (2.4 to 2.6)'; '=' where every game is the same."""
    if apart.value == 0 and not apart.has_interval:
        return "="
    return ("+" if apart.value > 0 else "") + apart.short()


def sentence(compared: Compared, game: Game) -> str:
    """What the rule sets do to the measures that the answer is about, where it stands out."""
    play = RETUNED if RETUNED in compared.plays else UNCHANGED
    there = {measure.name: measure for measure in compared.measures}
    wanted = [there[name] for name in ANSWERS[game] if name in there] or [compared.measures[0]]
    reference = compared.entries[0]
    parts = []
    for measure in wanted:
        said = _told(compared, measure, [entry for entry in compared.entries if not entry.is_reference])
        value = _shown(compared.cell(play, reference, measure).value, measure)
        parts.append(f"{measure.label}, {reference.name} {value}: {said}")
    n = compared.cell(play, reference, wanted[0]).value.n
    how = "With agents tuned to each rule set" if play == RETUNED else "With unchanged agents"
    return (
        f"{how}, n = {n:,} deals each, against the {compared.standard} for as many players. " + "; ".join(parts) + "."
    )


def _told(compared: Compared, measure: Measure, entries: Sequence[Entry]) -> str:
    play = compared.plays[-1]
    cells = [(entry.name, compared.cell(play, entry, measure)) for entry in entries]
    told = sorted((cell.difference.value, name, cell) for name, cell in cells if cell.told)
    words = [
        f"{name} {signed(cell.difference.scaled(100 if measure.is_share else 1))}" for _, name, cell in reversed(told)
    ]
    return ", ".join(words) or "no rule set stands out"


def _shown(value: Estimate, measure: Measure) -> str:
    return f"{value.scaled(100).short()} %" if measure.is_share else value.short()


def notes(compared: Compared, left_out: Sequence[str] = (), differences: bool = True) -> list[str]:
    """How to read the table, and what was left out."""
    what = "; ".join(f"{measure.short}: {measure.label}, {unit_of(measure)}" for measure in compared.main)
    shown = (
        f"For the {compared.standard}: values; for all others: differences from them (same players, same deals). "
        "'=': the same in every game."
    )
    if not differences:
        shown = "Values; summary.csv has the differences."
    unchanged = f"like {compared.agent}" if compared.agent else f"as is best under the {compared.standard}"
    said = [
        f"{shown} 95 % intervals over deals. 'In short' names what stands out among all differences of the table at "
        "once (Bonferroni).",
        f"Unchanged: everybody plays {unchanged}; re-tuned: as is best under the own rules. Skill is measured on one "
        "agent that plays as is best.",
        f"{what}. python -m experiments.house.measures defines them; rule_cards.txt says everything in plain words.",
    ]
    said += [unfinished(name, *games) for name, games in compared.unfinished.items()]
    if left_out:
        said.append(f"Left out, for --set decides a field of theirs: {', '.join(left_out)}.")
    return said


def unfinished(name: str, stopped: int, games: int) -> str:
    """A warning: games that the safety stop ended."""
    return f"{name}: {stopped:,} of {games:,} games among equals were unfinished at max_turns and count as they stood."


def tune_sentence(searched: Searched, compared: Compared, winners: Sequence[Trial]) -> str:
    """What the search found, with the best rule set's values on fresh deals."""
    first = winners[0]
    entry = next(entry for entry in compared.entries if entry.name == first.name)
    values = ", ".join(
        f"{goal.measure.label} {_shown(compared.cell(RETUNED, entry, goal.measure).value, goal.measure)}"
        f" (goal: {wanted(goal)})"
        for goal in searched.goals
    )
    n = compared.cell(RETUNED, entry, searched.goals[0].measure).value.n
    what = (
        "the nearest to the goal"
        if len(searched.goals) == 1
        else f"on the front of {len(searched.front)} the best compromise"
    )
    return (
        f"Of {len(searched.trials)} trials ({len(searched.different)} different rule sets that can be played), {what}: "
        f"{first.name}. On n = {n:,} fresh deals: {values}."
    )


def wanted(goal: Goal) -> str:
    """The goal's value, in the unit that values are shown in."""
    if isinstance(goal.wanted, str):
        return goal.wanted
    return f"{100 * goal.wanted:g} %" if goal.measure.is_share else f"{goal.wanted:g}"


def tune_table(searched: Searched, compared: Compared, winners: Sequence[Trial]) -> pd.DataFrame:
    """One row per winner, the rules compared with last: fields, and the goals' measures on fresh deals."""
    import pandas as pd

    rows = []
    by_name = {trial.name: trial for trial in winners}
    for entry in [*compared.entries[1:], compared.entries[0]]:
        row: dict[str, object] = {"rules": entry.name}
        if entry.name in by_name:
            row["trial"] = by_name[entry.name].number + 1
        else:
            row["trial"] = None
        for goal in searched.goals:
            cell = compared.cell(RETUNED, entry, goal.measure)
            value = cell.value.scaled(100) if goal.measure.is_share else cell.value
            row[f"{goal.measure.label} [{unit_of(goal.measure)}; goal {wanted(goal)}]"] = value.short()
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame["trial"] = frame["trial"].astype("Int64")
    return frame


def tune_notes(searched: Searched, compared: Compared) -> list[str]:
    impossible = sum(not trial.values for trial in searched.trials)
    several = len(searched.goals) > 1
    said = [
        "Values on deals that had no part in the search, 95 % intervals; agents are tuned to every rule set. "
        + ("On the front no other trial is nearer to one goal and as near to all others. " if several else "")
        + "trials.csv has every trial, rule_cards.txt the rule sets in plain words."
    ]
    said += [unfinished(name, *games) for name, games in compared.unfinished.items()]
    if impossible:
        problem = next(trial.problem for trial in searched.trials if not trial.values)
        said.append(f"{impossible} of {len(searched.trials)} trials gave no game to measure (the first: {problem}).")
    return said
