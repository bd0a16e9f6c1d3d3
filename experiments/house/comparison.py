"""Playing rule sets on common deals and comparing each with the printed rules, measure by measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import sim
from agents.registry import make
from experiments.house.measures import PER, UNFINISHED, AnyRules, Measure, Table, game_of, per_deal, per_deal_of_one
from experiments.house.retuning import Retuning
from experiments.lab import statistics
from experiments.lab.context import Context
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd

Play = Literal["agents unchanged", "agents re-tuned"]
UNCHANGED: Play = "agents unchanged"
RETUNED: Play = "agents re-tuned"
PLAYS: tuple[Play, ...] = (UNCHANGED, RETUNED)
PRINTED = "as printed"
"""Name of the printed rules among the entries."""
TABLES: tuple[Table, ...] = ("equals", "random", "people")


@dataclass(frozen=True)
class Entry:
    """A rule set that takes part. reference: name of the entry that it is compared with, its own for a reference."""

    name: str
    rules: AnyRules
    reference: str
    comment: str = ""

    @property
    def is_reference(self) -> bool:
        return self.name == self.reference


@dataclass(frozen=True)
class Cell:
    """One measure under one rule set in one kind of play.

    value: under the rule set; difference: from the reference, on the same deals (of a reference: none); told: the
    difference stands out even among all differences of the table (Bonferroni, 95 % for all together); per: how many of
    the denominator were seen; games: games played; unfinished: how many of them the safety stop ended; agent: spec of
    the sensible agent, or of all at a table of equals.
    """

    measure: Measure
    value: Estimate
    difference: Estimate
    told: bool
    per: int
    games: int
    unfinished: int
    agent: str


@dataclass(frozen=True)
class Compared:
    """All rule sets, and the cells: (play, name of rule set, name of measure) -> Cell."""

    entries: tuple[Entry, ...]
    measures: tuple[Measure, ...]
    plays: tuple[Play, ...]
    cells: Mapping[tuple[Play, str, str], Cell]
    agent: str = ""
    """Spec of the agents that stay unchanged, where they are not those tuned to the rules compared with."""

    def cell(self, play: Play, entry: Entry, measure: Measure) -> Cell:
        return self.cells[play, entry.name, measure.name]

    @property
    def main(self) -> tuple[Measure, ...]:
        """The measures for the first table and the figure; all where none of them takes part."""
        return tuple(measure for measure in self.measures if measure.main) or self.measures

    @property
    def unfinished(self) -> dict[str, tuple[int, int]]:
        """Games that the safety stop ended, and games played, at the tables of equals of a rule set that has some."""
        found: dict[str, tuple[int, int]] = {}
        for (_, name, _), cell in self.cells.items():
            if cell.unfinished and cell.measure.table == "equals":
                found.setdefault(name, (cell.unfinished, cell.games))
        return found

    @property
    def standard(self) -> str:
        """What everything is compared with, in words."""
        return "printed rules" if self.entries[0].name == PRINTED else "rules given"

    @property
    def before(self) -> str:
        """'as printed', before a value of what everything is compared with."""
        return PRINTED if self.entries[0].name == PRINTED else "under the rules given"

    def rows(self) -> Iterator[tuple[Play, Entry]]:
        return ((play, entry) for play in self.plays for entry in self.entries)

    def values(self, play: Play, entries: Sequence[Entry], measure: Measure) -> Estimates:
        return stacked([self.cell(play, entry, measure).value for entry in entries])

    def differences(self, play: Play, entries: Sequence[Entry], measure: Measure) -> Estimates:
        return stacked([self.cell(play, entry, measure).difference for entry in entries])

    def frame(self) -> pd.DataFrame:
        """One row per play, rule set and measure: value and difference from the reference with 95 % intervals."""
        import pandas as pd

        rows = []
        for play, entry in self.rows():
            for measure in self.measures:
                cell = self.cell(play, entry, measure)
                rows.append(
                    {
                        "play": play, "rules": entry.name, "measure": measure.name, "unit": measure.unit,
                        "value": cell.value.value, "value_low": cell.value.low, "value_high": cell.value.high,
                        "compared_with": "" if entry.is_reference else entry.reference,
                        "difference": cell.difference.value, "difference_low": cell.difference.low,
                        "difference_high": cell.difference.high, "stands_out": cell.told, "out_of": measure.per,
                        "n_out_of": cell.per, "n_deals": cell.value.n, "n_games": cell.games,
                        "unfinished": cell.unfinished, "agent": cell.agent,
                    }
                )  # fmt: skip
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class Seated:
    """One match of the comparison: the lineup's sensible agent and the match."""

    agent: Any
    match: sim.Match


