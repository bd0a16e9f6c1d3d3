"""House rules: rule sets, measures on games made by hand, comparison, sweep, search, cards, and bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from agents.registry import make
from experiments import rerun
from experiments.house import goals, retuning, rule_cards, rule_sets, search
from experiments.house.comparison import difference, estimate
from experiments.house.course import Course
from experiments.house.measures import MEASURES, PER, measures, per_deal, per_deal_of_one, table
from experiments.house_rules import EXPERIMENT
from experiments.lab.command import main
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Game
from sim.games import Games, Rounds, TurnRows
from sim.odyssey import OdysseyRules
from sim.rules import Rules
from sim.stella import StellaRules
from sim.summary import WIN_UNIT

GAMES: tuple[Game, ...] = ("odyssey", "stella")
Run = Callable[..., tuple[int, str, str]]
NAMED = {measure.name: measure for measure in MEASURES}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """main(...) of the experiment on one core -> exit code, standard output, standard error."""

    def call(*args: object, n_jobs: int = 1) -> tuple[int, str, str]:
        code = main(EXPERIMENT, [str(arg) for arg in args] + ["--n-jobs", str(n_jobs)])
        return code, *capsys.readouterr()

    return call


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "run.json"}


# Rule sets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(rule_sets.FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_rules_file_loads_and_says_what_it_is(path: Path) -> None:
    rules = Rules.from_toml(path)
    assert path.stem.startswith(f"{rules.game}_")
    assert path.read_text().startswith("# ")
    printed = type(rules)(players=rules.players)
    assert (rules == printed) == path.stem.endswith("as_printed")


@pytest.mark.parametrize("game", GAMES)
def test_rule_sets_are_written_and_read_back(game: Game) -> None:
    there = rule_sets.shipped(game)
    assert len(there) >= 8
    assert there[0].name == "as printed"
    for rule_set in there:
        assert rule_sets.read(str(rule_set), game) == rule_set
        assert rule_sets.read(rule_set.name, game) == rule_set


def test_rule_sets_from_words_and_files(tmp_path: Path) -> None:
    inline = rule_sets.read("Odd: tie_break=[sparks], rounds=2 # why not", "stella")
    assert inline == rule_sets.RuleSet("Odd", (("tie_break", ("sparks",)), ("rounds", 2)), "why not")
    path = tmp_path / "my_rules.toml"
    path.write_text('# Mine.\ngame = "odyssey"\nvote_points_cap = "none"\n')
    assert rule_sets.read(str(path), "odyssey") == rule_sets.RuleSet("my rules", (("vote_points_cap", None),), "Mine.")


def test_swept_values() -> None:
    assert list(rule_sets.varied("target_score=20..23", "--sweep", "odyssey").values) == [20, 21, 22, 23]
    assert rule_sets.varied("vote_points_cap=1,none", "--sweep", "odyssey").values == (1, None)
    assert rule_sets.varied("tie_break=[],[lit_lanterns,sparks]", "--sweep", "stella").values == (
        (),
        ("lit_lanterns", "sparks"),
    )
    two = [rule_sets.varied(text, "--sweep", "odyssey") for text in ("votes=1,2", "players=4..6")]
    names = [rule_set.name for rule_set in rule_sets.product(two)]
    assert len(names) == 6
    assert names[1] == "votes 1, players 5"


# Measures -------------------------------------------------------------------------------------------------------------


def odyssey_games(points: list[list[list[int]]], winners: list[list[bool]], minimum_score: int = 0) -> Games:
    """Games of three sides, one deal each: points per game, turn and side."""
    rules = OdysseyRules(players=3, minimum_score=minimum_score)
    match = sim.Match([make("odyssey", "people")] * 3, rules)
    scores = []
    for game in points:
        score = np.zeros(3, int)
        for turn in game:
            score = np.maximum(score + turn, minimum_score)
        scores.append(score)
    flat = np.array([turn for game in points for turn in game], np.int16)
    number = np.concatenate([np.arange(len(game)) for game in points])
    teller = number % 3
    own = flat[np.arange(len(flat)), teller]
    rows = TurnRows(
        game=np.repeat(np.arange(len(points)), [len(game) for game in points]), turn=number.astype(np.int16),
        storyteller=teller.astype(np.int8), storyteller_points=own,
        others_points=(flat.sum(1) - own).astype(np.int16), points=flat,
        **{
            name: np.zeros(len(flat), np.int8)
            for name in ("vagueness", "voters", "found", "case", "second_votes")
        },
    )  # fmt: skip
    n = len(points)
    return Games(
        match, 0, np.arange(n), np.zeros(n, np.int64), np.array(scores, np.int32), np.array(winners), np.ones(n, bool),
        np.array([len(game) for game in points], np.int16), rows, None,
    )  # fmt: skip


def counted(games: Games, name: str) -> tuple[list[int], list[int]]:
    top, bottom = NAMED[name].count(Course.of(games))
    return [int(x) for x in top], [int(x) for x in bottom]


def test_odyssey_measures_of_games_made_by_hand() -> None:
    games = odyssey_games(
        [
            [[3, 0, 3], [0, 9, 0], [0, -20, 2], [6, 0, 0]],  # 3 0 3 | 3 9 3 | 3 0 5 (floor) | 9 0 5
            [[0, 2, 2], [3, 3, 0]],  # 0 2 2 | 3 5 2
        ],
        [[True, False, False], [True, True, False]],
    )
    assert Course.of(games).standing[0].tolist() == [[3, 0, 3], [3, 9, 3], [3, 0, 5], [9, 0, 5]]
    assert Course.of(games).leader.tolist() == [[-1, 1, 2, 0], [-1, 1, 1, 1]]
    assert counted(games, "turns") == ([4, 2], [1, 1])
    assert counted(games, "points") == ([14, 10], [3, 3])
    assert counted(games, "storyteller_share") == ([3 + 9 + 2 + 6, 0 + 3], [6 + 9 - 18 + 6, 4 + 6])
    assert counted(games, "zero_turns") == ([0, 1], [4, 2])
    assert counted(games, "spread") == ([9, 3], [1, 1])
    assert counted(games, "close_finish") == ([0, 1], [1, 1])
    assert counted(games, "ties") == ([0, 1], [1, 1])
    assert counted(games, "lead_changes") == ([2, 0], [1, 1])
    assert counted(games, "half_time_leader") == ([0, 0], [WIN_UNIT, 0])
    assert counted(games, "runaway") == ([0, 0], [WIN_UNIT, 0])
    assert counted(games, "first_seat") == ([WIN_UNIT, WIN_UNIT // 2], [WIN_UNIT] * 2)
    assert counted(games, "skill_random") == ([WIN_UNIT, WIN_UNIT // 2], [WIN_UNIT] * 2)


def test_a_lead_in_the_last_turn_is_no_runaway_and_a_shared_win_counts_half() -> None:
    games = odyssey_games([[[0, 0, 0], [6, 0, 0]], [[7, 0, 0], [0, 7, 0]]], [[True, False, False], [True, True, False]])
    assert counted(games, "runaway") == ([0, WIN_UNIT // 2], [0, WIN_UNIT])
    assert counted(games, "half_time_leader") == ([0, WIN_UNIT // 2], [0, WIN_UNIT])


def test_stella_measures_of_games_made_by_hand() -> None:
    rules = StellaRules(players=2, rounds=2)
    match = sim.Match([make("stella", "people")] * 2, rules)
    zero = np.zeros((2, 2, 2), np.int8)
    rounds = Rounds(
        marks=np.array([[[3, 5], [4, 3]], [[2, 2], [2, 2]]], np.int8),
        dark=np.array([[[0, 1], [1, 0]], [[0, 0], [0, 0]]], bool),
        fallen=np.array([[[0, 1], [0, 0]], [[1, 1], [0, 0]]], bool),
        sparks=zero, super_sparks=zero, erased=np.array([[[0, 2], [0, 0]], [[0, 0], [0, 0]]], np.int16),
        points=np.array([[[9, 2], [1, 6]], [[4, 4], [2, 2]]], np.int16),
    )  # fmt: skip
    games = Games(
        match, 0, np.arange(2), np.array([0, 1]), np.array([[10, 8], [6, 6]], np.int32),
        np.array([[True, False], [True, True]]), np.ones(2, bool), None, None, rounds,
    )  # fmt: skip
    assert counted(games, "marks") == ([15, 8], [4, 4])
    assert counted(games, "darkness") == ([2, 0], [4, 4])
    assert counted(games, "falls") == ([1, 2], [4, 4])
    assert counted(games, "erased") == ([2, 0], [4, 4])
    assert counted(games, "boldest") == ([0, 0], [WIN_UNIT, 0])
    assert counted(games, "runaway") == ([WIN_UNIT, 0], [WIN_UNIT, 0])
    assert counted(games, "first_seat") == ([WIN_UNIT, WIN_UNIT // 2], [WIN_UNIT] * 2)


@pytest.mark.parametrize(
    "rules",
    [
        OdysseyRules(minimum_score=-50, points_storyteller_all=-2),
        OdysseyRules(variant="party"),
        OdysseyRules(variant="team", players=8),
        OdysseyRules(players=3),
        StellaRules(),
        StellaRules(rounds=1),
    ],
    ids=repr,
)
def test_the_standing_ends_at_the_scores(rules: OdysseyRules | StellaRules) -> None:
    game: Game = "odyssey" if isinstance(rules, OdysseyRules) else "stella"
    lineup = [make(game, "random"), *[make(game, "people")] * (rules.players - 1)]
    games = sim.simulate(sim.Match(lineup, rules), 20, seed=3)
    course = Course.of(games)
    rows = np.arange(len(games))
    assert np.array_equal(course.standing[rows, course.steps - 1], games.scores)
    assert np.array_equal(course.standing[:, -1], games.scores)
    assert course.wins.sum() == len(games) * WIN_UNIT
    for sums in (per_deal(games), per_deal_of_one(games)):
        for measure in measures(game):
            if measure.name in sums.columns:
                assert (sums[measure.name + PER] >= 0).all()
                if measure.is_share and measure.name != "storyteller_share":
                    assert (sums[measure.name] <= sums[measure.name + PER]).all()


def test_measures_agree_with_the_frames() -> None:
    games = sim.simulate(sim.Match([make("odyssey", "people")] * 5, OdysseyRules(players=5)), 40, seed=1)
    sums, turns = per_deal(games), games.turns_frame()
    assert sums.mean("turns").value == pytest.approx(len(turns) / 40)
    zero = (turns["storyteller_points"] <= 0).mean()
    assert sums.ratio("zero_turns", "zero_turns/").value == pytest.approx(zero)
    first = games.to_frame().query("seat == 0")["win_share"].mean()
    assert sums.ratio("first_seat", "first_seat/").value == pytest.approx(first)


def sums_of(top: list[int], bottom: list[int]) -> DealSums:
    deals = np.arange(len(top))
    return DealSums(deals, {"games": np.ones(len(top), np.int64), "ties": np.array(top), "ties/": np.array(bottom)})


def test_intervals_of_what_never_happens_or_cannot() -> None:
    ties, rules = NAMED["ties"], OdysseyRules()
    never, some = sums_of([0] * 50, [1] * 50), sums_of([1, 0] * 25, [1] * 50)
    assert estimate(never, ties, rules).high == pytest.approx(1 - 0.025 ** (1 / 50))
    assert estimate(sums_of([1] * 50, [1] * 50), ties, rules).low == pytest.approx(0.025 ** (1 / 50))
    assert estimate(some, ties, rules).value == 0.5
    assert difference(some, never, ties).low > 0
    assert not difference(some, some, ties).has_interval
    assert math.isnan(estimate(sums_of([0] * 5, [0] * 5), ties, rules).value)
    dark = NAMED["darkness"]
    assert dark.fixed(StellaRules(darkness="off"))
    assert not dark.fixed(StellaRules())


def test_every_measure_has_its_words() -> None:
    said = {name for names in rule_cards.HEADINGS.values() for name in names}
    assert said == set(rule_cards.SENTENCES) == set(NAMED)
    assert all(measure.more and measure.fewer and measure.definition.endswith(".") for measure in MEASURES)
    assert len(table().split("\n")) == len(MEASURES) + 2


# Agents ---------------------------------------------------------------------------------------------------------------


def test_rules_that_play_alike_are_tuned_once() -> None:
    race = OdysseyRules(target_score=21)
    assert retuning.what_matters(race) == retuning.what_matters(OdysseyRules())
    assert retuning.what_matters(race) != retuning.what_matters(OdysseyRules(points_others_all=0))


# Runs -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A comparison of a file, a name and inline fields: its rules file and its folder."""
    folder = tmp_path_factory.mktemp("compared")
    path = folder / "short.toml"
    path.write_text('# A short one.\ngame = "odyssey"\ntarget_score = 15\n')
    args = ["--compare", str(path), "race to 36", "five: players=5, images_handed_in=2", "--n-deals", "70"]
    assert main(EXPERIMENT, [*args, "--n-jobs", "1", "--out", str(folder / "a")]) == 0
    assert main(EXPERIMENT, [*args, "--n-jobs", "2", "--out", str(folder / "b")]) == 0
    return path, folder


