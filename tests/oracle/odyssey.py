"""One whole game of Dixit: Odyssey, told as the rulebook tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import keys
from .world import Clue

EMPTY = -1


@dataclass
class Game:
    """The event log of a game. `turns`: one dict per turn; everything by seat, scores and points by side."""

    turns: list[dict[str, Any]] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    winners: list[bool] = field(default_factory=list)
    finished: bool = False


def number_of_sides(rules: Any) -> int:
    return rules.players // 2 if rules.variant == "team" else rules.players


def side_of(rules: Any, seat: int) -> int:
    return seat % number_of_sides(rules)


def score_turn(
    rules: Any, storyteller: int, owners: Sequence[int], votes: Sequence[Sequence[int]], trap: int | None = None
) -> list[int]:
    """Raw points per side. `votes`: image indexes per seat, empty for who does not vote."""
    if rules.variant == "party":
        return _score_party(rules, votes, trap)
    points = [0] * number_of_sides(rules)
    image = list(owners).index(storyteller)
    voters = [seat for seat in range(rules.players) if votes[seat]]
    finders = [seat for seat in voters if image in votes[seat]]
    own_side = side_of(rules, storyteller)
    other_sides = [side for side in range(len(points)) if side != own_side]

    if len(finders) == len(voters):
        points[own_side] += rules.points_storyteller_all
        for side in other_sides:
            points[side] += rules.points_others_all
    elif not finders:
        points[own_side] += rules.points_storyteller_none
        for side in other_sides:
            points[side] += rules.points_others_none
    else:
        points[own_side] += rules.points_storyteller_some
        for seat in finders:
            points[side_of(rules, seat)] += rules.points_finder

    if len(finders) < len(voters) or rules.single_vote_bonus_when_all:
        for seat in finders:
            if len(votes[seat]) == 1:
                points[side_of(rules, seat)] += rules.single_vote_bonus

    drawn = [0] * len(points)
    for seat in voters:
        for choice in votes[seat]:
            owner = owners[choice]
            if owner == storyteller:
                continue
            if side_of(rules, owner) == own_side and not rules.teammate_decoy_scores:
                continue
            drawn[side_of(rules, owner)] += 1
    for side, number in enumerate(drawn):
        for_votes = rules.points_per_vote * number
        if rules.vote_points_cap is not None:
            for_votes = min(for_votes, rules.vote_points_cap)
        points[side] += for_votes
    return points


def _score_party(rules: Any, votes: Sequence[Sequence[int]], trap: int | None) -> list[int]:
    points = []
    for seat in range(rules.players):
        choice = votes[seat][0]
        together = sum(1 for other in range(rules.players) if votes[other][0] == choice)
        if together == 1 or choice == trap:
            points.append(0)
        else:
            points.append(min(together, rules.party_cap))
    return points


class _Table:
    """The cards: a pile, hands with slots, and everything else in the discards."""

    def __init__(self, rules: Any, deal_key: int) -> None:
        self.rules, self.deal_key = rules, deal_key
        self.pile = keys.permutation(keys.purpose_key(deal_key, 0, keys.DEAL), list(range(rules.deck_size)))
        self.discards: list[int] = []
        self.hands = [[self.pile.pop(0) for _ in range(rules.hand_size)] for _ in range(rules.players)]

    def take(self, seat: int, slot: int) -> int:
        card = self.hands[seat][slot]
        assert card != EMPTY
        self.hands[seat][slot] = EMPTY
        return card

    def refill(self, storyteller: int, turn: int) -> None:
        for step in range(self.rules.players):
            hand = self.hands[(storyteller + step) % self.rules.players]
            for slot in range(self.rules.hand_size):
                if hand[slot] == EMPTY:
                    if not self.pile:
                        self._reshuffle(turn)
                    hand[slot] = self.pile.pop(0)

    def _reshuffle(self, turn: int) -> None:
        in_hands = {card for hand in self.hands for card in hand if card != EMPTY}
        assert sorted(self.discards) == [card for card in range(self.rules.deck_size) if card not in in_hands]
        self.pile = keys.permutation(keys.purpose_key(self.deal_key, turn, keys.RESHUFFLE), sorted(self.discards))
        self.discards = []

    def pass_to_the_left(self) -> None:
        self.hands = [self.hands[(seat - 1) % self.rules.players] for seat in range(self.rules.players)]


class _Turn:
    """One turn, from the clue to the points."""

    def __init__(
        self, rules: Any, world: Any, players: Sequence[Any], table: _Table, scores: Sequence[int], turn: int
    ) -> None:
        self.rules, self.world, self.players, self.table = rules, world, players, table
        self.scores, self.turn = list(scores), turn
        self.storyteller = turn % rules.players
        self.clue = Clue(world, table.deal_key, turn, broad=False)
        self.source: int | None = None
        self.clarity = np.float32(0)
        self.event: dict[str, Any] = {
            "storyteller": self.storyteller,
            "hands": [list(hand) for hand in table.hands],
            "slot": -1,
            "vagueness": float("nan"),
            "clarity": float("nan"),
            "agreement": float(self.clue.agreement),
            "trap": -1,
        }

    def fit(self, seat: int, card: int) -> np.float32:
        if card == self.source:
            return self.clue.source_fit(seat, card, self.clarity)
        return self.clue.fit(seat, card)

    def _view(self, seat: int, decision: int, **more: Any) -> SimpleNamespace:
        numbers = keys.Numbers(self.table.deal_key, self.turn, decision, seat)
        common = {"rules": self.rules, "world": self.world, "seat": seat, "turn": self.turn}
        return SimpleNamespace(**common, scores=list(self.scores), random=numbers, **more)

    def tell(self) -> None:
        seat, hand = self.storyteller, list(self.table.hands[self.storyteller])
        legal = [True] * len(hand)
        fit = [np.float32(0)] * len(hand)
        slot, vagueness = self.players[seat].tell(self._view(seat, keys.TELL, hand=hand, fit=fit, legal=legal))
        assert 0 <= slot < len(hand) and 0 <= vagueness <= 1
        self.source = self.table.take(seat, slot)
        self.clarity = self.clue.clarity(seat, self.source, vagueness)
        self.event.update(slot=slot, vagueness=float(np.float32(vagueness)), clarity=float(self.clarity))

    def offer(self, seat: int) -> list[int]:
        """The slots a player would hand in."""
        hand = list(self.table.hands[seat])
        view = self._view(
            seat,
            keys.HAND_IN,
            hand=hand,
            fit=[self.fit(seat, card) for card in hand],
            legal=[card != EMPTY for card in hand],
        )
        slots = [int(slot) for slot in self.players[seat].hand_in(view)]
        assert len(set(slots)) == len(slots) == self.rules.images_handed_in
        assert all(0 <= slot < len(hand) for slot in slots)
        return slots

    def hand_in(self) -> list[tuple[int, int]]:
        """(card, owner) of everything on the table."""
        rules, teller = self.rules, self.storyteller
        on_table: list[tuple[int, int]] = [] if self.source is None else [(self.source, teller)]
        givers = []
        if rules.variant == "party":
            givers = [(seat, self.offer(seat)) for seat in range(rules.players)]
        elif rules.variant == "standard":
            givers = [(seat, self.offer(seat)) for seat in range(rules.players) if seat != teller]
        else:
            half = rules.players // 2
            if rules.teammate_hands_in:
                teammate = (teller + half) % rules.players
                givers.append((teammate, self.offer(teammate)))
            for low in range(half):
                if low == teller % half:
                    continue
                offers = {seat: self.offer(seat) for seat in (low, low + half)}
                liking = {seat: self.fit(seat, self.table.hands[seat][offers[seat][0]]) for seat in offers}
                giver = low if liking[low] >= liking[low + half] else low + half
                givers.append((giver, offers[giver]))
        self.event["handed_in"] = [[] for _ in range(rules.players)]
        for seat, slots in givers:
            self.event["handed_in"][seat] = slots
            on_table += [(self.table.take(seat, slot), seat) for slot in slots]
        return sorted(on_table)

    def voters(self, owners: Sequence[int]) -> list[int]:
        rules, seats = self.rules, list(range(self.rules.players))
        if rules.variant == "party":
            return seats
        if rules.variant == "standard":
            return [seat for seat in seats if seat != self.storyteller]
        own_side = side_of(rules, self.storyteller)
        return [seat for seat in seats if side_of(rules, seat) != own_side and seat not in owners]

    def vote(self, seat: int, images: list[int], owners: Sequence[int]) -> list[int]:
        if self.rules.variant == "party":
            legal = [True] * len(images)
        else:
            legal = [side_of(self.rules, owner) != side_of(self.rules, seat) for owner in owners]
        fit = [self.fit(seat, card) for card in images]
        view = self._view(seat, keys.VOTE, images=list(images), fit=fit, legal=legal)
        votes = [int(choice) for choice in self.players[seat].vote(view)]
        assert 1 <= len(votes) <= self.rules.votes and len(set(votes)) == len(votes)
        assert all(legal[choice] for choice in votes)
        return votes

    def set_trap(self, images: list[int], own_vote: int) -> int:
        seat = self.storyteller
        legal = [self.rules.trap_may_match_own_vote or image != own_vote for image in range(len(images))]
        fit = [self.fit(seat, card) for card in images]
        view = self._view(seat, keys.TRAP, images=list(images), fit=fit, legal=legal, own_vote=own_vote)
        trap = int(self.players[seat].trap(view))
        assert legal[trap]
        return trap

    def play(self) -> dict[str, Any]:
        rules = self.rules
        party = rules.variant == "party"
        if not party:
            self.tell()
        on_table = self.hand_in()
        images = [card for card, _ in on_table]
        owners = [owner for _, owner in on_table]
        voters = self.voters(owners)
        votes: list[list[int]] = [[] for _ in range(rules.players)]
        for seat in voters:
            votes[seat] = self.vote(seat, images, owners)
        trap = None
        if party and rules.trap:
            trap = self.set_trap(images, votes[self.storyteller][0])
            self.event["trap"] = trap
        points = score_turn(rules, self.storyteller, owners, votes, trap)
        found = -1 if party else sum(1 for seat in voters if owners.index(self.storyteller) in votes[seat])
        self.table.discards += images
        self.event.update(
            images=images,
            owners=owners,
            fits=[[float(self.fit(seat, card)) for card in images] for seat in range(rules.players)],
            votes=[list(chosen) + [-1] * (rules.votes - len(chosen)) for chosen in votes],
            points=points,
            voters=len(voters),
            found=found,
            scores=[max(score + gain, rules.minimum_score) for score, gain in zip(self.scores, points, strict=True)],
        )
        return self.event


def winners(scores: Sequence[int]) -> list[bool]:
    return [score == max(scores) for score in scores]


def play_odyssey(rules: Any, world: Any, players: Sequence[Any], seed: int, deal: int) -> Game:
    """Play one game. `players`: a scalar decision maker per seat."""
    table = _Table(rules, keys.deal_key(seed, deal))
    game = Game(scores=[0] * number_of_sides(rules))
    while True:
        turn = len(game.turns)
        event = _Turn(rules, world, players, table, game.scores, turn).play()
        game.turns.append(event)
        game.scores = event["scores"]
        everybody_told = rules.storyteller_turns is not None and turn + 1 >= rules.players * rules.storyteller_turns
        reached = rules.target_score is not None and max(game.scores) >= rules.target_score
        game.finished = everybody_told or reached
        if not game.finished and turn + 1 < rules.max_turns:
            table.refill(event["storyteller"], turn)
            if rules.variant == "party" and rules.pass_hands:
                table.pass_to_the_left()
        event["pile"], event["discards"] = list(table.pile), sorted(table.discards)
        event["hands_after"] = [list(hand) for hand in table.hands]
        if game.finished or turn + 1 >= rules.max_turns:
            game.winners = winners(game.scores)
            return game
