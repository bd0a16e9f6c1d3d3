"""Odyssey as it is played: where the cards go, what chance does, how games end, what a view hides, what is refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

import sim
from agents.odyssey.greedy import Greedy
from agents.registry import make
from oracle import hash_agents, strategies
from sim.odyssey import Clue, OdysseyRules
from sim.replay import trace

TABLES = [(variant, seats) for variant in strategies.VARIANTS for seats in strategies.SEATS[variant]]
RANDOM = make("odyssey", "random")
GREEDY = make("odyssey", "greedy")
LINEUP = (*hash_agents.ODYSSEY, RANDOM)
QUICK = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SLOW = settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
ADDRESSES = st.tuples(strategies.SEEDS, strategies.DEALS)


def match_of(rules: OdysseyRules, agents: Any = LINEUP, **more: Any) -> sim.Match:
    return sim.Match([agents[seat % len(agents)] for seat in range(rules.players)], rules, **more)


# Where the cards go ---------------------------------------------------------------------------------------------------


def follow_cards(rules: OdysseyRules, turns: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Check where every card of a game is after every turn; -> the reshuffles: turn, cards dealt in it before.

    Pile, discards and hands always hold the whole deck, each card once.
    """
    deck, players = set(range(rules.deck_size)), rules.players
    pile, discards = deck - {card for hand in turns[0]["hands"] for card in hand}, set[int]()
    reshuffles = []
    for number, turn in enumerate(turns):
        hands, images, owners = turn["hands"], turn["images"], turn["owners"]
        held = [card for hand in hands for card in hand]
        assert [len(hand) for hand in hands] == [rules.hand_size] * players
        assert sorted([*held, *pile, *discards]) == sorted(deck)
        assert images == sorted(set(images)) and len(images) == rules.images
        assert all(card in hands[owner] for card, owner in zip(images, owners, strict=True))
        if number + 1 == len(turns):
            break
        discards |= set(images)
        after = turns[number + 1]["hands"]
        dealt = 0
        for step in range(players):
            seat = (turn["storyteller"] + step) % players
            for old, new in zip(hands[seat], after[(seat + rules.pass_hands) % players], strict=True):
                if old not in images:
                    assert new == old, "a card that stays keeps its slot"
                    continue
                if not pile:
                    reshuffles.append((number, dealt))
                    pile, discards = discards, set()
                assert new in pile, "a card comes from the pile"
                pile.remove(new)
                dealt += 1
        assert dealt == len(images)
    return reshuffles


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_no_card_in_two_places_and_none_lost(variant: str, seats: int) -> None:
    as_printed = OdysseyRules(variant=variant, players=seats)
    least = seats * as_printed.hand_size + as_printed.images
    ends = {"target_score": None, "storyteller_turns": 2}
    for deal in range(3):
        follow_cards(as_printed, trace(match_of(as_printed), seed=5, deal=deal).turns)
        for spare in (0, 1):  # the pile holds one turn's refill and `spare`, the discards two turns' and `spare`
            rules = as_printed.replace(deck_size=least + spare, **ends)
            turns = trace(match_of(rules), seed=5, deal=deal).turns
            reshuffles = follow_cards(rules, turns)
            assert reshuffles[0] == (1, spare)
            assert spare or reshuffles == [(turn, 0) for turn in range(1, len(turns) - 1, 2)]


@pytest.mark.parametrize("deal", range(5))
def test_eleven_players_reshuffle_in_turn_2_with_7_left(deal: int) -> None:
    rules = OdysseyRules(players=11)
    turns = trace(match_of(rules), seed=1, deal=deal).turns
    assert follow_cards(rules, turns)[0] == (1, 7)  # turn 2 in words: 84 - 66 = 18, less 11; 7 are left for 11


