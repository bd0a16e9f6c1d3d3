"""Stella: how much does darkness cost, and how much risk of it should one take?

One `avoider` of every risk sits among a field of others, everybody in every seat on the same deals. The reference field
is `people`. The second field, `greedy`, marks the maximum whatever the word, so that nobody ever stands in the dark
there: the field decides the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le, MinLen

import sim
from agents.registry import make
from experiments.lab import plots
from experiments.lab.best import BestSettings, best_settings, measure_again
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.lab.focal import focal_members, outcomes
from sim.stella import StellaRules
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

EVENTS = ("win", "dark", "fallen", "both", "somebody_dark")
"""Columns that count what may or may not happen in a round or game, at most once each."""
Players = Annotated[int, Ge(2), Le(12)]
Risk = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class DarknessRisk(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 150, "risks": (0.0, 0.2, 0.4, 0.6, 1.0)}

    players: Annotated[tuple[Players, ...], MinLen(1)] = (3, 4, 5, 6)
    """Numbers of players, one table each."""
    risks: Annotated[tuple[Risk, ...], MinLen(2)] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    """Risks of the avoider: the chance of standing alone with the most marks that it accepts in a round."""
    fields: Annotated[tuple[str, ...], MinLen(1)] = ("people", "greedy")
    """Specs of the others at the table; the first is the reference field."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("players", "risks", "fields"):
            object.__setattr__(self, name, tuple(dict.fromkeys(getattr(self, name))))
        if len(self.risks) < 2:
            raise ValueError(f"risks = {self.risks}: needs at least two different risks to compare")


