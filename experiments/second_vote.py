"""Odyssey with 7 to 12 players: when should a voter use the second vote?

One `two_votes` of every margin sits among a field of others, everybody in every seat on the same deals. The reference
field is `greedy`, best-fit voters who never use a second vote; the second field uses it itself. Beside the played games
every single vote of some games is weighed: with the others' votes as they were, what would a second vote have changed?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le, MinLen
from numpy.typing import NDArray

import sim
from agents.choice import best_k
from agents.registry import make
from experiments.lab import plots
from experiments.lab.best import BestSettings, best_settings, measure_again
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.lab.focal import focal_members, is_focal, outcomes
from sim.odyssey import OdysseyRules, score_turn
from sim.randomness import deal_keys
from sim.replay import trace
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

ALWAYS = 20.0
"""A margin that no two fits are apart: the second vote is always used."""
Players = Annotated[int, Ge(3), Le(12)]
Margin = Annotated[float, Ge(0), Le(ALWAYS)]


@dataclass(frozen=True, kw_only=True)
class SecondVote(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {
        "n_deals": 40, "n_weighed": 20, "players": (7, 12), "margins": (0.0, 0.3, 0.6, 1.2, ALWAYS)
    }  # fmt: skip

    n_deals: Annotated[int, Ge(1)] = 300
    """Deals for every table; each is played once per seating."""
    players: Annotated[tuple[Players, ...], MinLen(1)] = (7, 8, 10, 12)
    """Numbers of players, one table each."""
    margins: Annotated[tuple[Margin, ...], MinLen(2)] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, ALWAYS)
    """The second vote is used where the second best fit comes within this of the best; 0 never, 20 always."""
    fields: Annotated[tuple[str, ...], MinLen(1)] = ("greedy", "two_votes:margin=0.6")
    """Specs of the others at the table; the first is the reference field."""
    n_weighed: Annotated[int, Ge(2)] = 100
    """Deals of which every vote is weighed with and without a second one, per table."""


@dataclass(frozen=True)
class Table:
    """One `two_votes` of every margin in one field with one number of players: per-deal sums, one per margin."""

    players: int
    field: str
    margins: tuple[float, ...]
    sums: tuple[DealSums, ...]
    weighed: DealSums
    fresh_win_share: Estimate
    fresh_margin: Estimate

    def estimates(self, column: str, per: float) -> Estimates:
        """Means over deals, one per margin. per: what a deal's sum is divided by. No interval for what never varies."""
        return Estimates.stack([sums.told(column, per) for sums in self.sums])

    def ratios(self, numerator: str, denominator: str) -> Estimates:
        """Ratios of sums, one per margin."""
        return Estimates.stack([_ratio(sums, numerator, denominator) for sums in self.sums])

    def over_never(self, column: str, per: float) -> Estimates:
        """Differences to the lowest margin on the same deals, one per margin."""
        parts = [sums.paired(self.sums[0], column, per=per) for sums in self.sums[1:]]
        return Estimates.stack([Estimate(0.0, n=len(self.sums[0])), *parts])

    def used(self) -> Estimates:
        """Second votes per vote, one per margin; NaN where others at the table use second votes too."""
        if any(sums["others_second_votes"].any() for sums in self.sums):
            n = len(self.sums[0])
            return Estimates.stack([Estimate(np.nan, n=n)] * len(self.margins))
        return self.ratios("second_votes", "votes")

    @property
    def best_by_win_share(self) -> BestSettings:
        return best_settings(np.stack([sums.per("win", self.players * WIN_UNIT) for sums in self.sums], axis=1))

    @property
    def best_by_margin(self) -> BestSettings:
        per = self.players * (self.players - 1)
        return best_settings(np.stack([sums.per("margin", per) for sums in self.sums], axis=1))

    @property
    def best_by_vote(self) -> BestSettings:
        """The margin that gains most per weighed vote, in points ahead of the mean of the others."""
        return best_settings(self.weighed["gain_within"] / (self.weighed["votes"].mean() * (self.players - 1)))


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the voter in question is member 0, or everybody who equals it.

    Either way a deal adds up `players` voters: one in every seating, or all of the only seating. Points as a voter are
    the score less the raw points of the own clues. (Where house rules give a storyteller less than nothing, what the
    lowest score forgives is counted with them.)
    """
    rows, members = games.turn_rows, focal_members(games.match)
    assert rows is not None
    alone = len(members) < len(games.match.agents)
    told = is_focal(games, rows.game, rows.storyteller)
    sums = DealSums.collect(games.deal, **outcomes(games))
    sums = sums.with_rows(
        games.deal[rows.game],
        votes=len(members) - told.astype(np.int64),
        told_points=np.where(told, rows.storyteller_points, 0),
        second_votes=np.where(told & alone, 0, rows.second_votes),
        others_second_votes=np.where(told & alone, rows.second_votes, 0),
    )
    return DealSums(sums.deals, {**sums.columns, "vote_points": sums["points"] - sums["told_points"]})


def answer(settings: SecondVote, context: Context) -> Result:
    """Play all tables, compare margins, measure the best again on fresh deals, weigh single votes."""
    import pandas as pd

    margins = tuple(sorted(set(settings.margins)))
    tables = [
        _table(settings, context, players, field, margins) for field in settings.fields for players in settings.players
    ]
    frame = pd.concat([_rows(table) for table in tables], ignore_index=True)
    return Result(
        summary=frame,
        table=_printed(frame),
        tables={
            "best": pd.DataFrame([_best_row(table) for table in tables]),
            "votes": pd.concat([_vote_rows(table) for table in tables], ignore_index=True),
        },
        figure=_figure(tables, settings),
        sentence=_sentence([table for table in tables if table.field == settings.fields[0]]),
        notes=_notes(settings),
    )


def _table(settings: SecondVote, context: Context, players: int, field: str, margins: tuple[float, ...]) -> Table:
    rules = context.rules("odyssey", players=players)
    if rules.votes != 2:
        raise ValueError(
            f"players = {players}: votes = {rules.votes} leaves no second vote to use; must be 2 (--set votes=2)"
        )
    others = [make("odyssey", field)] * (players - 1)
    matches = {
        f"{margin:g}": sim.Match([make("odyssey", f"two_votes:margin={margin:g}"), *others], rules, context.world)
        for margin in margins
    }
    sums = tuple(context.play_all(matches, per_deal).values())
    everybody = sim.Match([others[0]] * players, rules, context.world)
    with context.bar(f"weighing votes, {players} players", settings.n_weighed) as advance:
        parts = []
        for deal in range(settings.n_weighed):
            parts.append(weigh(everybody, settings.seed, deal, margins))
            advance(1)
    played = Table(players, field, margins, sums, DealSums.merge(parts), Estimate(np.nan), Estimate(np.nan))

    def fresh(best: BestSettings, column: str, per: float) -> Estimate:
        match = matches[f"{margins[best.index]:g}"]
        again = measure_again(
            lambda first, n: context.play(match, per_deal, n, first).per(column, per),
            settings.n_deals,
            settings.n_deals,
        )
        return again if again.half_width > 0 else Estimate(again.value, n=again.n)

    return Table(
        players, field, margins, sums, played.weighed,
        fresh_win_share=fresh(played.best_by_win_share, "win", players * WIN_UNIT),
        fresh_margin=fresh(played.best_by_margin, "margin", players * (players - 1)),
    )  # fmt: skip


# One vote at a time ---------------------------------------------------------------------------------------------------


def weigh(match: sim.Match, seed: int, deal: int, margins: Sequence[float]) -> DealSums:
    """What a second vote would have changed, for every vote of one game, the others' votes as they were.

    Each voter's two best fits among the legal images are scored as one vote and as two. Per deal: votes; and for every
    bin of the gap between the two fits (a bin ends at each margin but the lowest), shape (1, bins): bin_votes,
    first_finds and second_finds (that image is the storyteller's), own_gain (points), gain (players - 1 times the
    points gained on the mean of the others). gain_within: the gain of all votes whose gap is below each margin.
    """
    rules = match.rules
    assert isinstance(rules, OdysseyRules)
    keys = deal_keys(seed, np.array([deal], np.int64))
    gaps, firsts, seconds, own_gains, gains = ([] for _ in range(5))  # type: ignore[var-annotated]
    for number, turn in enumerate(trace(match, seed, deal).turns):
        storyteller = turn["storyteller"]
        voters = np.array([seat for seat in range(rules.players) if seat != storyteller])
        images, owners = np.array([turn["images"]], np.int16), np.array(turn["owners"])
        card = np.array([turn["hands"][storyteller][turn["slot"]]], np.int16)
        reading = match.world.clue(keys, number, storyteller, card, np.array([turn["vagueness"]], np.float32))
        fit = match.world.fit_images(reading, voters, images)[0]
        choice = best_k(fit, 2, owners[None, :] != voters[:, None])
        fits = np.take_along_axis(fit, choice, axis=1)
        change = _with_two(rules, storyteller, owners, turn["votes"], voters, choice)
        own = change[np.arange(len(voters)), voters]
        found = owners[choice] == storyteller
        for out, values in zip(
            (gaps, firsts, seconds, own_gains, gains),
            (fits[:, 0] - fits[:, 1], found[:, 0], found[:, 1], own, own * rules.players - change.sum(1)),
            strict=True,
        ):
            out.append(values)
    gap, gain = np.concatenate(gaps), np.concatenate(gains)
    within = gap[:, None] < np.asarray(margins, np.float32)
    inside = (np.diff(within.astype(np.int8), axis=1) > 0).astype(np.int64)
    return DealSums.collect(
        np.full(len(gap), deal),
        votes=np.ones(len(gap), np.int64),
        gain_within=gain[:, None] * within,
        bin_votes=inside,
        first_finds=np.concatenate(firsts)[:, None] * inside,
        second_finds=np.concatenate(seconds)[:, None] * inside,
        own_gain=np.concatenate(own_gains)[:, None] * inside,
        gain=gain[:, None] * inside,
    )


def _with_two(
    rules: OdysseyRules,
    storyteller: int,
    owners: NDArray[Any],
    votes: list[list[int]],
    voters: NDArray[Any],
    choice: NDArray[Any],
) -> NDArray[np.int64]:
    """How the points of all sides change when one voter uses two votes instead of one: int64 (voters, sides)."""
    n = len(voters)
    points = []
    for second in (np.full(n, -1), choice[:, 1]):
        cast = np.repeat(np.array([votes]), n, axis=0)
        cast[np.arange(n), voters, 0] = choice[:, 0]
        cast[np.arange(n), voters, 1] = second
        points.append(score_turn(rules, storyteller, np.repeat(owners[None], n, axis=0), cast))
    return points[1] - points[0]


# What is told ---------------------------------------------------------------------------------------------------------


def _rows(table: Table) -> pd.DataFrame:
    """One row per margin. Means per game, per vote (turn of another storyteller); intervals are 95 %, over deals."""
    import pandas as pd

    games, ahead = table.players, table.players * (table.players - 1)
    columns: dict[str, Any] = {
        "field": table.field,
        "players": table.players,
        "within": table.margins,
        "n_deals": [len(sums) for sums in table.sums],
        "n_games": [int(sums["games"].sum()) for sums in table.sums],
        "n_votes": [int(sums["votes"].sum()) for sums in table.sums],
    }
    for name, estimates in (
        ("win_share", table.estimates("win", games * WIN_UNIT)),
        ("margin", table.estimates("margin", ahead)),
        ("margin_over_never", table.over_never("margin", ahead)),
        ("points_per_game", table.estimates("points", games)),
        ("points_per_turn_as_voter", table.ratios("vote_points", "votes")),
        ("second_votes_per_vote", table.used()),
    ):
        columns |= estimates.columns(name)
    columns["fair_share"] = 1 / table.players
    columns["best_by_win_share"] = table.best_by_win_share.inside
    columns["best_by_margin"] = table.best_by_margin.inside
    return pd.DataFrame(columns)


def _vote_rows(table: Table) -> pd.DataFrame:
    """One row per bin of the gap between a voter's two best fits."""
    import pandas as pd

    weighed, count = table.weighed, len(table.margins) - 1
    columns: dict[str, Any] = {
        "field": table.field, "players": table.players, "gap_from": table.margins[:-1], "gap_to": table.margins[1:],
        "n_deals": len(weighed), "n_votes": weighed["bin_votes"].sum(axis=0),
    }  # fmt: skip
    for name, column, unit in (
        ("first_finds", "first_finds", 1),
        ("second_finds", "second_finds", 1),
        ("own_points_gained", "own_gain", 1),
        ("margin_gained", "gain", table.players - 1),
    ):
        parts = [_bin(weighed, column, unit, i) for i in range(count)]
        columns |= Estimates.stack(parts).columns(name)
    return pd.DataFrame(columns)


