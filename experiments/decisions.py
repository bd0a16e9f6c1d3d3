"""How much does each decision matter, in Odyssey and in Stella?

In an otherwise sensible agent one decision at a time is made at random, or always in the same extreme way
(`experiments.impaired`). What it then earns less is what the decision is worth: against the same agent unimpaired, in
the same seats, on the same deals, among the same others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from annotated_types import Ge, Le

import sim
from agents.registry import make
from experiments.impaired import ImpairedOdyssey, ImpairedStella
from experiments.lab import plots
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate
from experiments.lab.experiment import Experiment, Game, Result, Settings
from experiments.lab.focal import outcomes
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules
from sim.summary import WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

UNIMPAIRED = "nothing"
THINKS_AGAIN = "scout_again"
STANDARD = {
    "slot_first": "card to tell: always the first slot",
    "vagueness_random": "clue: vagueness at random",
    "vagueness_0": "clue: as literal as can be",
    "vagueness_1": "clue: as vague as can be",
    "hand_in_random": "hand in: at random",
    "hand_in_worst": "hand in: the worst fit",
    "vote_random": "vote: at random",
    "vote_worst": "vote: for the worst fit",
}
SECOND = {
    "second_never": "second vote: never",
    "second_random": "second vote: by a coin",
    "second_always": "second vote: always",
}
PARTY = {
    "hand_in_random": "hand in: at random",
    "hand_in_worst": "hand in: the worst fit",
    "vote_random": "vote: at random",
    "vote_worst": "vote: for the worst fit",
    "vote_own": "vote: always for the own image",
    "trap_random": "red token: at random",
    "trap_worst": "red token: on the worst fit",
}
STELLA = {
    "number_random": "number of marks: at random",
    "number_minimum": "number of marks: the fewest",
    "number_maximum": "number of marks: the most",
    "cards_random": "which cards: at random",
    "cards_worst": "which cards: the worst fits",
    "order_random": "order of revealing: at random",
    "order_boldest": "order of revealing: worst fit first",
    THINKS_AGAIN: "scouting: thinks again at every reveal",
}
"""What is changed, in words, for each situation."""
Spec = str


@dataclass(frozen=True, kw_only=True)
class Decisions(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 150}

    standard_players: Annotated[int, Ge(3), Le(12)] = 6
    """Odyssey, standard: number of players."""
    standard_agent: Spec = "storyteller:vagueness=0.5"
    """The sensible agent there."""
    second_players: Annotated[int, Ge(7), Le(12)] = 8
    """Odyssey with a second vote: number of players."""
    second_agent: Spec = "two_votes:margin=0.3"
    """The sensible agent there."""
    party_players: Annotated[int, Ge(6), Le(12)] = 6
    """Odyssey, party: number of players."""
    party_agent: Spec = "party:discount=0.7"
    """The sensible agent there."""
    stella_players: Annotated[int, Ge(2), Le(12)] = 4
    """Stella: number of players."""
    stella_agent: Spec = "avoider:risk=0.2"
    """The sensible agent there; it must not think again at every reveal."""
    stella_scout: Spec = "counting:risk=0.2"
    """The agent that marks like it, but thinks again at every reveal."""
    odyssey_field: Spec = "people"
    """The others at the tables of Odyssey."""
    stella_field: Spec = "people"
    """The others at the table of Stella."""


@dataclass(frozen=True)
class Situation:
    """A table at which one decision at a time is changed. changes: change -> words."""

    name: str
    game: Game
    rules: OdysseyRules | StellaRules
    agent: Spec
    others: Spec
    changes: Mapping[str, str]
    scout: Spec = ""

    @property
    def step(self) -> Literal["turn", "round"]:
        return "turn" if self.game == "odyssey" else "round"

    def match(self, change: str, world: Any) -> sim.Match:
        """The changed agent is member 0."""
        others = [make(self.game, self.others)] * (self.rules.players - 1)
        return sim.Match([self.changed(change), *others], self.rules, world)

    def changed(self, change: str) -> Any:
        if change == THINKS_AGAIN:
            return make(self.game, self.scout)
        kind: Any = ImpairedOdyssey if self.game == "odyssey" else ImpairedStella
        return kind(agent=self.agent, change=change)


@dataclass(frozen=True)
class Played:
    """A situation with per-deal sums, one for every change and one for the unimpaired agent."""

    situation: Situation
    unimpaired: DealSums
    changed: Mapping[str, DealSums]

    def lost(self, change: str, column: str) -> Estimate:
        """Points, or margin, of the unimpaired agent minus those of the changed one, per turn or round.

        Without an interval where the change made no difference on any deal.
        """
        other = self.changed[change]
        if np.array_equal(self.unimpaired[column], other[column]):
            return Estimate(0.0, n=len(other))
        return self.unimpaired.paired_ratio(other, column, "steps" if column == "points" else "margin_steps")

    def win_share_lost(self, change: str) -> Estimate:
        """Per game."""
        other = self.changed[change]
        if np.array_equal(self.unimpaired["win"], other["win"]):
            return Estimate(0.0, n=len(other))
        return self.unimpaired.paired(other, "win", self.situation.rules.players * WIN_UNIT)

    @property
    def points(self) -> Estimate:
        """Points per turn or round of the unimpaired agent."""
        return self.unimpaired.ratio("points", "steps")

    def sorted_changes(self) -> list[str]:
        return sorted(self.changed, key=lambda change: -self.lost(change, "points").value)


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed per deal; the changed agent is member 0.

    steps: turns or rounds of the games; margin: (players - 1) times the margin; margin_steps: its steps
    """
    rules = games.match.rules
    players = rules.players
    turns = games.turns
    steps = np.full(len(games), rules.rounds) if isinstance(rules, StellaRules) else np.asarray(turns)
    rows = games.turn_rows
    second = np.zeros(len(games), np.int64)
    if rows is not None:
        np.add.at(second, rows.game, rows.second_votes)
    return DealSums.collect(
        games.deal,
        **outcomes(games),
        steps=steps.astype(np.int64),
        margin_steps=steps.astype(np.int64) * (players - 1),
        second_votes=second,
    )


