"""The model of what clues mean, beside the figures of real people.

For every figure: what people did with its sampling interval, what the model gives with its own, and whether the two are
compatible, by a test that accounts for both. Figures without a usable number of rounds are shown and never tested.
Then the likelihood of the 46 rounds that people told, over agreement, vagueness and clarity_sd: what fits best, what is
not ruled out, whether the values in use are among it, and whether three players predict four and four three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

import sim
from agents.odyssey.storyteller import LIKE
from agents.registry import make
from experiments.calibrate import drawing, marks, words
from experiments.calibrate.comparing import Row, counted, mean_of_counts, same_shares, table
from experiments.calibrate.figures import Told, alike_rounds, figures, same_image_rounds, told
from experiments.calibrate.fits import fits
from experiments.calibrate.turns import first_turns
from experiments.lab.command import run
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate
from experiments.lab.experiment import Experiment, Result, Settings
from experiments.lab.statistics import clopper_pearson
from sim.odyssey import OdysseyRules

if TYPE_CHECKING:
    import pandas as pd

    from experiments.lab.context import Context

SETS = {
    "human_3_players": "people",
    "human_4_players": "people",
    "literal_5_players": "literal",
    "vague_5_players": "vague",
}
"""The rounds of the data file, and how `storyteller:like=...` names who told them."""
TITLES = {
    "human_3_players": "people, 3 players", "human_4_players": "people, 4 players",
    "literal_5_players": "literal language models, 5 players", "vague_5_players": "vague image models, 5 players",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Calibration(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 2_000, "replicates": 200}

    n_deals: Annotated[int, Ge(100)] = 20_000
    """Simulated turns for every figure (one a deal); a quarter as many Stella words, a tenth as many games."""
    replicates: Annotated[int, Ge(99)] = 2_000
    """Replicates of every bootstrap."""


def found_counts(games: sim.Games) -> DealSums:
    """How many voters found the storyteller's image, in games of one turn: 0, 1, ... as columns of 0 and 1."""
    rows = games.turn_rows
    assert rows is not None
    voters = games.match.rules.players - 1
    return DealSums.collect(games.deal[rows.game], by=rows.found[:, None] == np.arange(voters + 1))


def game_sums(games: sim.Games) -> DealSums:
    """Turns, mean score and winner's score of whole games."""
    assert games.turns is not None
    return DealSums.collect(
        games.deal, turns=games.turns, scores=games.scores.sum(1, dtype=np.int64), winner=games.scores.max(1)
    )


def mark_sums(games: sim.Games) -> DealSums:
    """Marks of everybody in whole games of Stella."""
    assert games.rounds is not None
    return DealSums.collect(games.deal, marks=games.rounds.marks.sum((1, 2), dtype=np.int64))


def answer(settings: Calibration, context: Context) -> Result:
    """Compare every figure, fit the rounds, predict one set from another."""
    import pandas as pd

    if not context.world.clarity_sd > 0:
        raise ValueError("world: calibration needs a clarity_sd above 0")
    sets = {name: told(name) for name in SETS}
    rules = {name: _rules(context, figure) for name, figure in sets.items()}
    with context.bar("comparing and fitting", len(SETS) + 4) as advance:
        rows: list[Row] = []
        for i, (name, figure) in enumerate(sets.items()):
            rows += _told_rows(settings, context, figure, rules[name], key=100 + i)
            advance(1)
        rows += _pair_rows(settings, context, rules["human_4_players"])
        rows += _mark_rows(settings, context) + _overlap_rows(settings, context)
        advance(1)
        rows += _shown_rows(settings, context, rules)
        advance(1)
        found = fits(
            context.world, sets, rules, settings.seed, settings.n_deals, settings.replicates, not settings.quick
        )
        advance(2)
    frame = table(rows)
    return Result(
        summary=frame,
        table=_printed(frame),
        tables={
            "fits": found.table,
            "cross": found.cross,
            "floors": found.floors,
            "marks": pd.DataFrame(marks.mark_fits(context.world, figures()["wikiart_marks"])),
        },
        figure=drawing.draw(rows, found, sets, TITLES),
        sentence=words.sentence(rows, found),
        notes=words.notes(context.world, settings.seed, settings.n_deals, rows, found),
    )


