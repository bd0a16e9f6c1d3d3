"""The benchmark measures what it says: the compiled loops play the engine's games, and slower is told from noise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import sim
from agents.registry import make
from experiments import benchmark
from experiments.lab import storage
from experiments.speed import limit, parts, rates
from experiments.speed.spread import Spread
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

GAMES = 4_000


def assert_same_mean(a: NDArray[np.integer], b: NDArray[np.integer], what: str) -> None:
    """Within four standard errors: one run in some thousand would fail by chance, and the seeds are fixed."""
    error = np.sqrt(a.var() / len(a) + b.var() / len(b))
    assert abs(a.mean() - b.mean()) <= 4 * error, f"{what}: {a.mean():.3f} and {b.mean():.3f}"


@pytest.mark.parametrize("case", rates.CASES, ids=lambda case: case.name)
def test_engine_and_loop_agree(case: rates.Case) -> None:
    games = sim.simulate(case.match, GAMES, seed=11)
    if isinstance(case.rules, OdysseyRules):
        scores, turns = limit.odyssey(GAMES, case.rules, seed=12)
        assert_same_mean(games.turns, turns, "turns")
    else:
        scores = limit.stella(GAMES, case.rules, seed=12)
    assert_same_mean(games.scores.mean(1), scores.mean(1), "mean score")
    assert_same_mean(games.scores.max(1), scores.max(1), "highest score")
    assert_same_mean(games.scores.min(1), scores.min(1), "lowest score")


@pytest.mark.parametrize("variant", ["party", "team"])
def test_the_loop_agrees_where_the_pile_runs_out(variant: str) -> None:
    rules = OdysseyRules(variant=variant, players=12)
    games = sim.simulate(sim.Match([make("odyssey", "greedy")] * 12, rules), GAMES // 4, seed=13)
    scores, turns = limit.odyssey(GAMES // 4, rules, seed=14)
    assert (games.turns == turns).all() and (turns == 12).all()
    for what, of in (("mean", np.mean), ("highest", np.max), ("lowest", np.min)):
        assert_same_mean(of(games.scores, 1), of(scores, 1), f"{what} score")


@pytest.mark.parametrize("rules", [OdysseyRules(), *(case.rules for case in rates.CASES[3:5])], ids=lambda r: r.variant)
def test_the_loop_is_keyed(rules: OdysseyRules) -> None:
    whole, few = limit.odyssey(20, rules, seed=3), limit.odyssey(5, rules, seed=3)
    assert (whole[0][:5] == few[0]).all() and (whole[1][:5] == few[1]).all()
    assert (limit.odyssey(20, rules, seed=4)[0] != whole[0]).any()


def test_the_loop_refuses_rules_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="as printed"):
        limit.odyssey(1, OdysseyRules(target_score=20))
    for changed in (OdysseyRules(variant="party", players=8, trap=False), OdysseyRules(variant="team", hand_size=5)):
        with pytest.raises(ValueError, match="as printed"):
            limit.odyssey(1, changed)
    with pytest.raises(ValueError, match="as printed"):
        limit.stella(1, StellaRules(darkness="off"))


def test_rates_of_a_case() -> None:
    speed = rates.measure(rates.CASES[-1], (1, 16), games=100, repetitions=1, oracle_games=1)
    assert set(speed.engine) == set(speed.ratios) == {1, 16}
    assert all(value > 0 for value in (*speed.engine.values(), speed.loop, speed.oracle))
    assert all(0 < ratio.lowest == ratio.median == ratio.highest for ratio in speed.ratios.values())
    assert speed.turns == 4


@pytest.mark.parametrize("name", benchmark.rates.HEADLINES)
def test_parts_are_shares(name: str) -> None:
    case = next(case for case in rates.CASES if case.name == name)
    shares = parts.shares(case.match, 300, 100)
    assert set(shares) == set(parts.PARTS)
    assert sum(shares.values()) == pytest.approx(1)
    used = [part for part in parts.PARTS if part != "refill" or "Odyssey" in name]
    assert all(shares[part] > 0 for part in used)


def test_a_library_counts_for_its_callers() -> None:
    tell, asks = ("agents/odyssey/greedy.py", 1, "tell"), ("sim/odyssey/play.py", 1, "ask_tell")
    total, add, empty = ("~", 0, "sum"), ("~", 0, "reduce"), ("~", 0, "<built-in method numpy.empty>")
    once = (1, 1, 0.1, 1.0)
    found = parts._parts({tell: {}, asks: {}, total: {tell: once, asks: once}, add: {total: once}, empty: {asks: once}})
    assert found[add] == found[total] == {"agents' decisions": 0.5, parts.ASKING: 0.5}
    assert found[empty] == {parts.ARRAYS: 1}


def test_spread() -> None:
    assert Spread.of([3, 1, 7, 2]) == (2.5, 1, 7, 4)


def test_tables_tell_the_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "CASES", rates.CASES[3:4])
    frame = benchmark.measure_rates(benchmark.Settings(quick=True))
    assert (frame["repetitions"] == 3).all()
    assert (frame["lowest_ratio"] <= frame["ratio_to_compiled_loop"]).all()
    assert (frame["ratio_to_compiled_loop"] <= frame["highest_ratio"]).all()


def test_regressions() -> None:
    committed = {"a": 0.5, "b": 0.8}
    assert benchmark.regressions(committed, {"a": 0.36, "b": 0.9}) == []
    (slow,) = benchmark.regressions(committed, {"a": 0.34, "b": 0.9})
    assert slow.startswith("a: 0.340") and "0.350" in slow
    assert len(benchmark.regressions(committed, {"a": 0.5})) == 1


def test_check_without_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(storage, "results_root", lambda: tmp_path)
    assert benchmark.main(["--check"]) == 2
    assert "--commit-baseline" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("committed", "code"), [(1e-6, 0), (1e6, 1)])
def test_check(
    committed: float,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(storage, "results_root", lambda: tmp_path)
    (tmp_path / "benchmark").mkdir()
    ratios = dict.fromkeys(rates.HEADLINES, committed)
    (tmp_path / "benchmark" / benchmark.BASELINE).write_text(json.dumps({"ratios": ratios}))
    assert benchmark.main(["--check", "--games", "200", "--repetitions", "1"]) == code
    assert ("slower: " in capsys.readouterr().err) == bool(code)


def test_bad_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.main(["--check", "--commit-baseline"]) == 2
    assert benchmark.main(["--quick", "--commit-baseline"]) == 2
    assert benchmark.main(["--games", "many"]) == 2


@pytest.mark.slow
def test_no_slower_than_the_committed_ratios() -> None:
    """What CI runs: fails only below 0.7 of the committed ratio to the compiled loop."""
    assert benchmark.main(["--check"]) == 0
