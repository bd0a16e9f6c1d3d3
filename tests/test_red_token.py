"""The experiment on the red token: traps matter, foresight is what scoring again gives, the files repeat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from agent_contract import AgentContract
from agents.registry import make
from experiments.lab.command import compute, main
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Running
from experiments.red_token import EXPERIMENT, PLACES, Placed, RedToken, foresee, foresight, per_deal
from sim.odyssey import OdysseyRules
from sim.replay import trace

ROOT = Path(__file__).parent.parent
SMALL = RedToken(n_deals=40, n_foreseen=10, players=(6,), discounts=(0.0, 0.7), leads=(1.0,))
RULES = OdysseyRules(variant="party", players=6)
PARTY = make("odyssey", "party")


class TestPlaced(AgentContract):
    agent = Placed(place="votes", discount=1.2)


class TestPlacedAtRandom(AgentContract):
    agent = Placed(place="random")


def test_columns_are_what_the_games_say() -> None:
    match = sim.Match([Placed(place="second"), *[PARTY] * 5], RULES)
    games = sim.simulate(match, 4, seed=3)
    sums = per_deal(games)
    frame = games.to_frame()
    mine = frame[frame["member"] == 0].groupby("deal")
    assert (sums["points"] == mine["score"].sum()).all()
    assert np.allclose(sums["win"] / 27720, mine["win_share"].sum())
    rest = frame[frame["member"] != 0].groupby("deal")["score"].sum()
    assert np.allclose(sums["margin"] / 5, mine["score"].sum() - rest / 5)
    for deal in range(4):
        expected = dict.fromkeys(("told_points", "others_points", "vote_points", "told_margin", "vote_margin"), 0)
        for seat in range(6):
            for turn in trace(match, 3, deal, seat).turns:
                own, others = turn["points"][seat], sum(turn["points"]) - turn["points"][seat]
                kind = "told" if turn["storyteller"] == seat else "vote"
                expected[f"{kind}_points"] += own
                expected[f"{kind}_margin"] += 5 * own - others
                expected["others_points"] += others if kind == "told" else 0
        assert {name: sums[name][deal] for name in expected} == expected
    assert (sums["tells"] == 6).all() and (sums["votes"] == 30).all()


def test_equals_count_in_every_seat() -> None:
    alike = per_deal(sim.simulate(sim.Match([PARTY] * 6, RULES), 5, seed=1))
    apart = per_deal(sim.simulate(sim.Match([Placed(place="best"), *[PARTY] * 5], RULES), 5, seed=1))
    assert (alike["games"] == 1).all() and (apart["games"] == 6).all()
    assert (alike["margin"] == 0).all() and (alike["win"] == 27720).all()
    for name in alike.columns:
        assert name == "games" or (alike[name] == apart[name]).all(), name


VIEWS: list[Any] = []


class Seen(Placed):
    """A placing that keeps its views."""

    def trap(self, view: Any) -> Any:
        VIEWS.append(view)
        return super().trap(view)


@pytest.mark.parametrize("place", PLACES)
def test_places(place: str) -> None:
    VIEWS.clear()
    agent = Seen(place=place)  # type: ignore[arg-type]
    sim.simulate(sim.Match([agent, *[PARTY] * 5], RULES), 30, seed=2)
    ranks = []
    for view in VIEWS:
        token = Placed.trap(agent, view)
        assert np.take_along_axis(view.legal, token[..., None], -1).all()
        fit = np.array(view.fit) - (0.7 * view.own if place == "votes" else 0)
        order = np.argsort(np.where(view.legal, -fit, np.inf), axis=-1, kind="stable")
        ranks += (order == token[..., None]).argmax(-1).ravel().tolist()
    if place == "random":
        assert set(ranks) == {0, 1, 2, 3, 4}
    else:
        assert set(ranks) == {{"best": 0, "votes": 0, "second": 1, "worst": 4}[place]}


def test_foresight_is_the_best_of_what_scoring_again_gives() -> None:
    """By hand from the recorded votes: party's points are agreements, none under the token."""
    match = sim.Match([PARTY] * 6, RULES)
    for deal in range(4):
        expected = dict.fromkeys(
            ("turns", "hits", "votes_under", "taken", "actual", "without", "foreseen", "foreseen_vote"), 0
        )
        at_random = 0.0
        for turn in trace(match, 3, deal).turns:
            teller, votes = turn["storyteller"], [vote for (vote,) in turn["votes"]]

            def margin(own_vote: int, token: int, teller: int = teller, votes: list[int] = votes) -> tuple[int, int]:
                cast = [own_vote if seat == teller else vote for seat, vote in enumerate(votes)]
                points = [0 if v == token or cast.count(v) < 2 else min(5, cast.count(v)) for v in cast]
                return 5 * points[teller] - (sum(points) - points[teller]), sum(points)

            own, token = votes[teller], turn["trap"]
            allowed = [margin(own, image)[0] for image in range(6) if image != own]
            expected["turns"] += 1
            expected["hits"] += votes.count(token) >= 2
            expected["votes_under"] += votes.count(token)
            expected["taken"] += margin(own, -1)[1] - sum(turn["points"])
            expected["actual"] += margin(own, token)[0]
            expected["without"] += margin(own, -1)[0]
            expected["foreseen"] += max(allowed)
            expected["foreseen_vote"] += max(margin(a, b)[0] for a in range(6) for b in range(6) if a != b)
            at_random += sum(allowed) / 5
        sums = foresee(match, 3, deal)
        assert {name: sums[name][0] for name in expected} == expected
        assert sums["at_random"][0] == pytest.approx(at_random)


