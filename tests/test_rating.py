"""The Davidson-Luce rating: known strengths come back, order does not matter, ties and extremes are in hand."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize

from experiments.lab.rating import DavidsonLuce, Played, Rating, rate, table_of
from experiments.lab.statistics import bootstrap_weights

STRENGTH = np.array([0.9, 0.2, -0.3, -0.8])
LOG_TIE = {2: -0.7, 3: -1.5, 4: -2.0}


def outcomes(sides: tuple[int, ...]) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Every set of winning sides, and its probability, from the definition."""
    sets = [subset for size in range(1, len(sides) + 1) for subset in combinations(range(len(sides)), size)]
    weight = [np.exp(LOG_TIE.get(len(s), 0.0) + np.mean([STRENGTH[sides[i]] for i in s])) for s in sets]
    return sets, np.array(weight) / np.sum(weight)


def played(tables: list[tuple[int, ...]], deals: int, seed: int, per_deal: int = 1) -> tuple[list[Played], np.ndarray]:
    """Simulated results per deal: wins (deals, tables, agents) and ties, as arrays; and the tables."""
    rng = np.random.default_rng(seed)
    wins, ties = np.zeros((deals, len(tables), 4)), np.zeros((deals, len(tables), 4))
    for row, sides in enumerate(tables):
        sets, chance = outcomes(sides)
        for _ in range(per_deal):
            drawn = rng.choice(len(sets), size=deals, p=chance)
            for deal, index in enumerate(drawn):
                for side in sets[index]:
                    wins[deal, row, sides[side]] += 1 / len(sets[index])
                ties[deal, row, len(sets[index]) - 1] += 1
    return wins, ties


def rated(tables: list[tuple[int, ...]], wins: np.ndarray, ties: np.ndarray, replicates: int = 60) -> Rating:
    weights = bootstrap_weights(5, np.arange(len(wins)), replicates).astype(float)
    kinds = tuple(map(table_of, tables))
    again = Played(kinds, np.tensordot(weights, wins, 1), np.tensordot(weights, ties, 1))
    return rate(Played(kinds, wins.sum(axis=0), ties.sum(axis=0)), again, len(wins))


PAIRS = list(combinations(range(4), 2))
TABLES = [(0, 1, 2, 3), (0, 0, 1, 2), (3, 2, 2, 2), (1, 3, 1, 3)]


@pytest.mark.parametrize("tables", [PAIRS, TABLES, PAIRS + TABLES], ids=["pairs", "tables", "both"])
def test_known_strengths_come_back(tables: list[tuple[int, ...]]) -> None:
    found = rated(tables, *played(tables, 4_000, 1))
    truth = STRENGTH - STRENGTH.mean()
    error = found.strength.half_width / 2
    assert (np.abs(found.strength.value - truth) < 4 * error).all()
    assert (error < 0.08).all()
    for size in range(2, max(map(len, tables)) + 1):
        assert found.fit.log_tie[size - 2] == pytest.approx(LOG_TIE[size], abs=0.35)


def test_expected_shares_are_those_of_the_definition() -> None:
    """Win shares by the fit, against the sum over all sets of sides, one side at a time."""
    model = DavidsonLuce([table_of(t) for t in TABLES], 4, (2, 3, 4))
    theta = np.concatenate([STRENGTH, [LOG_TIE[size] for size in (2, 3, 4)]])
    fit = model._fit(theta)
    for row, sides in enumerate(TABLES):
        sets, chance = outcomes(sides)
        for agent in set(sides):
            share = sum(p * sum(sides[i] == agent for i in s) / len(s) for s, p in zip(sets, chance, strict=True))
            assert fit.expected[row, agent] == pytest.approx(share / sides.count(agent))