def answer(settings: Decisions, context: Context) -> Result:
    """Play every situation, unimpaired and with every change, on the same deals."""
    import pandas as pd

    situations = _situations(settings, context)
    matches = {
        (situation.name, change): situation.match(change, context.world)
        for situation in situations
        for change in (UNIMPAIRED, *situation.changes)
    }
    sums = context.play_all({f"{name}: {change}": match for (name, change), match in matches.items()}, per_deal)
    played = [
        Played(
            situation,
            sums[f"{situation.name}: {UNIMPAIRED}"],
            {change: sums[f"{situation.name}: {change}"] for change in situation.changes},
        )
        for situation in situations
    ]
    frame = pd.concat([_rows(each) for each in played], ignore_index=True)
    return Result(
        summary=frame,
        table=_printed(frame),
        figure=_figure(played),
        sentence=_sentence(played),
        notes=[*_notes(played), _further(played)],
    )


def _situations(settings: Decisions, context: Context) -> list[Situation]:
    def odyssey(variant: str, players: int) -> OdysseyRules:
        return context.rules("odyssey", variant=variant, players=players)

    s = settings
    return [
        Situation(
            f"Odyssey, {s.standard_players} players", "odyssey", odyssey("standard", s.standard_players),
            s.standard_agent, s.odyssey_field, STANDARD,
        ),
        Situation(
            f"Odyssey, {s.second_players} players, second vote", "odyssey", odyssey("standard", s.second_players),
            s.second_agent, s.odyssey_field, SECOND,
        ),
        Situation(
            f"Odyssey party, {s.party_players} players", "odyssey", odyssey("party", s.party_players), s.party_agent,
            s.odyssey_field, PARTY,
        ),
        Situation(
            f"Stella, {s.stella_players} players", "stella", context.rules("stella", players=s.stella_players),
            s.stella_agent, s.stella_field, STELLA, s.stella_scout,
        ),
    ]  # fmt: skip


def _rows(played: Played) -> pd.DataFrame:
    """One row per change, the costliest first. Losses over deals; intervals are 95 %."""
    import pandas as pd

    situation, rows = played.situation, []
    for change in played.sorted_changes():
        sums = played.changed[change]
        row: dict[str, Any] = {
            "situation": situation.name, "agent": situation.agent, "others": situation.others, "change": change,
            "decision": situation.changes[change], "per": situation.step, "n_deals": len(sums),
            "n_games": int(sums["games"].sum()), "n_steps": int(sums["steps"].sum()),
        }  # fmt: skip
        for name, estimate in (
            ("points_lost", played.lost(change, "points")),
            ("margin_lost", played.lost(change, "margin")),
            ("win_share_lost", played.win_share_lost(change)),
            ("unimpaired_points", played.points),
        ):
            row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _printed(frame: pd.DataFrame) -> pd.DataFrame:
    shown = ["situation", "decision", "per", "n_deals", "n_games"]
    for name in ("points_lost", "margin_lost", "win_share_lost", "unimpaired_points"):
        shown += [name, f"{name}_low", f"{name}_high"]
    return frame[shown]


def _sentence(played: Sequence[Played]) -> str:
    """The dearest decision of each situation, made at random."""
    parts = []
    for each in played:
        dearest = next(change for change in each.sorted_changes() if change.endswith("random"))
        parts.append(
            f"{each.situation.name}: {each.situation.changes[dearest]}, {each.lost(dearest, 'points').short()} of "
            f"{each.points.short()} points a {each.situation.step}"
        )
    n = len(played[0].unimpaired)
    return f"What costs most when made at random (points lost, n = {n:,} deals): {'; '.join(parts)}."