@pytest.mark.parametrize("pass_hands", [True, False])
def test_hands_are_passed_left(pass_hands: bool) -> None:
    rules = OdysseyRules(variant="party", players=6, pass_hands=pass_hands)
    turns = trace(match_of(rules), seed=2).turns
    follow_cards(rules, turns)
    for turn, after in itertools.pairwise(turns):
        for seat in range(6):
            kept = set(turn["hands"][seat]) - set(turn["images"])
            assert len(kept) == 4 and kept <= set(after["hands"][(seat + pass_hands) % 6])


def check_house_rules(given_rules: dict[str, Any], world: dict[str, Any], address: tuple[int, int]) -> None:
    """Cards, points within bounds, floors and ends, whatever the rules."""
    rules = OdysseyRules(**given_rules)
    told = trace(match_of(rules, world=sim.World(**world), seating="fixed"), *address)
    follow_cards(rules, told.turns)
    scores = [0] * rules.sides
    for number, turn in enumerate(told.turns):
        assert turn["storyteller"] == number % rules.players
        check_points(rules, turn)
        scores = [max(rules.minimum_score, a + b) for a, b in zip(scores, turn["points"], strict=True)]
        assert turn["scores"] == scores
        reached = rules.target_score is not None and max(scores) >= rules.target_score
        told_all = rules.storyteller_turns is not None and number + 1 == rules.players * rules.storyteller_turns
        over = reached or told_all
        assert (over or number + 1 == rules.max_turns) == (number + 1 == len(told.turns))
    assert told.finished == over
    assert told.scores == scores
    assert told.winners == [score == max(scores) for score in scores]


def check_points(rules: OdysseyRules, turn: dict[str, Any]) -> None:
    """One turn's points lie where the rules allow, side by side."""
    points, votes, owners = turn["points"], turn["votes"], turn["owners"]
    if rules.variant == "party":
        for seat, gained in enumerate(points):
            agree = sum(vote == votes[seat] for vote in votes)
            assert gained in (0, min(agree, rules.party_cap))
            assert gained == 0 or (agree >= 2 and votes[seat][0] != turn["trap"])
        assert (turn["trap"] >= 0) == rules.trap
        return
    cap = np.inf if rules.vote_points_cap is None else rules.vote_points_cap
    case = "all" if turn["found"] == turn["voters"] else "some" if turn["found"] else "none"
    own_side = turn["storyteller"] % rules.sides
    assert turn["voters"] == sum(any(image >= 0 for image in cast) for cast in votes) == rules.voters
    for side, gained in enumerate(points):
        drawn = sum(image >= 0 and owners[image] % rules.sides == side for cast in votes for image in cast)
        most = min(cap, rules.points_per_vote * drawn)
        if side == own_side:
            base = getattr(rules, f"points_storyteller_{case}")
            extra = most if rules.variant == "team" and rules.teammate_decoy_scores else 0
            assert base <= gained <= base + extra
        else:
            least, top = {
                "all": (rules.points_others_all, rules.points_others_all),
                "none": (rules.points_others_none, rules.points_others_none),
                "some": (0, rules.points_finder),
            }[case]
            assert least + most <= gained <= top + most + (rules.single_vote_bonus if case != "none" else 0)


house_games = given(strategies.odyssey_rules(), strategies.worlds(), ADDRESSES)
test_house_rules = QUICK(house_games(check_house_rules))
test_many_house_rules = pytest.mark.slow(SLOW(house_games(check_house_rules)))


