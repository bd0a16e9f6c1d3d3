"""Intervals, deal sums, the best settings and precision, against plain formulas and known cases."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
import scipy.stats

from experiments.lab import statistics
from experiments.lab.best import best_settings, measure_again, semidefinite_root
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Estimate
from experiments.lab.precision import (
    asymptotic_sequence,
    bounded_sequence,
    deals_needed,
    play_until,
    variance_split,
)

RNG = np.random.default_rng(3)


def test_estimate_says_value_interval_and_n() -> None:
    assert str(Estimate(0.3112, 0.2899, 0.3325, 2000)) == "0.31 (0.29 to 0.33; n = 2,000 deals)"
    assert str(Estimate(12.0, n=1, of="games")) == "12.0 (no interval; n = 1 games)"
    assert Estimate(-0.001, -0.4, 0.4, 5).number() == "0.0"
    assert Estimate(0.25, 0.2, 0.3, 9).scaled(-100) == Estimate(-25.0, -30.0, -20.0, 9)


def test_mean_is_students_interval_for_every_column() -> None:
    x = RNG.normal(size=(40, 2, 3))
    found = statistics.mean(x)
    expected = scipy.stats.t.interval(0.95, 39, x.mean(axis=0), scipy.stats.sem(x, axis=0))
    np.testing.assert_allclose(found.low, expected[0])
    np.testing.assert_allclose(found.high, expected[1])
    assert found[1, 2].n == 40


def test_one_deal_has_no_interval_and_bad_numbers_are_refused() -> None:
    assert not statistics.mean([0.5])[()].has_interval
    assert not statistics.ratio([1.0], [2.0])[()].has_interval
    with pytest.raises(ValueError, match=r"nan at index \(1,\)"):
        statistics.mean([1.0, math.nan])
    with pytest.raises(ValueError, match="at least one deal"):
        statistics.mean([])
    with pytest.raises(ValueError, match="same deals: 2 and 3"):
        statistics.paired([1, 2], [1, 2, 3])


def test_ratio_is_the_jackknife_done_the_long_way() -> None:
    top, bottom = RNG.poisson(7, 30).astype(float), RNG.integers(5, 15, 30).astype(float)
    left_out = np.array([np.delete(top, i).sum() / np.delete(bottom, i).sum() for i in range(30)])
    error = math.sqrt(29 / 30 * ((left_out - left_out.mean()) ** 2).sum())
    found = statistics.ratio(top, bottom)[()]
    assert found.value == top.sum() / bottom.sum()
    assert found.half_width == pytest.approx(scipy.stats.t.ppf(0.975, 29) * error)
    assert math.isnan(statistics.ratio([1.0, 2.0], [0.0, 0.0])[()].value)


def test_ratio_of_a_constant_denominator_is_the_mean() -> None:
    top = RNG.normal(size=25)
    ratio, mean = statistics.ratio(top, np.ones(25))[()], statistics.mean(top)[()]
    assert ratio.value == pytest.approx(mean.value)
    assert ratio.half_width == pytest.approx(mean.half_width)


@pytest.mark.parametrize(("seen", "n"), [(0, 50), (50, 50), (3, 80), (1, 1)])
def test_clopper_pearson_is_scipys(seen: int, n: int) -> None:
    found = statistics.clopper_pearson(seen, n)
    expected = scipy.stats.binomtest(seen, n).proportion_ci(method="exact")
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_rare_refuses_what_is_not_one_truth_per_deal() -> None:
    assert statistics.rare(np.zeros(300, bool)).high == pytest.approx(0.01222, abs=1e-4)
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        statistics.rare(np.zeros((2, 2), bool))


def test_bootstrap_weights_belong_to_key_replicate_and_deal() -> None:
    all_at_once = statistics.bootstrap_weights(5, np.arange(4000), 20)
    assert (statistics.bootstrap_weights(5, [17, 3], 4, first=6) == all_at_once[6:10][:, [17, 3]]).all()
    assert all_at_once.mean() == pytest.approx(1, abs=0.02)
    assert all_at_once.var() == pytest.approx(1, abs=0.03)
    assert (statistics.bootstrap_weights(6, np.arange(4000), 20) != all_at_once).any()


def blocks() -> list[DealSums]:
    deal = np.repeat(np.arange(9), 4)
    score, share = RNG.integers(0, 30, 36), RNG.random((36, 2))
    parts = []
    for start in (0, 3, 6):
        rows = (deal >= start) & (deal < start + 3)
        parts.append(DealSums.collect(deal[rows], score=score[rows], won=score[rows] > 9, share=share[rows]))
    return parts


def test_deal_sums_merge_in_any_order_to_the_same_bits() -> None:
    parts = blocks()
    whole = DealSums.merge(parts)
    for order in permutations(parts):
        assert (order[0] + order[1] + order[2]).equals(whole)
        assert (order[0] + (order[1] + order[2])).equals(whole)
    assert whole["score"].dtype == np.int64
    assert whole["won"].dtype == np.int64
    assert whole["share"].shape == (9, 2)
    assert (whole["games"] == 4).all()


def test_deal_sums_refuse_overlap_and_other_columns() -> None:
    first, second, _ = blocks()
    with pytest.raises(ValueError, match="deal 0 is in two"):
        _ = first + first
    with pytest.raises(ValueError, match="different columns"):
        _ = second + DealSums.collect([99], other=[1])
    with pytest.raises(KeyError, match="there is games, score"):
        first["scores"]
    with pytest.raises(ValueError, match="column 'a'"):
        DealSums.collect([1, 2], a=[1])


def test_deal_sums_statistics_are_those_of_the_columns() -> None:
    sums = DealSums.merge(blocks())
    assert sums.mean("score") == statistics.mean(sums["score"] / 4)[()]
    assert sums.means("share").value.shape == (2,)
    assert sums.ratio("score", "won") == statistics.ratio(sums["score"], sums["won"])[()]
    assert sums.ratios("share", "games").value.shape == (2,)
    assert sums.rare("won").n == 9
    with pytest.raises(ValueError, match="use ratio"):
        sums.mean("score", per="won")


def test_pairs_are_over_common_deals() -> None:
    a = DealSums.collect([3, 1, 2], x=[30, 10, 20])
    b = DealSums.collect([2, 3, 4], x=[1, 2, 99])
    assert a.paired(b, "x") == statistics.mean([19, 28])[()]
    assert a.paired(b, "x").n == 2
    assert a.paired_ratio(b, "x", "games").value == 23.5
    with pytest.raises(ValueError, match="no deal in common"):
        a.paired(DealSums.collect([7], x=[1]), "x")


def test_rows_of_turns_join_the_deals_of_games() -> None:
    sums = DealSums.collect([5, 6, 7], score=[1, 2, 3]).with_rows([7, 5, 7], found=[1, 1, 2])
    assert sums["found"].tolist() == [1, 0, 3]
    with pytest.raises(ValueError, match="no games here"):
        sums.with_rows([9], found=[1])


def test_no_rows_make_no_deals() -> None:
    empty = DealSums.collect(np.zeros(0, int), x=np.zeros(0))
    assert len(empty + DealSums.collect([1], x=[0.5])) == 1


def test_best_keeps_what_it_cannot_tell_and_drops_the_rest() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(400, 1)) + np.array([0.0, 0.5, 0.501, -1.0]) + rng.normal(scale=0.3, size=(400, 4))
    found = best_settings(values)
    assert found.inside.tolist() == [False, True, True, False]
    assert found.index in (1, 2)
    assert found.words(["a", "b", "c", "d"]) == "b to c"
    assert best_settings(-values, smallest=True).inside.tolist() == found.inside.tolist()


def test_best_of_ties_and_constants() -> None:
    x = RNG.normal(size=200)
    twins = best_settings(np.stack([x, x, x - 0.001], axis=1))
    assert twins.inside.tolist() == [True, True, False]
    assert twins.index == 0
    assert best_settings(np.full((20, 3), 0.25)).inside.all()
    assert best_settings(np.array([[1.0, 2.0]])).inside.all()
    assert best_settings(np.ones((5, 1))).words([0.2]) == "0.2"


def test_best_says_settings_in_words() -> None:
    found = best_settings(np.zeros((3, 5)))
    found.inside[[1, 4]] = False
    assert found.words([1, 2, 3, 4, 5]) == "1 and 3 to 4"


def test_best_gives_the_same_bytes_and_refuses_bad_input() -> None:
    values = RNG.normal(size=(50, 4))
    assert best_settings(values).critical.tobytes() == best_settings(values).critical.tobytes()
    with pytest.raises(ValueError, match=r"shape \(50,\)"):
        best_settings(values[:, 0])
    values[3, 2] = np.inf
    with pytest.raises(ValueError, match="deal row 3, setting 2"):
        best_settings(values)


def test_critical_value_is_students_for_two_and_dunnetts_for_more() -> None:
    two = best_settings(RNG.normal(size=(12, 2)))
    assert two.critical[0] == pytest.approx(scipy.stats.t.ppf(0.95, 11), abs=0.05)
    many = best_settings(np.linalg.qr(RNG.normal(size=(4001, 5)) * 1.0)[0] * 60)
    expected = scipy.stats.multivariate_normal(cov=0.5 + 0.5 * np.eye(4))
    assert expected.cdf(np.full(4, many.critical.mean())) == pytest.approx(0.95, abs=0.01)


def test_root_of_a_singular_covariance() -> None:
    base = RNG.normal(size=(2, 4))
    covariance = base.T @ base
    root = semidefinite_root(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-9)


def test_measuring_again_asks_for_fresh_deals() -> None:
    asked = []

    def play(first_deal: int, n_deals: int) -> np.ndarray:
        asked.append((first_deal, n_deals))
        return np.arange(n_deals, dtype=float)

    assert measure_again(play, 500, 11).value == 5
    assert asked == [(500, 11)]
    with pytest.raises(ValueError, match="one value per deal"):
        measure_again(lambda first, n: np.zeros((n, 2)), 0, 3)


def test_variance_is_told_apart() -> None:
    deals = RNG.normal(scale=2, size=(4000, 1))
    values = deals + np.array([0.0, 1.0, 2.0, 3.0]) + RNG.normal(scale=1.5, size=(4000, 4))
    split = variance_split(values)
    assert split.deal == pytest.approx(4, rel=0.1)
    assert split.rest == pytest.approx(2.25, rel=0.05)
    assert split.seating == pytest.approx(np.var([0, 1, 2, 3], ddof=1), rel=0.1)
    assert split.deal_mean == pytest.approx(values.mean(axis=1).var(ddof=1), rel=0.01)
    assert sum(split.row().values()) == pytest.approx(100)
    n = split.deals_needed(0.05)
    assert statistics.t_quantile(n) * math.sqrt(split.deal_mean / n) <= 0.05
    assert statistics.t_quantile(n - 1) * math.sqrt(split.deal_mean / (n - 1)) > 0.05


def test_needed_deals_at_the_edges() -> None:
    assert deals_needed(0.0, 0.1) == 2
    with pytest.raises(ValueError, match="half_width = 0"):
        deals_needed(1.0, 0)
    assert variance_split(np.arange(6.0).reshape(6, 1)).rest == 0


def test_sequences_are_wider_than_one_look_and_narrow_down() -> None:
    x = RNG.random((3000, 2))
    for sequence in (bounded_sequence, asymptotic_sequence):
        early, late, look = sequence(x[:300]), sequence(x), statistics.mean(x)
        assert (late.half_width < early.half_width).all()
        assert (late.half_width > look.half_width).all()
        assert (late.half_width < 3 * look.half_width).all()
    with pytest.raises(ValueError, match="expected"):
        bounded_sequence(x * 2)


def test_play_until_stops_when_narrow_enough_and_asks_for_each_deal_once() -> None:
    asked = []

    def play(first_deal: int, n_deals: int) -> np.ndarray:
        asked.append((first_deal, n_deals))
        return np.random.default_rng(first_deal).random((n_deals, 2))

    done = play_until(play, 0.05, 10_000)
    assert done.reached
    assert (done.estimates.half_width <= 0.05).all()
    assert [first for first, _ in asked] == [sum(n for _, n in asked[:i]) for i in range(len(asked))]
    assert not play_until(play, 0.0001, 250).reached
    assert play_until(play, 0.0001, 250).n_deals == 250