def _rules(context: Context, figure: Told) -> OdysseyRules:
    return context.rules(
        "odyssey",
        variant="standard",
        players=figure.players,
        images_handed_in=figure.images_handed_in,
        votes=1,
        max_turns=1,
    )


def _told_rows(settings: Calibration, context: Context, figure: Told, rules: OdysseyRules, key: int) -> list[Row]:
    """Rounds told: the engine's first turns against the counts."""
    like = SETS[figure.name]
    lineup = [make("odyssey", f"storyteller:like={like}")] * figure.players
    sums = context.play(sim.Match(lineup, rules, context.world), found_counts)
    return counted(
        TITLES[figure.name], figure.outcomes, "rounds", figure.counts, figure.grouped(sums["by"].sum(0)), key,
        settings.replicates, f"storyteller:like={like} (vagueness {LIKE[like]:g}), all take the best fit",
        figure.source,
    )  # fmt: skip


def _pair_rows(settings: Calibration, context: Context, rules: OdysseyRules) -> list[Row]:
    """Four players: do voters agree, on anything, and where they miss the image?"""
    turns = first_turns(context.world, rules, settings.seed, settings.n_deals, LIKE["people"])
    source = told("human_4_players").source
    model_is = f"storyteller:like=people (vagueness {LIKE['people']:g}), all take the best fit"
    worth = (0, 1, 3)
    seen, pairs = same_image_rounds(), np.bincount(turns.same_pairs, minlength=4)[[0, 1, 3]]
    few = turns.found.sum(1) <= 1
    alike = np.bincount(turns.same_pairs[few] > 0, minlength=2)
    yes, n = alike_rounds()
    return [
        Row(
            "people, 4 players: same image", "two voters choose the same image",
            "pairs of voters (clustered in rounds)",
            mean_of_counts(seen, worth, 3), mean_of_counts(pairs, worth, 3),
            same_shares(seen, pairs, 110, settings.replicates, worth), model_is, source,
        ),
        Row(
            "people, 4 players: same decoy", "two who miss the image choose the same decoy",
            "rounds found by 0 or 1 of 3",
            clopper_pearson(yes, n), clopper_pearson(int(alike[1]), int(alike.sum())),
            same_shares([n - yes, yes], alike, 111, settings.replicates), model_is,
            f"{source}; follows from the counts",
        ),
    ]  # fmt: skip