# What chance does -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "chance"),
    [
        ({"players": 3}, 1 / 3),
        ({"players": 3, "images_handed_in": 1, "hand_size": 6}, 1 / 2),
        ({"players": 4}, 1 / 3),
        ({"players": 6}, 1 / 5),
        ({"players": 5, "images_handed_in": 2}, 1 / 7),
        ({"players": 7}, 1 / 6),
        ({"players": 12}, 1 / 11),
        ({"variant": "team", "players": 6}, 1 / 3),
        ({"variant": "team", "players": 8}, 1 / 4),
        ({"variant": "team", "players": 12}, 1 / 6),
        ({"variant": "team", "players": 8, "teammate_hands_in": False, "teammate_decoy_scores": False}, 1 / 3),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else f"{value:.3f}",
)
def test_random_voters_find_by_chance(rules: dict[str, Any], chance: float) -> None:
    """Finders per turn are binomial: voters choose independently, each among the images that it may vote for."""
    resolved = OdysseyRules(**{"target_score": None, "storyteller_turns": 2, **rules})
    rows = sim.simulate(match_of(resolved, (RANDOM,)), 600, seed=11).turn_rows
    voters = resolved.voters
    assert (rows.voters == voters).all() and (rows.second_votes == 0).all()
    assert ((rows.case == 2) == (rows.found == voters)).all() and ((rows.case == 0) == (rows.found == 0)).all()
    seen = np.bincount(rows.found, minlength=voters + 1)
    expected = binom.pmf(np.arange(voters + 1), voters, chance) * len(rows.found)
    rare = expected < 8  # put the rare outcomes together
    if rare.any():
        seen, expected = (np.append(x[~rare], x[rare].sum()) for x in (seen, expected))
    assert chisquare(seen, expected).pvalue > 1e-3


def test_random_party_against_all_votes_there_are() -> None:
    """Six players: the mean points of storyteller and others, and how often nobody scores, from all 6^6 x 5 turns."""
    votes = np.stack(np.meshgrid(*[np.arange(6)] * 6, indexing="ij"), -1).reshape(-1, 6)
    agree = (votes[:, :, None] == votes[:, None, :]).sum(2)
    points = np.where(agree == 1, 0, np.minimum(agree, 5))
    own, others, nobody = [], [], []
    for shift in range(
        1, 6
    ):  # the red token lies on any image but the one that the storyteller (here seat 0) voted for
        kept = points * (votes != (votes[:, [0]] + shift) % 6)
        own.append(kept[:, 0].mean())
        others.append(kept[:, 1:].sum(1).mean())
        nobody.append((kept.sum(1) == 0).mean())
    rows = sim.simulate(match_of(OdysseyRules(variant="party"), (RANDOM,)), 4000, seed=3).turn_rows
    assert (rows.found == -1).all() and (rows.case == -1).all() and np.isnan(rows.vagueness).all()
    for column, exact in (
        (rows.storyteller_points, own),
        (rows.others_points, others),
        (rows.storyteller_points + rows.others_points == 0, nobody),
    ):
        assert abs(column.mean() - np.mean(exact)) < 4 * column.std() / np.sqrt(len(column))


def test_random_party_without_a_token() -> None:
    """Everybody's agreement is 1 + binomial: mean points by hand."""
    rules = OdysseyRules(variant="party", players=8, trap=False)
    rows = sim.simulate(match_of(rules, (RANDOM,)), 2000, seed=4).turn_rows
    exact = sum(min(k + 1, 5) * comb(7, k) * (1 / 8) ** k * (7 / 8) ** (7 - k) for k in range(1, 8))
    for column, sides in ((rows.storyteller_points, 1), (rows.others_points, 7)):
        assert abs(column.mean() / sides - exact) < 4 * column.std() / sides / np.sqrt(len(column))


@dataclass(frozen=True)
class TakesTheKth(Greedy):
    """Votes for the k-th image among those that it may vote for, in the order in which they lie."""

    k: int = 0

    def vote(self, view: Any) -> Any:
        out = np.full((*view.legal.shape[:2], view.rules.votes), -1)
        out[..., 0] = (view.legal.cumsum(-1) == self.k + 1).argmax(-1)
        return out


@pytest.mark.parametrize(
    ("variant", "seats", "legal"), [("standard", 3, 3), ("standard", 5, 4), ("standard", 7, 6), ("team", 8, 4)]
)
def test_the_order_of_images_carries_nothing(variant: str, seats: int, legal: int) -> None:
    """Whoever always takes image k finds by chance, whichever k, and however well the others choose."""
    rules = OdysseyRules(variant=variant, players=seats, target_score=None, storyteller_turns=2)
    for k in range(legal):
        games = sim.simulate(match_of(rules, (TakesTheKth(k=k),)), 800, seed=21)
        rows = games.turn_rows
        share = np.bincount(rows.game, rows.found) / np.bincount(rows.game, rows.voters)
        assert abs(share.mean() - 1 / legal) < 4 * share.std(ddof=1) / np.sqrt(len(share)), k


