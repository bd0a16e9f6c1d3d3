"""The experiment on darkness: never an empty question, numbers that mean what they say, files that stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from agents.registry import make
from experiments.darkness_risk import EXPERIMENT, DarknessRisk, per_deal
from experiments.lab.command import compute, main
from experiments.lab.experiment import Running
from sim.stella import StellaRules

ROOT = Path(__file__).parent.parent
SMALL = DarknessRisk(n_deals=60, players=(3, 4), risks=(0.0, 0.2, 1.0))


def test_in_the_reference_field_somebody_stands_in_the_dark() -> None:
    """50-90 % of rounds among people, so that there is something to avoid."""
    for players in (3, 4, 5, 6):
        match = sim.Match([make("stella", "people")] * players, StellaRules(players=players))
        rounds = sim.simulate(match, 400, seed=7).rounds
        assert rounds is not None
        assert 0.5 < rounds.dark.any(2).mean() < 0.9


def test_columns_are_what_the_frame_says() -> None:
    match = sim.Match([make("stella", "avoider:risk=0.4"), *[make("stella", "people")] * 3], StellaRules())
    games = sim.simulate(match, 40, seed=3)
    sums = per_deal(games)
    frame, rounds = games.to_frame(), games.rounds_frame()
    mine, own = frame[frame["member"] == 0], rounds[rounds["member"] == 0]
    by_deal = mine.groupby("deal")
    assert (sums["points"] == by_deal["score"].sum()).all()
    assert np.allclose(sums["win"] / 27720, by_deal["win_share"].sum())
    total = frame.groupby("deal")["score"].sum()
    assert np.allclose(sums["margin"] / 3, by_deal["score"].sum() - (total - by_deal["score"].sum()) / 3)
    rounds_by_deal = own.groupby("deal")
    for column in ("marks", "dark", "fallen", "erased"):
        assert (sums[column] == rounds_by_deal[column].sum()).all(), column
    assert (sums["both"] == (own["dark"] & own["fallen"]).groupby(own["deal"]).sum()).all()
    assert (sums["before_erasure"] == sums["points"] + sums["erased"]).all()
    somebody = rounds.groupby(["deal", "seating", "round"])["dark"].any().groupby("deal").sum()
    assert (sums["somebody_dark"] == somebody).all()


def test_small_run() -> None:
    result = compute(EXPERIMENT, SMALL, Running(n_jobs=1))
    frame = result.summary.set_index(["field", "players", "risk"]).sort_index()
    assert len(frame) == 2 * 2 * 3
    for players in (3, 4):
        people = frame.loc[("people", players)]
        assert (people["n_games"] == 60 * players).all()
        assert people["marks_per_round"].is_monotonic_increasing
        assert people.loc[0.0, "marks_per_round"] == 1
        assert people.loc[1.0, "marks_per_round"] == 10
        assert people.loc[0.0, "dark_share_of_rounds"] == 0 < people.loc[0.0, "dark_share_of_rounds_high"] < 0.1
        assert people.loc[1.0, "dark_share_of_rounds"] > 0.5
        assert people.loc[0.2, "win_share"] > 1 / players
        assert people.loc[1.0, "price_of_caution_per_game"] == 0
        assert people.loc[0.0, "price_of_caution_per_game_low"] > 0
        assert people["best_by_win_share"].any()
        greedy = frame.loc[("greedy", players)]
        assert (greedy["dark_share_of_rounds"] == 0).all()
        assert greedy.loc[1.0, "win_share"] == pytest.approx(1 / players)
    assert "3 players: risk" in result.sentence and "n = 60 deals" in result.sentence
    assert sum("nobody was ever in the dark" in note for note in result.notes) == 2


def test_where_nobody_is_ever_dark_the_answer_says_why() -> None:
    from experiments.lab.given import Given

    off = compute(EXPERIMENT, SMALL, Running(n_jobs=1), Given({"stella": {"darkness": "off"}}))
    assert "nobody is ever in the dark (these rules have no darkness" in off.sentence
    assert not any("mark the maximum" in note for note in off.notes)
    assert (off.tables["best"]["somebody_dark_share_of_rounds_high"] > 0).all()
    greedy = compute(EXPERIMENT, SMALL.replace(fields=("greedy", "people")), Running(n_jobs=1))
    assert "all the others mark the maximum and tie" in greedy.sentence
    assert "3 players: 1; 4 players: 1" in greedy.sentence


def test_what_always_happens_has_an_interval_too() -> None:
    from experiments.lab.given import Given

    fields = {"darkness": "all_most", "minimum_marks": 10}
    frame = compute(EXPERIMENT, SMALL, Running(n_jobs=1), Given({"stella": fields})).summary
    assert (frame["dark_share_of_rounds"] == 1).all()
    assert frame["dark_share_of_rounds_low"].between(0.9, 0.99).all()
    assert (frame["dark_share_of_rounds_high"] == 1).all()


def test_the_same_value_twice_is_one_value() -> None:
    assert DarknessRisk(risks=(0.2, 0.2, 0.4), players=(4, 4)).players == (4,)
    with pytest.raises(ValueError, match="at least two different risks"):
        DarknessRisk(risks=(0.2, 0.2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--players 1", "players"),
        ("--players 13", "players"),
        ("--risks 0 1.5", "risks"),
        ("--risks 0.2", "risks"),
        ("--n-deals 0", "n_deals"),
        ("--n-deals -3", "n_deals"),
        ("--n-jobs 0", "n_jobs"),
        ("--fields peeple", "peeple"),
        ("--fields avoider:rsk=0.2", "rsk"),
        ("--fields greedy:order=fastest", "fastest"),
        ("--fields people two_votes", "two_votes"),
        ("--set players=4", "players"),
        ("--set minimum_marks=12", "minimum_marks"),
        ("--set deck_size=20", "deck_size"),
        ("--set darkness=some", "darkness"),
        ("--rules nowhere.toml", "nowhere.toml"),
        ("--world nowhere", "nowhere"),
        ("--seed -1", "seed"),
        ("--out /proc/nowhere", "/proc/nowhere"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--n-jobs", "1", "--quick", *arguments.split()]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('rounds = "four"', "line 1"),
        ("rows = 3\nrounds = 4\nlanterns = 2", "line 3"),
        ("rows = 3\nrounds = = 4", "line 2"),
        ("minimum_marks = 11", "minimum_marks"),
        ('game = "odyssey"\nplayers = 4', "line 1"),
    ],
)
def test_bad_rules_files(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text)
    assert main(EXPERIMENT, ["--n-jobs", "1", "--quick", "--rules", str(path)]) == 2
    error = capsys.readouterr().err
    assert "house.toml" in error and message in error


def test_an_agent_that_fails_leaves_no_half_written_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken_agent.py").write_text(
        "from dataclasses import dataclass\n"
        "from agents import StellaAgent\n"
        "@dataclass(frozen=True)\n"
        "class Broken(StellaAgent):\n"
        "    def mark(self, view):\n"
        "        return view.fit > 99\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    out = tmp_path / "out"
    arguments = ["--n-jobs", "1", "--quick", "--fields", "broken_agent:Broken", "--out", str(out)]
    assert main(EXPERIMENT, arguments) == 2
    error = capsys.readouterr().err
    assert (
        "broken_agent:Broken" in error and "decision mark" in error and "received 0 marks" in error and "deal=" in error
    )
    assert not list(out.glob("*.csv")) and not list(out.glob("*.json")) and not list(out.glob("figure*"))


def test_jobs_change_no_byte(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        arguments = ["--n-deals", "70", "--players", "3", "--risks", "0", "0.3", "--n-jobs", jobs]
        assert main(EXPERIMENT, [*arguments, "--out", str(tmp_path / name)]) == 0
    for file in ("summary.csv", "best.csv", "manifest.json", "figure.png", "figure.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_committed_results_answer_the_question() -> None:
    folder = ROOT / "results" / "darkness_risk"
    frame = pd.read_csv(folder / "summary.csv")
    assert set(frame["players"]) == {3, 4, 5, 6}
    assert len(set(frame["risk"])) == 11
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"]["n_deals"] == frame["n_deals"].iloc[0]
    best = pd.read_csv(folder / "best.csv")
    reference = best[best["field"] == "people"]
    assert reference["somebody_dark_share_of_rounds"].between(0.5, 0.9).all()
    assert (reference["fresh_win_share_low"] > reference["fair_share"]).all()


def test_a_field_of_the_avoiders_own_kind() -> None:
    """Among its equals it wins its fair share, on every deal, and the other risks are still compared seat by seat."""
    settings = DarknessRisk(n_deals=40, players=(4,), risks=(0.1, 0.3), fields=("avoider:risk=0.3",))
    frame = compute(EXPERIMENT, settings, Running(n_jobs=1)).summary.set_index("risk")
    assert frame.loc[0.3, "win_share"] == pytest.approx(1 / 4)
    assert frame.loc[0.3, "margin"] == pytest.approx(0)
    match = sim.Match([make("stella", "avoider:risk=0.3")] * 4, StellaRules())
    games = sim.simulate(match, 40, seed=7)
    assert frame.loc[0.3, "points_per_game"] == pytest.approx(games.scores.mean(), rel=1e-5)
