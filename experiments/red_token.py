"""Odyssey, Party: where should the red token go, and how should one vote when it exists?

One contestant sits among a field of others, everybody in every seat on the same deals. As to placing, all contestants
vote alike (`party`) and differ in where their token goes as storyteller; as to voting, they differ in what they vote.
The field decides: in the first one storytellers vote for their favourite, so the token lies on another image; in the
second they bluff, and the token lies on the favourite. What a storyteller who knew all votes could have had is computed
from the recorded votes of some games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

import numpy as np
from annotated_types import Ge, Le, MinLen

import sim
from agents.choice import best, best_k
from agents.odyssey.base import Indices
from agents.odyssey.party import Party
from agents.registry import make
from experiments.lab import plots
from experiments.lab.best import BestSettings, best_settings, measure_again
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.lab.focal import focal_members, is_focal, outcomes
from sim.odyssey import OdysseyRules, score_turn
from sim.odyssey.views import TrapView
from sim.replay import trace
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

Place = Literal["best", "second", "votes", "random", "worst"]
PLACES: Mapping[str, str] = {
    "best": "the best image it may take",
    "second": "the second best it may take",
    "votes": "where it expects most green votes",
    "random": "any image at random",
    "worst": "the worst image (wasted)",
}
"""What a placing is called."""
Players = Annotated[int, Ge(6), Le(12)]
Discount = Annotated[float, Ge(0), Le(10)]
Lead = Annotated[float, Ge(0), Le(20)]


@dataclass(frozen=True)
class Placed(Party):
    """Votes as `party`, and puts the red token on the `place` image among those that it may take.

    best, second, worst: by the own fit. random: uniform. votes: where most green votes are to be expected, as `best`
    with the own image less `discount`, for to others the best of a hand looks less good than to its owner.
    """

    place: Place = "best"

    def trap(self, view: TrapView) -> Indices:
        if self.place == "random":
            return best(view.random.uniform(view.fit.shape[-1]), view.legal)
        if self.place == "worst":
            return best(-view.fit, view.legal)
        if self.place == "votes":
            return best(view.fit - np.float32(self.discount) * view.own, view.legal)
        rank = 2 if self.place == "second" else 1
        return best_k(view.fit, rank, view.legal)[..., -1]


@dataclass(frozen=True, kw_only=True)
class RedToken(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {
        "n_deals": 60, "n_foreseen": 20, "players": (6, 10), "discounts": (0.0, 0.7, 10.0), "leads": (0.5, 2.0)
    }  # fmt: skip

    n_deals: Annotated[int, Ge(1)] = 400
    """Deals for every table; each is played once per seating."""
    players: Annotated[tuple[Players, ...], MinLen(1)] = (6, 8, 10)
    """Numbers of players, one table each."""
    discounts: Annotated[tuple[Discount, ...], MinLen(1)] = (0.0, 0.35, 0.7, 1.05, 1.4, 10.0)
    """By how much a voter likes the own image less than it looks; 0 honest, 10 never votes for it."""
    leads: Annotated[tuple[Lead, ...], MinLen(1)] = (0.25, 0.5, 1.0, 2.0)
    """A wary voter takes the second choice unless the favourite leads by this much."""
    fields: Annotated[tuple[str, ...], MinLen(1)] = ("party", "bluff")
    """Specs of the others at the table; the first is the reference field."""
    n_foreseen: Annotated[int, Ge(2)] = 150
    """Deals for what a storyteller with foresight could have had, per table, everybody playing like the field."""


@dataclass(frozen=True)
class Contestant:
    """part: voting or placing; label: for figures and tables; spec: the agent."""

    part: Literal["voting", "placing"]
    label: str
    spec: str


@dataclass(frozen=True)
class Table:
    """All contestants in one field with one number of players: per-deal sums, one per contestant."""

    players: int
    field: str
    contestants: tuple[Contestant, ...]
    sums: tuple[DealSums, ...]
    foreseen: DealSums
    fresh: Mapping[str, Estimate]

    def of(self, part: str) -> list[int]:
        return [i for i, contestant in enumerate(self.contestants) if contestant.part == part]

    def estimates(self, column: str, per: float) -> Estimates:
        """Means over deals, one per contestant, a deal's sum divided by `per`. No interval for what never varies."""
        return Estimates.stack([sums.told(column, per) for sums in self.sums])

    def best(self, part: str, column: str = "margin") -> BestSettings:
        """The contestants of one part that can be the best. column: margin or win (per game)."""
        per = self.players * (self.players - 1) if column == "margin" else self.players * WIN_UNIT
        return best_settings(np.stack([self.sums[i].per(column, per) for i in self.of(part)], axis=1))

    def words(self, part: str, column: str = "margin") -> str:
        """The contestants of one part that cannot be told from the best, the one of the highest mean first."""
        found = self.best(part, column)
        labels = [self.contestants[i].label for i in self.of(part)]
        others = [label for i, label in enumerate(labels) if found.inside[i] and i != found.index]
        return " or ".join([labels[found.index], *others])

    def margin_of(self, spec: str) -> Estimate:
        """Points ahead of the others' mean per game of one contestant."""
        index = next(i for i, contestant in enumerate(self.contestants) if contestant.spec == spec)
        return self.estimates("margin", self.players * (self.players - 1))[index]


