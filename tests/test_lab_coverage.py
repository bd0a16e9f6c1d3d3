"""Many small runs with known truth: 95 % intervals cover it 93-97 % of the time, and the best set holds the best."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.lab import statistics
from experiments.lab.best import best_settings
from experiments.lab.precision import asymptotic_sequence, bounded_sequence

pytestmark = pytest.mark.slow
RUNS = 4_000
DEALS = 120


def covered(estimates: statistics.Estimates, truth: float) -> float:
    return float(((estimates.low <= truth) & (truth <= estimates.high)).mean())


def tables(seed: int, deals: int = DEALS, runs: int = RUNS) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two agents in 4 seatings that share a deal's luck: (deals, runs) means of points."""
    rng = np.random.default_rng(seed)
    luck = rng.gamma(4, 2, size=(deals, runs))
    first = rng.poisson(luck[:, None, :] + 3, size=(deals, 4, runs)).mean(axis=1)
    second = rng.poisson(luck[:, None, :] + 2, size=(deals, 4, runs)).mean(axis=1)
    return first, second


def test_means_cover() -> None:
    first, _ = tables(1)
    assert 0.93 <= covered(statistics.mean(first), 11) <= 0.97


def test_paired_differences_cover() -> None:
    first, second = tables(2)
    assert 0.93 <= covered(statistics.paired(first, second), 1) <= 0.97


def test_win_shares_cover() -> None:
    """Shares 1, 1/2 (ties) and 0 of 4 seatings with a chance that the deal decides in part."""
    rng = np.random.default_rng(3)
    chance = rng.beta(3, 9, size=(DEALS, 1, RUNS))
    share = (rng.random((DEALS, 4, RUNS)) < chance) * np.where(rng.random((DEALS, 4, RUNS)) < 0.2, 0.5, 1.0)
    assert 0.93 <= covered(statistics.mean(share.mean(axis=1)), 0.25 * 0.9) <= 0.97


def test_ratios_per_turn_cover() -> None:
    """Points per turn, where longer games have other points: the ratio of expectations is the truth."""
    rng = np.random.default_rng(4)
    turns = rng.integers(8, 18, size=(DEALS, RUNS))
    points = rng.poisson(1.5 * turns + 0.05 * turns**2)
    truth = (1.5 * np.arange(8, 18) + 0.05 * np.arange(8, 18) ** 2).mean() / np.arange(8, 18).mean()
    assert 0.93 <= covered(statistics.ratio(points, turns), truth) <= 0.97


def test_differences_of_ratios_cover() -> None:
    rng = np.random.default_rng(5)
    luck = rng.gamma(9, 1, size=(DEALS, RUNS))
    turns, other_turns = (rng.poisson(luck) + 4 for _ in range(2))
    points, other_points = rng.poisson(2.0 * turns), rng.poisson(1.5 * other_turns)
    assert 0.93 <= covered(statistics.ratio_difference(points, turns, other_points, other_turns), 0.5) <= 0.97


def test_clopper_pearson_covers_at_least() -> None:
    """Exact intervals of a rare event never cover less than they say."""
    seen = np.random.default_rng(6).binomial(DEALS, 0.01, size=RUNS)
    found = [statistics.clopper_pearson(int(k), DEALS) for k in seen]
    assert np.mean([estimate.low <= 0.01 <= estimate.high for estimate in found]) >= 0.95


@pytest.mark.parametrize("gaps", [[0, 0, 0, 0, 0, 0], [0, 0.02, 0.05, 0.1, 0.2, 0.5], [0, 1, 1, 1, 1, 1]])
def test_best_set_holds_the_best(gaps: list[float]) -> None:
    """Setting 0 is a best one; neighbours are alike, as in a sweep. At least 95 %, less three standard errors."""
    rng, runs, held, sizes = np.random.default_rng(7), 400, 0, 0
    for _ in range(runs):
        luck = rng.normal(size=(80, 1)) + 0.4 * np.cumsum(rng.normal(size=(80, 6)), axis=1)
        inside = best_settings(luck - np.array(gaps) + rng.normal(scale=0.5, size=(80, 6))).inside
        held += bool(inside[0])
        sizes += int(inside.sum())
    assert held / runs >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    assert gaps[1] != 1 or sizes / runs < 1.5


def test_sequences_cover_at_all_looks_at_once() -> None:
    """Looked at 12 times, the truth is never left out in 95 % of the runs."""
    x = np.random.default_rng(8).beta(2, 5, size=(3000, 600))
    always = {bounded_sequence: np.ones(600, bool), asymptotic_sequence: np.ones(600, bool)}
    for n in np.unique(np.geomspace(100, 3000, 12).astype(int)):
        for sequence, good in always.items():
            found = sequence(x[:n])
            good &= (found.low <= 2 / 7) & (found.high >= 2 / 7)
    assert all(good.mean() >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 600) for good in always.values())
