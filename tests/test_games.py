"""Frames, summaries and their numbers, checked against plain pandas and scipy."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sim
from agents.registry import make
from oracle.hash_agents import ODYSSEY, STELLA
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

GAME_COLUMNS = ["deal", "seating", "member", "agent", "seat", "score", "win_share", "turns", "finished"]
SUMMARY_COLUMNS = [
    "agent", "members", "n_deals", "n_games", "unfinished", "score", "score_low", "score_high", "margin", "margin_low",
    "margin_high", "win_share", "win_share_low", "win_share_high", "chance_share",
]  # fmt: skip


def stella() -> sim.Match:
    people, top = make("stella", "people"), make("stella", "top:k=5")
    return sim.Match([people, top, people, make("stella", "random")], StellaRules())


def team() -> sim.Match:
    greedy, random = make("odyssey", "greedy"), make("odyssey", "random")
    return sim.Match([greedy, greedy, random, greedy, greedy, random], OdysseyRules(variant="team"))


@pytest.mark.parametrize("match", [stella(), team()], ids=["stella", "team"])
def test_summary_is_what_the_frame_says(match: sim.Match) -> None:
    games = sim.simulate(match, 80, seed=2)
    frame, sides = games.to_frame(), match.n_sides
    assert list(frame.columns) == GAME_COLUMNS
    assert len(frame) == len(games) * match.rules.players == 80 * match.seatings * match.rules.players
    side = frame["member"] % sides
    by_side = frame[frame["member"] < sides].groupby(["deal", "seating"])["score"].transform("sum")
    total = frame[["deal", "seating"]].merge(
        by_side.groupby([frame["deal"], frame["seating"]]).first().reset_index(name="total"), on=["deal", "seating"]
    )["total"]
    frame["margin"] = frame["score"] - (total - frame["score"]) / (sides - 1)
    assert side.max() == sides - 1
    summary = games.summary().to_frame()
    assert list(summary.columns) == SUMMARY_COLUMNS
    assert list(summary["agent"]) == list(dict.fromkeys(match.specs()))
    for row in summary.itertuples():
        mine = frame[frame["agent"] == row.agent]
        assert row.members == match.specs().count(row.agent)
        assert (row.n_deals, row.n_games, row.unfinished) == (80, len(games), 0)
        assert row.chance_share == 1 / sides
        for name in ("score", "margin", "win_share"):
            deals = mine.groupby("deal")[name].mean()
            low, high = stats.t.interval(0.95, 79, deals.mean(), stats.sem(deals))
            expected = (deals.mean(), low, high)
            assert np.allclose(
                (getattr(row, name), getattr(row, f"{name}_low"), getattr(row, f"{name}_high")), expected
            )


def test_win_shares_add_up_to_one_per_game() -> None:
    games = sim.simulate(sim.Match([make("stella", "random")] * 4, StellaRules(tie_break=())), 200, seed=2)
    assert np.allclose(games.win_shares.sum(1), 1)
    assert (games.winners.sum(1) > 1).any()


def test_symmetry_leaves_no_interval() -> None:
    summary = sim.simulate(sim.Match([make("stella", "people")] * 4, StellaRules()), 50, keep="summary").to_frame()
    row = summary.iloc[0]
    assert (row["margin"], row["win_share"]) == (0, 0.25)
    assert all(math.isnan(row[name]) for name in ("margin_low", "margin_high", "win_share_low", "win_share_high"))
    assert row["score_low"] < row["score"] < row["score_high"]


def test_partners_of_all_kinds_leave_no_interval_either() -> None:
    greedy, random = make("odyssey", "greedy"), make("odyssey", "random")
    match = sim.Match([greedy, greedy, greedy, random, random, random], OdysseyRules(variant="team"))
    for row in sim.simulate(match, 50, keep="summary").to_frame().itertuples():
        assert (row.margin, row.win_share) == (0, pytest.approx(1 / 3))
        assert math.isnan(row.margin_low) and math.isnan(row.win_share_high)


def test_who_never_wins_has_an_exact_interval() -> None:
    match = sim.Match([make("stella", "top:k=1"), *[make("stella", "greedy")] * 3], StellaRules())
    rows = sim.simulate(match, 100, keep="summary").to_frame().set_index("agent")
    assert rows.loc["top:k=1", "win_share"] == rows.loc["top:k=1", "win_share_low"] == 0
    assert rows.loc["top:k=1", "win_share_high"] == pytest.approx(stats.beta.ppf(0.975, 1, 100))
    assert rows.loc["greedy", "win_share"] == pytest.approx(1 / 3)


def test_one_deal_has_no_interval() -> None:
    row = sim.simulate(stella(), 1, keep="summary").to_frame().iloc[0]
    assert math.isnan(row["score_low"]) and math.isnan(row["win_share_high"])


def test_turns_frame() -> None:
    match = sim.Match([ODYSSEY[i % len(ODYSSEY)] for i in range(4)], OdysseyRules(players=4))
    games = sim.simulate(match, 40, seed=2)
    turns = games.turns_frame()
    assert list(turns.columns) == [
        "deal", "seating", "turn", "storyteller", "agent", "vagueness", "voters", "found", "case", "storyteller_points"
    ]  # fmt: skip
    assert len(turns) == games.turns.sum()
    assert (turns["storyteller"] == turns["turn"] % 4).all()
    assert (turns["agent"] == [match.specs()[m] for m in (turns["storyteller"] - turns["seating"]) % 4]).all()
    case = np.where(turns["found"] == 0, "none", np.where(turns["found"] == turns["voters"], "all", "some"))
    assert (turns["case"] == case).all()
    assert (turns["storyteller_points"] == np.where(case == "some", 3, 0)).all()
    with pytest.raises(ValueError, match="Stella"):
        games.rounds_frame()


def test_party_turns_have_no_vagueness_found_or_case() -> None:
    match = sim.Match([ODYSSEY[0]] * 6, OdysseyRules(variant="party"))
    turns = sim.simulate(match, 5).turns_frame()
    assert turns[["vagueness", "found", "case"]].isna().all().all()
    assert len(turns) == 5 * 6


def test_rounds_frame() -> None:
    match = sim.Match([STELLA[i % len(STELLA)] for i in range(4)], StellaRules(rounds=3))
    games = sim.simulate(match, 30, seed=2)
    rounds = games.rounds_frame()
    assert list(rounds.columns) == [
        "deal", "seating", "round", "member", "agent", "seat", "marks", "dark", "fallen", "sparks", "super_sparks",
        "erased", "points",
    ]  # fmt: skip
    assert len(rounds) == len(games) * 3 * 4
    assert (rounds["seat"] == (rounds["member"] + rounds["seating"]) % 4).all()
    totals = rounds.groupby(["deal", "seating", "member"])["points"].sum()
    assert (totals.to_numpy().reshape(-1, 4) == games.scores).all()
    earned = 2 * (rounds["sparks"] + rounds["super_sparks"]) + rounds["super_sparks"] - rounds["erased"]
    assert (earned == rounds["points"]).all()
    assert games.to_frame()["turns"].isna().all()
    with pytest.raises(ValueError, match="Odyssey"):
        games.turns_frame()


def test_games_that_overlap_or_differ_do_not_add_up() -> None:
    match = stella()
    games = sim.simulate(match, 20, seed=2)
    with pytest.raises(ValueError, match=r"deals? 15"):
        games + sim.simulate(match, 20, first_deal=15, seed=2)
    with pytest.raises(ValueError, match=r"deals 15 to 19"):
        games.summary() + sim.simulate(match, 20, first_deal=15, seed=2, keep="summary")
    other = sim.simulate(match, 20, first_deal=20, seed=3)
    for a, b in ((games, other), (games.summary(), other.summary())):
        with pytest.raises(ValueError, match="different matches or seeds"):
            a + b


def test_unfinished_games_are_counted_and_won_by_the_most_points() -> None:
    rules = OdysseyRules(players=4, target_score=500, max_turns=6)
    games = sim.simulate(sim.Match([make("odyssey", "greedy")] * 4, rules), 30)
    assert not games.finished.any()
    assert (games.turns == 6).all()
    assert (games.winners == (games.scores == games.scores.max(1, keepdims=True))).all()
    assert games.summary().to_frame()["unfinished"].tolist() == [30]


def test_a_reducer_gets_every_game_once() -> None:
    counts = sim.simulate(stella(), 300, keep=_count, block_deals=64)
    assert counts.sum() == 300 * 4
    assert (counts == 4).all()


def _count(games: sim.Games) -> pd.Series:
    counts = pd.Series(0, index=range(300))
    return counts.add(pd.Series(games.deal).value_counts(), fill_value=0)


def test_representations_name_n_and_intervals() -> None:
    games = sim.simulate(stella(), 30, seed=2)
    for text in (games._repr_html_(), repr(games.summary()), games.summary()._repr_html_()):
        assert "30 deals" in text
        assert " to " in text
    assert "120 games" in repr(games)