def contestants_of(settings: RedToken) -> tuple[Contestant, ...]:
    """Who is compared: what they vote, and where their token goes. `party` as it stands is in both parts."""
    voting = [
        Contestant("voting", _discount_label(d), f"party:discount={d:g}") for d in sorted(set(settings.discounts))
    ]
    voting += [
        Contestant("voting", f"wary of traps, lead {lead:g}", f"wary:lead={lead:g}")
        for lead in sorted(set(settings.leads))
    ]
    voting.append(Contestant("voting", "as party, but bluff as storyteller", "bluff"))
    placing = [
        Contestant("placing", PLACES[place], f"experiments.red_token:Placed:place={place}") for place in get_args(Place)
    ]
    placing.append(Contestant("placing", "the own favourite (bluff)", "bluff"))
    return (*voting, *placing)


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the contestant is member 0, or everybody who equals it.

    Either way a deal adds up `players` of them: one in every seating, or all of the only seating. As storyteller: in
    own turns; as voter: in the turns of others. Points never fall below 0 in Party, so scores are sums of turns.
    """
    rows, members = games.turn_rows, focal_members(games.match)
    assert rows is not None
    players = len(games.match.agents)
    told = is_focal(games, rows.game, rows.storyteller)
    sums = DealSums.collect(games.deal, **outcomes(games))
    telling, others = rows.storyteller_points.astype(np.int64), rows.others_points.astype(np.int64)
    sums = sums.with_rows(
        games.deal[rows.game],
        tells=told,
        votes=len(members) - told.astype(np.int64),
        told_points=np.where(told, telling, 0),
        told_margin=np.where(told, telling * (players - 1) - others, 0),
        others_points=np.where(told, others, 0),
    )
    more = {"vote_points": sums["points"] - sums["told_points"], "vote_margin": sums["margin"] - sums["told_margin"]}
    return DealSums(sums.deals, {**sums.columns, **more})


def answer(settings: RedToken, context: Context) -> Result:
    """Play all tables, compare contestants, measure the best again on fresh deals, look at what foresight could do."""
    import pandas as pd

    tables = [_table(settings, context, players, field) for field in settings.fields for players in settings.players]
    frame = pd.concat([_rows(table) for table in tables], ignore_index=True)
    foresight = pd.DataFrame([_foresight_row(table) for table in tables])
    return Result(
        summary=frame,
        table=_printed(frame),
        tables={"best": pd.DataFrame([row for table in tables for row in _best_rows(table)]), "foresight": foresight},
        figure=_figure(tables, settings),
        sentence=_sentence([table for table in tables if table.field == settings.fields[0]], settings),
        notes=_notes(tables),
    )


def _table(settings: RedToken, context: Context, players: int, field: str) -> Table:
    rules = context.rules("odyssey", variant="party", players=players)
    if not rules.trap:
        raise ValueError("trap = false: there is no red token to place; must be true")
    contestants, others = contestants_of(settings), [make("odyssey", field)] * (players - 1)
    matches = {
        contestant.spec: sim.Match([make("odyssey", contestant.spec), *others], rules, context.world)
        for contestant in contestants
    }
    played = context.play_all(matches, per_deal)
    everybody = sim.Match([others[0]] * players, rules, context.world)
    parts = []
    with context.bar(f"foresight, {players} players", settings.n_foreseen) as advance:
        for deal in range(settings.n_foreseen):
            parts.append(foresee(everybody, settings.seed, deal))
            advance(1)
    sums = tuple(played[contestant.spec] for contestant in contestants)
    table = Table(players, field, contestants, sums, DealSums.merge(parts), {})
    fresh = {}
    for part in ("voting", "placing"):
        match = matches[contestants[table.of(part)[table.best(part).index]].spec]

        def margins(first: int, n: int, match: sim.Match = match) -> Any:
            return context.play(match, per_deal, n, first).per("margin", players * (players - 1))

        again = measure_again(margins, settings.n_deals, settings.n_deals)
        fresh[part] = again if again.half_width > 0 else Estimate(again.value, n=again.n)
    return Table(players, field, contestants, sums, table.foreseen, fresh)


# Foresight ------------------------------------------------------------------------------------------------------------


def foresee(match: sim.Match, seed: int, deal: int) -> DealSums:
    """What the red token could have done in every turn of one game, had the storyteller known all votes.

    The recorded votes are scored again. Nothing else in a game hangs on the token, so the rest of it stays as it was.
    Sums over the turns; margins are (players - 1) times the storyteller's points minus the others' mean.
    turns; hits: the token lay on an image with two votes or more; votes_under, taken: green votes under it, points it
    took; actual, without, at_random: margin as played, without a token, averaged over the images that it may take;
    foreseen: the best image that it may take; foreseen_vote: the best pair of own vote and token.
    """
    rules = match.rules
    assert isinstance(rules, OdysseyRules)
    count = rules.players
    images = np.arange(count)
    rows: list[dict[str, float]] = []
    for turn in trace(match, seed, deal).turns:
        teller, owners = turn["storyteller"], np.array(turn["owners"])
        votes, trap = np.array(turn["votes"]), turn["trap"]
        # every own vote (first axis) with every image for the token
        cast = np.repeat(votes[None], count * count, axis=0)
        own_vote, token = np.repeat(images, count), np.tile(images, count)
        cast[:, teller, 0] = own_vote
        allowed = (own_vote != token) | rules.trap_may_match_own_vote
        points = np.zeros((count * count, count), np.int64)
        points[allowed] = score_turn(
            rules, teller, np.repeat(owners[None], allowed.sum(), axis=0), cast[allowed], token[allowed]
        )
        margin = (points[:, teller] * count - points.sum(1)).reshape(count, count)
        may = allowed.reshape(count, count)
        voted = int(votes[teller, 0])
        green = (votes[:, 0, None] == images).sum(0)
        free = score_turn(rules.replace(trap=False, trap_may_match_own_vote=False), teller, owners[None], votes[None])[
            0
        ]
        without = int(free[teller] * count - free.sum())
        legal = margin[voted][may[voted]]
        rows.append({
            "turns": 1, "hits": int(green[trap] >= 2), "votes_under": int(green[trap]),
            "taken": int(free.sum() - points.reshape(count, count, count)[voted, trap].sum()),
            "actual": int(margin[voted, trap]), "without": without, "at_random": float(legal.mean()),
            "foreseen": int(legal.max()), "foreseen_vote": int(margin[may].max()),
        })  # fmt: skip
    return DealSums.collect(
        np.full(len(rows), deal), **{name: np.array([row[name] for row in rows]) for name in rows[0]}
    )


# What is told ---------------------------------------------------------------------------------------------------------


def _rows(table: Table) -> pd.DataFrame:
    """One row per contestant. Means per game and per turn; intervals are 95 %, over deals."""
    import pandas as pd

    games, unit = table.players, table.players - 1
    tells, votes = (int(table.sums[0][name][0]) for name in ("tells", "votes"))
    columns: dict[str, Any] = {
        "field": table.field,
        "players": table.players,
        "part": [contestant.part for contestant in table.contestants],
        "contestant": [contestant.label for contestant in table.contestants],
        "agent": [contestant.spec for contestant in table.contestants],
        "n_deals": [len(sums) for sums in table.sums],
        "n_games": [int(sums["games"].sum()) for sums in table.sums],
    }
    for name, column, per in (
        ("win_share", "win", games * WIN_UNIT),
        ("margin", "margin", games * unit),
        ("points_per_game", "points", games),
        ("points_per_turn_as_voter", "vote_points", votes),
        ("points_per_turn_as_storyteller", "told_points", tells),
        ("margin_per_turn_as_voter", "vote_margin", votes * unit),
        ("margin_per_turn_as_storyteller", "told_margin", tells * unit),
        ("others_points_per_turn_as_storyteller", "others_points", tells * unit),
    ):
        columns |= table.estimates(column, per).columns(name)
    columns["fair_share"] = 1 / table.players
    inside = {
        (part, name): table.best(part, name).inside for part in ("voting", "placing") for name in ("margin", "win")
    }
    for name, column in (("best_by_margin", "margin"), ("best_by_win_share", "win")):
        columns[name] = np.concatenate([inside["voting", column], inside["placing", column]])
    return pd.DataFrame(columns)


def _best_rows(table: Table) -> list[dict[str, Any]]:
    """Per part: the contestants that cannot be told from the best, and the best one's margin on fresh deals."""
    rows = []
    for part in ("voting", "placing"):
        labels, by_margin = [table.contestants[i].label for i in table.of(part)], table.best(part)
        fresh = table.fresh[part]
        rows.append({
            "field": table.field, "players": table.players, "part": part, "n_deals": by_margin.n,
            "n_fresh_deals": fresh.n,
            "best_by_margin": table.words(part), "highest_margin": labels[by_margin.index],
            "fresh_margin": fresh.value, "fresh_margin_low": fresh.low, "fresh_margin_high": fresh.high,
            "best_by_win_share": table.words(part, "win"), "fair_share": 1 / table.players,
        })  # fmt: skip
    return rows