def test_a_comparison_sets_every_rule_set_against_the_printed_rules(compared: tuple[Path, Path]) -> None:
    frame = pd.read_csv(compared[1] / "a" / "summary.csv", keep_default_na=False)
    assert list(dict.fromkeys(frame["rules"])) == ["as printed", "short", "race to 36", "as printed, 5 players", "five"]
    assert set(frame["play"]) == {"agents unchanged", "agents re-tuned"}
    assert len(frame) == 2 * 5 * len(measures("odyssey"))
    turns = frame[(frame["measure"] == "turns") & (frame["play"] == "agents unchanged")].set_index("rules")
    assert float(turns.loc["short", "difference_high"]) < 0 < float(turns.loc["race to 36", "difference_low"])
    assert turns.loc["five", "compared_with"] == "as printed, 5 players"
    gap = float(turns.loc["short", "value"]) - float(turns.loc["as printed", "value"])
    assert float(turns.loc["short", "difference"]) == pytest.approx(gap, abs=1e-3)
    manifest = json.loads((compared[1] / "a" / "manifest.json").read_text())
    assert manifest["settings"]["compare"][0] == "short: target_score=15 # A short one."
    assert str(compared[0]) not in str(manifest)


def test_jobs_change_no_byte(compared: tuple[Path, Path]) -> None:
    assert files(compared[1] / "a") == files(compared[1] / "b")