# How games end --------------------------------------------------------------------------------------------------------


def test_scores_stop_at_the_floor() -> None:
    rules = OdysseyRules(players=4, points_storyteller_none=-5, points_storyteller_all=-3, max_turns=12)
    for floor in (0, -4, -1000):
        lowest, stopped = 0, 0
        for deal in range(20):
            scores = [0] * 4
            for turn in trace(match_of(rules.replace(minimum_score=floor), (RANDOM,)), seed=6, deal=deal).turns:
                plain = [a + b for a, b in zip(scores, turn["points"], strict=True)]
                stopped += min(plain) < floor
                scores = turn["scores"]
                assert scores == [max(floor, score) for score in plain]
                lowest = min(lowest, *scores)
        assert (lowest, stopped > 0) == (floor, True) if floor > -1000 else (lowest < -4 and stopped == 0)


def test_games_that_the_safety_stop_ends_are_unfinished() -> None:
    games = sim.simulate(match_of(OdysseyRules(max_turns=5, target_score=12), (GREEDY,)), 300, seed=8)
    reached = games.scores.max(1) >= 12
    assert 0 < reached.sum() < 300
    assert (games.finished == reached).all()  # a target that is reached in the last turn counts
    assert (games.turns[~reached] == 5).all() and (games.turns <= 5).all()
    assert (games.winners == (games.scores == games.scores.max(1, keepdims=True))).all()
    assert games.summary().to_frame()["unfinished"].tolist() == [int((~reached).sum())]


@pytest.mark.slow
def test_games_of_more_turns_than_16_bits_count() -> None:
    rules = OdysseyRules(players=3, max_turns=33_000, target_score=1_000_000_000)
    games = sim.simulate(match_of(rules, (GREEDY,)), 2, seed=8, block_deals=1)
    frame = games.turns_frame()
    assert games.turns.tolist() == [33_000, 33_000]
    assert not games.finished.any()
    assert frame["turn"].tolist() == [*range(33_000)] * 2
    assert (frame["storyteller"] == frame["turn"] % 3).all()
    assert (games.to_frame()["turns"] == 33_000).all()
    rows = games.turn_rows
    assert all((rows.points[rows.game == game].sum(0) == games.scores[game]).all() for game in range(2))


def test_whichever_end_comes_first() -> None:
    both = OdysseyRules(players=5, target_score=9, storyteller_turns=1)
    games = sim.simulate(match_of(both, (GREEDY,)), 300, seed=8)
    reached = games.scores.max(1) >= 9
    assert games.finished.all()
    assert 0 < reached.sum() < 300
    assert (games.turns[~reached] == 5).all() and games.turns.min() < 5
    turns_only = sim.simulate(match_of(both.replace(target_score=None, storyteller_turns=3), (GREEDY,)), 50, seed=8)
    assert (turns_only.turns == 15).all() and turns_only.finished.all() and (turns_only.scores.max(1) > 9).all()
    target_only = sim.simulate(match_of(both.replace(storyteller_turns=None), (GREEDY,)), 300, seed=8)
    assert (target_only.scores.max(1) >= 9).all() and target_only.turns.max() > 5
    assert (target_only.scores[reached] == games.scores[reached]).all()


# What a view hides ----------------------------------------------------------------------------------------------------

VIEWS: list[tuple[str, Any]] = []


