"""Odyssey: how vague should a clue be?

One storyteller of every vagueness sits among a field of others, everybody in every seat on the same deals. It votes and
hands in what fits best. The reference field is `people`, who vote for the best fit; the second field, `bayes`, asks how
likely each image is the storyteller's, and so recognises an image that fits far worse than any decoy would.

Three yardsticks, for they disagree where few play: own points per turn as storyteller, margin over the others and win
share in whole games. A clue that all or nobody found gives points to everybody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import joblib
import numpy as np
from annotated_types import Ge, Le, MinLen
from numpy.typing import NDArray

import sim
from agents.odyssey.tuned import best_vagueness
from agents.registry import make
from experiments.lab import plots, statistics
from experiments.lab.best import BestSettings, best_settings
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.lab.statistics import rare
from sim.odyssey import OdysseyRules
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

CASES = ("all", "some", "none")
CRITERIA = {"points": "own points", "margin": "margin", "win_share": "win share"}
"""By what a vagueness can be the best, in words."""
SHOWN = (3, 4, 6, 8, 12)
"""Numbers of players with a column of their own in the figure, where more than five are played."""
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


@dataclass(frozen=True)
class Table:
    """One storyteller of every vagueness in one field with one number of players: per-deal sums, one per vagueness.

    fresh: per-deal sums by spec, on deals that had no part in choosing: the best ones, `tuned` and `adaptive`.
    tuned: the vagueness that `tuned` computes for the table.
    """

    players: int
    field: str
    vaguenesses: tuple[float, ...]
    sums: tuple[DealSums, ...]
    tuned: float
    fresh: Mapping[str, DealSums]

    def estimates(self, column: str) -> Estimates:
        """One per vagueness. column: one of MEASURES."""
        return _stacked([self.estimate(sums, column) for sums in self.sums])

    def estimate(self, sums: DealSums, column: str) -> Estimate:
        """A mean per game, or a ratio per turn told, over deals.

        A case that no turn, or every turn, had gets Clopper and Pearson's interval of the share of deals that show it:
        no narrower than one for turns would be. So does a win share of 0.
        """
        if column == "win_share" and not sums["win"].any():
            return rare(sums["win"] != 0)
        if column in CASES and not sums[column].any():
            return rare(sums[column] != 0)
        if column in CASES and (sums[column] == sums["turns"]).all():
            return rare(sums[column] == sums["turns"])
        if column not in _PER_GAME:
            return statistics.ratio(sums[column] / _PER_TURN[column](self.players), sums["turns"])[()]
        values = self.per_deal(sums, column)
        fixed = bool((values == values[0]).all())  # by symmetry, where it tells as all others do
        return Estimate(float(values[0]), n=len(values)) if fixed else statistics.mean(values)[()]

    def per_deal(self, sums: DealSums, column: str) -> NDArray[np.float64]:
        """Per-deal values whose mean is the estimate; of a ratio, its linear form r + (points - r turns) / mean turns."""
        if column in _PER_GAME:
            name, unit = _PER_GAME[column]
            return sums.per(name, unit(self.players))
        return _linear(sums[column] / _PER_TURN[column](self.players), sums["turns"])

    def best(self, criterion: str) -> BestSettings:
        return best_settings(np.stack([self.per_deal(sums, criterion) for sums in self.sums], axis=1))

    def again(self, criterion: str) -> Estimate:
        """The best one's value on fresh deals."""
        return self.estimate(self.fresh[_spec(self.vaguenesses[self.best(criterion).index])], criterion)

    def minus_best(self, spec: str, criterion: str) -> Estimate:
        """What another storyteller makes more than the best one, on the same fresh deals."""
        best = _spec(self.vaguenesses[self.best(criterion).index])
        mine, other = self.fresh[spec], self.fresh[best]
        if spec == best:
            return Estimate(0.0, n=len(mine))
        if criterion in _PER_GAME:
            return statistics.paired(self.per_deal(mine, criterion), self.per_deal(other, criterion))[()]
        return mine.paired_ratio(other, criterion, "turns")