def _best_row(table: Table) -> dict[str, Any]:
    """The margins that cannot be told from the best, and the best one's value on fresh deals."""
    labels = [_label(margin) for margin in table.margins]
    by_wins, by_margin, by_vote = table.best_by_win_share, table.best_by_margin, table.best_by_vote
    row: dict[str, Any] = {
        "field": table.field, "players": table.players, "n_deals": by_wins.n, "n_fresh_deals": table.fresh_win_share.n,
        "best_by_win_share": by_wins.words(labels), "highest_win_share_at": labels[by_wins.index],
        "fresh_win_share": table.fresh_win_share.value, "fresh_win_share_low": table.fresh_win_share.low,
        "fresh_win_share_high": table.fresh_win_share.high, "fair_share": 1 / table.players,
        "best_by_margin": by_margin.words(labels), "highest_margin_at": labels[by_margin.index],
        "fresh_margin": table.fresh_margin.value, "fresh_margin_low": table.fresh_margin.low,
        "fresh_margin_high": table.fresh_margin.high,
        "n_weighed_deals": by_vote.n, "best_by_single_votes": by_vote.words(labels),
        "highest_by_single_votes_at": labels[by_vote.index],
    }  # fmt: skip
    return row


def _printed(frame: pd.DataFrame) -> pd.DataFrame:
    """The main table: the answer and what lies behind it."""
    shown = [
        "field",
        "players",
        "within",
        "win_share",
        "margin",
        "margin_over_never",
        "points_per_turn_as_voter",
        "second_votes_per_vote",
    ]
    names = [name + end for name in shown for end in ("", "_low", "_high") if name + end in frame.columns]
    table = frame[names].copy()
    table["within"] = [_label(margin) for margin in frame["within"]]
    table["best"] = np.where(frame["best_by_margin"], "*", "")
    short = {
        "margin_over_never": "over never", "points_per_turn_as_voter": "points/vote",
        "second_votes_per_vote": "second/vote",
    }  # fmt: skip
    return table.rename(
        columns={long + end: name + end for long, name in short.items() for end in ("", "_low", "_high")}
    )