@dataclass(frozen=True)
class Spy(Greedy):
    """Plays like `greedy` and keeps every view."""

    def tell(self, view: Any) -> Clue:
        VIEWS.append(("tell", view))
        return super().tell(view)

    def hand_in(self, view: Any) -> Any:
        VIEWS.append(("hand_in", view))
        return super().hand_in(view)

    def vote(self, view: Any) -> Any:
        VIEWS.append(("vote", view))
        return super().vote(view)

    def trap(self, view: Any) -> Any:
        VIEWS.append(("trap", view))
        return super().trap(view)


def reachable(value: Any, seen: set[int]) -> Iterator[np.ndarray]:
    """Every array that can be reached from an object by attributes, items and the memory that a slice was cut from."""
    if id(value) in seen or isinstance(value, str | bytes | int | float | type | None):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
        yield from reachable(value.base, seen)
        return
    if isinstance(value, OdysseyRules | sim.World):
        return
    parts: list[Any] = list(value.values()) if isinstance(value, dict) else []
    parts += list(value) if isinstance(value, list | tuple) else []
    parts += list(vars(value).values()) if hasattr(value, "__dict__") else []
    names = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    parts += [getattr(value, name, None) for name in names]
    parts += [getattr(value, f.name) for f in fields(value)] if is_dataclass(value) else []
    for part in parts:
        yield from reachable(part, seen)


@pytest.mark.parametrize(("variant", "seats"), [("standard", 3), ("standard", 7), ("party", 6), ("team", 6)])
def test_nothing_in_a_view_leads_to_what_is_hidden(variant: str, seats: int) -> None:
    """No memory behind a view holds another hand or the clue, and owners and votes only of turns that are over."""
    rules = OdysseyRules(variant=variant, players=seats, target_score=None, storyteller_turns=1)
    VIEWS.clear()
    others = make("odyssey", "storyteller:vagueness=0.37")
    told = trace(sim.Match([Spy(), *[others] * (seats - 1)], rules), seed=13)
    assert {name for name, _ in VIEWS} >= {"hand_in", "vote"}
    looked_at = 0
    for _, view in VIEWS:
        turn = told.turns[view.turn]
        hidden = turn["hands"][1:]
        for array in reachable(view, set()):
            if array.dtype.kind not in "iu":
                assert not (np.asarray(array, np.float32) == np.float32(0.37)).any()
                continue
            flat = array.ravel().tolist()
            for hand in hidden:
                assert hand not in [flat[i : i + len(hand)] for i in range(len(flat) - len(hand) + 1)]
            looked_at += 1
        assert len(view.history) == view.turn
        for name in ("images", "owners", "votes", "points"):
            assert getattr(view.history, name).shape[1] == view.turn
            expected = [past[name] for past in told.turns[: view.turn]]
            assert np.array_equal(getattr(view.history, name)[0].tolist(), expected), name
        for name in ("fit", "legal", "acting", "scores", "seats"):
            assert not getattr(view, name).flags.writeable
    assert looked_at > 20


@pytest.mark.parametrize(("variant", "seats"), [("standard", 4), ("standard", 8), ("party", 7), ("team", 8)])
def test_what_is_hidden_decides_nothing(variant: str, seats: int) -> None:
    """The same seat under the same readings decides the same, whoever else sits there and whatever they hold."""
    rules = OdysseyRules(variant=variant, players=seats, target_score=None, storyteller_turns=1)
    seen = []
    for other in (GREEDY, RANDOM):
        VIEWS.clear()
        trace(sim.Match([Spy(), *[other] * (seats - 1)], rules), seed=13)
        seen.append(next((name, view) for name, view in VIEWS if view.turn == 0))
    (first, a), (second, b) = seen
    assert first == second
    assert a.hand.tolist() == b.hand.tolist()
    assert a.fit.tobytes() == b.fit.tobytes()
    assert a.random.uniform(5).tobytes() == b.random.uniform(5).tobytes()