def _foresight_row(table: Table) -> dict[str, Any]:
    """What the token did and could have done, per turn, everybody playing like the field."""
    row: dict[str, Any] = {
        "field": table.field, "players": table.players, "n_deals": len(table.foreseen),
        "n_turns": int(table.foreseen["turns"].sum()),
    }  # fmt: skip
    for name, estimate in foresight(table.foreseen, table.players).items():
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return row


def foresight(sums: DealSums, players: int) -> dict[str, Estimate]:
    """The columns of `foresee` per turn, with what foresight adds: headroom (of the token), headroom_with_vote."""
    unit = players - 1
    more = {
        "headroom": sums["foreseen"] - sums["actual"],
        "headroom_with_vote": sums["foreseen_vote"] - sums["actual"],
        "token_gain": sums["actual"] - sums["without"],
        "margin_turns": sums["turns"] * unit,
    }
    full = DealSums(sums.deals, {**sums.columns, **more})
    plain = {f"{name}_per_turn": full.ratio(name, "turns") for name in ("hits", "votes_under", "taken")}
    margins = (
        "without",
        "at_random",
        "actual",
        "foreseen",
        "foreseen_vote",
        "token_gain",
        "headroom",
        "headroom_with_vote",
    )
    return plain | {f"{name}_margin_per_turn": full.ratio(name, "margin_turns") for name in margins}