def _sentence(reference: Sequence[Table]) -> str:
    """The answer in the reference field."""
    parts = []
    for table in reference:
        labels, best = [_label(margin) for margin in table.margins], table.best_by_margin
        gained, used = table.over_never("margin", table.players * (table.players - 1)), table.used()[best.index]
        told = f"{table.fresh_margin.short()} points ahead per game on fresh deals"
        told += "" if np.isnan(used.value) else f", used in {used.short()} of votes"
        told += f"; always using it {gained[-1].short()} against never" if table.margins[-1] == ALWAYS else ""
        told += f"; by win share {table.best_by_win_share.words(labels)}"
        parts.append(f"{table.players} players: {best.words(labels)} ({told})")
    head = "Use the second vote when the second best fit is close behind the best. Gaps up to which that pays most, by "
    n = f"n = {reference[0].best_by_margin.n:,} deals each"
    return f"{head}points ahead of the others' mean among `{reference[0].field}`, {n}: {'; '.join(parts)}."


def _notes(settings: SecondVote) -> list[str]:
    return [
        "within: the second vote is used where the second best fit is less than this below the best (0 never, always: "
        "whatever the gap). win share: games won by this voter / its games (ties shared); margin: own points minus the "
        "mean of the others', per game; over never: margin minus that of the lowest setting on the same deals; "
        "points/vote: points in turns of other storytellers / such turns; second/vote: second votes used / such turns, "
        "where nobody else uses them (the choice rests on the own fits alone, so it is the same in any field); * not "
        "told from the best by margin (95 %, over deals).",
        f"votes.csv weighs single votes of {settings.n_weighed:,} deals per table: the same vote with and without a "
        "second one, all other votes as they were.",
    ]