def test_traps_matter() -> None:
    """Between a fifth and a half of tokens hit two votes or more, and foresight would add to what they gain."""
    match = sim.Match([PARTY] * 6, RULES)
    seen = foresight(DealSums.merge([foresee(match, 7, deal) for deal in range(40)]), 6)
    assert 0.2 < seen["hits_per_turn"].value < 0.5
    assert seen["taken_per_turn"].low > 1
    assert seen["token_gain_margin_per_turn"].low > 0.1
    assert seen["headroom_margin_per_turn"].low > 0.2
    names = [f"{name}_margin_per_turn" for name in ("without", "at_random", "actual", "foreseen", "foreseen_vote")]
    values = [seen[name].value for name in names]
    assert values == sorted(values)


def test_small_run() -> None:
    result = compute(EXPERIMENT, SMALL, Running(n_jobs=1))
    frame = result.summary.set_index(["field", "part", "contestant"]).sort_index()
    assert len(frame) == 2 * (4 + 6)
    voting, placing = frame.loc[("party", "voting")], frame.loc[("party", "placing")]
    assert (frame["fair_share"] == 1 / 6).all()
    assert voting.loc["own image less 0.7", "margin"] == 0 and np.isnan(voting.loc["own image less 0.7", "margin_low"])
    assert voting.loc["wary of traps, lead 1", "margin_high"] < 0
    told = placing["margin_per_turn_as_storyteller"]
    assert told[PLACES["best"]] > told[PLACES["random"]] > told[PLACES["worst"]]
    assert placing.loc[PLACES["best"], "best_by_margin"] and not placing.loc[PLACES["worst"], "best_by_margin"]
    as_voter = placing["points_per_turn_as_voter"]
    assert as_voter.nunique() == 1  # they vote alike
    assert voting["best_by_margin"].any() and frame["best_by_win_share"].any()
    assert len(result.tables["best"]) == 4 and len(result.tables["foresight"]) == 2
    assert (
        "6 players: token on" in result.sentence
        and "n = 40 deals" in result.sentence
        and "foresight" in result.sentence
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--players 5", "players"),
        ("--players 13", "players"),
        ("--discounts -1", "discounts"),
        ("--leads 21", "leads"),
        ("--n-foreseen 1", "n_foreseen"),
        ("--fields partey", "partey"),
        ("--fields party avoider", "avoider"),
        ("--set variant=team", "variant"),
        ("--set trap=false", "trap = false"),
        ("--set party_cap=-1", "party_cap"),
        ("--set votes=2", "votes"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    given = ["--n-jobs", "1", "--quick", "--out", str(tmp_path / "out"), *arguments.split()]
    assert main(EXPERIMENT, given) == 2
    out, error = capsys.readouterr()
    assert out == "" and message in error and "Traceback" not in error


def test_jobs_change_no_byte(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        arguments = ["--n-deals", "70", "--n-foreseen", "3", "--players", "6", "--leads", "1", "--n-jobs", jobs]
        assert main(EXPERIMENT, [*arguments, "--out", str(tmp_path / name)]) == 0
    for file in ("summary.csv", "best.csv", "foresight.csv", "manifest.json", "figure.png", "figure.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_committed_results_answer_the_question() -> None:
    folder = ROOT / "results" / "red_token"
    frame = pd.read_csv(folder / "summary.csv")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"]["n_deals"] == frame["n_deals"].iloc[0]
    assert set(frame["players"]) == {6, 8, 10}
    best = pd.read_csv(folder / "best.csv")
    assert len(best) == 2 * 3 * 2 and best["best_by_margin"].notna().all()
    seen = pd.read_csv(folder / "foresight.csv")
    assert (seen["token_gain_margin_per_turn_low"] > 0).all()
    assert (seen["headroom_margin_per_turn_low"] > 0).all()
    assert (seen["hits_per_turn"] > 0.2).all()