@dataclass(frozen=True)
class Table:
    """One avoider of every risk in one field with one number of players: per-deal sums, one per risk."""

    players: int
    field: str
    rounds: int
    risks: tuple[float, ...]
    sums: tuple[DealSums, ...]
    fresh_win_share: Estimate
    fresh_margin: Estimate

    def estimates(self, column: str, per: float) -> Estimates:
        """Means over deals, one per risk. per: what a deal's sum is divided by.

        What never happened has Clopper and Pearson's interval on deals; what is the same on every deal (the marks of
        who takes no risk, the win share of equals) has none.
        """
        return Estimates.stack([sums.told(column, per, column in EVENTS) for sums in self.sums])

    def price_of_caution(self) -> Estimates:
        """Points per game before erasure with the highest risk minus those with each risk, on the same deals."""
        parts = [self.sums[-1].paired(sums, "before_erasure", per=self.players) for sums in self.sums[:-1]]
        return Estimates.stack([*parts, Estimate(0.0, n=len(self.sums[-1]))])

    def best(self, column: str, per: float) -> BestSettings:
        return best_settings(np.stack([sums.per(column, per) for sums in self.sums], axis=1))

    @cached_property
    def best_by_win_share(self) -> BestSettings:
        return self.best("win", self.players * WIN_UNIT)

    @cached_property
    def best_by_margin(self) -> BestSettings:
        return self.best("margin", self.players * (self.players - 1))

    @property
    def somebody_dark(self) -> Estimate:
        """Share of rounds in which somebody stood in the dark, over all risks of the table, on common deals."""
        dark = np.sum([sums["somebody_dark"] for sums in self.sums], axis=0)
        rounds = np.sum([sums["rounds"] for sums in self.sums], axis=0)
        together = DealSums(self.sums[0].deals, {"games": self.sums[0]["games"], "dark": dark})
        return together.told("dark", int(rounds[0]), event=True)

    @cached_property
    def why_never_dark(self) -> str:
        """Where nobody was ever in the dark: why, as far as the games tell; '' elsewhere."""
        if self.somebody_dark.value > 0:
            return ""
        if all(not sums["dark_exists"].any() for sums in self.sums):
            return "these rules have no darkness"
        if all((sums["others_below_maximum"] == 0).all() for sums in self.sums):
            return "all the others mark the maximum and tie"
        return "nobody ever stood alone with the most marks"


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the avoider is member 0, and everybody who equals it."""
    rounds, rules, members = games.rounds, games.match.rules, focal_members(games.match)
    assert rounds is not None and isinstance(rules, StellaRules)
    others = [member for member in range(rules.players) if member not in members] or members
    dark, fallen = rounds.dark[:, :, members], rounds.fallen[:, :, members]
    erased = rounds.erased[:, :, members].sum((1, 2), dtype=np.int64)
    made = outcomes(games)
    return DealSums.collect(
        games.deal,
        **made,
        before_erasure=made["points"] + erased,
        erased=erased,
        marks=rounds.marks[:, :, members].sum((1, 2), dtype=np.int64),
        dark=dark.sum((1, 2)),
        fallen=fallen.sum((1, 2)),
        both=(dark & fallen).sum((1, 2)),
        rounds=np.full(len(games), rounds.dark.shape[1]),
        dark_exists=np.full(len(games), rules.darkness != "off"),
        others_below_maximum=(rounds.marks[:, :, others] < rules.maximum_marks).sum((1, 2)),
        somebody_dark=rounds.dark.any(2).sum(1),
    )


def answer(settings: DarknessRisk, context: Context) -> Result:
    """Play all tables, compare risks, measure the best again on fresh deals."""
    import pandas as pd

    risks = tuple(sorted(set(settings.risks)))
    tables = [
        _table(settings, context, players, field, risks) for field in settings.fields for players in settings.players
    ]
    frame = pd.concat([_rows(table) for table in tables], ignore_index=True)
    reference = [table for table in tables if table.field == settings.fields[0]]
    return Result(
        summary=frame,
        table=_printed(frame),
        tables={"best": pd.DataFrame([_best_row(table) for table in tables])},
        figure=_figure(tables, settings),
        sentence=_sentence(reference),
        notes=_notes(tables, settings),
    )


def _table(settings: DarknessRisk, context: Context, players: int, field: str, risks: Sequence[float]) -> Table:
    rules = context.rules("stella", players=players)
    others = [make("stella", field)] * (players - 1)
    matches = {
        f"{risk:g}": sim.Match([make("stella", f"avoider:risk={risk:g}"), *others], rules, context.world)
        for risk in risks
    }
    sums = context.play_all(matches, per_deal)
    table = Table(players, field, rules.rounds, tuple(risks), tuple(sums.values()), Estimate(np.nan), Estimate(np.nan))

    def again(best: BestSettings, column: str, per: float) -> Estimate:
        match = matches[f"{risks[best.index]:g}"]
        return measure_again(
            lambda first, n: context.play(match, per_deal, n, first).per(column, per),
            settings.n_deals,
            settings.n_deals,
        )

    return replace(
        table,
        fresh_win_share=again(table.best_by_win_share, "win", players * WIN_UNIT),
        fresh_margin=again(table.best_by_margin, "margin", players * (players - 1)),
    )


def _rows(table: Table) -> pd.DataFrame:
    """One row per risk. Means per game or per round of the avoider, over deals; intervals are 95 %."""
    import pandas as pd

    games, rounds = table.players, table.players * table.rounds
    columns: dict[str, Any] = {
        "field": table.field,
        "players": table.players,
        "risk": table.risks,
        "n_deals": [len(sums) for sums in table.sums],
        "n_games": [int(sums["games"].sum()) for sums in table.sums],
    }
    for name, column, per in (
        ("win_share", "win", games * WIN_UNIT),
        ("margin", "margin", games * (table.players - 1)),
        ("points_per_game", "points", games),
        ("points_per_round", "points", rounds),
        ("marks_per_round", "marks", rounds),
        ("dark_share_of_rounds", "dark", rounds),
        ("fallen_share_of_rounds", "fallen", rounds),
        ("dark_and_fallen_share_of_rounds", "both", rounds),
        ("erased_stars_per_game", "erased", games),
    ):
        columns |= table.estimates(column, per).columns(name)
    columns |= table.price_of_caution().columns("price_of_caution_per_game")
    columns["fair_share"] = 1 / table.players
    columns["best_by_win_share"] = table.best_by_win_share.inside
    columns["best_by_margin"] = table.best_by_margin.inside
    return pd.DataFrame(columns)


def _best_row(table: Table) -> dict[str, Any]:
    """The settings that cannot be told from the best, and the best one's value on fresh deals."""
    labels = [f"{risk:g}" for risk in table.risks]
    by_wins, by_margin = table.best_by_win_share, table.best_by_margin
    dark = table.somebody_dark
    row: dict[str, Any] = {
        "field": table.field, "players": table.players, "n_deals": by_wins.n, "n_fresh_deals": table.fresh_win_share.n,
        "best_by_win_share": by_wins.words(labels), "highest_win_share_at": labels[by_wins.index],
        "fresh_win_share": table.fresh_win_share.value, "fresh_win_share_low": table.fresh_win_share.low,
        "fresh_win_share_high": table.fresh_win_share.high, "fair_share": 1 / table.players,
        "best_by_margin": by_margin.words(labels), "highest_margin_at": labels[by_margin.index],
        "fresh_margin": table.fresh_margin.value, "fresh_margin_low": table.fresh_margin.low,
        "fresh_margin_high": table.fresh_margin.high,
        "somebody_dark_share_of_rounds": dark.value, "somebody_dark_share_of_rounds_low": dark.low,
        "somebody_dark_share_of_rounds_high": dark.high,
    }  # fmt: skip
    return row


def _printed(frame: pd.DataFrame) -> pd.DataFrame:
    """The main table: the answer and what lies behind it."""
    shown = ["field", "players", "risk", "win_share", "margin", "points_per_round", "marks_per_round"]
    shown += [
        "dark_share_of_rounds",
        "dark_and_fallen_share_of_rounds",
        "erased_stars_per_game",
        "price_of_caution_per_game",
    ]
    names = [name + end for name in shown for end in ("", "_low", "_high") if name + end in frame.columns]
    table = frame[names].copy()
    table["best"] = np.where(frame["best_by_win_share"], "*", "")
    short = {
        "points_per_round": "points/round", "marks_per_round": "marks/round", "dark_share_of_rounds": "dark/round",
        "dark_and_fallen_share_of_rounds": "dark+fallen/round", "erased_stars_per_game": "erased/game",
        "price_of_caution_per_game": "caution/game",
    }  # fmt: skip
    renamed = {long + end: name + end for long, name in short.items() for end in ("", "_low", "_high")}
    return table.rename(columns=renamed)