def test_pairs_are_davidsons_model_fitted_the_long_way() -> None:
    """The likelihood of every single game, maximised without gradients, without pseudo-games."""
    wins, ties = played(PAIRS, 400, 2)
    found = rated(PAIRS, wins, ties, 2)

    def negative(theta: np.ndarray) -> float:
        total = 0.0
        for row, (a, b) in enumerate(PAIRS):
            pa, pb, tie = np.exp(theta[a]), np.exp(theta[b]), np.exp(theta[4] + (theta[a] + theta[b]) / 2)
            drawn = ties[:, row, 1].sum()
            won = [wins[:, row, agent].sum() - drawn / 2 for agent in (a, b)]
            total -= won[0] * np.log(pa) + won[1] * np.log(pb) + drawn * np.log(tie)
            total += (won[0] + won[1] + drawn) * np.log(pa + pb + tie)
        return total + 1e-3 * theta[:4].sum() ** 2

    long = minimize(
        negative,
        np.zeros(5),
        method="Nelder-Mead",
        options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-7, "fatol": 1e-9},
    )
    assert found.fit.strength == pytest.approx(long.x[:4] - long.x[:4].mean(), abs=5e-3)
    assert found.fit.log_tie[0] == pytest.approx(long.x[4], abs=1e-2)


def test_without_ties_it_is_the_choice_model_of_choix() -> None:
    """Bradley and Terry for pairs, Luce's first choice for tables, by another library."""
    choix = pytest.importorskip("choix")
    rng = np.random.default_rng(3)
    tables = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 1, 2, 3)]
    wins, ties, choices = np.zeros((1, 5, 4)), np.zeros((1, 5, 4)), []
    for row, sides in enumerate(tables):
        chance = np.exp(STRENGTH[list(sides)])
        for winner in rng.choice(sides, size=500, p=chance / chance.sum()):
            wins[0, row, winner] += 1
            ties[0, row, 0] += 1
            choices.append((int(winner), tuple(s for s in sides if s != winner)))
    twice = np.repeat(wins, 2, axis=0), np.repeat(ties, 2, axis=0)
    found = rate(*(Played(tuple(map(table_of, tables)), w, t) for w, t in ((wins[0], ties[0]), twice)), 500)
    assert found.fit.strength == pytest.approx(choix.opt_top1(4, choices), abs=5e-3)
    assert np.isneginf(found.fit.log_tie).all()


def test_order_of_deals_tables_and_agents_does_not_matter() -> None:
    wins, ties = played(TABLES, 300, 4)
    first = rated(TABLES, wins, ties, 3)
    order, rows, agents = np.random.default_rng(5).permutation(300), [2, 0, 3, 1], np.array([3, 1, 0, 2])
    renamed = [tuple(int(np.flatnonzero(agents == a)[0]) for a in TABLES[row]) for row in rows]
    second = rated(renamed, wins[order][:, rows][:, :, agents], ties[order][:, rows], 3)
    assert second.fit.strength == pytest.approx(first.fit.strength[agents], abs=1e-7)
    assert second.residuals.value == pytest.approx(first.residuals.value[rows][:, agents], abs=1e-7, nan_ok=True)


def test_ties_alone_make_equals() -> None:
    """Every game shared by all: no strength, a finite large tie parameter."""
    wins, ties = np.full((50, 6, 4), 0.0), np.zeros((50, 6, 4))
    for row, pair in enumerate(PAIRS):
        wins[:, row, list(pair)] = 0.5
        ties[:, row, 1] = 1
    found = rated(PAIRS, wins, ties)
    assert found.fit.strength == pytest.approx(np.zeros(4), abs=1e-9)
    assert 3 < found.fit.log_tie[0] < 12
    assert len(set(found.components)) == 1


def test_an_agent_that_never_wins_has_no_lower_bound_but_an_upper_one() -> None:
    wins, ties = played(PAIRS, 200, 6)
    for row, (_, b) in enumerate(PAIRS):
        if b == 3:
            wins[:, row] = np.eye(4)[PAIRS[row][0]]
            ties[:, row] = np.eye(4)[0]
    found = rated(PAIRS, wins, ties)
    assert np.isneginf(found.strength.low[3])
    assert np.isfinite(found.strength.value).all()
    assert found.strength.value[3] < found.strength.high[3] < found.strength.value[:3].min()
    assert np.isfinite(found.strength.low[:3]).all()
    assert np.isfinite(found.strength.high).all()