def _further(played: Sequence[Played]) -> str:
    """What each decision is worth, where it is made at random (or never, or anew)."""
    parts = []
    for each in played:
        told = [
            f"{each.situation.changes[change]} {each.lost(change, 'points').short()}"
            for change in each.sorted_changes()
            if change.endswith(("random", "first", "again", "never", "always"))
        ]
        parts.append(
            f"{each.situation.name} ({each.points.short()} a {each.situation.step} unimpaired): {'; '.join(told)}"
        )
    n = len(played[0].unimpaired)
    return f"Points lost per turn (Odyssey) or round (Stella), n = {n:,} deals: {'. '.join(parts)}."


def _notes(played: Sequence[Played]) -> list[str]:
    notes = [
        "points lost, margin lost: of the unimpaired agent minus those of the changed one, in the same seats on the "
        "same deals; final points (own minus the mean of the others') / turns or rounds of the games. win share lost: "
        "per game (ties shared). Below 0: the change is an improvement. A storyteller's decision counts in one turn of "
        "as many as there are players, a voter's in all others.",
        "The card to tell is worth nothing by construction: in this world no slot fits a clue better than another. The "
        "red token takes points from others alone: it can cost margin, but no own points.",
    ]
    for each in played:
        for change, sums in each.changed.items():
            if all(np.array_equal(each.unimpaired[name], sums[name]) for name in sums.columns):
                why = (
                    f" `{each.situation.scout}` names the mark likeliest to be matched by now; where the own fit alone "
                    "tells cards apart, that is the best fit, as it was before the first reveal."
                )
                notes.append(
                    f"{each.situation.name}: '{each.situation.changes[change]}' changed no game at all."
                    + (why if change == THINKS_AGAIN else "")
                )
        if each.situation.changes is SECOND:
            used = {"unimpaired": each.unimpaired, **{SECOND[change]: sums for change, sums in each.changed.items()}}
            told = "; ".join(
                f"{words} {sums.ratio('second_votes', 'steps').short() if sums['second_votes'].any() else 0}"
                for words, sums in used.items()
            )
            notes.append(f"{each.situation.name}: second votes at the table per turn: {told}.")
    return notes


def _figure(played: Sequence[Played]) -> Figure:
    """Bars of points and of margin lost, the costliest on top; one panel per game, for their points differ in size."""
    panels = [[each for each in played if each.situation.game == game] for game in ("odyssey", "stella")]
    counts = [sum(len(each.changed) for each in panel) for panel in panels]
    title = "How much does each decision matter? One at a time is spoiled in an otherwise sensible agent"
    height = 0.36 * sum(counts) + 3.0
    figure, axes = plots.new_figure(2, 1, 10.0, height, title, gridspec_kw={"height_ratios": counts})
    for axis, panel in zip(axes[:, 0], panels, strict=True):
        _bars(axis, panel)
    plots.legend(figure, axes, columns=3)
    return figure


def _bars(axis: Axes, panel: Sequence[Played]) -> None:
    entries = [(each, change) for each in panel for change in each.changed]
    entries.sort(key=lambda entry: -entry[0].lost(entry[1], "points").value)
    place = np.arange(len(entries))
    for i, (column, words) in enumerate((("points", "own points lost"), ("margin", "margin over the others lost"))):
        lost = [each.lost(change, column) for each, change in entries]
        value = np.array([estimate.value for estimate in lost])
        low, high = (np.array([getattr(estimate, end) for estimate in lost]) for end in ("low", "high"))
        error = np.maximum(np.nan_to_num(np.array([value - low, high - value])), 0)
        axis.barh(
            place + 0.19 * (2 * i - 1), value, 0.38, xerr=error, label=f"{words} (95 % interval)", ecolor="black",
            capsize=2, error_kw={"elinewidth": 1}, **plots.bar_style(i),
        )  # fmt: skip
    labels = [f"{each.situation.changes[change]}{_where(each.situation)}" for each, change in entries]
    axis.set_yticks(place, labels)
    axis.set_ylim(len(entries) - 0.4, -0.6)
    axis.grid(False, axis="y")
    plots.reference(axis, 0, vertical=True)
    step = panel[0].situation.step
    whole = [f"{each.situation.name}: `{each.situation.agent}` earns {each.points.short()} a {step}" for each in panel]
    axis.set_title("\n".join(whole), fontsize=9.5, loc="left")
    axis.set_xlabel(f"lost per {step} of the game, in points (below 0: gained)")


def _where(situation: Situation) -> str:
    """What tells the situations of one panel apart."""
    return {id(SECOND): f" ({situation.rules.players} players)", id(PARTY): " (party)"}.get(id(situation.changes), "")


EXPERIMENT = Experiment(
    name="decisions",
    question="How much does each decision matter, in Odyssey and in Stella?",
    settings=Decisions,
    run=answer,
    games=("odyssey", "stella"),
    swept=("players", "variant"),
    examples=(
        "--standard-players 4 --standard-agent storyteller:vagueness=0.6",
        "--stella-players 3 --stella-field greedy",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