# A game alone ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "seats"), [("standard", 3), ("standard", 6), ("standard", 9), ("party", 7), ("team", 8)]
)
def test_a_lone_replay_has_the_same_turns(variant: str, seats: int) -> None:
    match = match_of(OdysseyRules(variant=variant, players=seats))
    games = sim.simulate(match, 12, first_deal=4, seed=17)
    rows = games.turn_rows
    for game in range(0, len(games), 5):
        told = trace(match, 17, int(games.deal[game]), int(games.seating[game]))
        mine = rows.game == game
        assert len(told.turns) == games.turns[game] == mine.sum()
        for name in ("storyteller", "found", "voters"):
            assert getattr(rows, name)[mine].tolist() == [turn[name] for turn in told.turns]
        assert np.array_equal(
            rows.vagueness[mine], np.float32([turn["vagueness"] for turn in told.turns]), equal_nan=True
        )
        own = [turn["points"][turn["storyteller"] % match.n_sides] for turn in told.turns]
        assert rows.storyteller_points[mine].tolist() == own
        assert rows.others_points[mine].tolist() == [
            sum(turn["points"]) - a for turn, a in zip(told.turns, own, strict=True)
        ]
        second = [sum(min(cast) >= 0 for cast in turn["votes"]) if match.rules.votes == 2 else 0 for turn in told.turns]
        assert rows.second_votes[mine].tolist() == second
    assert rows.second_votes.any() == (match.rules.votes == 2)


# What is refused ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wrong(Greedy):
    """Plays like `greedy`, and answers one decision wrongly where the game's dice are low (or everywhere)."""

    decision: str = "vote"
    how: str = "nothing"
    share: float = 1
    after: int = 0

    def tell(self, view: Any) -> Any:
        slot, vagueness = super().tell(view)
        slot, vagueness = np.array(slot), np.array(vagueness)
        match self.wrong("tell", view):
            case "no clue":
                return slot
            case "slot shape":
                return Clue(slot[:, 0], vagueness)
            case "slot kind":
                return Clue(slot.astype(float), vagueness)
            case "slot too high":
                slot[self.low(view)] = view.hand.shape[-1]
            case "slot too low":
                slot[self.low(view)] = -1
            case "vagueness shape":
                return Clue(slot, vagueness[:1, :, None])
            case "vagueness kind":
                return Clue(slot, vagueness.astype(str))
            case "vagueness nan":
                vagueness[self.low(view)] = np.nan
            case "vagueness too high":
                vagueness[self.low(view)] = 1.5
            case "vagueness too low":
                vagueness[self.low(view)] = -0.5
        return Clue(slot, vagueness)

    def hand_in(self, view: Any) -> Any:
        reply = np.array(super().hand_in(view))
        return self.spoiled("hand_in", view, reply, view.hand.shape[-1], {"twice": lambda row: row[[0, 0]]})

    def vote(self, view: Any) -> Any:
        reply = np.array(super().vote(view))
        own = (~view.legal).argmax(-1)
        special = {
            "own": own,
            "twice": lambda row: row[[0, 0]],
            "no vote": lambda row: row * 0 - 1,
            "below": lambda row: row * 0 - 2,
        }
        return self.spoiled("vote", view, reply, view.images.shape[-1], special)

    def trap(self, view: Any) -> Any:
        reply = np.array(super().trap(view))
        return self.spoiled("trap", view, reply, view.images.shape[-1], {"own vote": view.own_vote})

    def low(self, view: Any) -> Any:
        return (
            (view.random.per_game.uniform(1, stream=9)[..., 0] < self.share) & view.acting & (view.turn >= self.after)
        )

    def wrong(self, decision: str, view: Any) -> str:
        if decision != self.decision or view.turn < self.after:
            return ""
        if self.how == "raises" and self.low(view).any():
            raise ZeroDivisionError("nothing fits")
        return self.how

    def spoiled(self, decision: str, view: Any, reply: Any, size: int, special: dict[str, Any]) -> Any:
        how, low = self.wrong(decision, view), self.low(view)
        if how == "shape":
            return reply[..., None]
        if how == "kind":
            return reply.astype(float)
        if how == "bool":
            return reply.astype(bool)
        if how == "ragged":
            return [[1], [1, 2]]
        if how == "nothing":
            return None
        if how == "too high":
            reply[low] = size
        elif how == "too low":
            reply[low] = -5
        elif how in special:
            change = special[how]
            for game, i in np.argwhere(low):
                reply[game, i] = change(reply[game, i]) if callable(change) else change[game, i]
        return reply