_PER_GAME: Mapping[str, tuple[str, Callable[[int], float]]] = {
    "margin": ("margin", lambda players: players * (players - 1)),
    "win_share": ("win", lambda players: players * WIN_UNIT),
}
"""Column of the sums, and what a deal's sum is divided by: its games, one per seating."""
_PER_TURN: Mapping[str, Callable[[int], float]] = {
    "points": lambda players: 1, "given": lambda players: players - 1, "told": lambda players: 1,
    **dict.fromkeys(CASES, lambda players: 1),
}  # fmt: skip
MEASURES = {
    "points": "points_per_turn", "given": "given_per_turn", "margin": "margin", "win_share": "win_share",
    "all": "all_share_of_turns", "some": "some_share_of_turns", "none": "none_share_of_turns",
}  # fmt: skip
"""What is measured of every vagueness, and its name in the summary."""


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the storyteller in question is member 0."""
    turns = games.turn_rows
    assert turns is not None
    players = games.match.rules.players
    own = games.scores[:, 0].astype(np.int64)
    deal, mine = games.deal[turns.game], turns.storyteller == games.seat_of(0)[turns.game]
    case = turns.case[mine]
    return (
        DealSums.collect(
            games.deal,
            win=games.winners[:, 0] * (WIN_UNIT // games.winners.sum(1)),
            margin=own * players - games.scores.sum(1, dtype=np.int64),
        )
        .with_rows(
            deal[mine],
            turns=np.ones(len(case), np.int64),
            points=turns.storyteller_points[mine],
            given=turns.others_points[mine],
            told=turns.vagueness[mine].astype(np.float64),
            none=case == 0,
            some=case == 1,
            all=case == 2,
        )
        .with_rows(
            deal[~mine],
            others_turns=np.ones(int((~mine).sum()), np.int64),
            others_told=turns.vagueness[~mine].astype(np.float64),
        )
    )


def answer(settings: ClueVagueness, context: Context) -> Result:
    """Play all tables, compare vaguenesses, measure the best again on fresh deals."""
    import pandas as pd

    vaguenesses = tuple(sorted(set(settings.vaguenesses)))
    rules = {n: context.rules("odyssey", variant="standard", players=n) for n in settings.players}
    for field in settings.fields:
        make("odyssey", field)
    with context.bar("tables", len(rules) * (1 + len(settings.fields))) as advance:
        tuned = _tuned(rules, context, advance)
        tables = []
        for field in settings.fields:
            for players in settings.players:
                tables.append(_table(context, rules[players], field, vaguenesses, tuned[players]))
                advance(1)
    reference = [table for table in tables if table.field == settings.fields[0]]
    best = pd.DataFrame([_best_row(table, criterion) for table in tables for criterion in CRITERIA])
    return Result(
        summary=pd.concat([_rows(table) for table in tables], ignore_index=True),
        table=pd.DataFrame([_printed_row(table) for table in tables]),
        tables={"best": best},
        figure=_figure(tables, settings),
        sentence=_sentence(reference),
        notes=_notes(tables, settings),
    )


def _tuned(rules: Mapping[int, OdysseyRules], context: Context, advance: Callable[[int], None]) -> dict[int, float]:
    """What `tuned` computes for every table, side by side."""
    running = context.running
    with joblib.parallel_config(running.backend, n_jobs=running.jobs):
        found = joblib.Parallel(return_as="generator")(
            joblib.delayed(best_vagueness)(table, context.world) for table in rules.values()
        )
        out = {}
        for players, vagueness in zip(rules, found, strict=True):
            out[players] = float(vagueness)
            advance(1)
    return out


def _table(
    context: Context, rules: OdysseyRules, field: str, vaguenesses: Sequence[float], tuned: float
) -> Table:  # fmt: skip
    def match(spec: str) -> sim.Match:
        others = [make("odyssey", field)] * (rules.players - 1)
        return sim.Match([make("odyssey", spec), *others], rules, context.world)

    sums = context.play_all({spec: match(spec) for spec in map(_spec, vaguenesses)}, per_deal)
    table = Table(rules.players, field, tuple(vaguenesses), tuple(sums.values()), tuned, {})
    again = [_spec(vaguenesses[table.best(criterion).index]) for criterion in CRITERIA]
    matches = {spec: match(spec) for spec in [*again, _spec(tuned), "adaptive"]}
    fresh = context.play_all(matches, per_deal, first_deal=context.settings.n_deals)
    return Table(rules.players, field, tuple(vaguenesses), tuple(sums.values()), tuned, fresh)


def _spec(vagueness: float) -> str:
    return f"storyteller:vagueness={vagueness:g}"


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
    best, labels = table.best(criterion), _labels(table)
    spec = _spec(table.vaguenesses[best.index])
    row: dict[str, Any] = {
        "field": table.field, "players": table.players, "criterion": criterion, "n_deals": best.n,
        "best": best.words(labels), "highest_at": labels[best.index], "n_fresh_deals": len(table.fresh[spec]),
    }  # fmt: skip
    row |= _cells("fresh_value", table.again(criterion))
    for case in CASES:
        row |= _cells(f"fresh_{case}_share_of_turns", table.estimate(table.fresh[spec], case))
    row["tuned_vagueness"] = table.tuned
    row |= _cells("tuned_minus_best", table.minus_best(_spec(table.tuned), criterion))
    row |= _cells("adaptive_minus_best", table.minus_best("adaptive", criterion))
    row |= _cells("adaptive_mean_vagueness", table.estimate(table.fresh["adaptive"], "told"))
    return row


def _printed_row(table: Table) -> dict[str, Any]:
    """The main table: the answer, one row per table."""
    labels = _labels(table)
    row: dict[str, Any] = {"field": table.field, "players": table.players}
    row |= {f"best by {words}": table.best(criterion).words(labels) for criterion, words in CRITERIA.items()}
    row["tuned"] = f"{table.tuned:g}"
    row |= _cells("points/turn", table.again("points"))
    row |= _cells("win share", table.again("win_share"))
    row |= _cells("tuned - best", table.minus_best(_spec(table.tuned), "win_share"))
    row |= _cells("adaptive - best", table.minus_best("adaptive", "win_share"))
    row["deals"] = table.best("win_share").n
    return row


def _sentence(reference: Sequence[Table]) -> str:
    """The answer in the reference field."""
    first = reference[0]
    wins, points = [], []
    for table in _shown(reference):
        labels = _labels(table)
        again, alone = table.again("win_share"), table.again("points")
        wins.append(
            f"{table.players} players {table.best('win_share').words(labels)} (win share {again.short()} on fresh deals, "
            f"fair {1 / table.players:.3g}; tuned {table.tuned:g})"
        )
        points.append(f"{table.players} players {table.best('points').words(labels)} ({alone.short()} points a turn)")
    return (
        f"Vagueness not told from the best among `{first.field}`, n = {first.best('win_share').n:,} deals each, by win share: "
        f"{'; '.join(wins)}. By own points as storyteller alone: {'; '.join(points)}. "
        "Clearer, and everybody finds the image; vaguer, and nobody does."
    )


def _notes(tables: Sequence[Table], settings: ClueVagueness) -> list[str]:
    notes = [
        f"best by ...: vaguenesses of {', '.join(f'{v:g}' for v in tables[0].vaguenesses)} not told from the best (95 %, over "
        "deals). own points: raw points of the storyteller / turns that it told; margin: own final points minus the mean "
        "of the others', per game; win share: games won / games (ties shared). points/turn and win share: those of the "
        f"best one by just that, on {settings.n_deals:,} fresh deals (paired over them: tuned, adaptive - best, in win share)."
    ]
    for field in settings.fields:
        mine = [table for table in tables if table.field == field]
        others = DealSums.ratio(mine[0].sums[0], "others_told", "others_turns").value
        told = "; ".join(
            f"{table.players} players {table.estimate(table.fresh['adaptive'], 'told').short()}" for table in _shown(mine)
        )
        notes.append(f"`{field}`: the others tell at {others:.2g} on average. Mean vagueness of `adaptive`: {told}.")
    for table in tables:
        for case in CASES:
            never = [f"{v:g}" for v, sums in zip(table.vaguenesses, table.sums, strict=True) if not sums[case].any()]
            if never:
                notes.append(f"{table.players} players, `{table.field}`: never {case} at vagueness {', '.join(never)}.")
    return notes


def _figure(tables: Sequence[Table], settings: ClueVagueness) -> Figure:
    """Why: what becomes of a clue, what it earns, what it wins; below, the best vagueness over the number of players."""
    import matplotlib

    reference = [table for table in tables if table.field == settings.fields[0]]
    shown = [table.players for table in _shown(reference)]
    width = max(9.0, 2.75 * len(shown) + 0.8)
    title = "How vague should a clue be? Too clear, and all find the storyteller's image; too vague, and nobody does"
    ratios = {"height_ratios": (1, 1, 1, 1.15)}
    with matplotlib.rc_context(plots.STYLE):
        figure, axes = plots.new_figure(4, len(shown), width, 12.0, title, gridspec_kw=ratios)
        grid = axes[0, 0].get_gridspec()
        for axis in axes[3]:
            axis.remove()
        bottom = grid[3, :].subgridspec(1, len(settings.fields))
        below = [figure.add_subplot(bottom[0, i]) for i in range(len(settings.fields))]
    for row in axes[:3]:
        for axis in row[1:]:
            axis.sharey(row[0])
            axis.tick_params(labelleft=False)
    for table in tables:
        if table.players in shown:
            _column(axes[:3, shown.index(table.players)], table, settings.fields)
    for axis, label in zip(
        axes[:3, 0],
        ("share of its turns", "points per turn\nas storyteller", "win share in whole games /\nfair share"),
        strict=True,
    ):
        axis.set_ylabel(label)
    for row in axes[:3]:
        row[0].set_ylim(bottom=0)
    for axis, field in zip(below, settings.fields, strict=True):
        _best_panel(axis, [table for table in tables if table.field == field])
    plots.legend(figure, [*axes[:3].ravel(), *below], columns=3)
    return figure


def _column(panels: NDArray[Any], table: Table, fields: Sequence[str]) -> None:
    """The three panels of one number of players, as far as one field fills them."""
    top, middle, lower = panels
    index, x = fields.index(table.field), table.vaguenesses
    if index == 0:
        top.set_title(f"{table.players} players")
        for i, case in enumerate(CASES):
            words = {"all": "all found it (too clear)", "some": "some found it", "none": "nobody found it (too vague)"}
            plots.line(top, x, table.estimates(case), i, f"{words[case]}, among {table.field}")
        best = table.best("points")
        plots.best_band(middle, x, best, f"{plots.NOT_TOLD}, among {table.field}")
        plots.line(middle, x, table.estimates("given"), 5, f"mean points of the others on these turns, among {table.field}")
        plots.best_band(lower, x, table.best("win_share"), f"{plots.NOT_TOLD}, among {table.field}")
        plots.reference(lower, 1, "fair share")
        lower.set_xlabel("vagueness of its clues")
    plots.line(middle, x, table.estimates("points"), 3 + index, f"own points or win share, among {table.field}")
    wins = table.estimates("win_share")
    n = table.players
    relative = Estimates(wins.value * n, wins.low * n, wins.high * n, wins.n)
    plots.line(lower, x, relative, 3 + index, f"own points or win share, among {table.field}")


def _best_panel(axis: Axes, tables: Sequence[Table]) -> None:
    """Best vagueness over the number of players: every setting not told from the best, by each criterion, and `tuned`."""
    names = {"points": "own points per turn", "margin": "margin per game", "win_share": "win share"}
    for i, criterion in enumerate(CRITERIA):
        look, shift = plots.style(i), 0.22 * (i - 1)
        for table in tables:
            best = table.best(criterion)
            inside = np.array(table.vaguenesses)[best.inside]
            at = np.full(len(inside), table.players + shift)
            axis.plot(at, inside, color=look["color"], linewidth=0.9)
            axis.plot(at, inside, linestyle="", marker=look["marker"], color=look["color"], markerfacecolor="white")
            axis.plot(
                at[:1], [table.vaguenesses[best.index]], linestyle="", marker=look["marker"], color=look["color"],
                label=f"{names[criterion]}: filled = highest, open = {plots.NOT_TOLD}",
            )  # fmt: skip
    axis.plot(
        [table.players for table in tables], [table.tuned for table in tables], linestyle="", marker="_", color="black",
        markersize=16, markeredgewidth=2, label="`tuned` computes (for best-fit voters, margin per turn)",
    )  # fmt: skip
    axis.set_xticks([table.players for table in tables])
    axis.set_ylim(-0.04, 1.04)
    axis.set_xlabel("players")
    axis.set_ylabel("best vagueness")
    axis.set_title(f"Best vagueness among {tables[0].field}")


def _shown(tables: Sequence[Table]) -> list[Table]:
    """All, or the five of SHOWN where more are played."""
    if len(tables) <= len(SHOWN):
        return list(tables)
    some = [table for table in tables if table.players in SHOWN]
    return some or [tables[0], tables[-1]]


def _labels(table: Table) -> list[str]:
    return [f"{vagueness:g}" for vagueness in table.vaguenesses]


def _linear(top: NDArray[Any], bottom: NDArray[Any]) -> NDArray[np.float64]:
    ratio = top.sum() / bottom.sum()
    return np.asarray(ratio + (top - ratio * bottom) / bottom.mean(), float)


def _cells(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _stacked(parts: Sequence[Estimate]) -> Estimates:
    """Several estimates as columns."""
    return Estimates(
        np.array([part.value for part in parts]),
        np.array([part.low for part in parts]),
        np.array([part.high for part in parts]),
        np.array([part.n for part in parts]),
    )


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
