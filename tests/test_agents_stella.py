"""Stella strategies: distributions of `random`; the inference against closed forms and against played games."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from agents.probit import PHI, constant, phi
from agents.registry import make
from agents.stella.greedy import _NODES, _WEIGHTS, _in_any_order, _in_order, expected_stars
from agents.stella.inference import chance_all_fewer, chance_matched, chance_matched_now
from sim import Match, World, simulate
from sim.compiled import kernel
from sim.match import play_block
from sim.stella import StellaRules


@dataclass(frozen=True, eq=False)
class Watcher:
    """Plays as `agent` and keeps every view that it was shown."""

    agent: Any
    views: dict[str, list[Any]] = field(default_factory=lambda: {"mark": [], "reveal_order": [], "scout": []})

    def __getattr__(self, name: str) -> Any:
        if name not in ("mark", "reveal_order", "scout"):
            raise AttributeError(name)
        decide = getattr(self.agent, name)

        def kept(view: Any) -> Any:
            self.views[name].append(view)
            return decide(view)

        return kept


def watched(spec: str, others: str, rules: StellaRules, world: World, deals: int, seed: int = 1) -> tuple[Any, Any]:
    """The views of `spec` at seat 0 among `others`, and the games."""
    watcher = Watcher(make("stella", spec))
    lineup = [watcher, *[make("stella", others)] * (rules.players - 1)]
    return watcher.views, play_block(Match(lineup, rules, world, seating="fixed"), seed, 0, deals)


# random ---------------------------------------------------------------------------------------------------------------


def _chi_square(counts: NDArray[Any]) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def test_random_marks_a_uniform_number_of_uniform_cards() -> None:
    rules = StellaRules(players=3, rows=1, columns=4, minimum_marks=2, maximum_marks=3, rounds=2)
    agent = Watcher(make("stella", "random"))
    play_block(Match([agent] * 3, rules, seating="fixed"), 0, 0, 4000)
    marks = np.concatenate([agent.agent.mark(view).reshape(-1, 4) for view in agent.views["mark"]])
    number = marks.sum(axis=1)
    assert _chi_square(np.bincount(number, minlength=4)[2:]) < 10.8  # 1 degree of freedom, 0.1 %
    for size, sets, limit in ((2, 6, 20.5), (3, 4, 16.3)):
        found = np.unique(marks[number == size], axis=0, return_counts=True)[1]
        assert len(found) == sets
        assert _chi_square(found) < limit


def test_random_reveals_in_uniform_order() -> None:
    rules = StellaRules(players=3, rows=1, columns=3, minimum_marks=3, maximum_marks=3, rounds=2)
    agent = Watcher(make("stella", "random"))
    play_block(Match([agent] * 3, rules, seating="fixed"), 0, 0, 4000)
    order = np.concatenate([agent.agent.reveal_order(view).reshape(-1, 3) for view in agent.views["reveal_order"]])
    found = np.unique(np.argsort(-order, axis=1), axis=0, return_counts=True)[1]
    assert len(found) == 6
    assert _chi_square(found) < 20.5


# Plain strategies -----------------------------------------------------------------------------------------------------


def test_people_keep_their_threshold_for_the_game() -> None:
    views, _ = watched("people", "people", StellaRules(), World(), 500)
    draws = [view.random.per_game.normal(1) for view in views["mark"]]
    assert len(draws) == 4
    assert all((draw == draws[0]).all() for draw in draws)
    assert len(np.unique(draws[0])) > 450
    for view in views["mark"]:
        above = (view.fit > (0.5 + 0.35 * draws[0]).astype(np.float32)).sum(axis=-1)
        assert (make("stella", "people").mark(view).sum(axis=-1) == np.clip(above, 1, 10)).all()


def test_orders() -> None:
    views, _ = watched("top", "people", StellaRules(), World(), 50)
    view = views["reveal_order"][0]
    assert (make("stella", "top").reveal_order(view) == view.fit).all()
    assert (make("stella", "top:order=boldest").reveal_order(view) == -view.fit).all()
    assert (make("stella", "top:order=random").reveal_order(view) == view.random.uniform(15)).all()


@pytest.mark.parametrize("darkness", ["sole_most", "all_most", "off"])
def test_avoider_at_the_ends_and_in_between(darkness: Any) -> None:
    rules = StellaRules(darkness=darkness, minimum_marks=2, maximum_marks=9)
    views, _ = watched("avoider", "people", rules, World(), 200)
    for view in views["mark"]:
        number = [make("stella", f"avoider:risk={risk}").mark(view).sum(axis=-1) for risk in (0, 0.1, 0.3, 0.7, 1)]
        assert (number[-1] == 9).all()
        assert (number[0] == (9 if darkness == "off" else 2)).all()
        assert all((fewer <= more).all() for fewer, more in pairwise(number))


# Inference ------------------------------------------------------------------------------------------------------------


@kernel
def _phis(z: Any, table: Any, out: Any) -> None:
    for i in range(len(z)):
        out[i] = phi(z[i], table)


def test_the_table_of_normal_probabilities() -> None:
    z = constant(np.linspace(-7, 7, 100_001))
    out = np.empty(len(z), np.float32)
    _phis(z, PHI, out)
    assert abs(out - ndtr(z.astype(np.float64))).max() < 1e-5
    assert (np.diff(out) >= 0).all()


def test_one_other_player_closed_form() -> None:
    """Without breadth, P(j marks) = Phi((a f - 0.5) / sqrt(1 - a^2 + 0.35^2)) in the first round."""
    world = World(breadth_sd=0)
    views, _ = watched("top", "people", StellaRules(players=2), world, 200)
    view, a = views["mark"][0], world.agreement_mean
    nobody, one = chance_matched(view)
    exact = ndtr((a * view.fit - 0.5) / np.sqrt(1 - a * a + 0.35**2))
    assert abs(1 - nobody - exact).max() < 2e-4
    assert abs(one - exact).max() < 2e-4


def test_the_number_that_one_other_player_announces() -> None:
    """Against the Poisson-binomial distribution, integrated over the threshold on a fine grid."""
    world = World(breadth_sd=0)
    views, _ = watched("top", "people", StellaRules(players=2), world, 20)
    view, a = views["mark"][0], world.agreement_mean
    t = np.linspace(0.5 - 6 * 0.35, 0.5 + 6 * 0.35, 401)
    weight = np.exp(-(((t - 0.5) / 0.35) ** 2) / 2)
    weight /= weight.sum()
    for fit, chance in zip(view.fit[:, 0], chance_all_fewer(view)[:, 0], strict=True):
        exactly = np.zeros((len(t), 17))
        exactly[:, 0] = 1
        for p in ndtr((a * fit[:, None] - t) / np.sqrt(1 - a * a)):
            exactly[:, 1:] += p[:, None] * (exactly[:, :-1] - exactly[:, 1:])
            exactly[:, 0] *= 1 - p
        fewer = weight @ np.cumsum(exactly, axis=1)
        assert chance[:2].tolist() == [0, 0]
        assert abs(chance[2:] - fewer[1:10]).max() < 4e-3


@pytest.mark.parametrize(
    ("players", "breadth", "within"),
    [(3, 0.3, 0.025), (4, 0.3, 0.025), (6, 0.3, 0.025), (4, 0.0, 0.025), (4, 0.6, 0.06)],
)
def test_stated_chances_of_darkness_come_true(players: int, breadth: float, within: float) -> None:
    """Among real `people`: of all occasions with a stated chance of about p, all announce fewer in about p."""
    rules = StellaRules(players=players)
    views, games = watched("top", "people", rules, World(breadth_sd=breadth), 6000)
    most = games.rounds.marks[:, :, 1:].max(axis=-1)
    stated = np.stack([chance_all_fewer(view)[:, 0] for view in views["mark"]], axis=1)
    happened = most[..., None] < np.arange(rules.maximum_marks + 1)
    for low in (0.05, 0.15, 0.25, 0.35, 0.55, 0.75):
        which = (stated >= low) & (stated < low + 0.1)
        assert which.sum() > 300
        assert abs(stated[which].mean() - happened[which].mean()) < within + 3 * 0.5 / which.sum() ** 0.5


def test_stated_chances_of_a_match_come_true() -> None:
    """`top:k=10` marks ten cards: how many of them did nobody else mark, and how many exactly one?"""
    rules = StellaRules(rounds=2)
    watchers = [Watcher(make("stella", spec)) for spec in ("top:k=10", "people", "people", "people")]
    play_block(Match(watchers, rules, World(), seating="fixed"), 0, 0, 4000)
    for mine, *others in zip(*(w.views["mark"] for w in watchers), strict=True):
        marked = np.sum([make("stella", "people").mark(view)[:, 0] for view in others], axis=0)
        nobody, one = (chance[:, 0] for chance in chance_matched(mine))
        for stated, happened in ((nobody, marked == 0), (one, marked == 1)):
            for low in (0.1, 0.2, 0.3, 0.4):
                which = (stated >= low) & (stated < low + 0.1)
                if which.sum() > 500:
                    assert abs(stated[which].mean() - happened[which].mean()) < 0.03


def test_counting_scouts_know_what_is_left() -> None:
    rules = StellaRules(players=3)
    views, _ = watched("counting", "people", rules, World(), 2000)
    chances, held = [], []
    for view in views["scout"]:
        now = chance_matched_now(view)
        assert ((now >= 0) == (view.legal & view.acting[..., None])).all()
        left = view.counts[:, 1:] - view.owners[:, 1:].sum(axis=-1)
        sure = view.acting & (left.sum(axis=1, keepdims=True) == 0)
        assert (now[sure] <= 0).all()
        chosen = make("stella", "counting").scout(view)
        rows = np.flatnonzero(view.acting[:, 0])
        chances.append(now[rows, 0, chosen[rows, 0]])
        held.append(rows)
    assert 0.3 < np.concatenate(chances).mean() < 1


def test_thinking_again_changes_nothing_in_the_probit_world() -> None:
    """Nothing that is revealed tells two hidden cards apart, so the likeliest match stays the best own fit.

    (Two engine paths must agree here as well: reveals step by step, and a whole round in one kernel call.)
    """
    people = [make("stella", "people")] * 3
    counted, planned = (
        simulate(Match([make("stella", spec), *people], StellaRules()), 500, seed=4).scores
        for spec in ("counting:risk=0.5", "avoider:risk=0.5")
    )
    assert (counted == planned).all()


# greedy ---------------------------------------------------------------------------------------------------------------


def test_safest_first_promises_more_with_every_mark() -> None:
    views, _ = watched("greedy", "people", StellaRules(), World(), 200)
    for view in views["mark"]:
        stars = expected_stars(view, "safest")
        assert (np.diff(stars[..., 1:], axis=-1) > 0).all()
        assert (make("stella", "greedy").mark(view).sum(axis=-1) == 10).all()
        bold = make("stella", "greedy:order=boldest").mark(view).sum(axis=-1)
        assert 1 < bold.mean() < 9


def test_stars_in_random_order_are_the_mean_over_all_orders() -> None:
    generator = np.random.default_rng(3)
    matched, worth = generator.random(5), generator.random(5)
    mean = np.mean([_in_order(matched[list(p)], worth[list(p)]) for p in permutations(range(5))])
    assert abs(_in_any_order(matched, worth, _NODES, _WEIGHTS) - mean) < 1e-12


# The reference field --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "share"), [(3, 1.40), (4, 1.61), (5, 1.88), (6, 2.19)])
def test_the_worth_of_avoiding(players: int, share: float) -> None:
    """WORLD.md: win share over fair share of one avoider of risk 0.2 among people, no breadth."""
    lineup = [make("stella", "avoider:risk=0.2"), *[make("stella", "people")] * (players - 1)]
    games = simulate(Match(lineup, StellaRules(players=players), World(breadth_sd=0)), 2000, seed=3)
    won = (games.winners / games.winners.sum(axis=1, keepdims=True))[:, 0].mean() * players
    assert abs(won - share) < 0.12


def test_a_world_without_parameters_is_named() -> None:
    views, _ = watched("avoider", "people", StellaRules(), World(), 2)
    with pytest.raises(ValueError, match="need a world with agreement_mean; object has none"):
        make("stella", "avoider").mark(replace(views["mark"][0], world=object()))