NINE = OdysseyRules(players=9, target_score=None, storyteller_turns=1)
PARTY = OdysseyRules(variant="party", players=6)
THREE = OdysseyRules(players=3, target_score=None, storyteller_turns=2)
TEAM = OdysseyRules(variant="team", players=8)
REFUSED = [
    (NINE, "tell", "raises", "raised ZeroDivisionError: nothing fits"),
    (NINE, "tell", "no clue", r"expected sim.odyssey.Clue\(slot, vagueness\); received ndarray"),
    (NINE, "tell", "slot shape", r"slot integers from 0 to 5 of shape \(\d+, 1\); received int64 of shape \(\d+,\)"),
    (NINE, "tell", "slot kind", r"expected slot integers .* received float64"),
    (NINE, "tell", "slot too high", "expected slot from 0 to 5; received 6"),
    (NINE, "tell", "slot too low", "expected slot from 0 to 5; received -1"),
    (NINE, "tell", "vagueness shape", r"numbers from 0 to 1 of shape .* received float32 of shape \(1, 1, 1\)"),
    (NINE, "tell", "vagueness kind", r"expected vagueness numbers from 0 to 1 .* received <U"),
    (NINE, "tell", "vagueness nan", "expected vagueness from 0 to 1; received nan"),
    (NINE, "tell", "vagueness too high", r"expected vagueness from 0 to 1; received 1\.5"),
    (NINE, "tell", "vagueness too low", r"expected vagueness from 0 to 1; received -0\.5"),
    (NINE, "hand_in", "raises", "raised ZeroDivisionError: nothing fits"),
    (NINE, "hand_in", "shape", r"slot integers from 0 to 5 of shape \(\d+, 2, 1\); .* int64 of shape \(\d+, 2, 1, 1\)"),
    (NINE, "hand_in", "kind", "received float64"),
    (NINE, "hand_in", "bool", "received bool"),
    (NINE, "hand_in", "ragged", "expected slot integers"),
    (NINE, "hand_in", "nothing", "received object"),
    (NINE, "hand_in", "too high", r"expected different slots from 0 to 5; received \[6\]"),
    (NINE, "hand_in", "too low", r"expected different slots from 0 to 5; received \[-5\]"),
    (THREE, "hand_in", "twice", r"expected different slots from 0 to 6; received \[(\d), \1\]"),
    (NINE, "vote", "raises", "raised ZeroDivisionError: nothing fits"),
    (NINE, "vote", "shape", r"integers from 0 to 8 .* of shape \(\d+, 2, 2\); .* int64 of shape \(\d+, 2, 2, 1\)"),
    (NINE, "vote", "kind", "received float64"),
    (NINE, "vote", "bool", "received bool"),
    (NINE, "vote", "ragged", "expected image integers"),
    (NINE, "vote", "nothing", "received object"),
    (NINE, "vote", "too high", r"expected image indexes from 0 to 8.*; received \[9, 9\]"),
    (NINE, "vote", "below", r"expected image indexes from 0 to 8.*; received \[-2, -2\]"),
    (NINE, "vote", "own", r"expected images of other sides, see view.legal; received \[(\d), \1\]"),
    (TEAM, "vote", "own", r"expected images of other sides, see view.legal; received \[\d\]"),
    (NINE, "vote", "twice", r"expected two votes on different images; received \[(\d), \1\]"),
    (NINE, "vote", "no vote", r"expected at least one vote; received \[-1, -1\]"),
    (THREE, "vote", "no vote", r"expected at least one vote; received \[-1\]"),
    (PARTY, "vote", "no vote", r"expected at least one vote; received \[-1\]"),
    (PARTY, "trap", "raises", "raised ZeroDivisionError: nothing fits"),
    (PARTY, "trap", "shape", r"image integers from 0 to 5 of shape \(\d+, 1\); .* int64 of shape \(\d+, 1, 1\)"),
    (PARTY, "trap", "kind", "received float64"),
    (PARTY, "trap", "nothing", "received object"),
    (PARTY, "trap", "too high", r"expected an image from 0 to 5, not the own vote \d; received 6"),
    (PARTY, "trap", "too low", r"expected an image from 0 to 5, not the own vote \d; received -5"),
    (PARTY, "trap", "own vote", r"expected an image from 0 to 5, not the own vote (\d); received \1"),
]  # fmt: skip
KINDS = ("shape", "kind", "bool", "ragged", "nothing", "no clue")


