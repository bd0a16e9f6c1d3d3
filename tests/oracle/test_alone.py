"""The oracle alone, without the engine: case files, the invariants of RULES.md, the first checks of WORLD.md."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import keys, odyssey, players, rules, stella
from .world import Clue

CASES = Path(__file__).parent / "cases"


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((CASES / name).read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", cases("odyssey_turns.json"), ids=lambda case: case["name"])
def test_odyssey_cases(case: dict[str, Any]) -> None:
    resolved = rules.odyssey_rules(**case["rules"])
    assert (
        odyssey.score_turn(resolved, case["storyteller"], case["owners"], case["votes"], case["trap"]) == case["points"]
    )


@pytest.mark.parametrize("case", cases("stella_rounds.json"), ids=lambda case: case["name"])
def test_stella_cases(case: dict[str, Any]) -> None:
    resolved = rules.stella_rules(**case["rules"])
    cards = range(resolved.rows * resolved.columns)
    marks = [[card in own for card in cards] for own in case["marks"]]
    priority = case["priority"]
    result = stella.resolve_round(
        resolved,
        marks,
        case["first_scout"],
        lambda scout, state: stella.highest(priority[scout], state.hidden_marks(scout)),
    )
    for seat, expected in enumerate(case["result"]):
        assert {name: result[name][seat] for name in expected} == expected


def test_splitmix64_reference_output() -> None:
    """The first words of splitmix64 from state 1234567 (published with the generator)."""
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [keys.word(1234567, i) for i in range(5)] == expected


def test_normals_and_permutation() -> None:
    table = np.array(keys.normals())
    assert table.dtype == np.float32 and np.all(table == -table[::-1]) and np.all(np.diff(table) >= 0)
    assert abs(table.std() - 1) < 1e-3
    assert sorted(keys.permutation(7, list(range(84)))) == list(range(84))


def test_readings_are_float32_and_of_unit_variance() -> None:
    clue = Clue(rules.world(), keys.deal_key(1, 2), 3, broad=True)
    fits = [clue.fit(seat, card) for seat in range(12) for card in range(1000)]
    assert all(isinstance(fit, np.float32) for fit in fits)
    shared = [clue.shared(card) for card in range(1000)]
    assert abs(np.std(fits) - 1) < 0.05 and abs(np.std(shared) - 1) < 0.1


LINEUP = (players.HashOdyssey(), players.BestFitOdyssey(), players.WatcherOdyssey(), players.NoisyOdyssey())
TABLES = (
    [("standard", p) for p in range(3, 13)]
    + [("party", p) for p in range(6, 13)]
    + [("team", p) for p in (6, 8, 10, 12)]
)


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_no_card_is_ever_in_two_places(variant: str, seats: int) -> None:
    resolved = rules.odyssey_rules(variant=variant, players=seats)
    table = [LINEUP[seat % 4] for seat in range(seats)]
    game = odyssey.play_odyssey(resolved, rules.world(), table, seed=3, deal=seats)
    deck = list(range(resolved.deck_size))
    for number, event in enumerate(game.turns):
        before = [card for hand in event["hands"] for card in hand]
        assert len(before) == len(set(before)) == seats * resolved.hand_size
        assert event["images"] == sorted(set(event["images"])) and set(event["images"]) <= set(before)
        after = [card for hand in event["hands_after"] for card in hand if card != odyssey.EMPTY]
        assert sorted(after + event["pile"] + event["discards"]) == deck
        if number + 1 < len(game.turns):
            assert event["hands_after"] == game.turns[number + 1]["hands"]
            assert len(after) == seats * resolved.hand_size
        assert event["storyteller"] == number % seats
    images = {"standard": 1 + (seats - 1) * resolved.images_handed_in, "party": seats, "team": seats // 2 + 1}[variant]
    voters = {"standard": seats - 1, "party": seats, "team": seats // 2 - 1}[variant]
    assert all(len(event["images"]) == images and event["voters"] == voters for event in game.turns)
    assert game.finished
    if variant == "standard":
        assert max(game.scores) >= 30 and all(max(event["scores"]) < 30 for event in game.turns[:-1])
    else:
        assert len(game.turns) == seats


def test_eleven_players_reshuffle_in_their_second_turn() -> None:
    resolved = rules.odyssey_rules(players=11)
    game = odyssey.play_odyssey(resolved, rules.world(), [players.HashOdyssey()] * 11, seed=0, deal=0)
    first, second = game.turns[:2]
    assert len(first["pile"]) == 7 and len(second["pile"]) == 11 + 11 - 4
    assert second["discards"] == []
    last_of_the_pile = first["pile"]
    filled = [second["hands_after"][(1 + step) % 11] for step in range(11)]
    before = [set(second["hands"][(1 + step) % 11]) for step in range(11)]
    new = [next(card for card in hand if card not in old) for hand, old in zip(filled[:7], before[:7], strict=True)]
    assert new == last_of_the_pile


def test_party_hands_go_to_the_left() -> None:
    resolved = rules.odyssey_rules(variant="party", players=6)
    game = odyssey.play_odyssey(resolved, rules.world(), [players.BestFitOdyssey()] * 6, seed=0, deal=0)
    first, second = game.turns[:2]
    for seat in range(6):
        kept = set(first["hands"][seat]) - set(first["images"])
        assert kept < set(second["hands"][(seat + 1) % 6])


@pytest.mark.parametrize("seats", range(2, 13))
@pytest.mark.parametrize("scout_passes", ["each_card", "on_fall"])
def test_stella_invariants(seats: int, scout_passes: str) -> None:
    resolved = rules.stella_rules(players=seats, scout_passes=scout_passes)
    kinds = (players.HashStella(), players.WatcherStella(), players.RethinkingStella(), players.AttentiveStella())
    table = [kinds[seat % 4] for seat in range(seats)]
    game = stella.play_stella(resolved, rules.world(), table, seed=5, deal=seats)
    seen: set[int] = set()
    for number, event in enumerate(game.rounds):
        marks = np.array(event["marks"])
        alone = marks & (marks.sum(axis=0) == 1)
        assert event["fallen"] == list(alone.any(axis=1)), "falls if and only if a mark is nobody else's"
        fresh = set(event["grid"]) - set(game.rounds[number - 1]["grid"]) if number else set(event["grid"])
        assert len(fresh) == (5 if number else 15) and not fresh & seen
        seen |= fresh
        assert event["reveals"][0][0] == number % seats
        assert len({card for _, card, _ in event["reveals"]}) == len(event["reveals"])
    totals = np.array([event["points"] for event in game.rounds]).sum(axis=0)
    assert game.scores == list(totals) and any(game.winners)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_revealing_never_decides_who_falls(seed: int) -> None:
    dice = random.Random(seed)
    seats = dice.randint(2, 6)
    resolved = rules.stella_rules(players=seats, rows=2, columns=4, scout_passes=dice.choice(["each_card", "on_fall"]))
    marks = [[dice.random() < 0.4 for _ in range(8)] for _ in range(seats)]
    results = [
        stella.resolve_round(resolved, marks, first, lambda scout, state: dice.choice(state.hidden_marks(scout)))
        for first in range(seats)
    ]
    assert all(result["fallen"] == results[0]["fallen"] and result["dark"] == results[0]["dark"] for result in results)


@pytest.mark.parametrize(
    ("seats", "vagueness", "all_found", "some", "none"), [(4, 0.65, 0.28, 0.46, 0.27), (6, 0.5, 0.20, 0.59, 0.20)]
)
def test_first_checks_of_the_world(seats: int, vagueness: float, all_found: float, some: float, none: float) -> None:
    """Best-fit decoys and voters: the shares of turns that all, some, none find, within four standard errors."""
    resolved = rules.odyssey_rules(players=seats, target_score=None, max_turns=20)
    table = [players.GreedyOdyssey(vagueness=vagueness)] * seats
    found = [
        event["found"]
        for deal in range(30)
        for event in odyssey.play_odyssey(resolved, rules.world(), table, seed=11, deal=deal).turns
    ]
    shares = [
        np.mean([f == seats - 1 for f in found]),
        np.mean([0 < f < seats - 1 for f in found]),
        found.count(0) / len(found),
    ]
    for share, expected in zip(shares, (all_found, some, none), strict=True):
        assert abs(share - expected) < 4 * (expected * (1 - expected) / len(found)) ** 0.5
