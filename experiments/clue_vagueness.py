"""Odyssey: how vague should a clue be?

One storyteller of every vagueness sits among a field of others, everybody in every seat on the same deals. It votes and
hands in what fits best. The reference field is `people`, who vote for the best fit; the second field, `bayes`, asks how
likely each image is the storyteller's, and so recognises an image that fits far worse than any decoy would.

Three yardsticks, for they disagree where few play: own points per turn as storyteller, margin over the others and win
share in whole games. A clue that all or nobody found gives points to everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import Ge, Le, MinLen

import sim
from agents.odyssey.tuned import best_vagueness
from agents.registry import make
from experiments.lab.command import run
from experiments.lab.estimate import Estimate
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.vagueness import figure
from experiments.vagueness.tables import CASES, CRITERIA, MEASURES, Table, per_deal, shown, spec_of
from sim.odyssey import OdysseyRules

if TYPE_CHECKING:
    import pandas as pd

    from experiments.lab.context import Context

Players = Annotated[int, Ge(3), Le(12)]
Vagueness = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class ClueVagueness(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {
        "n_deals": 100, "players": (3, 4, 6), "vaguenesses": (0.0, 0.3, 0.5, 0.7, 1.0),
    }  # fmt: skip

    n_deals: Annotated[int, Ge(1)] = 1_000
    """Deals for every table; each is played once per seating, and as many fresh ones measure the best again."""
    players: Annotated[tuple[Players, ...], MinLen(1)] = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
    """Numbers of players, one table each."""
    vaguenesses: Annotated[tuple[Vagueness, ...], MinLen(2)] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    """Vaguenesses of the storyteller."""
    fields: Annotated[tuple[str, ...], MinLen(1)] = ("people", "bayes")
    """Specs of the others at the table; the first is the reference field."""


def answer(settings: ClueVagueness, context: Context) -> Result:
    """Play all tables, compare vaguenesses, measure the best again on fresh deals."""
    import pandas as pd

    vaguenesses = tuple(sorted(set(settings.vaguenesses)))
    fields = tuple(dict.fromkeys(settings.fields))
    rules = {n: context.rules("odyssey", variant="standard", players=n) for n in sorted(set(settings.players))}
    for field in fields:
        make("odyssey", field)
    tables = []
    with context.bar("tables", len(rules) * len(fields)) as advance:
        for field in fields:
            for table_rules in rules.values():
                tables.append(_table(context, table_rules, field, vaguenesses))
                advance(1)
    by_field = {field: [table for table in tables if table.field == field] for field in fields}
    best = pd.DataFrame([_best_row(table, criterion) for table in tables for criterion in CRITERIA])
    return Result(
        summary=pd.concat([_rows(table) for table in tables], ignore_index=True),
        table=pd.DataFrame([_printed_row(table) for table in tables]),
        tables={"best": best},
        figure=figure.why(by_field),
        sentence=_sentence(by_field),
        notes=[*_notes(by_field), *_further(by_field)],
    )


def _table(context: Context, rules: OdysseyRules, field: str, vaguenesses: Sequence[float]) -> Table:
    def match(spec: str) -> sim.Match:
        others = [make("odyssey", field)] * (rules.players - 1)
        return sim.Match([make("odyssey", spec), *others], rules, context.world)

    sums = context.play_all({spec: match(spec) for spec in map(spec_of, vaguenesses)}, per_deal)
    tuned = best_vagueness(rules, context.world)
    table = Table(rules, field, tuple(vaguenesses), tuple(sums.values()), tuned, {})
    again = [table.best_spec(criterion) for criterion in CRITERIA]
    matches = {spec: match(spec) for spec in [*again, spec_of(tuned), "adaptive"]}
    fresh = context.play_all(matches, per_deal, first_deal=context.settings.n_deals)
    return replace(table, fresh=fresh)


def _rows(table: Table) -> pd.DataFrame:
    """One row per vagueness. Means per game or per turn told, over deals; intervals are 95 %."""
    import pandas as pd

    columns: dict[str, Any] = {
        "field": table.field,
        "players": table.players,
        "vagueness": table.vaguenesses,
        "n_deals": [len(sums) for sums in table.sums],
        "n_games": [int(sums["games"].sum()) for sums in table.sums],
        "n_turns": [int(sums["turns"].sum()) for sums in table.sums],
    }
    for column, name in MEASURES.items():
        columns |= table.estimates(column).columns(name)
    columns["fair_share"] = 1 / table.players
    for criterion in CRITERIA:
        columns[f"best_by_{criterion}"] = table.best(criterion).inside
    return pd.DataFrame(columns)


def _best_row(table: Table, criterion: str) -> dict[str, Any]:
    """The settings that cannot be told from the best by one criterion, and what others make of it on fresh deals."""
    best, labels = table.best(criterion), table.labels
    spec = table.best_spec(criterion)
    row: dict[str, Any] = {
        "field": table.field, "players": table.players, "criterion": criterion, "n_deals": best.n,
        "best": best.words(labels), "highest_at": labels[best.index], "n_fresh_deals": len(table.fresh[spec]),
    }  # fmt: skip
    row |= _cells("fresh_value", table.again(criterion))
    for case in CASES:
        row |= _cells(f"fresh_{case}_share_of_turns", table.estimate(table.fresh[spec], case))
    row["tuned_vagueness"] = table.tuned
    row |= _cells("tuned_minus_best", table.minus_best(spec_of(table.tuned), criterion))
    row |= _cells("adaptive_minus_best", table.minus_best("adaptive", criterion))
    row |= _cells("adaptive_mean_vagueness", table.estimate(table.fresh["adaptive"], "told"))
    return row


def _printed_row(table: Table) -> dict[str, Any]:
    """The main table: the answer, one row per table."""
    labels = table.labels
    row: dict[str, Any] = {"field": table.field, "players": table.players}
    row |= {f"best by {words}": table.best(criterion).words(labels) for criterion, words in CRITERIA.items()}
    row["tuned"] = f"{table.tuned:g}"
    row |= _cells("points/turn", table.again("points"))
    row |= _cells("win share", table.again("win_share"))
    row |= _cells("tuned - best", table.minus_best(spec_of(table.tuned), "win_share"))
    row |= _cells("adaptive - best", table.minus_best("adaptive", "win_share"))
    row["deals"] = table.best("win_share").n
    row["turns told"] = int(table.sums[table.best("points").index]["turns"].sum())
    return row


def _sentence(by_field: Mapping[str, Sequence[Table]]) -> str:
    """The answer: by win share in the reference field."""
    first = next(iter(by_field))
    told = shown(by_field[first])
    parts = [
        f"{table.title} {table.best('win_share').words(table.labels)} (win share {table.again('win_share').short()} on "
        f"fresh deals, fair {1 / table.players:.3g}; tuned {table.tuned:g})"
        for table in told
    ]
    n = len(told[0].sums[0])
    return f"Vagueness not told from the best by win share among `{first}`, n = {n:,} deals each: {'; '.join(parts)}."


def _further(by_field: Mapping[str, Sequence[Table]]) -> list[str]:
    """What else answers it: own points alone, the other fields, and why."""
    first, *others = by_field
    told = shown(by_field[first])
    points = [
        f"{table.players} players {table.best('points').words(table.labels)} ({table.again('points').short()} a turn)"
        for table in told
    ]
    lines = [f"By own points as storyteller alone: {'; '.join(points)}."]
    for field in others:
        sets = [
            f"{table.players} players {table.best('win_share').words(table.labels)}" for table in shown(by_field[field])
        ]
        lines.append(f"By win share among `{field}`: {'; '.join(sets)}.")
    middle = told[len(told) // 2]
    low, high = middle.vaguenesses[0], middle.vaguenesses[-1]
    lines.append(
        f"Too clear, and all find the image ({middle.players} players, vagueness {low:g}: in "
        f"{middle.estimates('all')[0].short()} of the turns); too vague, and nobody does (vagueness {high:g}: "
        f"{middle.estimates('none')[-1].short()})."
    )
    return lines


def _notes(by_field: Mapping[str, Sequence[Table]]) -> list[str]:
    tables = [table for mine in by_field.values() for table in mine]
    fresh = len(tables[0].fresh["adaptive"])
    notes = [
        f"best by ...: vaguenesses of {', '.join(tables[0].labels)} not told from the best (95 %, over deals). own "
        "points: raw points of the storyteller / turns that it told; margin: own final points minus the mean of the "
        "others', per game; win share: games won / games (ties shared). points/turn and win share: those of the best "
        f"one by just that, on {fresh:,} fresh deals; tuned, adaptive - best: in win share, on the same fresh deals. "
        "turns told: at the best by own points.",
        "tuned computes for best-fit voters and points of one turn less those of the others. adaptive moves only after "
        "a turn of its own: where many play hardly anybody tells twice in a game.",
    ]
    for field, mine in by_field.items():
        others = mine[0].sums[0].ratio("others_told", "others_turns").value
        told = "; ".join(
            f"{table.players} players {table.estimate(table.fresh['adaptive'], 'told').short()}"
            for table in shown(mine)
        )
        notes.append(f"`{field}`: the others tell at {others:.2g} on average. Mean vagueness of adaptive: {told}.")
    for table in tables:
        for case in CASES:
            never = [f"{v:g}" for v, sums in zip(table.vaguenesses, table.sums, strict=True) if not sums[case].any()]
            if never:
                notes.append(f"{table.players} players, `{table.field}`: never {case} at vagueness {', '.join(never)}.")
    return notes


def _cells(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


EXPERIMENT = Experiment(
    name="clue_vagueness",
    question="How vague should a clue be in Odyssey, with 3 to 12 players?",
    settings=ClueVagueness,
    run=answer,
    games=("odyssey",),
    swept=("players", "variant"),
    examples=("--players 3 --set images_handed_in=1", "--players 4 6 --fields people noisy:agent=[people],rate=0.2"),
)

if __name__ == "__main__":
    run(EXPERIMENT)