def _sentence(reference: Sequence[Table]) -> str:
    """The answer in the reference field."""
    field = reference[0].field
    parts = []
    for table in reference:
        best = table.best_by_win_share
        erased = table.estimates("erased", table.players)[best.index]
        caution = table.price_of_caution()[best.index]
        labels = [f"{risk:g}" for risk in table.risks]
        parts.append(
            f"{table.players} players: risk {best.words(labels)}, win share {table.fresh_win_share.short()} on fresh "
            f"deals (fair {1 / table.players:.3g}), {erased.short()} stars erased and {caution.short()} points forgone "
            "by caution"
        )
    n = reference[0].best_by_win_share.n
    if all(table.why_never_dark for table in reference):
        answers = "; ".join(
            f"{table.players} players: {table.best_by_win_share.words([f'{risk:g}' for risk in table.risks])}"
            for table in reference
        )
        return (
            f"Among `{field}` nobody is ever in the dark ({reference[0].why_never_dark}; n = {n:,} deals each), so no "
            f"risk costs anything: by win share the best are {answers}."
        )
    return f"Best risks of darkness by win share among `{field}`, per game, n = {n:,} deals each: {'; '.join(parts)}."


def _notes(tables: Sequence[Table], settings: DarknessRisk) -> list[str]:
    notes = [
        "win share: games won by the avoider / its games (ties shared); margin: own points minus the mean of the "
        "others', per game; dark/round: rounds in the dark / rounds; caution/game: points before erasure with the "
        "highest risk minus those with this risk; * not told from the best by win share. Intervals: 95 %, over deals; "
        "of what never happened, the share of deals that may show it."
    ]
    for table in tables:
        dark = table.somebody_dark
        if table.why_never_dark:
            notes.append(
                f"{table.players} players, `{table.field}`: nobody was ever in the dark (in a share of deals below "
                f"{dark.high:.2g}, 95 %; n = {dark.n:,} deals): {table.why_never_dark}, so every risk is safe. The "
                "field decides."
            )
        else:
            notes.append(f"{table.players} players, `{table.field}`: somebody in the dark in {dark} of rounds.")
    return notes


def _figure(tables: Sequence[Table], settings: DarknessRisk) -> Figure:
    """Win share over risk, and below what risk does to marks and darkness; one column per number of players."""
    fields = " or ".join(settings.fields)
    title = (
        "How much risk of darkness should one take? One player accepts a risk and marks as many cards as it allows;\n"
        f"the others are {fields}. 95 % intervals over {settings.n_deals:,} deals, each played in every seat."
    )
    figure, axes = plots.player_panels(settings.players, rows=3, title=title)
    column = {players: i for i, players in enumerate(settings.players)}
    for table in tables:
        top, middle, bottom = axes[:, column[table.players]]
        index = settings.fields.index(table.field)
        wins = table.estimates("win", table.players * WIN_UNIT)
        plots.line(top, table.risks, wins, index, label=f"among {table.field}")
        plots.line(
            middle, table.risks, table.estimates("marks", table.players * table.rounds), index, f"among {table.field}"
        )
        if index == 0:
            plots.best_band(top, table.risks, table.best_by_win_share, label=f"{plots.NOT_TOLD}, among {table.field}")
            plots.reference(top, 1 / table.players, "fair share")
            rounds = table.players * table.rounds
            plots.line(bottom, table.risks, table.estimates("dark", rounds), 2, f"in the dark, among {table.field}")
            plots.line(
                bottom,
                table.risks,
                table.estimates("both", rounds),
                3,
                f"in the dark and fallen (stars erased), among {table.field}",
            )
            bottom.set_xlabel("accepted risk of standing alone\nwith the most marks")
        top.set_ylim(bottom=0)
        middle.set_ylim(bottom=0)
        bottom.set_ylim(bottom=0)
    for axis, label in zip(
        axes[:, 0], ("win share of the avoider", "its marks per round", "share of its rounds"), strict=True
    ):
        axis.set_ylabel(label)
    plots.legend(figure, axes, columns=3)
    return figure


EXPERIMENT = Experiment(
    name="darkness_risk",
    question="How much does darkness cost in Stella, and how much risk of it should one take?",
    settings=DarknessRisk,
    run=answer,
    games=("stella",),
    swept=("players",),
    examples=(
        "--quick",
        "--players 4 --risks 0 0.2 0.4 --n-deals 5000",
        "--set darkness=all_most",
        "--fields people avoider:risk=0.3",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