def compare(
    context: Context,
    entries: Sequence[Entry],
    measures: Sequence[Measure],
    retuning: Retuning,
    agent: Any | None = None,
    plays: Sequence[Play] = PLAYS,
    n_deals: int | None = None,
    first_deal: int = 0,
) -> Compared:
    """Play every rule set in every kind of play on the same deals, and set it against its reference.

    agent: who sits at the table of equals when agents are unchanged; without one, the agent that is sensible under the
    reference's rules. Under re-tuned agents the table of equals, and the sensible agent everywhere, goes by each rule
    set's own rules.
    """
    tables = [table for table in TABLES if any(measure.table == table for measure in measures)]
    rules = {entry.name: entry.rules for entry in entries}
    seated: dict[tuple[str, str, Table], Seated] = {}
    with context.bar("tuning agents to the rules", len(entries) * len(plays)) as advance:
        for play in plays:
            for entry in entries:
                tuned_to = rules[entry.reference] if play == UNCHANGED else entry.rules
                sensible = retuning.sensible(tuned_to)
                for table in tables:
                    one = agent if agent is not None and play == UNCHANGED and table == "equals" else sensible
                    seated[play, entry.name, table] = Seated(one, _match(one, table, entry.rules, context))
                advance(1)
    played = _played(context, seated, n_deals, first_deal)
    compared = len(plays) * len(measures) * sum(not entry.is_reference for entry in entries)
    cells: dict[tuple[Play, str, str], Cell] = {}
    for play in plays:
        for entry in entries:
            for measure in measures:
                own = played[play, entry.name, measure.table]
                other = played[play, entry.reference, measure.table]
                value = estimate(own, measure, entry.rules)
                both_fixed = measure.fixed(entry.rules) and measure.fixed(rules[entry.reference])
                apart = Estimate(math.nan, n=value.n)
                if not entry.is_reference:
                    apart = difference(own, other, measure, both_fixed)
                sits = seated[play, entry.name, measure.table]
                value = value.within(0, 1) if measure.is_share else value
                cells[play, entry.name, measure.name] = Cell(
                    measure, value, apart, _stands_out(apart, compared), _seen(own, measure),
                    int(own["games"].sum()), int(own[UNFINISHED].sum()), str(sits.agent),
                )  # fmt: skip
    return Compared(tuple(entries), tuple(measures), tuple(plays), cells, "" if agent is None else str(agent))


def _match(sensible: Any, table: Table, rules: AnyRules, context: Context) -> sim.Match:
    others = sensible if table == "equals" else make(game_of(rules), table)
    lineup = [sensible if member % rules.sides == 0 else others for member in range(rules.players)]
    return sim.Match(lineup, rules, context.world)


def _played(
    context: Context, seated: Mapping[tuple[str, str, Table], Seated], n_deals: int | None, first_deal: int
) -> dict[tuple[str, str, Table], DealSums]:
    """Per-deal sums of every match; a match that stands there twice is played once."""
    played: dict[tuple[str, str, Table], DealSums] = {}
    for reducer, tables in ((per_deal, ("equals",)), (per_deal_of_one, ("random", "people"))):
        here = {key: one.match for key, one in seated.items() if key[2] in tables}
        numbers = {match: str(number) for number, match in enumerate(dict.fromkeys(here.values()))}
        if numbers:
            matches = {name: match for match, name in numbers.items()}
            sums = context.play_all(matches, reducer, n_deals, first_deal)
            played |= {key: sums[numbers[match]] for key, match in here.items()}
    return played


def estimate(sums: DealSums, measure: Measure, rules: AnyRules) -> Estimate:
    """The measure with its interval over deals: none where the rules fix it, exact for shares of nothing or of all."""
    top, bottom = sums[measure.name], sums[measure.name + PER]
    total = bottom.sum()
    if total == 0:
        return Estimate(math.nan, n=len(sums))
    if measure.fixed(rules):
        return Estimate(float(top.sum() / total), n=len(sums))
    if measure.is_share and not top.any():
        return statistics.rare(np.zeros(int((bottom > 0).sum()), bool))
    if measure.is_share and (top == bottom).all():
        never = statistics.rare(np.zeros(int((bottom > 0).sum()), bool))
        return Estimate(1.0, 1 - never.high, 1.0, never.n)
    return sums.ratio(measure.name, measure.name + PER)


def difference(own: DealSums, other: DealSums, measure: Measure, fixed: bool = False) -> Estimate:
    """own - other on common deals. No interval where both are the same in every game, or fixed by the rules."""
    name, per = measure.name, measure.name + PER
    own, other = own.common(other)
    apart = own.paired_ratio(other, name, per)
    if fixed or (np.array_equal(own[name], other[name]) and np.array_equal(own[per], other[per])):
        return Estimate(apart.value, n=apart.n)
    if measure.is_share and not own[name].any() and not other[name].any():
        never = statistics.rare(np.zeros(len(own), bool))
        return Estimate(0.0, -never.high, never.high, never.n)
    return apart


def _stands_out(apart: Estimate, compared: int) -> bool:
    """The interval excludes 0 at a level that holds for `compared` differences at once; without one, it is not 0."""
    if not apart.has_interval:
        return bool(apart.value != 0 and not math.isnan(apart.value))
    if apart.n < 2:
        return False
    wider = statistics.t_quantile(apart.n, 1 - (1 - statistics.LEVEL) / compared) / statistics.t_quantile(apart.n)
    return bool(abs(apart.value) > apart.half_width * wider)


def _seen(sums: DealSums, measure: Measure) -> int:
    """How many of the denominator there were, in whole things (win shares are counted in finer units)."""
    total = int(sums[measure.name + PER].sum())
    return total // WIN_UNIT if measure.counts_wins else total


def stacked(parts: Sequence[Estimate]) -> Estimates:
    """Several estimates as columns."""
    return Estimates(
        np.array([part.value for part in parts]), np.array([part.low for part in parts]),
        np.array([part.high for part in parts]), np.array([part.n for part in parts]),
    )  # fmt: skip
