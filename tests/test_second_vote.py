"""The experiment on the second vote: it is used, weighed votes are what games would have given, files repeat."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from agents.registry import make
from experiments.lab.command import compute, main
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Running
from experiments.second_vote import ALWAYS, EXPERIMENT, SecondVote, per_deal, weigh
from sim.odyssey import OdysseyRules
from sim.replay import trace

ROOT = Path(__file__).parent.parent
MARGINS = (0.0, 0.4, 0.8, ALWAYS)
SMALL = SecondVote(n_deals=40, n_weighed=6, players=(7,), margins=MARGINS)
ONCE = OdysseyRules(players=7, target_score=None, storyteller_turns=1)


def lineup(margin: float, field: str = "greedy", players: int = 7) -> list[object]:
    return [make("odyssey", f"two_votes:margin={margin:g}"), *[make("odyssey", field)] * (players - 1)]


def test_columns_are_what_the_games_say() -> None:
    match = sim.Match(lineup(0.5), OdysseyRules(players=7))
    games = sim.simulate(match, 4, seed=3)
    sums = per_deal(games)
    frame = games.to_frame()
    mine = frame[frame["member"] == 0].groupby("deal")
    assert (sums["points"] == mine["score"].sum()).all()
    assert np.allclose(sums["win"] / 27720, mine["win_share"].sum())
    rest = frame[frame["member"] != 0].groupby("deal")["score"].sum()
    assert np.allclose(sums["margin"] / 6, mine["score"].sum() - rest / 6)
    for deal in range(4):
        votes, used, points, told = 0, 0, 0, 0
        for seat in range(7):
            for turn in trace(match, 3, deal, seat).turns:
                if turn["storyteller"] == seat:
                    told += turn["points"][seat]
                else:
                    votes, points = votes + 1, points + turn["points"][seat]
                    used += turn["votes"][seat][1] >= 0
        expected = {"votes": votes, "second_votes": used, "vote_points": points, "told_points": told}
        assert {name: sums[name][deal] for name in expected} == expected
    assert 0 < sums["second_votes"].sum() < sums["votes"].sum()
    assert not sums["others_second_votes"].any()


def test_equals_count_in_every_seat() -> None:
    """All alike: one seating, which counts for every member, so that its sums compare with those of the others."""
    alike = per_deal(sim.simulate(sim.Match(lineup(0.4, "two_votes:margin=0.4"), ONCE), 5, seed=1))
    assert (alike["games"] == 1).all() and (alike["votes"] == 42).all()
    assert (alike["margin"] == 0).all() and (alike["win"] == 27720).all()
    apart = per_deal(sim.simulate(sim.Match(lineup(0.4000001, "two_votes:margin=0.4"), ONCE), 5, seed=1))
    for name in ("votes", "win", "margin", "points", "vote_points", "told_points"):
        assert (apart[name] == alike[name]).all(), name


def test_weighed_votes_are_what_games_would_have_given() -> None:
    """Summed over voters: the points of one who always uses the second vote less those of one who never does."""
    margins = (0.0, 0.3, 0.9, ALWAYS)
    weighed = DealSums.merge([weigh(sim.Match(lineup(0), ONCE), 5, deal, margins) for deal in range(6)])
    assert (weighed["votes"] == 42).all()
    assert (weighed["bin_votes"].sum(1) == 42).all()
    never = per_deal(sim.simulate(sim.Match(lineup(0), ONCE), 6, seed=5))
    for i, margin in enumerate(margins):
        played = per_deal(sim.simulate(sim.Match(lineup(margin), ONCE), 6, seed=5))
        assert (played["second_votes"] == weighed["bin_votes"][:, :i].sum(1)).all()
        assert (played["points"] - never["points"] == weighed["own_gain"][:, :i].sum(1)).all()
        assert (played["margin"] - never["margin"] == weighed["gain"][:, :i].sum(1)).all()
        assert (weighed["gain_within"][:, i] == weighed["gain"][:, :i].sum(1)).all()
    greedy = sim.simulate(sim.Match([make("odyssey", "greedy")] * 7, ONCE), 6, seed=5).turn_rows
    assert weighed["first_finds"].sum() == greedy.found.sum()
    assert 0 < weighed["second_finds"].sum() < weighed["first_finds"].sum()


def test_small_run() -> None:
    result = compute(EXPERIMENT, SMALL, Running(n_jobs=1))
    frame = result.summary.set_index(["field", "players", "within"])
    assert len(frame) == 2 * 4
    among = frame.loc[("greedy", 7)]
    assert (among["n_games"] == 40 * 7).all() and (among["n_votes"] > 40 * 7 * 5).all()
    assert among.loc[0.0, "second_votes_per_vote"] == 0 and among.loc[ALWAYS, "second_votes_per_vote"] == 1
    assert among["second_votes_per_vote"].is_monotonic_increasing
    assert 0.2 < among.loc[0.4, "second_votes_per_vote_low"] < among.loc[0.8, "second_votes_per_vote_high"] < 0.8
    assert among.loc[0.0, "margin"] == 0 and np.isnan(among.loc[0.0, "margin_low"])
    assert among.loc[0.0, "win_share"] == pytest.approx(1 / 7) and np.isnan(among.loc[0.0, "win_share_low"])
    assert among.loc[0.4, "margin_over_never_low"] > 0
    assert among["best_by_margin"].any() and not among.loc[ALWAYS, "best_by_margin"]
    votes = result.tables["votes"]
    assert (votes.groupby(["field", "players"])["n_votes"].sum() > 0).all()
    first, last = votes.iloc[0], votes.iloc[2]
    assert first["margin_gained"] > 0 > last["margin_gained"]
    assert len(result.tables["best"]) == 2
    assert "Use the second vote when" in result.sentence and "n = 40 deals" in result.sentence
    assert "7 players: " in result.sentence and "of votes" in result.sentence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--players 6", "players = 6: votes = 1"),
        ("--players 13", "players"),
        ("--margins 0.4", "margins"),
        ("--margins 0 21", "margins"),
        ("--margins 0 nan", "margins"),
        ("--n-weighed 1", "n_weighed"),
        ("--fields greeedy", "greeedy"),
        ("--fields people avoider", "avoider"),
        ("--set players=7", "players"),
        ("--set votes=1", "votes = 1 leaves no second vote"),
        ("--set variant=party", "votes = 1"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["--n-jobs", "1", "--quick", "--out", str(tmp_path / "out"), *arguments.split()]
    assert main(EXPERIMENT, given) == 2
    out, error = capsys.readouterr()
    assert out == "" and message in error and "Traceback" not in error


def test_jobs_change_no_byte(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        arguments = ["--n-deals", "70", "--n-weighed", "3", "--players", "7", "--margins", "0", "0.3", "--n-jobs", jobs]
        assert main(EXPERIMENT, [*arguments, "--out", str(tmp_path / name)]) == 0
    for file in ("summary.csv", "best.csv", "votes.csv", "manifest.json", "figure.png", "figure.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_committed_results_answer_the_question() -> None:
    folder = ROOT / "results" / "second_vote"
    frame = pd.read_csv(folder / "summary.csv")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"]["n_deals"] == frame["n_deals"].iloc[0]
    assert set(frame["players"]) == {7, 8, 10, 12}
    among = frame[frame["field"] == "greedy"]
    best = among[among["best_by_margin"]]
    assert set(best["players"]) == {7, 8, 10, 12}
    assert (best["margin_over_never_low"] > 0).all()
    assert best["second_votes_per_vote"].between(0.3, 0.8).all()
    assert (among[among["within"] == ALWAYS]["margin_over_never_high"] < 0).all()
