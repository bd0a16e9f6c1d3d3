"""A world of the user's own: the example of `ReadingModel` in both games, and what is refused of worlds that err."""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sim
from agents.registry import make
from sim.errors import WorldError
from sim.odyssey import OdysseyRules
from sim.randomness import LOW16, NORMALS, READING, purpose_keys, word
from sim.stella import StellaRules
from sim.world import ReadingModel, checked

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


@dataclass(frozen=True)
class Alike:
    aptness: float = 3

    def clue(self, keys, turn, storyteller, cards, vagueness):
        return purpose_keys(keys, turn, READING), cards, np.float32(self.aptness) * (1 - vagueness)

    def open_clue(self, keys, turn):
        return purpose_keys(keys, turn, READING), np.full(len(keys), -1), np.zeros(len(keys), np.float32)

    def word(self, keys, round):
        return self.open_clue(keys, round)

    def fit_hands(self, reading, seats, hands):
        key, source, fit_of_source = (column[:, None, None] for column in reading)
        fit = NORMALS[word(key, hands) & LOW16]
        return np.where(hands == source, fit_of_source, fit)

    def fit_images(self, reading, seats, images):
        return self.fit_hands(reading, seats, np.repeat(images[:, None], len(seats), 1))


@dataclass(frozen=True)
class Wrong(Alike):
    """Does one thing wrong in the fits of method `at`."""

    how: str = "nothing"
    at: str = "fit_images"

    def fit_hands(self, reading, seats, hands):
        fit = super().fit_hands(reading, seats, hands)
        return self._spoiled(fit) if self.at == "fit_hands" else fit

    def fit_images(self, reading, seats, images):
        fit = super().fit_hands(reading, seats, np.repeat(images[:, None], len(seats), 1))
        return self._spoiled(fit) if self.at == "fit_images" else fit

    def _spoiled(self, fit: Any) -> Any:
        if self.how == "nan":
            fit[-1, 0, 2] = np.nan
        changes: dict[str, Any] = {
            "shape": lambda: fit[..., 1:], "type": lambda: fit > 0, "none": lambda: None, "raises": lambda: {}["card"],
            "infinite": lambda: fit.astype(np.float64) * 1e300, "ragged": lambda: [[1], [1, 2]],
        }  # fmt: skip
        return changes.get(self.how, lambda: fit)()


class WithoutEquality(Alike):
    """A world that is no value: unequal to its own copy."""

    __eq__ = object.__eq__
    __hash__ = None  # type: ignore[assignment]


STELLA = StellaRules(players=3, rounds=2)
TABLES: list[Any] = [
    pytest.param("stella", "people", STELLA, id="stella"),
    pytest.param("odyssey", "greedy", OdysseyRules(players=4), id="standard"),
    pytest.param("odyssey", "party", OdysseyRules(variant="party", players=6), id="party"),
    pytest.param("odyssey", "people", OdysseyRules(variant="team", players=6), id="team"),
]


def table(game: Any, spec: str, rules: Any, world: Any) -> sim.Match:
    return sim.Match([make(game, spec), *[make(game, "random")] * (rules.players - 1)], rules, world=world)


def test_the_example_of_the_documentation_is_the_one_tested_here() -> None:
    told = inspect.getdoc(ReadingModel) or ""
    code = told[told.index("    @dataclass") : told.index("\n\nwith `READING`")]
    assert textwrap.dedent(code).strip() == inspect.getsource(Alike).strip()


@pytest.mark.parametrize(("game", "spec", "rules"), TABLES)
def test_games_in_a_world_of_ones_own(game: str, spec: str, rules: Any) -> None:
    match = table(game, spec, rules, Alike())
    games = sim.simulate(match, 30, seed=3, block_deals=10)
    for other in (
        sim.simulate(match, 30, seed=3),
        sim.simulate(match, 30, seed=3, block_deals=10, n_jobs=2),
        sim.simulate(table(game, spec, rules, Alike()), 30, seed=3, n_jobs=2, backend="threading"),
    ):
        assert (games.scores == other.scores).all()
    last = games.match.seatings - 1
    row = np.flatnonzero((games.deal == 17) & (games.seating == last))[0]
    told = sim.replay(match, seed=3, deal=17, seating=last)
    assert all(str(score) in told.splitlines()[-2] for score in games.scores[row])
    other = sim.simulate(table(game, spec, rules, sim.World()), 30, seed=3)
    assert (games.scores != other.scores).any()


