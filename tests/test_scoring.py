"""Scoring by hand-derived examples, illegal input, and what must hold in every round of Stella."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim.odyssey import OdysseyRules, score_turn, table
from sim.odyssey import winners as odyssey_winners
from sim.odyssey.scoring import score_turn_kernel, scoring_rules
from sim.stella import RoundResult, StellaRules, resolve_round
from sim.stella import winners as stella_winners
from sim.stella.scoring import (
    RoundState,
    follow_priority_kernel,
    resolve_round_kernel,
    reveal_kernel,
    round_rules,
    score_round_kernel,
    start_round_kernel,
)

# Odyssey --------------------------------------------------------------------------------------------------------------


def ballot(rules: OdysseyRules, votes: dict[int, list[int]]) -> NDArray[np.int64]:
    """Votes of one game, by seat."""
    full = np.full((1, rules.players, rules.votes), -1)
    for seat, images in votes.items():
        full[0, seat, : len(images)] = images
    return full


def one_turn(
    rules: OdysseyRules, teller: int, owners: list[int], votes: dict[int, list[int]], trap: int | None = None
) -> list[int]:
    given_trap = None if trap is None else [trap]
    points: list[int] = score_turn(rules, teller, [owners], ballot(rules, votes), given_trap)[0].tolist()
    return points


SEVEN = list(range(7))
ALL_FIND = {seat: [0] for seat in range(1, 7)}


def test_house_points_in_the_three_cases() -> None:
    rules = OdysseyRules(
        players=4,
        points_storyteller_some=4,
        points_storyteller_all=-5,
        points_storyteller_none=6,
        points_finder=7,
        points_others_all=8,
        points_others_none=9,
        points_per_vote=10,
        vote_points_cap=15,
    )
    owners = [0, 1, 2, 3]
    assert one_turn(rules, 0, owners, {1: [0], 2: [0], 3: [0]}) == [-5, 8, 8, 8]
    assert one_turn(rules, 0, owners, {1: [2], 2: [1], 3: [1]}) == [6, 9 + 15, 9 + 10, 9]
    assert one_turn(rules, 0, owners, {1: [0], 2: [1], 3: [1]}) == [4, 7 + 15, 0, 0]


def test_no_cap_on_votes_drawn() -> None:
    rules = OdysseyRules(vote_points_cap=None)
    votes = {1: [2], 2: [1], 3: [1], 4: [1], 5: [1]}
    assert one_turn(rules, 0, [0, 1, 2, 3, 4, 5], votes) == [0, 6, 3, 2, 2, 2]
    assert one_turn(rules.replace(vote_points_cap=0), 0, [0, 1, 2, 3, 4, 5], votes) == [0, 2, 2, 2, 2, 2]


def test_two_images_of_one_player_share_the_cap() -> None:
    rules = OdysseyRules(players=4, images_handed_in=2)
    owners = [1, 1, 0, 2, 2, 3, 3]
    assert one_turn(rules, 0, owners, {1: [2], 2: [0], 3: [1]}) == [3, 3 + 2, 0, 0]
    assert one_turn(rules.replace(vote_points_cap=1), 0, owners, {1: [2], 2: [0], 3: [1]}) == [3, 3 + 1, 0, 0]


def test_single_vote_bonus() -> None:
    rules = OdysseyRules(players=7)
    assert one_turn(rules, 0, SEVEN, ALL_FIND) == [0, 3, 3, 3, 3, 3, 3]
    some = ALL_FIND | {5: [1, 0], 6: [1, 2]}
    assert one_turn(rules, 0, SEVEN, some) == [3, 4 + 2, 4 + 1, 4, 4, 3, 0]
    assert one_turn(rules.replace(single_vote_bonus=5), 0, SEVEN, some) == [3, 8 + 2, 8 + 1, 8, 8, 3, 0]
    missed = {seat: [seat % 6 + 1] for seat in range(1, 7)}
    assert one_turn(rules, 0, SEVEN, missed) == [0, 3, 3, 3, 3, 3, 3]


def test_single_vote_bonus_when_all() -> None:
    rules = OdysseyRules(players=7, single_vote_bonus_when_all=False)
    assert one_turn(rules, 0, SEVEN, ALL_FIND) == [0, 2, 2, 2, 2, 2, 2]
    assert one_turn(rules, 0, SEVEN, ALL_FIND | {6: [1]}) == [3, 4 + 1, 4, 4, 4, 4, 0]


def test_votes_stand_in_either_column() -> None:
    rules = OdysseyRules(players=7)
    votes = ballot(rules, ALL_FIND | {1: [2], 2: [1, 0]})
    points = score_turn(rules, 0, [SEVEN], votes)
    assert points.tolist() == [[3, 1, 3 + 1, 4, 4, 4, 4]]
    assert score_turn(rules, 0, [SEVEN], votes[:, :, ::-1]).tolist() == points.tolist()


def test_second_vote_in_a_small_house_game() -> None:
    rules = OdysseyRules(players=4, votes=2)
    assert one_turn(rules, 0, [0, 1, 2, 3], {1: [0], 2: [0, 1], 3: [1]}) == [3, 3 + 1 + 2, 3, 0]


def test_storyteller_per_game() -> None:
    rules = OdysseyRules(players=3, images_handed_in=1)
    owners = [[0, 1, 2], [2, 0, 1]]
    votes = [[[-1], [0], [1]], [[0], [1], [-1]]]
    assert score_turn(rules, [0, 2], owners, votes).tolist() == [[3, 3 + 1, 0], [3 + 1, 0, 3]]


def test_party() -> None:
    rules = OdysseyRules(variant="party", party_cap=2, trap=False)
    votes = {0: [0], 1: [0], 2: [0], 3: [4], 4: [4], 5: [5]}
    assert one_turn(rules, 0, [0, 1, 2, 3, 4, 5], votes) == [2, 2, 2, 2, 2, 0]
    assert one_turn(rules.replace(party_cap=0), 0, [0, 1, 2, 3, 4, 5], votes) == [0, 0, 0, 0, 0, 0]


def test_red_token() -> None:
    rules = OdysseyRules(variant="party")
    votes = {0: [0], 1: [0], 2: [0], 3: [4], 4: [4], 5: [5]}
    assert one_turn(rules, 3, [0, 1, 2, 3, 4, 5], votes, trap=0) == [0, 0, 0, 2, 2, 0]
    with pytest.raises(ValueError, match="game 0: seat 3, the storyteller: the red token is on image 4"):
        one_turn(rules, 3, [0, 1, 2, 3, 4, 5], votes, trap=4)
    daring = rules.replace(trap_may_match_own_vote=True)
    assert one_turn(daring, 3, [0, 1, 2, 3, 4, 5], votes, trap=4) == [3, 3, 3, 0, 0, 0]


def test_trap_is_given_exactly_when_the_rules_have_one() -> None:
    votes = {seat: [0] for seat in range(6)}
    with pytest.raises(ValueError, match=r"trap is missing, but rules\.trap is True"):
        one_turn(OdysseyRules(variant="party"), 0, [0, 1, 2, 3, 4, 5], votes)
    with pytest.raises(ValueError, match=r"trap is given, but rules\.trap is False"):
        one_turn(OdysseyRules(variant="party", trap=False), 0, [0, 1, 2, 3, 4, 5], votes, trap=1)
    with pytest.raises(ValueError, match="game 0: trap = 6; must be an integer from 0 to 5"):
        one_turn(OdysseyRules(variant="party"), 0, [0, 1, 2, 3, 4, 5], votes, trap=6)


def test_team_house_rules() -> None:
    rules = OdysseyRules(variant="team", players=8)
    owners, votes = [1, 5, 0, 2, 7], {4: [0], 6: [1], 3: [1]}
    assert one_turn(rules, 1, owners, votes) == [3, 3 + 2, 0, 0]
    assert one_turn(rules.replace(teammate_decoy_scores=False), 1, owners, votes) == [3, 3, 0, 0]
    alone = rules.replace(teammate_hands_in=False)
    assert one_turn(alone, 1, [1, 0, 2, 7], {4: [0], 6: [1], 3: [1]}) == [3 + 2, 3, 0, 0]


def test_minimum_score() -> None:
    scores, over = np.array([[9, 9, 9, 9], [0, 5, -1, 1]], dtype=np.int32), np.zeros(1, np.bool_)
    table.add_points(scores, np.array([1]), np.array([[-3, 1, 0, -2]], dtype=np.int16), -1, 6, over)
    assert scores.tolist() == [[9, 9, 9, 9], [-1, 6, -1, -1]]
    assert over.tolist() == [True]


def test_kernel_counts_finders_and_voters() -> None:
    def counted(rules: OdysseyRules, owners: list[int], votes: dict[int, list[int]]) -> tuple[int, int]:
        points, found, voters = np.empty((1, rules.sides), np.int16), np.empty(1, np.int8), np.empty(1, np.int8)
        ballots = ballot(rules, votes).astype(np.int16)
        teller, trap, table = np.zeros(1, np.int8), np.full(1, -1, np.int16), np.array([owners], np.int8)
        score_turn_kernel(scoring_rules(rules), teller, table, ballots, trap, points, found, voters)
        return int(found[0]), int(voters[0])

    assert counted(OdysseyRules(players=7), SEVEN, ALL_FIND | {1: [2, 0], 2: [1, 3]}) == (5, 6)
    assert counted(OdysseyRules(variant="team"), [0, 3, 1, 2], {4: [0], 5: [1]}) == (1, 2)
    assert counted(OdysseyRules(variant="party"), [0, 1, 2, 3, 4, 5], {seat: [0] for seat in range(6)}) == (-1, 6)


FOUR = OdysseyRules(players=4)
LEGAL: dict[str, Any] = {
    "storyteller": 0,
    "owners": [[0, 1, 2, 3]] * 2,
    "votes": [[[-1], [0], [1], [2]]] * 2,
}


def second(field: str, game: Any) -> dict[str, Any]:
    """Two games, the second with another entry."""
    return LEGAL | {field: [LEGAL[field][0], game]}


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (LEGAL | {"storyteller": 4}, "game 0: storyteller = 4; must be an integer from 0 to 3"),
        (LEGAL | {"storyteller": [0, -1]}, "game 1: storyteller = -1"),
        (LEGAL | {"storyteller": float("nan")}, "game 0: storyteller = nan"),
        (LEGAL | {"storyteller": True}, "storyteller is of type bool"),
        (LEGAL | {"storyteller": [0, 0, 0]}, r"storyteller has shape \(3,\); expected \(2 games\)"),
        (second("owners", [0, 1, 2, 4]), "game 1, image 3: owners = 4; must be an integer from 0 to 3"),
        (second("owners", [0, 1, 2, -1]), "game 1, image 3: owners = -1"),
        (second("owners", [0, 1, 1, 3]), "game 1, seat 1: 2 images of this seat; must be 1"),
        (second("owners", [1, 1, 2, 3]), "game 1, seat 0: 0 images of this seat; must be 1"),
        (LEGAL | {"owners": [[0, 1, 2]] * 2}, r"owners has shape \(2, 3\); expected \(games, 4 images\)"),
        (LEGAL | {"owners": [[0, 1, 2, 3], [0, 1]]}, "owners is ragged"),
        (LEGAL | {"owners": [["a", "b", "c", "d"]] * 2}, "owners is of type"),
        (second("votes", [[0], [0], [1], [2]]), r"game 1, seat 0: votes = \[0\], but this seat does not vote"),
        (second("votes", [[-1], [0], [-1], [2]]), "game 1, seat 2: no vote"),
        (second("votes", [[-1], [0], [4], [2]]), "game 1, seat 2, vote 0: votes = 4; must be an integer from -1 to 3"),
        (second("votes", [[-1], [0], [-2], [2]]), "game 1, seat 2, vote 0: votes = -2"),
        (second("votes", [[-1], [0], [2], [2]]), "game 1, seat 2, vote 0: on image 2, which is of the own side"),
        (second("votes", [[-1], [0], [np.nan], [2]]), "game 1, seat 2, vote 0: votes = nan"),
        (second("votes", [[-1], [0], [1.5], [2]]), "game 1, seat 2, vote 0: votes = 1.5; must be an integer"),
        (second("votes", [[-1], [0], [np.inf], [2]]), "game 1, seat 2, vote 0: votes = inf; must be an integer"),
        (LEGAL | {"votes": [[[-1, -1], [0, 1], [1, -1], [2, -1]]] * 2}, r"votes has shape \(2, 4, 2\); expected"),
        (LEGAL | {"votes": LEGAL["votes"][:1]}, r"votes has shape \(1, 4, 1\); expected \(2 games, 4 seats, 1 votes\)"),
    ],
)
def test_illegal_turns(turn: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_turn(FOUR, **turn)


def test_whole_floats_and_no_games_are_accepted() -> None:
    assert score_turn(FOUR, 0.0, np.array(LEGAL["owners"], float), np.array(LEGAL["votes"], float)).shape == (2, 4)
    assert score_turn(FOUR, 0, np.empty((0, 4), int), np.empty((0, 4, 1), int)).shape == (0, 4)


def test_input_is_neither_changed_nor_needs_to_be_writeable() -> None:
    owners, votes = np.array(LEGAL["owners"]), np.array(LEGAL["votes"])
    for array in (owners, votes):
        array.flags.writeable = False
    assert score_turn(FOUR, 0, owners, votes).tolist() == [[3, 4, 1, 0]] * 2


def test_two_votes_on_one_image() -> None:
    with pytest.raises(ValueError, match="game 0, seat 3: both votes on image 1"):
        one_turn(OdysseyRules(players=7), 0, SEVEN, ALL_FIND | {3: [1, 1]})


@pytest.mark.parametrize(
    ("owners", "votes", "message"),
    [
        ([0, 0, 1, 2], {4: [0], 5: [0]}, "game 0, seat 0: 2 images of this seat; must be 1"),
        ([0, 3, 1, 4], {4: [0], 5: [0]}, "game 0, seat 1: and partner .seat 4.: 2 images of this team; must be 1"),
        ([0, 3, 1, 2], {3: [0], 4: [0], 5: [0]}, "game 0, seat 3: .* does not vote"),
        ([0, 3, 1, 2], {1: [0], 4: [0], 5: [0]}, "game 0, seat 1: .* does not vote"),
        ([0, 3, 1, 2], {1: [0], 5: [0]}, "game 0, seat 1: .* does not vote"),
        ([0, 3, 1, 2], {4: [0]}, "game 0, seat 5: no vote"),
        ([0, 3, 1, 2], {4: [2], 5: [0]}, "game 0, seat 4, vote 0: on image 2, which is of the own side"),
    ],
)
def test_illegal_team_turns(owners: list[int], votes: dict[int, list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_turn(OdysseyRules(variant="team"), 0, owners, votes)


def test_every_seat_of_party_votes_and_hands_in_one_image() -> None:
    rules = OdysseyRules(variant="party", trap=False)
    with pytest.raises(ValueError, match="game 0, seat 5: no vote"):
        one_turn(rules, 5, [0, 1, 2, 3, 4, 5], {seat: [0] for seat in range(5)})
    with pytest.raises(ValueError, match="game 0, seat 4: 2 images of this seat; must be 1"):
        one_turn(rules, 5, [0, 1, 2, 3, 4, 4], {seat: [0] for seat in range(6)})


def test_odyssey_winners() -> None:
    rules = OdysseyRules(variant="team")
    assert odyssey_winners(rules, [[3, 2, 1], [4, 4, 0], [0, 0, 0]]).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    assert odyssey_winners(rules, np.empty((0, 3))).shape == (0, 3)
    with pytest.raises(ValueError, match="game 1, side 2: scores = nan"):
        odyssey_winners(rules, [[1.0, 2.0, 3.0], [1.0, 2.0, float("nan")]])
    with pytest.raises(ValueError, match=r"scores has shape \(1, 6\); expected \(games, 3 sides\)"):
        odyssey_winners(rules, [[0] * 6])


# Stella ---------------------------------------------------------------------------------------------------------------


def marked(rules: StellaRules, cards: list[list[int]]) -> NDArray[np.bool_]:
    marks = np.zeros((1, rules.players, rules.cards), dtype=bool)
    for seat, own in enumerate(cards):
        marks[0, seat, own] = True
    return marks


def one_round(
    rules: StellaRules, cards: list[list[int]], first_scout: int = 0, priority: Any = None
) -> dict[str, list[Any]]:
    marks = marked(rules, cards)
    result = resolve_round(rules, marks, first_scout, np.zeros(marks.shape) if priority is None else priority)
    return {name: values[0].tolist() for name, values in result._asdict().items()}


THREE = StellaRules(players=3)


def test_points_of_house_rules() -> None:
    rules = THREE.replace(spark_points=10, super_spark_bonus=7, darkness_erases=4)
    result = one_round(rules, [[0, 1, 14], [0, 1], [0]])
    assert (result["sparks"], result["super_sparks"]) == ([1, 1, 1], [1, 1, 0])
    assert (result["dark"], result["fallen"]) == ([True, False, False], [True, False, False])
    assert result["erased"] == [8, 0, 0]
    assert result["points"] == [27 - 8, 27, 10]


def test_who_is_in_the_dark() -> None:
    cards = [[0, 1], [0, 1], [0]]
    assert one_round(THREE, cards)["dark"] == [False, False, False]
    assert one_round(THREE.replace(darkness="all_most"), cards)["dark"] == [True, True, False]
    assert one_round(THREE.replace(darkness="all_most"), [[0], [0], [0]])["dark"] == [True, True, True]
    assert one_round(THREE.replace(darkness="off"), [[0, 1, 2], [0], [0]])["dark"] == [False, False, False]


def test_darkness_alone_and_falling_alone() -> None:
    alone = THREE.replace(darkness_needs_fall=False)
    assert one_round(alone, [[0, 1], [0], [1]])["erased"] == [2, 0, 0]
    assert one_round(THREE, [[0, 1], [0], [1]])["erased"] == [0, 0, 0]
    fallen = one_round(THREE, [[0, 1], [0, 5], [1, 6]])
    assert fallen["dark"] == [False, False, False]
    assert (fallen["fallen"], fallen["erased"]) == ([False, True, True], [0, 0, 0])


def test_everything_earned_may_be_erased() -> None:
    rules = THREE.replace(darkness_erases=2, super_spark_bonus=0)
    assert one_round(rules, [[0, 1, 14], [0, 1], [0]])["points"] == [0, 4, 2]


def test_a_first_scout_without_a_mark_is_skipped() -> None:
    rules = THREE.replace(players=3)
    state = RoundState.of(marked(rules, [[], [3], [3]]))
    start_round_kernel(round_rules(rules), state, np.zeros(1, np.int8))
    assert state.scout.tolist() == [1]


def test_the_role_passes_after_each_card_or_on_a_fall() -> None:
    cards = [[0, 1, 2], [0, 3], [1, 3]]
    falling = np.zeros((1, 3, 15))
    falling[0, 0, :3] = [3, 2, 1]

    def scouts(rules: StellaRules) -> tuple[list[int], list[int]]:
        state = RoundState.of(marked(rules, cards))
        resolve_round_kernel(round_rules(rules), state, np.zeros(1, np.int8), falling.astype(np.float32))
        count = state.reveals[0]
        assert (state.order[0, count:] == -1).all() and (state.scouts[0, count:] == -1).all()
        return state.scouts[0, :count].tolist(), state.order[0, :count].tolist()

    assert scouts(THREE) == ([0, 1, 2, 0], [0, 3, 1, 2])
    assert scouts(THREE.replace(scout_passes="on_fall")) == ([0, 0, 0, 1], [0, 1, 2, 3])


def test_ties_of_priority_go_to_the_lowest_index() -> None:
    rules = StellaRules(players=2)
    priority = np.zeros((1, 2, 15))
    assert one_round(rules, [[4, 9], [9]], 0, priority)["super_sparks"] == [0, 1]
    priority[0, 0, 9] = 1e-300  # more than 0 only in 64 bits
    assert one_round(rules, [[4, 9], [9]], 0, priority)["super_sparks"] == [1, 1]
    assert one_round(rules, [[4, 9], [9]], 0, priority.astype(np.float32))["super_sparks"] == [0, 1]
    large = np.zeros((1, 2, 15), np.int64)
    large[0, 0, [4, 9]] = [2**62, 2**62 + 1]  # equal in 64-bit floats
    assert one_round(rules, [[4, 9], [9]], 0, large)["super_sparks"] == [1, 1]
    infinite = np.where(priority > 0, np.inf, -np.inf)
    assert one_round(rules, [[4, 9], [9]], 0, infinite)["super_sparks"] == [1, 1]


def test_largest_grid() -> None:
    rules = StellaRules(players=12, rows=5, columns=8, maximum_marks=40)
    result = one_round(rules, [list(range(40))] * 12)
    assert (result["sparks"], result["points"]) == ([40] * 12, [80] * 12)


MARKS = marked(THREE, [[0], [0], [0, 1]]).repeat(2, axis=0)
NONE = np.zeros(MARKS.shape)


def altered(array: NDArray[Any], index: tuple[Any, ...], value: Any) -> NDArray[Any]:
    changed = array.astype(np.result_type(array, value))
    changed[index] = value
    return changed


@pytest.mark.parametrize(
    ("marks", "first_scout", "priority", "message"),
    [
        (altered(MARKS, (1, 2), False), 0, NONE, "game 1, seat 2: 0 marks; must be from 1 to 10"),
        (altered(MARKS, (1, 2), True), 0, NONE, "game 1, seat 2: 15 marks; must be from 1 to 10"),
        (altered(MARKS, (1, 2, 3), 2), 0, NONE, "game 1, seat 2, card 3: marks = 2; must be an integer from 0 to 1"),
        (altered(MARKS, (1, 2, 3), np.nan), 0, NONE, "game 1, seat 2, card 3: marks = nan"),
        (MARKS[:, :2], 0, NONE, r"marks has shape \(2, 2, 15\); expected \(games, 3 seats, 15 cards\)"),
        (MARKS[:, :, :14], 0, NONE, r"marks has shape \(2, 3, 14\)"),
        (MARKS, 3, NONE, "game 0: first_scout = 3; must be an integer from 0 to 2"),
        (MARKS, [0, -1], NONE, "game 1: first_scout = -1"),
        (MARKS, [0, np.nan], NONE, "game 1: first_scout = nan"),
        (MARKS, [0], NONE, r"first_scout has shape \(1,\); expected \(2 games\)"),
        (MARKS, 0, altered(NONE, (1, 2, 3), np.nan), "game 1, seat 2, card 3: priority = nan"),
        (MARKS, 0, NONE[:1], r"priority has shape \(1, 3, 15\); expected \(2 games, 3 seats, 15 cards\)"),
        (MARKS, 0, NONE.astype(str), "priority is of type"),
    ],
)
def test_illegal_rounds(marks: Any, first_scout: Any, priority: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        resolve_round(THREE, marks, first_scout, priority)


def test_marks_as_numbers_and_read_only_input() -> None:
    expected = resolve_round(THREE, MARKS, 0, NONE)
    marks = MARKS.astype(np.int64)
    marks.flags.writeable = False
    for name, values in resolve_round(THREE, marks, [0, 0], NONE)._asdict().items():
        assert (values == getattr(expected, name)).all()


def test_stella_winners() -> None:
    points, lit, sparks = [[9, 9, 9, 0]] * 2, [[1, 2, 2, 4]] * 2, [[8, 5, 6, 9], [8, 6, 6, 9]]

    def who(*tie_break: Any) -> list[list[bool]]:
        won: list[list[bool]] = stella_winners(StellaRules(tie_break=tie_break), points, lit, sparks).tolist()
        return won

    assert who("lit_lanterns", "sparks") == [[False, False, True, False], [False, True, True, False]]
    assert who("sparks", "lit_lanterns") == [[True, False, False, False]] * 2
    assert who("lit_lanterns") == [[False, True, True, False]] * 2
    assert who() == [[True, True, True, False]] * 2


@pytest.mark.parametrize("wrong", range(3))
def test_stella_winners_refuse(wrong: int) -> None:
    arrays = [np.zeros((2, 4)) for _ in range(3)]
    arrays[wrong][1, 3] = np.nan
    with pytest.raises(ValueError, match=f"game 1, seat 3: {('points', 'lit_rounds', 'sparks')[wrong]} = nan"):
        stella_winners(StellaRules(), *arrays)
    arrays[wrong] = np.zeros((3, 4))
    with pytest.raises(ValueError, match=r"has shape .*; expected"):
        stella_winners(StellaRules(), *arrays)


# What must hold in every round ----------------------------------------------------------------------------------------


@st.composite
def rounds(draw: st.DrawFn) -> tuple[StellaRules, NDArray[np.bool_], NDArray[np.int8], NDArray[np.float32]]:
    """House rules, and the marks, first scouts and priorities of a few games; equal priorities are common."""
    rules = StellaRules(
        players=draw(st.integers(2, 6)),
        rows=draw(st.integers(1, 4)),
        columns=draw(st.integers(2, 10)),
        rounds=1,
        maximum_marks=40,
        spark_points=draw(st.integers(2, 5)),
        super_spark_bonus=draw(st.integers(0, 3)),
        darkness=draw(st.sampled_from(["sole_most", "all_most", "off"])),
        darkness_needs_fall=draw(st.booleans()),
        darkness_erases=draw(st.integers(0, 2)),
        scout_passes=draw(st.sampled_from(["each_card", "on_fall"])),
    )
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = (5, rules.players, rules.cards)
    marks = random.random(shape) < draw(st.floats(0.05, 0.9))
    marks[:, :, random.integers(rules.cards)] |= ~marks.any(axis=2)
    scouts = random.integers(0, rules.players, 5).astype(np.int8)
    return rules, marks, scouts, random.integers(0, 4, shape).astype(np.float32)


@given(case=rounds())
@settings(deadline=None)  # a first call may compile
def test_a_player_falls_exactly_for_a_lone_mark(case: Any) -> None:
    rules, marks, scouts, priority = case
    result = resolve_round(rules, marks, scouts, priority)
    lone = marks & (marks.sum(axis=1, keepdims=True) == 1)
    assert (result.fallen == lone.any(axis=2)).all()
    assert (result.counts == marks.sum(axis=2)).all()
    earned = result.sparks + result.super_sparks
    assert (earned <= (marks & ~lone).sum(axis=2)).all()
    assert (earned == marks.sum(axis=2))[~result.fallen].all()
    supers = (marks & (marks.sum(axis=1, keepdims=True) == 2)).sum(axis=2)
    assert (result.super_sparks == supers)[~result.fallen].all()
    penalty = result.dark & (result.fallen | (not rules.darkness_needs_fall))
    assert (result.erased == np.where(penalty, rules.darkness_erases * earned, 0)).all()
    stars = rules.spark_points * earned + rules.super_spark_bonus * result.super_sparks
    assert (result.points == stars - result.erased).all()
    assert (result.points >= 0).all()


@given(case=rounds())
@settings(deadline=None)  # a first call may compile
def test_order_changes_only_what_is_earned(case: Any) -> None:
    rules, marks, scouts, priority = case
    one = resolve_round(rules, marks, scouts, priority)
    other = resolve_round(rules, marks, (scouts + 1) % rules.players, -priority[..., ::-1])
    for name in ("counts", "dark", "fallen"):
        assert (getattr(one, name) == getattr(other, name)).all()


@given(case=rounds())
@settings(deadline=None)  # a first call may compile
def test_step_by_step_is_the_same_round(case: Any) -> None:
    rules, marks, scouts, priority = case
    numbers = round_rules(rules)
    whole, steps = RoundState.of(marks), RoundState.of(marks.copy())
    resolve_round_kernel(numbers, whole, scouts, priority)
    start_round_kernel(numbers, steps, scouts)
    card = np.zeros(len(marks), np.int64)
    while (steps.scout >= 0).any():
        follow_priority_kernel(steps, priority, card)
        reveal_kernel(numbers, steps, card)
    score_round_kernel(numbers, steps)
    for name, values in whole._asdict().items():
        assert (values == getattr(steps, name)).all(), name
    result = resolve_round(rules, marks, scouts, priority)
    for name in RoundResult._fields:
        assert (getattr(result, name) == getattr(whole, name)).all(), name


@given(case=rounds())
@settings(deadline=None)  # a first call may compile
def test_reveals_are_recorded(case: Any) -> None:
    rules, marks, scouts, priority = case
    state = RoundState.of(marks)
    resolve_round_kernel(round_rules(rules), state, scouts, priority)
    for game in range(len(marks)):
        order, by = state.order[game], state.scouts[game]
        count = state.reveals[game]
        assert (order[count:] == -1).all() and (by[count:] == -1).all()
        assert len(set(order[:count].tolist())) == count
        assert sorted(order[:count].tolist()) == np.flatnonzero(state.revealed[game]).tolist()
        assert all(marks[game, seat, card] for card, seat in zip(order[:count], by[:count], strict=True))
        assert by[0] == scouts[game]
        standing = ~state.fallen[game]
        assert not (marks[game] & ~state.revealed[game])[standing].any()