def _mark_rows(settings: Calibration, context: Context) -> list[Row]:
    """WikiArt: marks in Stella's terms, at the people's own rate of marking."""
    entry, rules = figures()["wikiart_marks"], context.rules("stella")
    n, mark = max(100, settings.n_deals // 4), float(entry["mark"])
    cards = rules.rows * rules.columns
    own, other = marks.marks_in_common(context.world, mark, settings.seed, n, cards, rules.players)
    match = sim.Match([make("stella", "people")] * rules.players, rules, context.world)
    played = context.play(match, mark_sums, max(100, settings.n_deals // 40))
    freely = played.mean("marks", per=rules.players * rules.rounds * cards)
    seen = marks.widest(entry["other_marks_given_mark"], entry["n"])
    r = [marks.latent_correlation(mark, mark * share) for share in (seen.value, seen.low, seen.high)]
    m = [marks.latent_correlation(mark, mark * share) for share in (other.value, other.low, other.high)]
    model_is = f"one threshold for all, at which {own.short()} of the cards are marked"
    p = marks.two_shares(seen.value, entry["n"], other)
    figure, source = "WikiArt marks", entry["source"]
    return [
        Row("WikiArt: rate of marking", "a person marks a card (or word)", "cards (or words) seen",
            Estimate(mark), freely, np.nan, "Stella `people`: another task, where one may mark freely", source),
        Row(figure, "another marks it, given that I do", "pairs of a mark and another person",
            seen, other, p, model_is, source),
        Row(figure, "latent correlation of two people's fits", "the same pairs (tetrachoric, over all words)",
            Estimate(r[0], r[1], r[2], entry["n"]), Estimate(m[0], m[1], m[2], n), p, model_is, source),
    ]  # fmt: skip


def _overlap_rows(settings: Calibration, context: Context) -> list[Row]:
    """Codenames: two people's best three of twelve."""
    entry, n = figures()["codenames_best_three"], max(100, settings.n_deals // 4)
    model = marks.overlap(context.world, settings.seed, n, entry["cards"], entry["chosen"], entry["listeners"])
    people = marks.widest(entry["set_overlap"], entry["n"])
    return [
        Row("Codenames: best three of twelve", "one person's choice is another's too", "choices of pairs of people",
            people, model, marks.two_shares(people.value, entry["n"], model), "a word that was aimed at no card",
            entry["source"])
    ]  # fmt: skip


def _shown_rows(settings: Calibration, context: Context, rules: Mapping[str, OdysseyRules]) -> list[Row]:
    """Figures without a usable n: beside the model, never tested."""
    data, rows = figures(), []
    four, five = rules["human_4_players"], rules["vague_5_players"]
    turns = first_turns(context.world, four, settings.seed, settings.n_deals, LIKE["people"])
    none, some, every = _cases(turns.counts)
    entry = data["human_tables"]
    for outcome, percent, model in zip(
        ("found by all", "found by none", "found by some"),
        entry["all_none_some_percent"],
        (every, none, some),
        strict=True,
    ):
        rows.append(
            Row("tables of people", outcome, "rounds", Estimate(percent / 100), model, np.nan,
                "storyteller:like=people, 4 players", entry["source"])
        )  # fmt: skip
    entry = data["vision_language_storytellers"]
    counts = first_turns(context.world, five, settings.seed, settings.n_deals, LIKE["vague"]).counts
    zero = clopper_pearson(int(counts[0] + counts[-1]), int(counts.sum()))
    rows.append(
        Row("vision-language storytellers", "the storyteller scores nothing", "rounds",
            Estimate(entry["zero_share"]), zero, np.nan, "storyteller:like=vague, 5 players", entry["source"])
    )  # fmt: skip
    entry = data["logged_games"]
    whole = context.rules("odyssey", variant="standard", players=4, images_handed_in=1, votes=1, max_turns=200)
    match = sim.Match([make("odyssey", "people")] * 4, whole, context.world)
    sums = context.play(match, game_sums, max(100, settings.n_deals // 10))
    for outcome, name, per, value in (
        ("turns per game", "turns", 1, "turns_mean"),
        ("final score, mean of all players", "scores", 4, "final_mean"),
        ("final score of the winner", "winner", 1, "winner_mean"),
    ):
        rows.append(
            Row("logged games to 30", outcome, "games", Estimate(entry[value]), sums.mean(name, per), np.nan,
                "Odyssey `people`, 4 players", entry["source"])
        )  # fmt: skip
    return rows


def _cases(counts: NDArray[np.int64]) -> list[Estimate]:
    """Shares of none, some, all."""
    grouped = (counts[0], counts[1:-1].sum(), counts[-1])
    return [clopper_pearson(int(x), int(counts.sum())) for x in grouped]


def _printed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[
        ["figure", "outcome", "people", "people_low", "people_high", "people_n", "model", "model_low", "model_high",
         "model_n", "p_value", "verdict"]
    ]  # fmt: skip


EXPERIMENT = Experiment(
    name="calibration",
    question="Is the model of what clues mean compatible with what people did, and which of its numbers do they fix?",
    settings=Calibration,
    run=answer,
    games=("odyssey", "stella"),
    swept=("variant", "images_handed_in", "votes", "max_turns"),
    examples=("--world people", "--set hand_size=7"),
)

if __name__ == "__main__":
    run(EXPERIMENT)
