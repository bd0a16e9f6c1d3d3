"""Matches: seatings, groups, and what is refused, with a message that says what and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sim
from agents import StellaAgent
from agents.registry import make
from sim.odyssey import OdysseyRules
from sim.replay import trace
from sim.stella import StellaRules

A, B, C, D = (make("stella", f"top:k={k}") for k in (3, 4, 5, 6))


@pytest.mark.parametrize(
    ("lineup", "seatings"),
    [
        ([A, B, C, D], 4),
        ([A, B, A, B], 2),
        ([A, A, A, A], 1),
        ([A, A, A, B], 4),
        ([A, B, A, B, A, B], 2),
        ([A, B, C], 3),
    ],
)
def test_seatings(lineup: list[Any], seatings: int) -> None:
    rules = StellaRules(players=len(lineup))
    match = sim.Match(lineup, rules)
    assert match.seatings == seatings
    assert sim.Match(lineup, rules, seating="fixed").seatings == 1
    assert len(sim.simulate(match, 3)) == 3 * seatings
    for seating in range(seatings):
        seats = np.full(len(lineup), -1)
        for group in match.groups(seating):
            assert (np.diff(group.seats) > 0).all()
            for seat in group.seats:
                assert lineup[(seat - seating) % len(lineup)] == group.agent
                seats[seat] = 0
        assert (seats == 0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([A] * 3, StellaRules()), "the lineup has 3 agents, the rules have players = 4"),
        (
            ([make("odyssey", "greedy")] * 4, StellaRules()),
            r"agent 0 .* greedy, cannot play stella: it is an agent for Odyssey",
        ),
        (([A] * 6, OdysseyRules()), r"cannot play odyssey: it is an agent for Stella \(it has no tell"),
        (([A, A, A, type(A)], StellaRules()), r"agent 3 of the lineup is the class Top"),
        (([A, A, A, "people"], StellaRules()), r"agent 3 .* people, cannot play stella: it is no agent"),
        (("people", StellaRules()), "expected a list of agents"),
        (([A] * 4, 4), "rules: expected OdysseyRules or StellaRules"),
        (([A] * 4, StellaRules(), 0.4), "world: expected a World"),
        (([A] * 4, StellaRules(), None, "random"), "seating = 'random': allowed are 'rotate' and 'fixed'"),
    ],
)
def test_matches_that_cannot_be(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sim.Match(*arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_deals": 0}, "n_deals = 0: must be a whole number, 1 or more"),
        ({"n_deals": -5}, "n_deals = -5"),
        ({"n_deals": 2.5}, "n_deals = 2.5"),
        ({"n_deals": True}, "n_deals = True"),
        ({"first_deal": -1}, "first_deal = -1: must be a whole number, 0 or more"),
        ({"seed": -1}, "seed = -1: must be a whole number from 0 to 18446744073709551615"),
        ({"seed": 2**64}, "seed = 18446744073709551616"),
        ({"n_jobs": 0}, "n_jobs = 0: must be a whole number, 1 or more"),
        ({"n_jobs": -1}, "n_jobs = -1"),
        ({"block_deals": 0}, "block_deals = 0"),
        ({"keep": "everything"}, "keep = 'everything': allowed are 'games', 'summary'"),
        ({"backend": "cloud", "n_jobs": 2}, "backend = 'cloud'"),
    ],
)
def test_simulations_that_cannot_be(changes: dict[str, Any], message: str) -> None:
    match = sim.Match([A] * 4, StellaRules())
    with pytest.raises(ValueError, match=message):
        sim.simulate(match, **{"n_deals": 4, **changes})


def test_replays_that_cannot_be() -> None:
    match = sim.Match([A, B, A, B], StellaRules())
    for arguments, message in (
        ((0, 0, 2), "seating = 2: must be a whole number from 0 to 1"),
        ((0, -1, 0), "deal = -1"),
    ):
        with pytest.raises(ValueError, match=message):
            sim.replay(match, *arguments)
    with pytest.raises(ValueError, match=r"seating = 1: must be 0$"):
        sim.replay(sim.Match([A] * 4, StellaRules()), seating=1)


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        (0, r"must be 0 \(constant agreement\)$"),
        (1, r"must be 0 \(const"),
        (0.5, "must be below 0.5 for .* mean 0.5, or 0"),
    ],
)
def test_worlds_that_cannot_be(mean: float, message: str) -> None:
    with pytest.raises(ValueError, match=f"World.agreement_sd = 0.5: {message}"):
        sim.World(agreement_mean=mean, agreement_sd=0.5)
    assert sim.World(agreement_mean=mean, agreement_sd=0).agreement_mean == mean


# Agents that go wrong -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wrong(StellaAgent):
    """Marks three cards, and does one thing wrong in the games whose first card is low (or in all)."""

    how: str = "nothing"
    low: int = 84

    def mark(self, view: Any) -> Any:
        n, k, m = view.fit.shape
        marks = np.zeros((n, k, m), bool)
        marks[:, :, :3] = True
        bad = view.images[:, 0] < self.low
        if self.how == "raises" and bad.any():
            raise ZeroDivisionError("no card fits")
        if self.how == "exits" and bad.any():
            raise SystemExit(3)
        if self.how == "interrupted":
            raise KeyboardInterrupt
        if self.how == "no marks":
            marks[bad, -1] = False
        if self.how == "too many":
            marks[bad, -1] = True
        if self.how == "shape":
            return marks[:, :, :-1]
        if self.how == "nan":
            return np.where(marks, 1.0, np.nan)
        if self.how == "nothing at all":
            return None
        if self.how == "ragged":
            return [[1], [1, 2]]
        return marks

    def reveal_order(self, view: Any) -> Any:
        order = view.fit.astype(float)
        if self.how == "nan order":
            order[view.images[:, 0] < self.low, 0, 4] = np.nan
        if self.how == "words":
            return order.astype(str)
        return order[:, :1] if self.how == "order shape" and view.round == 1 else order


@pytest.mark.parametrize(
    ("how", "decision", "message"),
    [
        ("raises", "mark", "raised ZeroDivisionError: no card fits"),
        ("exits", "mark", "raised SystemExit: 3"),
        ("no marks", "mark", "expected from 1 to 10 marks; received 0 marks"),
        ("too many", "mark", "expected from 1 to 10 marks; received 15 marks"),
        (
            "shape",
            "mark",
            r"marks, 1 to 10 for each game and seat, of shape \(\d+, 2, 15\); received bool of shape \(\d+, 2, 14\)",
        ),
        ("nan", "mark", "received float64 with NaN"),
        ("nothing at all", "mark", "received object"),
        ("ragged", "mark", "expected bool marks"),
        ("nan order", "reveal_order", "none of them NaN; received NaN for card 4"),
        ("words", "reveal_order", "received <U"),
        ("order shape", "reveal_order", r"received float64 of shape \(\d+, 1, 15\).*round 1"),
    ],
)
def test_what_agents_get_wrong(how: str, decision: str, message: str) -> None:
    match = sim.Match([A, Wrong(how=how), A, Wrong(how=how)], StellaRules())
    with pytest.raises(sim.AgentError, match=message) as caught:
        sim.simulate(match, 40, first_deal=5, seed=9)
    text = str(caught.value)
    assert f"Wrong:how={how}" in text
    assert f"decision {decision}" in text
    assert "seed=9, deal=" in text and "seating=" in text


@pytest.mark.parametrize("how", ["raises", "exits", "no marks", "nan order"])
def test_the_address_is_of_a_game_that_shows_it(how: str) -> None:
    match = sim.Match([A, Wrong(how=how, low=2), A, A], StellaRules())
    with pytest.raises(sim.AgentError) as caught:
        sim.simulate(match, 400, seed=9)
    words = str(caught.value).replace(",", "").split()
    address = {
        name: int(value)
        for name, value in (word.split("=") for word in words if word[:4] in ("deal", "seat") and "=" in word)
    }
    assert address["deal"] > 0
    with pytest.raises(sim.AgentError):
        sim.replay(match, seed=9, deal=address["deal"], seating=address["seating"])
    trace(match, seed=9, deal=address["deal"] + 1, seating=0)  # a neighbour is fine


def test_ctrl_c_inside_an_agent_passes() -> None:
    with pytest.raises(KeyboardInterrupt):
        sim.simulate(sim.Match([A, Wrong(how="interrupted"), A, A], StellaRules()), 2)


def test_errors_cross_process_borders() -> None:
    match = sim.Match([A, Wrong(how="too many"), A, A], StellaRules())
    with pytest.raises(sim.AgentError, match="received 15 marks"):
        sim.simulate(match, 200, n_jobs=2)