@pytest.mark.parametrize(("game", "spec", "rules"), TABLES)
def test_agents_see_the_world_itself(game: str, spec: str, rules: Any) -> None:
    seen = set()
    cls = type(make(game, spec))  # type: ignore[arg-type]

    class Looking(cls):  # type: ignore[misc, valid-type]
        def __getattribute__(self, name: str) -> Any:
            value = super().__getattribute__(name)
            if name not in ("mark", "reveal_order", "tell", "hand_in", "vote", "trap"):
                return value
            return lambda view: (seen.add(id(view.world)), value(view))[1]

    world = Alike()
    sim.simulate(sim.Match([Looking()] * rules.players, rules, world=world), 2)
    assert seen == {id(world)}


@pytest.mark.parametrize("at", ["fit_images", "fit_hands"])
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("nan", r"expected finite float32 numbers; received nan for seat \d and card \d+"),
        ("infinite", r"expected finite float32 numbers; received -?\d"),
        (
            "shape",
            r"expected float32 of shape \(6, 3, .*\) \(games, seats, cards\); received float32 of shape \(6, 3, ",
        ),
        ("type", r"received bool of shape"),
        ("none", r"received NoneType of shape \(\)"),
        ("ragged", r"received list"),
        ("raises", r"raised KeyError: 'card'"),
    ],
)
def test_what_worlds_get_wrong(how: str, at: str, message: str) -> None:
    match = table("odyssey", "greedy", OdysseyRules(players=4), Wrong(how=how, at=at))
    with pytest.raises(WorldError, match=rf"world Wrong, method {at}: .*{message}.*seed=5, deals 0 to 5 of") as caught:
        sim.simulate(match, 6, seed=5)
    assert "\n" not in str(caught.value)
    if at == "fit_images":
        with pytest.raises(WorldError, match="world Wrong, method fit_images"):
            sim.simulate(table("stella", "people", STELLA, Wrong(how=how)), 6)


def test_errors_of_worlds_cross_process_borders() -> None:
    with pytest.raises(WorldError, match="method fit_images: expected finite float32 numbers; received nan"):
        sim.simulate(table("stella", "people", STELLA, Wrong(how="nan")), 6, n_jobs=2, block_deals=3)


def test_replies_are_copied_as_float32() -> None:
    kept = np.full((2, 1, 3), 0.5)
    reply = checked(type("Kept", (Alike,), {"fit_hands": lambda *_: kept})()).fit_hands(
        None, np.array([0]), np.zeros((2, 1, 3), np.int16)
    )
    assert reply.dtype == np.float32
    assert (reply == kept).all()
    assert not np.shares_memory(reply, kept)
    world = sim.World()
    assert checked(world) is world


def test_worlds_that_are_no_values_are_told_apart() -> None:
    match = table("stella", "people", STELLA, WithoutEquality())
    assert len(sim.simulate(match, 20, block_deals=5)) == 60
    with pytest.raises(ValueError, match="their worlds differ: a world of your own must be equal to its pickled copy"):
        sim.simulate(match, 20, block_deals=5, n_jobs=2)
    with pytest.raises(ValueError, match="world: expected a World or an object with its methods, received <class"):
        table("stella", "people", STELLA, Alike)


@pytest.mark.parametrize(
    ("game", "spec", "missing"),
    [
        ("odyssey", "bayes", "storyteller_floor"),
        ("stella", "avoider", "agreement_mean"),
        ("stella", "greedy:order=boldest", "agreement_mean"),
        ("stella", "counting", "agreement_mean"),
    ],
)
def test_agents_that_infer_say_what_the_world_lacks(game: str, spec: str, missing: str) -> None:
    rules = STELLA if game == "stella" else OdysseyRules(players=4)
    with pytest.raises(sim.AgentError, match=rf"agent {spec}.* need a world with {missing}; Alike has none"):
        sim.simulate(table(game, spec, rules, Alike()), 3)


def test_tuned_computes_in_any_world_that_can_be_hashed() -> None:
    rules = OdysseyRules(players=3)
    assert len(sim.simulate(table("odyssey", "tuned", rules, Alike()), 2)) == 6
    with pytest.raises(sim.AgentError, match=r"tuned needs a world that can be hashed.*; WithoutEquality cannot"):
        sim.simulate(table("odyssey", "tuned", rules, WithoutEquality()), 2)