def _printed(frame: pd.DataFrame) -> pd.DataFrame:
    """The main table: the answer and what lies behind it."""
    shown = ["field", "players", "part", "contestant", "win_share", "margin", "points_per_turn_as_voter"]
    shown += ["points_per_turn_as_storyteller", "margin_per_turn_as_storyteller"]
    names = [name + end for name in shown for end in ("", "_low", "_high") if name + end in frame.columns]
    table = frame[names].copy()
    table["best"] = np.where(frame["best_by_margin"], "*", "")
    short = {
        "points_per_turn_as_voter": "points/voting turn", "points_per_turn_as_storyteller": "points/own turn",
        "margin_per_turn_as_storyteller": "margin/own turn",
    }  # fmt: skip
    return table.rename(
        columns={long + end: name + end for long, name in short.items() for end in ("", "_low", "_high")}
    )


def _sentence(reference: Sequence[Table], settings: RedToken) -> str:
    """The answer in the reference field."""
    wary = f"wary:lead={min(settings.leads):g}"
    parts = []
    for table in reference:
        seen = foresight(table.foreseen, table.players)
        worth, more = seen["token_gain_margin_per_turn"].short(), seen["headroom_margin_per_turn"].short()
        parts.append(
            f"{table.players} players: token on {table.words('placing')}; vote: {table.words('voting')} "
            f"({table.fresh['voting'].short()} points ahead per game on fresh deals; wary of traps "
            f"{table.margin_of(wary).short()}, bluff {table.margin_of('bluff').short()}); a token is worth {worth} "
            f"points ahead in a turn, with perfect foresight {more} more"
        )
    first = reference[0]
    n = f"n = {first.best('voting').n:,} deals each (foresight {len(first.foreseen):,})"
    return (
        f"Not told from the best by points ahead of the others' mean, among `{first.field}`, {n}: {'. '.join(parts)}."
    )


