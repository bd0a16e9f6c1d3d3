"""The robustness runs: indices of a known function, worlds within their ranges, words for what was found."""

from __future__ import annotations

import builtins
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from agents.registry import make
from experiments.lab.command import compute, main
from experiments.lab.experiment import Running
from experiments.robust import extremes
from experiments.robust.playing import point_sums, win_sums
from experiments.robust.sobol import ENTERS, NO_FLOOR, RANGES, against, design, indices, thirds, world_at
from experiments.robustness import CLAIMS, EXPERIMENT, Robustness
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules
from sim.world import World

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results" / "robustness"


def test_indices_of_a_known_function() -> None:
    """x + 2 y + x z on uniform numbers: variances by hand."""
    sample = design("odyssey", 1024, 7)
    low, high = (np.array([RANGES[name][end] for name in sample.names]) for end in (0, 1))
    x, y, z = ((sample.rows - low) / (high - low)).T
    found = indices(sample, x + 2 * y + x * z, 7)
    # E over the others: 1.5 x, 2 y, z / 2; interaction (x - 1/2)(z - 1/2)
    parts = np.array([2.25, 4, 0.25]) / 12
    both = 1 / 144
    total = parts.sum() + both
    assert found.first.value == pytest.approx(parts / total, abs=0.03)
    assert found.total.value == pytest.approx((parts + np.array([both, 0, both])) / total, abs=0.03)
    assert found.top == sample.names[1]
    assert (found.total.low < found.total.value).all() and (found.total.n == 1024).all()
    assert found.of("breadth_sd")[1].value == 0 and not found.of("breadth_sd")[1].has_interval
    still = indices(sample, np.ones(len(x)), 7)
    assert (still.total.value == 0).all()


def test_samples_are_the_same_every_time_and_within_the_ranges() -> None:
    for game, names in ENTERS.items():
        sample = design(game, 16, 7)
        assert sample.rows.shape == (16 * (len(names) + 2), len(names))
        assert (sample.rows == design(game, 16, 7).rows).all() and (sample.rows != design(game, 16, 8).rows).any()
        for name, column in zip(sample.names, sample.rows.T, strict=True):
            assert RANGES[name][0] <= column.min() < column.max() <= RANGES[name][1]
        assert len(sample.worlds(World())) == len(sample.rows)


def test_floors_below_the_lowest_are_none() -> None:
    assert world_at(World(), {"storyteller_floor": NO_FLOOR - 0.01}).storyteller_floor is None
    assert world_at(World(), {"storyteller_floor": NO_FLOOR}).storyteller_floor == NO_FLOOR
    assert world_at(World(), {"clarity_sd": 2}).clarity_sd == 2 and world_at(World(), {}) == World()


def test_parameters_that_do_not_enter_change_nothing() -> None:
    stella = [make("stella", "avoider:risk=0.2"), *[make("stella", "people")] * 2]
    other = World(clarity_sd=2.5, storyteller_floor=0.3)
    a, b = (sim.simulate(sim.Match(stella, StellaRules(players=3), w), 20, seed=1) for w in (World(), other))
    assert (a.scores == b.scores).all()
    odyssey = [make("odyssey", "people")] * 4
    a, b = (
        sim.simulate(sim.Match(odyssey, OdysseyRules(players=4), w), 20, seed=1)
        for w in (World(), World(breadth_sd=0.6))
    )
    assert (a.scores == b.scores).all()


def test_sums_are_what_the_frames_say() -> None:
    match = sim.Match([make("stella", "avoider:risk=0.2"), *[make("stella", "people")] * 2], StellaRules(players=3))
    games = sim.simulate(match, 30, seed=2)
    frame = games.to_frame()
    by_deal = frame[frame["member"] == 0].groupby("deal")["win_share"].mean()
    assert np.allclose(win_sums(games).per("win", 3 * 27720), by_deal)
    rules = OdysseyRules(players=4, max_turns=1)
    told = [make("odyssey", "storyteller:vagueness=0.5"), *[make("odyssey", "people")] * 3]
    games = sim.simulate(sim.Match(told, rules, seating="fixed"), 30, seed=2)
    turns = games.turns_frame()
    assert (turns["vagueness"] == 0.5).all() and len(turns) == 30
    assert (point_sums(games)["points"] == turns["storyteller_points"]).all()


