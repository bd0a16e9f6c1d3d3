"""`random` agents in Stella against exact probabilities, and what must hold in every round."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import sim
from agents.registry import make
from sim.stella import StellaRules, resolve_round

WORST_P = 1e-4


def played(rules: StellaRules, n_deals: int, seed: int = 3) -> sim.Games:
    match = sim.Match([make("stella", "random")] * rules.players, rules)
    return sim.simulate(match, n_deals, seed=seed)


@pytest.mark.parametrize("players", [2, 3, 4, 6, 12])
@pytest.mark.parametrize(("minimum", "maximum"), [(1, 10), (3, 5)])
def test_somebody_in_the_dark(players: int, minimum: int, maximum: int) -> None:
    """Counts are uniform on m numbers, so P(sole most) = players x sum over k < m of (1/m) (k/m)^(players - 1)."""
    choices = maximum - minimum + 1
    exact = players * sum(Fraction(1, choices) * Fraction(k, choices) ** (players - 1) for k in range(choices))
    rounds = played(StellaRules(players=players, minimum_marks=minimum, maximum_marks=maximum), 3_000).rounds
    assert rounds is not None
    dark = rounds.dark.any(2)
    assert (rounds.dark.sum(2) <= 1).all()
    assert stats.binomtest(int(dark.sum()), dark.size, float(exact)).pvalue > WORST_P


def test_numbers_of_marks_are_uniform_for_every_seat_and_round() -> None:
    rounds = played(StellaRules(), 3_000).rounds
    assert rounds is not None
    for r, seat in product(range(4), range(4)):
        assert stats.chisquare(np.bincount(rounds.marks[:, r, seat], minlength=11)[1:]).pvalue > WORST_P


def exact_falls(rules: StellaRules) -> Fraction:
    """P(a player marks a card that nobody else marked), over all sets of marks of all players."""
    cards, low, high = rules.cards, rules.minimum_marks, rules.maximum_marks
    weighted = [
        (frozenset(chosen), Fraction(1, (high - low + 1) * comb(cards, count)))
        for count in range(low, high + 1)
        for chosen in combinations(range(cards), count)
    ]
    total = Fraction(0)
    for (mine, weight), *others in product(weighted, repeat=rules.players):
        if mine - frozenset().union(*(chosen for chosen, _ in others)):
            for _, more in others:
                weight *= more
            total += weight
    return total


@pytest.mark.parametrize(
    "rules",
    [
        StellaRules(players=2, rows=2, columns=2, maximum_marks=3),
        StellaRules(players=3, rows=2, columns=2),
        StellaRules(players=2, rows=1, columns=5, minimum_marks=2, rounds=3),
        StellaRules(players=3, rows=1, columns=3, scout_passes="on_fall", grid_refresh="none"),
    ],
    ids=str,
)
def test_falls(rules: StellaRules) -> None:
    rounds = played(rules, 4_000).rounds
    assert rounds is not None
    exact = float(exact_falls(rules))
    for seat in range(rules.players):
        fallen = rounds.fallen[:, :, seat]
        assert stats.binomtest(int(fallen.sum()), fallen.size, exact).pvalue > WORST_P, f"seat {seat}"


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_player_falls_exactly_if_it_marked_what_nobody_else_did(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 6))
    rules = StellaRules(players=players, scout_passes=data.draw(st.sampled_from(["each_card", "on_fall"])))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    marks = rng.random((40, players, 15)) < rng.uniform(0.05, 0.6, (40, players, 1))
    counts = marks.sum(2)
    marks[(counts < 1) | (counts > 10)] = np.arange(15) < 3
    first = rng.integers(players, size=40)
    alone = (marks & (marks.sum(1, keepdims=True) == 1)).any(2)
    earned = []
    for order in (rng.random(marks.shape), rng.random(marks.shape)):
        result = resolve_round(rules, marks, first, order)
        assert (result.fallen == alone).all()
        assert (result.sparks + result.super_sparks <= result.counts).all()
        earned.append(result)
    for name in ("counts", "dark", "fallen"):  # the order changes only how much is earned
        assert (getattr(earned[0], name) == getattr(earned[1], name)).all()


def test_points_are_within_bounds() -> None:
    games = played(StellaRules(players=5), 500)
    rounds = games.rounds
    assert rounds is not None
    stars = rounds.sparks + rounds.super_sparks
    assert (rounds.points >= stars).all()
    assert (rounds.points <= 3 * stars).all()
    assert (rounds.erased == np.where(rounds.dark & rounds.fallen, stars, 0)).all()
    assert (rounds.points.sum(1) == games.scores).all()
