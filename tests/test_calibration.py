"""The calibration: likelihoods by hand, turns as the engine plays them, figures as given, fits as committed."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multinomial, multivariate_normal, norm

import sim
from agents.odyssey.storyteller import LIKE
from agents.registry import make
from experiments.calibrate import marks
from experiments.calibrate.comparing import mean_of_counts, same_shares
from experiments.calibrate.figures import Told, alike_rounds, figures, same_image_rounds, told
from experiments.calibrate.likelihood import (
    Fit,
    Grid,
    Surface,
    alike_log_likelihood,
    deviance,
    fit,
    log_likelihood,
    predict,
    saturated,
    simulated_counts,
    surface,
    within,
)
from experiments.calibrate.turns import Outcomes, chance_above, first_turns, shares_with_floor
from experiments.calibration import EXPERIMENT, Calibration, found_counts
from experiments.lab.command import compute, main
from experiments.lab.experiment import Running
from sim.odyssey import OdysseyRules
from sim.world import PEOPLE, World

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "calibration"
GIVEN = ROOT.parent / "shared" / "human_figures.json"
FOUR = OdysseyRules(players=4)


# Figures --------------------------------------------------------------------------------------------------------------


def test_figures_are_those_of_the_world_page() -> None:
    assert told("human_3_players").counts.tolist() == [11, 6, 11]
    assert told("human_4_players").counts.tolist() == [4, 3, 8, 3]
    assert told("literal_5_players").counts[::-1].tolist() == [79, 45, 11]
    assert told("vague_5_players").counts[::-1].tolist() == [16, 57, 67]
    assert told("human_3_players").n + told("human_4_players").n == 46
    for entry in figures().values():
        assert isinstance(entry, str) or len(entry["source"]) > 20


@pytest.mark.skipif(not GIVEN.is_file(), reason="the figures that the project was given are not here")
def test_figures_are_those_that_were_given() -> None:
    given, used = json.loads(GIVEN.read_text()), figures()
    assert given["human_storyteller_3p_one_image_each"]["found_by_0_1_2_voters"] == used["human_3_players"]["found_by"]
    assert given["human_storyteller_4p"]["found_by_0_1_2_3_voters"] == used["human_4_players"]["found_by"]
    pairs = used["human_4_players"]
    assert given["human_storyteller_4p"]["voter_pairs_same_image"] == [
        pairs["voter_pairs_same_image"],
        pairs["voter_pairs"],
    ]
    for kind in ("literal", "vague"):
        assert given[f"{kind}_storyteller_5p"]["all_some_none"] == used[f"{kind}_5_players"]["none_some_all"][::-1]
    wikiart, mine = given["wikiart_marks"], used["wikiart_marks"]
    assert (wikiart["P_mark"], wikiart["P_other_marks_given_I_mark"]) == (mine["mark"], mine["other_marks_given_mark"])
    assert wikiart["latent_rho_all"] == mine["latent_correlation"]
    assert wikiart["per_word_rho"] == mine["latent_correlation_by_word"]
    codenames = given["codenames_best_three_of_twelve"]
    for name in ("set_overlap", "intended_hit"):
        assert codenames[name] == used["codenames_best_three"][name]
    assert codenames["n_clues"] == used["codenames_best_three"]["n"]
    assert given["dixitworld_storyteller_zero_share"] == used["vision_language_storytellers"]["zero_share"]
    percent = given["saravalle_table_humans_all_none_some_percent"]
    assert percent == used["human_tables"]["all_none_some_percent"]
    for name in ("games", "turns_mean", "turns_range", "final_mean", "winner_mean"):
        assert given["logged_games_to_30"][name] == used["logged_games"][name]


def test_pairs_are_spread_over_rounds_in_one_way() -> None:
    """Every way in which 4, 3, 8 and 3 rounds can hold 19 pairs: only the one that is used."""
    rounds = same_image_rounds()
    assert rounds.tolist() == [5, 10, 3] and rounds @ [0, 1, 3] == 19
    ways = [(none, one) for none in range(5) for one in range(4) if none + one + 8 + 3 * 3 == 19]
    assert {none + one for none, one in ways} == {alike_rounds()[0]} == {2}
    assert alike_rounds()[1] == 7


# Turns ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("floor", [None, 0.2])
def test_turns_are_the_engines(players: int, floor: float | None) -> None:
    world = World(storyteller_floor=floor)
    rules = OdysseyRules(players=players, images_handed_in=1, max_turns=1)
    spec = "experiments.impaired:ImpairedOdyssey:agent=[storyteller:vagueness=0.7],change=slot_first"
    match = sim.Match([make("odyssey", spec)] * players, rules, world)
    games = sim.simulate(match, 500, first_deal=30, seed=11)
    mine = first_turns(world, rules, 11, 500, 0.7, first_deal=30)
    assert (mine.found.sum(1) == games.turn_rows.found).all()
    assert (found_counts(games)["by"].sum(0) == mine.counts).all()


def test_voters_find_the_image_where_clarity_exceeds_their_threshold() -> None:
    world = World()
    for vagueness in (0.2, 0.8):
        turns = first_turns(world, FOUR, 3, 400, vagueness)
        reading = world.clue(sim.randomness.deal_keys(3, np.arange(400)), 0, 0, np.zeros(400, np.int16),
                             np.full(400, vagueness, np.float32))  # fmt: skip
        clarity = reading.levels[:, 3].astype(float)
        sure = np.abs(clarity[:, None] - turns.thresholds) > 1e-5
        assert sure.mean() > 0.99
        assert ((clarity[:, None] > turns.thresholds) == turns.found)[sure].all()


def test_shares_are_exact_in_vagueness_and_clarity_sd() -> None:
    turns = first_turns(World(), FOUR, 5, 3_000, 0.5)
    ranked = np.sort(turns.thresholds, axis=1)
    for aim, sd in ((0.9, 1.15), (2.4, 0.6)):
        at_least = norm.cdf((aim - ranked) / sd).mean(axis=0)
        by_hand = -np.diff([1, *at_least, 0])
        assert Outcomes.of(turns).shares(chance_above(np.array(aim), np.array(sd))) == pytest.approx(by_hand, abs=2e-3)
        without = shares_with_floor(turns, np.array(aim), np.array(sd), -1e9)
        assert without == pytest.approx(by_hand, abs=1e-12)
    played = first_turns(World(), FOUR, 5, 20_000, 0.7)
    expected = Outcomes.of(played).shares(chance_above(np.array(0.9), np.array(1.15)))
    assert np.abs(played.counts / 20_000 - expected).max() < 0.012
    alike = Outcomes.of(played).alike_shares(chance_above(np.array(0.9), np.array(1.15)))
    for found in (0, 1):
        seen = ((played.found.sum(1) == found) & (played.same_pairs > 0)).mean()
        assert seen == pytest.approx(alike[found], abs=0.01)


@pytest.mark.parametrize("floor", [-0.5, 0.5])
def test_floors_as_the_world_has_them(floor: float) -> None:
    turns = first_turns(World(), FOUR, 5, 20_000, 0.8)
    formula = shares_with_floor(turns, np.array(0.6), np.array(1.15), floor)
    played = first_turns(World(storyteller_floor=floor), FOUR, 5, 20_000, 0.8)
    assert formula.sum() == pytest.approx(1)
    assert np.abs(played.counts / 20_000 - formula).max() < 0.012


# Likelihood -----------------------------------------------------------------------------------------------------------


def test_likelihood_by_hand() -> None:
    counts, shares = np.array([11, 6, 11]), np.array([0.25, 0.35, 0.4])
    by_hand = 11 * math.log(0.25) + 6 * math.log(0.35) + 11 * math.log(0.4)
    assert log_likelihood(shares, counts) == pytest.approx(by_hand)
    ratio = multinomial.logpmf(counts, 28, counts / 28) - multinomial.logpmf(counts, 28, shares)
    assert deviance(shares, counts) == pytest.approx(2 * ratio)
    assert deviance(counts / 28, counts) == pytest.approx(0)
    assert saturated([0, 5]) == 0
    assert log_likelihood([0.0, 1.0], [0, 5]) == 0 and log_likelihood([0.0, 1.0], [1, 5]) < -600
    assert deviance([[0.5, 0.5], [0.25, 0.75]], [[2, 2], [1, 3]]) == pytest.approx([0, 0])


def test_decoys_by_hand() -> None:
    """Four rounds of chance 0.8 and three of 0.4: two in all."""
    ways = sum(
        math.comb(4, j) * 0.8**j * 0.2 ** (4 - j) * math.comb(3, 2 - j) * 0.4 ** (2 - j) * 0.6 ** (1 + j)
        for j in range(3)
    )
    assert alike_log_likelihood(np.array([0.8, 0.4]), 4, 3, 2) == pytest.approx(math.log(ways))


def small_surface() -> Surface:
    grid = Grid(np.array([0.4]), np.arange(11) / 10, np.array([1.0, 2.0]))
    v, sd = np.meshgrid(grid.vagueness, grid.clarity_sd, indexing="ij")
    p = 0.1 + 0.6 * v / sd
    return Surface(grid, (np.stack([1 - p, p], axis=-1)[None],))


def test_fit_finds_the_maximum_and_its_interval() -> None:
    model, counts = small_surface(), [np.array([26, 14])]
    found = fit(model, counts)
    p = model.shares[0][..., 1]
    by_hand = 26 * np.log(1 - p) + 14 * np.log(p)
    assert by_hand[found.best] == by_hand.max()
    assert found.ratio == pytest.approx(2 * (by_hand.max() - by_hand))
    at_one = model.at(clarity_sd=1.0)
    held = fit(at_one, counts, key=1, replicates=199, committed={"agreement": 0.4, "vagueness": 0.4, "clarity_sd": 1.0})
    inside = [v for v, r in zip(held.grid.vagueness, held.profile("vagueness"), strict=True) if r <= 3.8415]
    assert held.interval("vagueness") == (inside[0], inside[-1])
    assert math.isnan(held.interval("clarity_sd")[0])
    assert held.p_committed == 1.0 and held.ratio_committed == 0 and held.best == (0, 4, 0)
    assert within(1) == pytest.approx(3.8415, abs=1e-4) and within(3) == pytest.approx(7.8147, abs=1e-4)


def test_bootstrap_of_the_deviance_is_calibrated() -> None:
    """Counts from the model itself: p-values are spread evenly, at least not too low."""
    model = small_surface().at(vagueness=0.5)
    draws = simulated_counts([model.shares[0][0, 0, 0]], [60], 9, 200)[0]
    p = np.array([fit(model, [x], key=50 + i, replicates=99).p_fit for i, x in enumerate(draws)])
    assert 0.35 < p.mean() < 0.75 and (p <= 0.05).mean() < 0.12


def test_simulated_counts_are_keyed_multinomials() -> None:
    shares = np.array([0.2, 0.5, 0.3])
    first = simulated_counts([shares, shares], [50, 20], 4, 2_000)
    assert (first[0].sum(1) == 50).all() and (first[1].sum(1) == 20).all()
    assert np.abs(first[0].mean(0) / 50 - shares).max() < 0.01
    assert first[0].var(0) == pytest.approx(50 * shares * (1 - shares), rel=0.15)
    again = simulated_counts([shares, shares], [50, 20], 4, 2_000)
    assert (first[0] == again[0]).all() and (simulated_counts([shares], [50], 4, 5)[0] == first[0][:5]).all()
    assert abs(np.corrcoef(first[0][:, 0], first[1][:, 0])[0, 1]) < 0.08


def test_grid_recovers_what_it_was_simulated_from() -> None:
    sets = [Told("a", 3, 1, np.zeros(3, np.int64), ""), Told("b", 4, 1, np.zeros(4, np.int64), "")]
    rules = [OdysseyRules(players=p, images_handed_in=1) for p in (3, 4)]
    grid = Grid.around(World(), (0.3,), fine=False)
    model = surface(World(), rules, sets, grid, 7, 2_000).at(agreement=0.4)
    place = model.grid.index(agreement=0.4, vagueness=0.3, clarity_sd=1.15)
    counts = [(shares[place] * 40_000).round().astype(np.int64) for shares in model.shares]
    assert fit(model, counts).best == place
    told_apart = fit(model, counts, committed={"agreement": 0.4, "vagueness": 0.72, "clarity_sd": 1.15})
    assert told_apart.ratio_committed > 100
    forecast = predict(model, [counts[0] // 100, counts[1] // 1000], 5, 99)
    assert forecast.p > 0.5 and (forecast.low <= forecast.shares).all() and (forecast.shares <= forecast.high).all()


# Comparisons ----------------------------------------------------------------------------------------------------------


def test_same_shares_holds_its_level_and_finds_differences() -> None:
    draws = simulated_counts([np.array([0.3, 0.3, 0.4]), np.array([0.3, 0.3, 0.4])], [28, 2_000], 1, 100)
    p = np.array([same_shares(a, b, i, 199) for i, (a, b) in enumerate(zip(*draws, strict=True))])
    assert 0.35 < p.mean() < 0.65 and (p < 0.05).mean() < 0.13
    assert same_shares([25, 2, 1], [600, 600, 800], 1, 499) < 0.01
    assert same_shares([0, 0, 18], [900, 1000, 100], 1, 499, values=(0, 1, 3)) < 0.01


def test_means_of_counts() -> None:
    values = np.repeat([0, 1, 3], [5, 10, 3]) / 3
    found = mean_of_counts(same_image_rounds(), (0, 1, 3), 3)
    assert found.value == pytest.approx(19 / 54) and found.n == 18
    assert found.half_width == pytest.approx(2.1098 * values.std(ddof=1) / np.sqrt(18), rel=1e-3)


def test_latent_correlations() -> None:
    for r in (0.1, 0.4, 0.8):
        t = -norm.ppf(0.088)
        by_library = multivariate_normal.cdf([-t, -t], cov=[[1, r], [r, 1]])
        assert marks.both_mark(0.088, r) == pytest.approx(by_library, abs=1e-6)
        assert marks.latent_correlation(0.088, by_library) == pytest.approx(r, abs=1e-4)
    entry = figures()["wikiart_marks"]
    both = entry["mark"] * entry["other_marks_given_mark"]
    assert marks.latent_correlation(entry["mark"], both) == pytest.approx(entry["latent_correlation"], abs=2e-3)


def test_marks_in_common_are_as_computed() -> None:
    world = World()
    own, other = marks.marks_in_common(world, 0.088, 7, 20_000, 15, 4)
    assert own.low - 0.001 < 0.088 < own.high + 0.001
    assert other.low - 0.003 < marks.expected_other(world, 0.088) < other.high + 0.003
    alone = marks.expected_other(World(agreement_mean=0, agreement_sd=0, breadth_sd=0), 0.088)
    assert alone == pytest.approx(0.088)
    found = marks.agreement_for(world, 0.088, 0.246)
    assert marks.expected_other(world.replace(agreement_mean=found), 0.088) == pytest.approx(0.246, abs=1e-6)


def test_overlap_of_best_threes() -> None:
    strangers = marks.overlap(World(agreement_mean=0, agreement_sd=0), 7, 4_000, 12, 3, 4)
    assert strangers.low < 3 / 12 < strangers.high
    assert marks.overlap(World(agreement_mean=1, agreement_sd=0), 7, 50, 12, 3, 4).value == 1


# The experiment -------------------------------------------------------------------------------------------------------


def test_quick_run_answers(tmp_path: Path) -> None:
    settings = Calibration.preset(quick=True).replace(n_deals=1_000, replicates=99)
    result = compute(EXPERIMENT, settings, Running(n_jobs=1))
    frame = result.summary
    tested = frame[frame["verdict"] != "not tested"]
    assert tested["figure"].nunique() == 8 and tested["p_value"].notna().all() and tested["people_n"].notna().all()
    assert tested[["people_low", "people_high", "model_low", "model_high"]].notna().all().all()
    shown = frame[frame["verdict"] == "not tested"]
    assert len(shown) >= 8 and shown["p_value"].isna().all() and shown["people_n"].isna().all()
    assert (frame["model_low"] <= frame["model"]).all() and (frame["model"] <= frame["model_high"]).all()
    assert "of 8 tested figures" in result.sentence and "vagueness" in result.sentence
    assert set(result.tables) == {"fits", "cross", "floors", "marks"}
    assert len(result.tables["cross"]) == 7 and len(result.tables["floors"]) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--n-deals 5", "n_deals"),
        ("--set votes=2", "votes"),
        ("--replicates 3", "replicates"),
        ("--world mars", "mars"),
    ],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--quick", *arguments.split()]) == 2
    assert message in capsys.readouterr().err


def test_world_without_misfires_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "world.toml"
    path.write_text("clarity_sd = 0\n")
    assert main(EXPERIMENT, ["--quick", "--world", str(path)]) == 2
    assert "clarity_sd" in capsys.readouterr().err


# What is committed ----------------------------------------------------------------------------------------------------


def committed(name: str) -> pd.DataFrame:
    return pd.read_csv(RESULTS / f"{name}.csv")


def test_people_world_is_what_the_calibration_found() -> None:
    """agreement_mean to two digits from the marks, clarity_sd to the nearest 0.05 from all rounds at that agreement."""
    mark = committed("marks").set_index("parameter").loc["agreement_mean"]
    row = committed("fits").set_index("fit").loc["all rounds, agreement of the marks"]
    assert {"agreement_mean": round(mark["fitted"], 2), "clarity_sd": row["clarity_sd"]} == PEOPLE
    assert World.like("people") == World(**PEOPLE)
    assert mark["fitted_high"] < World().agreement_mean  # the marks rule the default out
    assert row["clarity_sd_low"] > World().clarity_sd  # and at that agreement the rounds rule out its clarity_sd
    people = committed("fits").set_index("fit").loc["people"]
    assert people["agreement_low"] <= PEOPLE["agreement_mean"] <= people["agreement_high"]
    assert people["clarity_sd_low"] <= PEOPLE["clarity_sd"] <= people["clarity_sd_high"]


@pytest.mark.parametrize(
    ("name", "fitted", "step"), [("people", "vagueness", 0.1), ("literal", "literal", 0.05), ("vague", "vague", 0.05)]
)
def test_vaguenesses_in_use_are_what_the_calibration_found(name: str, fitted: str, step: float) -> None:
    row = committed("fits").set_index("fit").loc[fitted]
    assert round(row["vagueness"] / step) * step == pytest.approx(LIKE[name])
    assert row["vagueness_low"] <= LIKE[name] <= row["vagueness_high"]
    assert row["in_use_inside_region"] and row["p_in_use"] > 0.05 and row["vagueness_in_use"] == LIKE[name]


def test_two_sided_test_is_passed_by_vagueness_alone() -> None:
    frame = committed("summary")
    for kind in ("literal language models", "vague image models"):
        rows = frame[frame["figure"].str.startswith(kind)]
        assert len(rows) == 3 and (rows["verdict"] == "compatible").all()
    fits = committed("fits").set_index("fit")
    assert fits.loc["literal", "vagueness_high"] < fits.loc["vagueness", "vagueness_low"]
    assert (fits.loc[["literal", "vague"], "free"] == "vagueness").all()


@pytest.mark.slow
def test_regions_cover(tmp_path: Path) -> None:
    """Rounds told in the default world: its vagueness lies in the 95 % interval about as often as that says."""
    sets = [told("human_3_players"), told("human_4_players")]
    rules = [OdysseyRules(players=s.players, images_handed_in=1) for s in sets]
    model = surface(World(), rules, sets, Grid.around(World(), (0.7,)), 7, 4_000).at(agreement=0.4)
    place = model.grid.index(agreement=0.4, vagueness=0.7, clarity_sd=1.15)
    draws = simulated_counts([shares[place] for shares in model.shares], [28, 18], 3, 400)
    found: list[Fit] = [fit(model, [a, b]) for a, b in zip(*draws, strict=True)]
    inside = [f.profile("vagueness")[place[1]] <= within(1) for f in found]
    assert np.mean(inside) >= 0.92