def _figure(tables: Sequence[Table], settings: SecondVote) -> Figure:
    """Win share, margin and use over the setting; below, what a second vote adds by the gap. One column per table."""
    title = f"When should a voter use the second vote? One such voter; the others are {' or '.join(settings.fields)}"
    figure, axes = plots.player_panels(settings.players, rows=4, title=title)
    column = {players: i for i, players in enumerate(settings.players)}
    finite = [margin for margin in tables[0].margins if margin < ALWAYS]
    beyond = max(finite) * 1.4 or 1.0
    x = np.array([min(margin, beyond) for margin in tables[0].margins])
    for table in tables:
        wins, margin, use, gain = axes[:, column[table.players]]
        index = settings.fields.index(table.field)
        label = f"among {table.field}"
        plots.line(wins, x, table.estimates("win", table.players * WIN_UNIT), index, label)
        plots.line(margin, x, table.estimates("margin", table.players * (table.players - 1)), index, label)
        if index == 0:
            plots.best_band(margin, x, table.best_by_margin, label=f"{plots.NOT_TOLD}, {label}")
            plots.reference(wins, 1 / table.players, "fair share, or zero")
            plots.reference(margin, 0)
            plots.line(use, x, table.used(), index, label)
            plots.reference(gain, 0)
            _gain_lines(gain, table, x)
            use.set_ylim(0, 1.05)
            ticks = [0.0, *[m for m in (0.4, 0.8, 1.2) if m <= max(finite)]]
            always = [x[-1]] if table.margins[-1] == ALWAYS else []
            gain.set_xticks([*ticks, *always], [*[f"{m:g}" for m in ticks], *["always"] * len(always)])
            gain.set_xlabel("gap between the two best fits\n(upper rows: used below this gap)")
        wins.set_ylim(bottom=0)
    labels = (
        "win share",
        "points ahead per game",
        "second votes per vote",
        "points that a second vote\nadds to one vote",
    )
    for axis, label in zip(axes[:, 0], labels, strict=True):
        axis.set_ylabel(label)
    plots.legend(figure, axes, columns=3)
    return figure


