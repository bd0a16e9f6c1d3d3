"""The experiment on decisions: impaired agents differ in one decision only, and the losses mean what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest

import sim
from agents import check
from agents.registry import make
from experiments.decisions import EXPERIMENT, PARTY, SECOND, STANDARD, STELLA, THINKS_AGAIN, Decisions, per_deal
from experiments.impaired import ImpairedOdyssey, ImpairedStella
from experiments.lab.command import compute, main
from experiments.lab.experiment import Result, Running
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

ROOT = Path(__file__).parent.parent
SMALL = Decisions(n_deals=60)
ODYSSEY = get_args(get_type_hints(ImpairedOdyssey)["change"])
STELLA_CHANGES = get_args(get_type_hints(ImpairedStella)["change"])


@pytest.fixture(scope="module")
def small() -> Result:
    return compute(EXPERIMENT, SMALL, Running(n_jobs=1))


@pytest.mark.parametrize("change", ODYSSEY)
def test_impaired_odyssey_agents_keep_the_contract(change: Any) -> None:
    check(ImpairedOdyssey("softmax:temperature=0.3", change))


@pytest.mark.parametrize("change", STELLA_CHANGES)
def test_impaired_stella_agents_keep_the_contract(change: Any) -> None:
    check(ImpairedStella("avoider:risk=0.3,order=random", change))


def test_every_change_is_tried() -> None:
    assert {"nothing", *STANDARD, *SECOND, *PARTY} == set(ODYSSEY)
    assert {"nothing", *STELLA} - {THINKS_AGAIN} == set(STELLA_CHANGES)


def test_specs_with_commas_come_back() -> None:
    agent = ImpairedStella("avoider:risk=0.3,order=random", "cards_random")
    assert make("stella", str(agent)) == agent
    assert ImpairedOdyssey("storyteller:vagueness=0.50") == ImpairedOdyssey("storyteller:vagueness=0.5")


def test_without_a_change_it_plays_as_the_agent_inside() -> None:
    """Agents that draw nothing but the slot to tell, which carries nothing, win and lose the same turns on average."""
    stella = StellaRules(players=3)
    others = [make("stella", "people")] * 2
    plain = sim.simulate(sim.Match([make("stella", "avoider:risk=0.2"), *others], stella), 50)
    wrapped = sim.simulate(sim.Match([ImpairedStella("avoider:risk=0.2"), *others], stella), 50)
    assert (plain.scores == wrapped.scores).all()


@pytest.mark.parametrize(
    ("change", "vagueness"), [("nothing", 0.4), ("vagueness_0", 0), ("vagueness_1", 1), ("hand_in_random", 0.4)]
)
def test_only_the_clue_changes(change: Any, vagueness: float) -> None:
    match = sim.Match([ImpairedOdyssey("storyteller:vagueness=0.4", change)] * 4, OdysseyRules(players=4))
    turns = sim.simulate(match, 20).turns_frame()
    assert np.allclose(turns["vagueness"], vagueness)


def test_second_votes() -> None:
    """Never, always, and by a coin, of seven voters."""
    used = {}
    for change in ("second_never", "second_random", "second_always"):
        agent: Any = ImpairedOdyssey("two_votes:margin=0.3", change)
        rows = sim.simulate(sim.Match([agent] * 8, OdysseyRules(players=8)), 100).turn_rows
        assert rows is not None
        used[change] = rows.second_votes.mean()
    assert used["second_never"] == 0 and used["second_always"] == 7
    assert used["second_random"] == pytest.approx(3.5, abs=0.2)


def test_number_and_cards_of_marks() -> None:
    def marks(change: Any) -> Any:
        match = sim.Match([ImpairedStella("avoider:risk=0.2", change), *[make("stella", "people")] * 3], StellaRules())
        rounds = sim.simulate(match, 100).rounds
        assert rounds is not None
        return rounds.marks[:, :, 0]

    before = marks("nothing")
    assert (marks("number_minimum") == 1).all() and (marks("number_maximum") == 10).all()
    assert set(np.unique(marks("number_random"))) == set(range(1, 11))
    # in the first round nothing is known of the others: as many marks, whatever the cards
    assert (marks("cards_random")[:, 0] == before[:, 0]).all() and before.std() > 0
    assert (marks("order_boldest") == before).all()


def test_a_scout_that_thinks_again_has_no_order_to_impair() -> None:
    with pytest.raises(ValueError, match=r"counting.*thinks again"):
        ImpairedStella("counting:risk=0.2", "order_random")


@pytest.mark.parametrize("game", ["odyssey", "stella"])
def test_columns_are_what_the_frame_says(game: Any) -> None:
    rules: Any = OdysseyRules(players=4) if game == "odyssey" else StellaRules()
    agent: Any = (
        ImpairedOdyssey("greedy", "vote_random") if game == "odyssey" else ImpairedStella("top:k=4", "cards_random")
    )
    games = sim.simulate(sim.Match([agent, *[make(game, "people")] * 3], rules), 30)
    sums, frame = per_deal(games), games.to_frame()
    mine = frame[frame["member"] == 0].groupby("deal")
    total = frame.groupby("deal")["score"].sum()
    assert (sums["points"] == mine["score"].sum()).all()
    assert np.allclose(sums["win"] / 27720, mine["win_share"].sum())
    assert np.allclose(sums["margin"] / 3, mine["score"].sum() - (total - mine["score"].sum()) / 3)
    assert (sums["steps"] == (mine["turns"].sum() if game == "odyssey" else 16)).all()
    assert (sums["margin_steps"] == 3 * sums["steps"]).all()


def test_small_run(small: Result) -> None:
    frame = small.summary
    assert len(frame) == len(STANDARD) + len(SECOND) + len(PARTY) + len(STELLA)
    lost = frame.set_index(["situation", "change"])
    standard, stella = lost.loc["Odyssey, 6 players"], lost.loc["Stella, 4 players"]
    for change in ("vote_random", "vote_worst", "hand_in_random", "hand_in_worst", "vagueness_0", "vagueness_1"):
        assert standard.loc[change, "points_lost_low"] > 0 and standard.loc[change, "margin_lost_low"] > 0, change
    for change in ("number_minimum", "number_random", "cards_random", "cards_worst", "order_random", "order_boldest"):
        assert stella.loc[change, "points_lost_low"] > 0, change
    assert abs(standard.loc["slot_first", "points_lost"]) < 0.1
    assert standard.loc["vote_worst", "win_share_lost"] > 0.05
    assert (
        frame["n_games"]
        == 60 * np.where(frame["situation"].str.contains("8"), 8, np.where(frame["per"] == "round", 4, 6))
    ).all()
    for _, each in frame.groupby("situation"):
        assert each["points_lost"].is_monotonic_decreasing
    party = lost.loc["Odyssey party, 6 players"]
    assert party.loc["trap_random", "points_lost"] == 0 and np.isnan(party.loc["trap_random", "points_lost_low"])
    assert party.loc["trap_worst", "margin_lost"] > 0
    assert "vote: at random" in small.sentence and "n = 60 deals" in small.sentence
    assert any("second votes at the table" in note for note in small.notes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--standard-players 2", "standard_players"),
        ("--second-players 6", "second_players"),
        ("--party-players 5", "party_players"),
        ("--stella-players 13", "stella_players"),
        ("--standard-agent gredy", "gredy"),
        ("--stella-agent counting", "thinks again"),
        ("--stella-agent two_votes", "two_votes"),
        ("--stella-field peeple", "peeple"),
        ("--set players=4", "players"),
        ("--set variant=party", "variant"),
        ("--set deck_size=20", "deck_size"),
        ("--set party_cap=7", "party_cap"),
        ("--n-deals 0", "n_deals"),
        ("--rules nowhere.toml", "nowhere.toml"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--n-jobs", "1", "--quick", *arguments.split()]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error
    assert "Traceback" not in error


def test_committed_results_answer_the_question() -> None:
    folder = ROOT / "results" / "decisions"
    frame = pd.read_csv(folder / "summary.csv").set_index(["situation", "change"])
    assert json.loads((folder / "manifest.json").read_text())["settings"]["n_deals"] == frame["n_deals"].iloc[0]
    slot = frame.loc[("Odyssey, 6 players", "slot_first")]
    assert slot["points_lost_low"] < 0.01 and slot["points_lost_high"] > -0.01
    assert abs(slot["points_lost"]) < 0.1 * frame.loc[("Odyssey, 6 players", "vagueness_0"), "points_lost"]