def test_a_rule_card_in_plain_words(compared: tuple[Path, Path]) -> None:
    cards = (compared[1] / "a" / "rule_cards.txt").read_text().split("=" * rule_cards.WIDTH)
    assert [card.strip().split("\n")[0] for card in cards][1] == "SHORT"
    said = " ".join(cards[1].split())
    assert "What changes: target score 15 instead of 30" in said
    assert "as printed" in said
    assert "fewer. Points" in said
    for heading in ("Length", "Empty turns", "Close finish", "Runaway", "Who profits", "Adapting"):
        assert f"\n{heading}" in cards[1]
    assert all(len(line) <= rule_cards.WIDTH for card in cards for line in card.split("\n"))


def test_a_manifest_needs_no_rules_file(
    compared: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared[0].rename(tmp_path / "away.toml")
    try:
        args = [str(compared[1] / "a" / "manifest.json"), "--n-jobs", "1", "--out", str(tmp_path / "again")]
        assert rerun.main(args) == 0
    finally:
        (tmp_path / "away.toml").rename(compared[0])
    assert "Every file has the same bytes as before." in capsys.readouterr().out


def test_agents_tuned_to_a_rule_play_it_differently(run: Run, tmp_path: Path) -> None:
    args = ["--game", "stella", "--compare", "darkness off", "--n-deals", 64, "--out", tmp_path / "o"]
    assert run(*args)[0] == 0
    frame = pd.read_csv(tmp_path / "o" / "summary.csv")
    dark = frame[frame["measure"] == "darkness"].set_index(["play", "rules"])
    assert dark.loc[("agents re-tuned", "darkness off"), "value"] == 0
    assert np.isnan(dark.loc[("agents re-tuned", "darkness off"), "value_high"])
    assert dark.loc[("agents re-tuned", "as printed"), "value"] > 0
    agents = frame.groupby("play")["agent"].nunique()
    assert agents["agents unchanged"] == 1 < agents["agents re-tuned"]


def test_other_agents_and_other_rules_to_compare_with(run: Run, tmp_path: Path) -> None:
    args = ["--set", "players=4", "--agent", "people", "--n-deals", 20, "--out", tmp_path / "o"]
    code, out, _ = run(*args, "--compare", "race to 21", "free: vote_points_cap=none")
    assert code == 0
    assert "like people" in out
    assert "like `people`" in (tmp_path / "o" / "rule_cards.txt").read_text()
    code, out, _ = run("--set", "votes=2", "--n-deals", 20, "--out", tmp_path / "p", "--compare", "race to 21")
    assert code == 0
    assert "rules given" in out


def test_what_set_decides_leaves_shipped_rule_sets_out(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("--game", "stella", "--set", "rounds=1", "--n-deals", 10, "--out", tmp_path / "o")
    assert code == 0
    assert "Left out, for --set decides a field of theirs: six rounds." in out


@pytest.mark.parametrize("second", [(), ("--sweep", "darkness_needs_fall=true,false")])
def test_sweeps(run: Run, tmp_path: Path, second: tuple[str, ...]) -> None:
    args = ["--game", "stella", "--sweep", "darkness=off,sole_most", *second, "--n-deals", 30, "--out", tmp_path / "o"]
    assert run(*args)[0] == 0
    frame = pd.read_csv(tmp_path / "o" / "summary.csv")
    assert frame["rules"].nunique() == 1 + 2 * (2 if second else 1)
    assert {"figure.png", "figure.svg", "rule_cards.txt", "in_short.csv"} <= set(files(tmp_path / "o"))


TUNE = ["--tune", "target_score=10..40", "--tune", "points_finder=2,3,4", "--n-deals", 20, "--trials", 12, "--batch", 4]
TUNE += ["--winners", 2]


@pytest.fixture
def same_vagueness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tuning of every proposal costs a second; what it finds is not what these tests are about."""
    monkeypatch.setattr(retuning, "best_vagueness", lambda rules, world: 0.5)


def test_a_search_reaches_its_goal(run: Run, tmp_path: Path, same_vagueness: None) -> None:
    code, out, _ = run(*TUNE, "--goal", "turns=9", "--out", tmp_path / "o")
    assert code == 0
    assert "the nearest to the goal" in out
    trials = pd.read_csv(tmp_path / "o" / "trials.csv")
    assert len(trials) == 12
    assert trials["turns_from_goal"].min() < 1
    frame = pd.read_csv(tmp_path / "o" / "summary.csv")
    assert frame["rules"].nunique() == 3


def test_a_front_and_resuming_a_search(
    run: Run, tmp_path: Path, same_vagueness: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = [*TUNE, "--goal", "turns=9", "--goal", "skill=high"]
    assert run(*args, "--out", tmp_path / "whole")[0] == 0
    tell, told = search._tell, []

    def interrupted(*arguments: Any) -> None:
        told.append(1)
        if len(told) == 7:
            raise KeyboardInterrupt
        tell(*arguments)

    monkeypatch.setattr(search, "_tell", interrupted)
    code, _, err = run(*args, "--out", tmp_path / "parts")
    assert code == 130
    assert "blocks of games kept" in err
    monkeypatch.setattr(search, "_tell", tell)
    code, _, err = run(*args, "--out", tmp_path / "parts", "--resume")
    assert code == 0
    assert "Resuming" in err
    assert files(tmp_path / "whole") == files(tmp_path / "parts")
    trials = pd.read_csv(tmp_path / "whole" / "trials.csv")
    front = trials[trials["on_front"]]
    for _, one in front.iterrows():
        nearer = (trials["turns_from_goal"] <= one["turns_from_goal"]) & (trials["skill_random"] >= one["skill_random"])
        better = (trials["turns_from_goal"] < one["turns_from_goal"]) | (trials["skill_random"] > one["skill_random"])
        assert not (nearer & better).any()


def test_rules_that_cannot_be_are_trials_too(run: Run, tmp_path: Path, same_vagueness: None) -> None:
    args = ["--tune", "votes=1,2", "--tune", "single_vote_bonus=0,1", "--goal", "turns=9", "--n-deals", 10]
    code, out, _ = run(*args, "--trials", 12, "--batch", 6, "--out", tmp_path / "o")
    assert code == 0
    assert "gave no game to measure (the first: OdysseyRules.single_vote_bonus = 1: must be 0 where votes is 1" in out


def test_goals() -> None:
    skill, turns = goals.read_goals(["skill=high", "turns=12"], "odyssey")
    assert skill.measure.name == "skill_random"
    assert skill.distance(0.7) < skill.distance(0.6)
    assert turns.distance(10) == turns.distance(14) == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--sweep", "vote_cap=1,2"], "did you mean vote_points_cap?"),
        (["--sweep", "vote_points_cap=1,500"], 'must be an integer from 0 to 100 or "none"'),
        (["--sweep", "darkness=off"], "it is a field of stella"),
        (["--sweep", "votes"], "expected field=a,b,c or field=low..high"),
        (["--sweep", "votes=1,1"], "1 is there twice"),
        (["--sweep", "votes=1,2", "--sweep", "votes=1"], "votes is there twice"),
        (["--sweep", "target_score=1..500"], "at most 100"),
        (["--sweep", "images_handed_in=1,7"], "must be from 1 to hand_size (6)"),
        (["--sweep", "a=1", "--sweep", "b=1", "--sweep", "c=1"], "at most 2 fields"),
        (["--sweep", "votes=1,2", "--compare", "race to 21"], "choose one of"),
        (["--sweep", "votes=1,2", "--set", "votes=2"], "--sweep sets votes too"),
        (["--tune", "votes=1,2"], "needs at least one --goal"),
        (["--goal", "turns=12"], "needs --tune"),
        (["--tune", "votes=1,2", "--goal", "turn=12"], "did you mean turns?"),
        (["--tune", "votes=1,2", "--goal", "vote_points_cap=1"], "is a rules field"),
        (["--tune", "votes=1,2", "--goal", "storyteller_share=20"], "a number from 0 to 1"),
        (["--tune", "votes=1,2", "--goal", "turns=many"], "a number, 0 or more"),
        (["--tune", "votes=1,2", "--goal", "darkness=low"], "no measure 'darkness' in odyssey"),
        (["--tune", "target_score=9..3", "--goal", "turns=3"], "from a lower to a higher"),
        (["--tune", "players=2..5", "--goal", "turns=3"], "from 3 to 12"),
        (["--tune", "votes=1,2", "--goal", "turns=3", "--agent", "people"], "leave --agent out"),
        (["--compare", "no_such.toml"], "no such rules file"),
        (["--compare", "no such"], "race to 21"),
        (["--compare", "x: target=3"], "did you mean target_score?"),
        (["--compare", "x: votes=2", "x: votes=1, players=8"], "two rule sets are called 'x'"),
        (["--compare", "{broken}"], "broken.toml, line 2: not valid TOML"),
        (["--compare", "{other}"], "rules of stella, but the game is odyssey"),
        (["--rules", "{other}"], "rules of stella, but the game is odyssey"),
        (["--set", "darkness=off"], "it is a field of stella"),
        (["--set", "players=4", "--compare", "two images at 5"], "sets players too"),
        (["--agent", "avoider"], "plays stella, not odyssey"),
    ],
)
def test_bad_input_is_one_message(run: Run, tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "broken.toml").write_text('game = "odyssey"\nvotes = = 2\n')
    (tmp_path / "other.toml").write_text('game = "stella"\n')
    named = {"{broken}": tmp_path / "broken.toml", "{other}": tmp_path / "other.toml"}
    code, out, err = run(*[named.get(arg, arg) for arg in args], "--n-deals", 5, "--out", tmp_path / "o")
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert not (tmp_path / "o").exists()