def _notes(tables: Sequence[Table]) -> list[str]:
    notes = [
        "win share: games won by the contestant / its games (ties shared); margin: own points minus the mean of the "
        "others', per game, and per turn that it tells itself (own turn); voting turn: another's turn; * not told from "
        "the best of its part by margin (95 %, over deals)."
    ]
    for table in tables:
        seen = {name: value.short() for name, value in foresight(table.foreseen, table.players).items()}
        notes.append(
            f"{table.players} players, all `{table.field}`: the token lies on an image with two votes or more in "
            f"{seen['hits_per_turn']} of turns and takes {seen['taken_per_turn']} points a turn; margin of the "
            f"storyteller per turn {seen['without_margin_per_turn']} without it, "
            f"{seen['actual_margin_per_turn']} as played, "
            f"{seen['foreseen_margin_per_turn']} with the best token for the votes, "
            f"{seen['foreseen_vote_margin_per_turn']} with the best vote and token (n = {len(table.foreseen):,} deals)."
        )
    return notes


def _figure(tables: Sequence[Table], settings: RedToken) -> Figure:
    """Margin per game by how one votes; margin of own turns by where the token goes; what foresight adds."""
    title = "Where should the red token go, and how should one vote?\n"
    title += f"One contestant at the table; the others are {' or '.join(settings.fields)}"
    contestants = contestants_of(settings)
    voting = [c.label for c in contestants if c.part == "voting"]
    placing = [c.label for c in contestants if c.part == "placing"]
    everybody = ["no token", "token as it is", "token by foresight", "vote and token by foresight"]
    seen = [*placing, *[f"all alike, {name}" for name in everybody]]
    figure, axes = plots.new_figure(
        2, len(settings.players), 3.1 * len(settings.players) + 2.2, 0.27 * (len(voting) + len(seen)) + 2.6, title,
        sharex="row", sharey="row", height_ratios=[len(voting), len(seen)],
    )  # fmt: skip
    column = {players: i for i, players in enumerate(settings.players)}
    for table in tables:
        top, bottom = axes[:, column[table.players]]
        index = settings.fields.index(table.field)
        shift = 0.16 * (2 * index - len(settings.fields) + 1)
        label, unit = f"among {table.field}", table.players - 1
        margins = table.estimates("margin", table.players * unit)
        _dots(
            top,
            np.arange(len(voting)) + shift,
            [margins[i] for i in table.of("voting")],
            index,
            label,
            table.best("voting"),
        )
        tells = int(table.sums[0]["tells"][0])
        told = table.estimates("told_margin", tells * unit)
        _dots(
            bottom,
            np.arange(len(placing)) + shift,
            [told[i] for i in table.of("placing")],
            index,
            label,
            table.best("placing"),
        )
        found = foresight(table.foreseen, table.players)
        rest = [found[f"{name}_margin_per_turn"] for name in ("without", "actual", "foreseen", "foreseen_vote")]
        _dots(bottom, np.arange(len(placing), len(seen)) + shift, rest, index)
        bottom.axhline(len(placing) - 0.5, color="0.35", linewidth=0.8)
        top.set_title(f"{table.players} players")
    for row, (names, label) in enumerate(((voting, "points ahead per game"), (seen, "points ahead per own turn"))):
        for axis in axes[row]:
            axis.set_yticks(np.arange(len(names)), names)
            axis.set_xlabel(label)
            plots.reference(axis, 0, vertical=True)
        axes[row, 0].set_ylim(len(names) - 0.4, -0.6)
    axes[0, 0].set_ylabel("how to vote")
    axes[1, 0].set_ylabel("where the red token goes")
    plots.legend(figure, axes, columns=3)
    return figure


def _dots(
    axis: Any, places: Any, parts: Sequence[Estimate], index: int, label: str = "", best: BestSettings | None = None
) -> None:
    """Values with their intervals, one above the other; filled: not told from the best."""
    found, look = Estimates.stack(parts), {**plots.style(index), "linestyle": "none"}
    error = np.maximum(np.nan_to_num(np.array([found.value - found.low, found.high - found.value])), 0)
    axis.errorbar(found.value, places, xerr=error, capsize=2.5, elinewidth=1, label=label or None, **look)
    if best is not None:
        filled = {**look, "markerfacecolor": look["color"], "zorder": 5}
        told = f"filled: {plots.NOT_TOLD}" if index == 0 else None
        axis.plot(found.value[best.inside], places[best.inside], label=told, **filled)


def _discount_label(discount: float) -> str:
    if discount == 0:
        return "honest (own image as it looks)"
    return "never the own image" if discount == 10 else f"own image less {discount:g}"


EXPERIMENT = Experiment(
    name="red_token",
    question="Where should the red token go in Odyssey's Party game, and how should one vote when it exists?",
    settings=RedToken,
    run=answer,
    games=("odyssey",),
    swept=("variant", "players"),
    examples=(
        "--quick",
        "--players 6 12 --n-deals 2000",
        "--set trap_may_match_own_vote=true",
        "--fields party wary:lead=0.5",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
