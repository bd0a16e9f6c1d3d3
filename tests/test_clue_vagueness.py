"""The experiment on vagueness: its question is never empty, its numbers are what they say, its files stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sim
from agents.odyssey.tuned import best_vagueness
from agents.registry import make
from experiments.clue_vagueness import EXPERIMENT, ClueVagueness
from experiments.lab.command import compute, main
from experiments.lab.experiment import Result, Running
from experiments.lab.given import Given
from experiments.vagueness.tables import Table, per_deal
from sim.odyssey import OdysseyRules

ROOT = Path(__file__).parent.parent
SMALL = ClueVagueness(n_deals=60, players=(3, 6), vaguenesses=(0.0, 0.5, 1.0))


@pytest.fixture(scope="module")
def small() -> Result:
    return compute(EXPERIMENT, SMALL, Running(n_jobs=1))


def test_columns_are_what_the_frame_says() -> None:
    match = sim.Match(
        [make("odyssey", "storyteller:vagueness=0.4"), *[make("odyssey", "people")] * 3], OdysseyRules(players=4)
    )
    games = sim.simulate(match, 40, seed=3)
    sums = per_deal(games)
    frame, turns = games.to_frame(), games.turns_frame()
    mine = frame[frame["member"] == 0].groupby("deal")
    total = frame.groupby("deal")["score"].sum()
    assert np.allclose(sums["win"] / 27720, mine["win_share"].sum())
    assert np.allclose(sums["margin"] / 3, mine["score"].sum() - (total - mine["score"].sum()) / 3)
    told = turns[turns["agent"] == "storyteller:vagueness=0.4"]
    by_deal = told.groupby("deal")
    assert (sums["turns"] == by_deal.size()).all()
    assert (sums["points"] == by_deal["storyteller_points"].sum()).all()
    assert np.allclose(sums["told"], by_deal["vagueness"].sum())
    for case in ("all", "some", "none"):
        assert (sums[case] == (told["case"] == case).groupby(told["deal"]).sum()).all(), case
    assert (sums["turns"] + sums["others_turns"] == turns.groupby("deal").size()).all()
    # 3 points each for the finders, 2 each where all or none found it, 1 for each vote on a decoy
    some = told["case"] == "some"
    given = np.where(some, 3 * told["found"], 6) + told["voters"] - told["found"]
    assert (sums["given"] == pd.Series(given, told.index).groupby(told["deal"]).sum()).all()


def test_small_run(small: Result) -> None:
    frame = small.summary.set_index(["field", "players", "vagueness"]).sort_index()
    assert len(frame) == 2 * 2 * 3
    for key in ((field, players) for field in ("people", "bayes") for players in (3, 6)):
        table = frame.loc[key]
        assert (table["n_games"] == 60 * key[1]).all()
        shares = table[[f"{case}_share_of_turns" for case in ("all", "some", "none")]]
        assert np.allclose(shares.sum(axis=1), 1)
        assert (shares > 0).all(axis=None), "all, some and none occur at every vagueness"
        assert shares["all_share_of_turns"].is_monotonic_decreasing
        assert shares["none_share_of_turns"].is_monotonic_increasing
        assert np.allclose(table["points_per_turn"], 3 * table["some_share_of_turns"])
        assert table["win_share"].nunique() == 3 and table["win_share"].between(0.02, 0.9).all()
        for criterion in ("points", "margin", "win_share"):
            assert table[f"best_by_{criterion}"].any()
    people = frame.loc[("people", 6)]
    assert people["best_by_points"].tolist() == [False, True, False]
    for name in ("points_per_turn", "given_per_turn", "margin", "win_share", "some_share_of_turns"):
        assert (people[f"{name}_low"] < people[name]).all() and (people[name] < people[f"{name}_high"]).all()


def test_small_run_in_words(small: Result) -> None:
    best = small.tables["best"]
    assert len(best) == 2 * 2 * 3
    for players in (3, 6):
        assert (
            best[best["players"] == players]["tuned_vagueness"]
            == best_vagueness(OdysseyRules(players=players), sim.World())
        ).all()
    assert (best["n_fresh_deals"] == 60).all()
    assert best["adaptive_mean_vagueness"].between(0.4, 0.7).all()
    assert best["adaptive_minus_best"].notna().all()
    assert "3 players, 2 images each" in small.sentence and "n = 60 deals" in small.sentence
    assert any("By win share among `bayes`" in note for note in small.notes)
    assert any("`people`: the others tell at 0.7" in note for note in small.notes)


def test_where_it_tells_as_all_others_do_symmetry_fixes_the_result() -> None:
    settings = SMALL.replace(n_deals=30, players=(4,), vaguenesses=(0.2, 0.7), fields=("people",))
    frame = compute(EXPERIMENT, settings, Running(n_jobs=1)).summary.set_index("vagueness")
    assert frame.loc[0.7, "win_share"] == 0.25 and frame.loc[0.7, "margin"] == 0
    assert np.isnan(
        frame.loc[0.7, ["win_share_low", "win_share_high", "margin_low", "margin_high"]].astype(float)
    ).all()
    assert frame.loc[0.7, "points_per_turn_low"] < frame.loc[0.7, "points_per_turn_high"]


def test_a_case_that_never_happened_has_an_interval_and_a_note() -> None:
    """With agreement 1 and a clue that cannot miss, everybody finds it."""
    world = sim.World(agreement_mean=1, agreement_sd=0, clarity_sd=0, clarity_span=20)
    settings = SMALL.replace(n_deals=30, players=(4,), vaguenesses=(0.0, 0.95), fields=("people",))
    result = compute(EXPERIMENT, settings, Running(n_jobs=1), Given(world=world))
    clear = result.summary.set_index("vagueness").loc[0.0]
    assert clear["all_share_of_turns"] == 1 and clear["all_share_of_turns_low"] < 1
    assert clear["none_share_of_turns"] == 0 < clear["none_share_of_turns_high"] < 0.2
    assert any("never none at vagueness 0" in note for note in result.notes)


def test_best_by_points_is_a_comparison_of_ratios(small: Result) -> None:
    """The per-deal values that settings are compared by have the ratio of sums as their mean."""
    match = sim.Match(
        [make("odyssey", "storyteller:vagueness=0.4"), *[make("odyssey", "people")] * 3], OdysseyRules(players=4)
    )
    sums = sim.simulate(match, 50, seed=5, keep=per_deal)
    table = Table(OdysseyRules(players=4), "people", (0.4,), (sums,), 0.5, {})
    estimate = table.estimate(sums, "points")
    assert table.per_deal(sums, "points").mean() == pytest.approx(estimate.value)
    assert estimate.value == sums["points"].sum() / sums["turns"].sum()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--players 2", "players"),
        ("--players 13", "players"),
        ("--vaguenesses 0 1.5", "vaguenesses"),
        ("--vaguenesses 0.2", "vaguenesses"),
        ("--vaguenesses 0 nan", "vaguenesses"),
        ("--n-deals 0", "n_deals"),
        ("--fields peeple", "peeple"),
        ("--fields avoider:risk=0.2", "avoider"),
        ("--fields bayes:vagueness=2", "vagueness"),
        ("--set players=4", "players"),
        ("--set variant=team", "variant"),
        ("--set deck_size=20", "deck_size"),
        ("--set votes=3", "votes"),
        ("--set party_cap=4", "party_cap"),
        ("--rules nowhere.toml", "nowhere.toml"),
        ("--world nowhere", "nowhere"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--n-jobs", "1", "--quick", *arguments.split()]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert message in error
    assert "Traceback" not in error


def test_jobs_change_no_byte(tmp_path: Path) -> None:
    for name, jobs in (("one", "1"), ("two", "2")):
        arguments = ["--n-deals", "70", "--players", "3", "--vaguenesses", "0.3", "0.7", "--n-jobs", jobs]
        assert main(EXPERIMENT, [*arguments, "--out", str(tmp_path / name)]) == 0
    for file in ("summary.csv", "best.csv", "manifest.json", "figure.png", "figure.svg"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_committed_results_answer_the_question() -> None:
    """Against WORLD.md's first table: best own-points vagueness and shares, of 40,000 turns by another program."""
    folder = ROOT / "results" / "clue_vagueness"
    frame = pd.read_csv(folder / "summary.csv").set_index(["field", "players", "vagueness"])
    assert json.loads((folder / "manifest.json").read_text())["settings"]["n_deals"] == frame["n_deals"].iloc[0]
    people = frame.loc["people"]
    for players, best in {3: 0.7, 4: 0.65, 5: 0.6, 6: 0.5, 8: 0.45, 12: 0.3}.items():
        inside = people.loc[players].query("best_by_points").index
        assert inside.min() - 0.051 <= best <= inside.max() + 0.051, players
    for players, at, shares in ((5, 0.6, (20, 54, 25)), (6, 0.5, (20, 59, 20)), (12, 0.3, (15, 74, 11))):
        row = people.loc[(players, at)]
        found = [100 * row[f"{case}_share_of_turns"] for case in ("all", "some", "none")]
        assert np.abs(np.array(found) - shares).max() < 2, players


@pytest.mark.slow
def test_three_players_with_one_image_each() -> None:
    """WORLD.md: 0.8 is best by own points, found by all / some / none in 35 / 34 / 31 % of turns."""
    vaguenesses = (0.4, 0.6, 0.7, 0.8, 0.9, 1.0)
    settings = ClueVagueness(n_deals=1_500, players=(3,), fields=("people",), vaguenesses=vaguenesses)
    result = compute(EXPERIMENT, settings, given=Given({"odyssey": {"images_handed_in": 1}}))
    frame = result.summary.set_index("vagueness")
    assert frame.loc[0.8, "best_by_points"] and not frame.loc[0.4, "best_by_points"]
    found = [100 * frame.loc[0.8, f"{case}_share_of_turns"] for case in ("all", "some", "none")]
    assert np.abs(np.array(found) - (35, 34, 31)).max() < 2