def test_an_agent_that_always_wins_has_no_upper_bound() -> None:
    wins, ties = played(PAIRS, 200, 7)
    for row, (a, _) in enumerate(PAIRS):
        if a == 0:
            wins[:, row], ties[:, row] = np.eye(4)[0], np.eye(4)[0]
    found = rated(PAIRS, wins, ties)
    assert np.isposinf(found.strength.high[0])
    assert found.strength.value[1:].max() < found.strength.low[0] < found.strength.value[0]


def test_strength_that_is_not_transitive_shows_in_the_residuals() -> None:
    """Rock, paper, scissors: equal strengths, residuals of a third, the worst named."""
    tables = [(0, 1), (1, 2), (0, 2)]
    wins, ties = np.zeros((300, 3, 3)), np.zeros((300, 3, 2))
    rng = np.random.default_rng(8)
    for row, (winner, loser) in enumerate([(0, 1), (1, 2), (2, 0)]):
        won = rng.random(300) < 5 / 6
        wins[:, row, winner], wins[:, row, loser] = won, ~won
        ties[:, row, 0] = 1
    found = rated(tables, wins, ties)
    assert np.abs(found.fit.strength).max() < 0.1
    table, agent = found.worst
    gap = found.residuals[table, agent]
    assert abs(gap.value) == pytest.approx(1 / 3, abs=0.08)
    assert gap.low > 0 or gap.high < 0


def test_bad_input_says_what_does_not_match() -> None:
    with pytest.raises(ValueError, match="agents ascending"):
        Played((((1, 1), (0, 1)),), np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="do not match"):
        Played((((0, 1), (1, 1)),), np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="more sides"):
        Played((((0, 1), (1, 2)),), np.zeros((1, 2)), np.zeros((1, 2)))
    none = Played((((0, 1), (1, 1)),), np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="at least one game"):
        rate(none, none, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tables", [[(0, 1), (1, 2), (0, 2)], [(0, 1, 2), (0, 0, 1), (2, 2, 1)]], ids=["pairs", "tables"]
)
def test_intervals_cover(tables: list[tuple[int, ...]]) -> None:
    """Games of a deal share its luck, which the model knows nothing of; its truth is what endless games would give."""
    sides, per_deal, deals, runs = len(tables[0]), 4, 100, 500
    rng = np.random.default_rng(9)

    def results(n: int) -> tuple[np.ndarray, np.ndarray]:
        """A side's strength varies from deal to deal for all its games; equal high scores, cut to steps, are ties."""
        luck = rng.normal(scale=0.7, size=(n, 1, 1, 3))
        wins, ties = np.zeros((n, len(tables), 3)), np.zeros((n, len(tables), sides))
        for row, seated in enumerate(tables):
            value = (
                STRENGTH[list(seated)]
                + luck[:, 0, :, list(seated)].transpose(1, 2, 0)
                + rng.gumbel(size=(n, per_deal, sides))
            )
            score = np.floor(2 * value)
            top = score == score.max(axis=-1, keepdims=True)
            size = top.sum(axis=-1)
            for side, agent in enumerate(seated):
                wins[:, row, agent] += (top[..., side] / size).sum(axis=1)
            for k in range(sides):
                ties[:, row, k] = (size == k + 1).sum(axis=1)
        return wins, ties

    truth = rated(tables, *results(300_000), 2).strength.value
    covered = []
    for _ in range(runs):
        found = rated(tables, *results(deals), 100)
        covered.append((found.strength.low <= truth) & (truth <= found.strength.high))
    assert 0.93 <= np.mean(covered) <= 0.97


def test_all_outcomes_of_a_table_have_probability_one() -> None:
    for sides in product(range(3), repeat=3):
        if len(set(sides)) > 1:
            model = DavidsonLuce([table_of(sides)], 3, (2, 3))
            _, expected, chance = model._moments(np.array([0.3, -0.2, 0.5, -1.0, 0.4]))
            assert chance.sum() == pytest.approx(1)
            assert expected[0, :3].sum() == pytest.approx(1)