def test_thirds_and_contradictions() -> None:
    x = np.arange(30.0)
    parts = thirds(x, 2 * x)
    assert [round(part.value, 6) for part in parts] == pytest.approx([9, 29, 49])
    assert against(np.array([-1.0, -1.0, 1.0]), np.array([0.1, 1.0, 0.1])).tolist() == [True, False, False]


def test_extreme_worlds_are_the_corners() -> None:
    worlds = extremes.worlds(World(), "odyssey")
    assert len(worlds) == 10 and worlds["as given"][0] == World() and worlds["like people"][0] == World.like("people")
    assert worlds["---"][0] == World(agreement_mean=0.2, clarity_sd=0.45)
    assert worlds["+++"][0] == World(agreement_mean=0.7, clarity_sd=2.9, storyteller_floor=0.5)
    assert set(extremes.worlds(World(), "stella")) == {"as given", "like people", "--", "-+", "+-", "++"}


@pytest.fixture(scope="module")
def small() -> Any:
    settings = Robustness(n_deals=20, n_turns=150, base=4, stella_players=(4,), odyssey_players=(4,), quick=True)
    return compute(EXPERIMENT, settings, Running(n_jobs=1))


def test_small_run_answers(small: Any) -> None:
    frame = small.summary
    assert len(frame) == len(CLAIMS) * len(RANGES)
    assert (frame.loc[~frame["enters"], "total"] == 0).all() and frame.loc[~frame["enters"], "total_low"].isna().all()
    entered = frame[frame["enters"]]
    assert entered[["first_order", "total_low", "total", "total_high", "difference_in_upper_third"]].notna().all().all()
    table = small.tables["conclusions"]
    assert (
        len(table) == len(CLAIMS) and (table["least"] <= table["mean"]).all() and (table["mean"] <= table["most"]).all()
    )
    assert all(
        any(word in verdict for word in ("holds", "depends on", "not contradicted")) for verdict in table["verdict"]
    )
    worlds = small.tables["worlds"]
    assert len(worlds) == 2 * 4 * 4 + 2 * 4 * 5
    assert (worlds["difference_low"] <= worlds["difference_high"]).all()
    assert len(small.tables["stays_best"]) == 1 + 4 and len(small.tables["best"]) == 6 + 4 * 10
    assert "Caution pays" in small.sentence and "extreme worlds" in small.sentence
    assert len(small.notes) == 1 + len(CLAIMS) + 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [("--base 12", "base"), ("--set players=4", "players"), ("--odyssey-players 9", "odyssey_players")],
)
def test_bad_input(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--quick", *arguments.split()]) == 2
    assert message in capsys.readouterr().err


def test_without_salib_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.import_module

    def no_salib(name: str, package: str | None = None) -> Any:
        if name.startswith("SALib"):
            raise builtins.ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", no_salib)
    with pytest.raises(ValueError, match=r"dixit-lab\[lab\]"):
        design("stella", 4, 7)


def test_committed_results_answer_the_question() -> None:
    table = pd.read_csv(RESULTS / "conclusions.csv")
    manifest = json.loads((RESULTS / "manifest.json").read_text())
    settings = manifest["settings"]
    assert len(table) == 2 * len(settings["stella_players"]) + 2 * len(settings["odyssey_players"])
    caution = table[table["claim"].str.startswith("caution pays")].set_index("players")
    assert (caution["difference_low"] > 0).all() and (caution["worlds_against"] == 0).all()
    literal = table[table["claim"].str.endswith("than 0.1")]
    assert (literal["worlds_against"] == 0).all() and (literal["least"] > 0).all()
    vague = table[table["claim"].str.endswith("than 0.9")]
    assert (vague["worlds_against"] > 0).all() and vague["verdict"].str.contains("depends on").all()
    best = pd.read_csv(RESULTS / "stays_best.csv")
    stella = best[best["game"] == "stella"]
    assert (stella["best_in_all_worlds"] != "none").all()