def _gain_lines(axis: Any, table: Table, x: NDArray[Any]) -> None:
    """What a second vote adds to the own points, and to the points ahead, at the middle of every bin of the gap."""
    middles = (x[1:] + x[:-1]) / 2
    for style, (column, unit, label) in enumerate(
        (("own_gain", 1, "own points"), ("gain", table.players - 1, "points ahead of the others' mean")), 2
    ):
        parts = Estimates.stack([_bin(table.weighed, column, unit, i) for i in range(len(middles))])
        plots.line(axis, middles, parts, style, f"single votes, {label}")


def _label(margin: float) -> str:
    return "always" if margin == ALWAYS else f"{margin:g}"


def _bin(weighed: DealSums, column: str, unit: float, index: int) -> Estimate:
    """A ratio of sums per vote whose gap lies in one bin; NaN where there is none."""
    votes = weighed["bin_votes"][:, index]
    if np.count_nonzero(votes) < 2:
        return Estimate(np.nan, n=len(weighed))
    part = DealSums(weighed.deals, {"games": weighed["games"], "top": weighed[column][:, index], "votes": votes * unit})
    return part.ratio("top", "votes")


def _ratio(sums: DealSums, numerator: str, denominator: str) -> Estimate:
    estimate = sums.ratio(numerator, denominator)
    top, bottom = sums[numerator], sums[denominator]
    fixed = (top * bottom.sum() == bottom * top.sum()).all()
    return Estimate(estimate.value, n=estimate.n) if fixed else estimate


EXPERIMENT = Experiment(
    name="second_vote",
    question="When should a voter use the second vote in Odyssey with seven or more players?",
    settings=SecondVote,
    run=answer,
    games=("odyssey",),
    swept=("players",),
    examples=(
        "--quick",
        "--players 7 --margins 0 0.2 0.4 --n-deals 2000",
        "--set single_vote_bonus=0",
        "--fields greedy bayes",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