@pytest.mark.parametrize(("rules", "decision", "how", "message"), REFUSED, ids=lambda value: str(value)[:18])
def test_what_agents_get_wrong(rules: OdysseyRules, decision: str, how: str, message: str) -> None:
    """The message names agent, decision, what was expected and received, and a game that shows it."""
    wrong = Wrong(decision=decision, how=how, share=0.05)
    match = sim.Match([GREEDY, wrong, *[GREEDY] * (rules.players - 3), wrong], rules, seating="fixed")
    with pytest.raises(sim.AgentError, match=message) as caught:
        sim.simulate(match, 150, first_deal=5, seed=9)
    text = str(caught.value)
    assert f"agent {wrong}, decision {decision}: " in text
    address = re.search(r"\(game seed=9, deal=(\d+), seating=0(, seat \d)?, turn \d+\)$", text)
    assert address is not None, text
    deal = int(address[1])
    assert (address[2] is None) == (how == "raises" or how in KINDS or how.endswith((" shape", " kind")))
    with pytest.raises(sim.AgentError, match=message):
        sim.replay(match, seed=9, deal=deal)
    if (
        address[2] is not None or how == "raises"
    ):  # only some games show it: the address is of one of them, and not the first
        assert deal > 5
        sim.replay(match, seed=9, deal=5)


def test_the_address_is_of_a_game_that_is_still_played() -> None:
    """Late in a match, when most games are over, a reply of the wrong shape is told with a game that gets there."""
    rules = OdysseyRules(players=4)
    match = sim.Match([Wrong(decision="vote", how="shape", after=14), *[GREEDY] * 3], rules, seating="fixed")
    with pytest.raises(sim.AgentError) as caught:
        sim.simulate(match, 400, seed=9)
    deal = int(re.search(r"deal=(\d+)", str(caught.value))[1])  # type: ignore[index]
    assert re.search(r"turn (14|15)\)$", str(caught.value))
    with pytest.raises(sim.AgentError):
        sim.replay(match, seed=9, deal=deal)


@dataclass(frozen=True)
class Careless(Greedy):
    """Plays like `greedy` where it acts, and answers nonsense where the reply is ignored."""

    def vote(self, view: Any) -> Any:
        return np.where(view.acting[..., None], super().vote(view), -7)

    def hand_in(self, view: Any) -> Any:
        return np.where(view.acting[..., None], super().hand_in(view), 99)


@pytest.mark.parametrize("rules", [TEAM, OdysseyRules(players=4)], ids=["team", "standard"])
def test_replies_of_who_does_not_act_are_ignored(rules: OdysseyRules) -> None:
    plain, careless = (sim.simulate(match_of(rules, (agent,)), 60, seed=2) for agent in (GREEDY, Careless()))
    assert (plain.scores == careless.scores).all() and (plain.turns == careless.turns).all()


def test_errors_cross_process_borders() -> None:
    match = match_of(NINE, (Wrong(how="twice"), GREEDY))
    with pytest.raises(sim.AgentError, match="two votes on different images"):
        sim.simulate(match, 130, n_jobs=2)
