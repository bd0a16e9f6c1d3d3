"""Games of Odyssey, a batch at a time: one seating, many deals, every turn in step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim import randomness as rnd
from sim.asking import Address, Group, Question
from sim.cards import Pile, pass_left, refill
from sim.draws import Draws
from sim.games import Played, TurnRows
from sim.odyssey import table
from sim.odyssey.clue import Clue
from sim.odyssey.record import Record, Turn
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.scoring import score_turn_kernel, scoring_rules, winners
from sim.odyssey.views import HandInView, TellView, TrapView, VoteView
from sim.views import Same, read_only
from sim.world import checked

if TYPE_CHECKING:
    from sim.match import Match


def play(
    match: Match,
    seating: int,
    deals: NDArray[np.int64],
    seed: int,
    trace: list[dict[str, Any]] | None = None,
    details: bool = True,
) -> Played:
    """Play each deal once in this seating.

    trace: for a single game, receives a dict per turn (see `sim.replay`); details: whether the result has `turn_rows`.
    """
    batch = _Batch(match, seating, deals, seed, trace)
    while len(batch.rows):
        batch.play_turn()
    return batch.played(details)


class _Batch:
    """The state of a batch of games; `rows` are the games that are still being played. No agent ever sees this object.

    State has all games of the batch as its first axis. What a turn brings, and what agents see, has the n games of
    `rows`, in that order.
    """

    def __init__(
        self, match: Match, seating: int, deals: NDArray[np.int64], seed: int, trace: list[dict[str, Any]] | None
    ) -> None:
        assert isinstance(match.rules, OdysseyRules)
        self.rules, self.world, self.trace = match.rules, match.world, trace
        self.readings = checked(match.world)
        n, players, hand_size = len(deals), self.rules.players, self.rules.hand_size
        self.groups = match.groups(seating)
        self.tellers = [self.among([seat])[0] for seat in range(players)]
        self.givers = [self.among(self.giving_seats(seat)) for seat in range(players)]
        self.voters = [self.among(self.voting_seats(seat)) for seat in range(players)]
        self.all_true = Same(True, np.bool_, n * players * max(hand_size, self.rules.images))
        self.no_fit = Same(0, np.float32, n * hand_size)
        self.turn = 0
        self.deal_keys = rnd.deal_keys(seed, deals)
        self.all_game_keys = rnd.purpose_keys(self.deal_keys, 0, rnd.GAME)
        self.pile = Pile(self.deal_keys, self.rules.deck_size)
        self.hands = self.pile.draw(players * hand_size).reshape(n, players, hand_size)
        self.scores = np.zeros((n, self.rules.sides), np.int32)
        self.kernel_rules = scoring_rules(self.rules)
        self.record = Record(n, self.rules, self.groups)
        self.finished = np.zeros(n, np.bool_)
        self.turns = np.zeros(n, np.int32)
        self.addresses = Address(seed, deals, seating)
        self.go_on_with(np.arange(n))

    def go_on_with(self, rows: NDArray[np.int64]) -> None:
        self.rows, self.keys, self.game_keys = rows, self.deal_keys[rows], self.all_game_keys[rows]
        self.address = self.addresses.take(rows)

    # One turn ---------------------------------------------------------------------------------------------------------

    def play_turn(self) -> None:
        rules, n, players = self.rules, len(self.rows), self.rules.players
        storyteller = self.turn % players
        self.scores_now = read_only(self.scores[self.rows])
        self.decision_keys: dict[int, rnd.Keys] = {}
        slots = np.full((n, players, rules.images_handed_in), -1, np.int8)
        vagueness = np.full(n, np.nan, np.float32)
        before = self.hands.copy() if self.trace is not None else None
        if rules.variant == "party":
            reading = self.readings.open_clue(self.keys, self.turn)
        else:
            cards = np.empty(n, np.int16)
            self.ask_tell(storyteller, slots, cards, vagueness)
            reading = self.readings.clue(self.keys, self.turn, storyteller, cards, vagueness)
        voting = self.ask_hand_in(storyteller, reading, slots)
        images, owners = np.empty((n, rules.images), np.int16), np.empty((n, rules.images), np.int8)
        table.lay_out(self.hands, self.rows, slots, images, owners)
        read_only(images)
        votes = self.ask_vote(storyteller, reading, images, owners, voting)
        trap = np.full(n, -1, np.int16)
        if rules.trap:
            self.ask_trap(storyteller, reading, images, owners, votes, trap)
        points, found, voters = np.empty((n, rules.sides), np.int16), np.empty(n, np.int8), np.empty(n, np.int8)
        tellers = np.full(n, storyteller, np.int8)
        score_turn_kernel(self.kernel_rules, tellers, owners, votes, trap, points, found, voters)
        over = np.zeros(n, np.bool_)
        table.add_points(self.scores, self.rows, points, rules.minimum_score, rules.target_score or 0, over)
        self.record.add(Turn(self.rows, images, owners, votes, trap, points, vagueness, found, voters), storyteller)
        if self.trace is not None and before is not None:
            self.trace.append(
                {
                    "storyteller": storyteller, "hands": before[0].tolist(),
                    "slot": -1 if rules.variant == "party" else int(slots[0, storyteller, 0]),
                    "vagueness": float(vagueness[0]), "images": images[0].tolist(), "owners": owners[0].tolist(),
                    "votes": votes[0].tolist(), "trap": int(trap[0]), "points": points[0].tolist(),
                    "found": int(found[0]), "voters": int(voters[0]), "scores": self.scores[0].tolist(),
                }
            )  # fmt: skip
        self.end_turn(storyteller, slots, over)

    def end_turn(self, storyteller: int, slots: NDArray[np.int8], over: NDArray[np.bool_]) -> None:
        rules = self.rules
        self.turn += 1
        if rules.storyteller_turns is not None and self.turn >= rules.players * rules.storyteller_turns:
            over[:] = True
        ending = over if self.turn < rules.max_turns else np.ones_like(over)
        if ending.any():
            rows, on = self.rows[ending], ~ending
            self.finished[rows], self.turns[rows] = over[ending], self.turn
            slots = slots[on]
            self.go_on_with(self.rows[on])
        pile = self.pile
        refill(
            pile.cards, pile.top, pile.size, pile.keys, self.deal_keys, self.turn - 1, storyteller, self.hands,
            self.rows, slots,
        )  # fmt: skip
        if rules.pass_hands:
            pass_left(self.hands, self.rows)

    def played(self, details: bool) -> Played:
        won = winners(self.rules, self.scores)
        turn_rows = TurnRows(**self.record.rows(self.turns)) if details else None
        return Played(self.scores, won, self.finished, self.turns, turn_rows)

    # Decisions --------------------------------------------------------------------------------------------------------

    def ask_tell(
        self, storyteller: int, slots: NDArray[np.int8], cards: NDArray[np.int16], told: NDArray[np.float32]
    ) -> None:
        """The storyteller's image and clue: fills slots (n, seats, images), cards (n,) and vagueness told (n,)."""
        group, n, m = self.tellers[storyteller], len(self.rows), self.rules.hand_size
        hand = self.hand(group)
        view = TellView(
            **self.shown(group, rnd.TELL), fit=self.no_fit(*hand.shape), legal=self.all_true(*hand.shape),
            acting=self.all_true(n, 1), hand=hand,
        )  # fmt: skip
        question = self.question(group, "tell", view)
        reply = question.ask()
        if not isinstance(reply, Clue):
            question.refuse(0, f"expected sim.odyssey.Clue(slot, vagueness); received {type(reply).__name__}")
        slot = question.array(reply.slot, (n, 1), "i", f"slot integers from 0 to {m - 1}", np.int64)
        vagueness = question.array(reply.vagueness, (n, 1), "fi", "vagueness numbers from 0 to 1", np.float64)
        fault = np.full(2, -1)
        table.take_clue(slot, vagueness, hand, storyteller, slots, cards, told, fault)
        if fault[0] >= 0:
            bad, expected = (
                (slot, f"slot from 0 to {m - 1}") if fault[1] == table.SLOT else (vagueness, "vagueness from 0 to 1")
            )
            game = int(fault[0])
            question.refuse_at(game, 0, f"expected {expected}; received {bad[game, 0]}")

    def ask_hand_in(self, storyteller: int, reading: Any, slots: NDArray[np.int8]) -> NDArray[np.bool_] | None:
        """Fill `slots` with everybody's choice. Team: which seats vote, bool (n, seats); else None: all who may."""
        rules, n, m = self.rules, len(self.rows), self.rules.hand_size
        team = rules.variant == "team"
        fits = np.zeros((n, rules.players), np.float32) if team else None
        for group in self.givers[storyteller]:
            k = len(group.seats)
            hand = self.hand(group)
            fit = read_only(self.readings.fit_hands(reading, group.seats, hand))
            view = HandInView(
                **self.shown(group, rnd.HAND_IN), fit=fit, legal=self.all_true(n, k, m), acting=self.all_true(n, k),
                hand=hand,
            )  # fmt: skip
            question = self.question(group, "hand_in", view)
            expected = f"slot integers from 0 to {m - 1}"
            reply = question.array(question.ask(), (n, k, rules.images_handed_in), "i", expected, np.int64)
            fault = np.full(3, -1)
            table.take_slots(reply, m, group.seats, slots, fault)
            if fault[0] >= 0:
                problem = f"different slots from 0 to {m - 1}; received {reply[fault[0], fault[1]].tolist()}"
                question.refuse_at(int(fault[0]), int(fault[1]), f"expected {problem}")
            if team:
                table.offered_fits(reply, fit, group.seats, fits)
        if not team:
            return None
        voting = np.zeros((n, rules.players), np.bool_)
        table.settle_offers(slots, fits, storyteller, voting)
        return voting

    def ask_vote(
        self,
        storyteller: int,
        reading: Any,
        images: NDArray[np.int16],
        owners: NDArray[np.int8],
        voting: NDArray[np.bool_] | None,
    ) -> NDArray[np.int16]:
        """Everybody's votes: int16 (n, seats, votes), -1 for none."""
        rules, n = self.rules, len(self.rows)
        votes = np.full((n, rules.players, rules.votes), -1, np.int16)
        for group in self.voters[storyteller]:
            k = len(group.seats)
            fit = read_only(self.readings.fit_images(reading, group.seats, images))
            own = None
            if rules.variant == "party":
                legal, own = self.all_true(n, k, rules.images), _own_images(owners, group)
            else:
                legal = np.empty(fit.shape, np.bool_)
                table.legal_images(owners, rules.sides, group.seats, legal)
            acting = self.all_true(n, k) if voting is None else read_only(voting.take(group.seats, 1))
            view = VoteView(
                **self.shown(group, rnd.VOTE), fit=fit, legal=read_only(legal), acting=acting, images=images,
                own_image=own,
            )  # fmt: skip
            question = self.question(group, "vote", view)
            expected = f"image integers from 0 to {rules.images - 1} (-1 for an unused second vote)"
            reply = question.array(question.ask(), (n, k, rules.votes), "i", expected, np.int64)
            fault = np.full(3, -1)
            table.take_votes(reply, acting, legal, group.seats, votes, fault)
            if fault[0] >= 0:
                reason = {
                    table.OUT_OF_RANGE: f"image indexes from 0 to {rules.images - 1}, or -1 for an unused second vote",
                    table.ILLEGAL: "images of other sides, see view.legal",
                    table.TWICE: "two votes on different images",
                    table.MISSING: "at least one vote",
                }[int(fault[2])]
                received = reply[fault[0], fault[1]].tolist()
                question.refuse_at(int(fault[0]), int(fault[1]), f"expected {reason}; received {received}")
        return votes

    def ask_trap(
        self,
        storyteller: int,
        reading: Any,
        images: NDArray[np.int16],
        owners: NDArray[np.int8],
        votes: NDArray[np.int16],
        trap: NDArray[np.int16],
    ) -> None:
        """The storyteller's red token, after the vote: fills trap (n,)."""
        rules, n = self.rules, len(self.rows)
        group = self.tellers[storyteller]
        own_vote = read_only(votes[:, group.seats, 0].astype(np.int64))
        legal = np.ones((n, 1, rules.images), np.bool_)
        if not rules.trap_may_match_own_vote:
            legal[np.arange(n), 0, own_vote[:, 0]] = False
        view = TrapView(
            **self.shown(group, rnd.TRAP), fit=read_only(self.readings.fit_images(reading, group.seats, images)),
            legal=read_only(legal), acting=self.all_true(n, 1), images=images, own_vote=own_vote,
            own_image=_own_images(owners, group),
        )  # fmt: skip
        question = self.question(group, "trap", view)
        expected = f"image integers from 0 to {rules.images - 1}"
        reply = question.array(question.ask(), (n, 1), "i", expected, np.int64)[:, 0]
        inside = (reply >= 0) & (reply < rules.images)
        bad = ~(inside & legal[np.arange(n), 0, np.where(inside, reply, 0)])
        if bad.any():
            game = int(bad.argmax())
            barred = "" if rules.trap_may_match_own_vote else f", not the own vote {own_vote[game, 0]}"
            question.refuse_at(
                game, 0, f"expected an image from 0 to {rules.images - 1}{barred}; received {reply[game]}"
            )
        trap[:] = reply

    # What decisions share ---------------------------------------------------------------------------------------------

    def giving_seats(self, storyteller: int) -> list[int]:
        """Seats that hand in (team: that offer) an image."""
        rules, seats = self.rules, range(self.rules.players)
        if rules.variant == "party":
            return list(seats)
        if rules.variant == "team" and not rules.teammate_hands_in:
            return self.voting_seats(storyteller)
        return [seat for seat in seats if seat != storyteller]

    def voting_seats(self, storyteller: int) -> list[int]:
        """Seats that may have to vote."""
        rules, seats = self.rules, range(self.rules.players)
        if rules.variant == "party":
            return list(seats)
        return [seat for seat in seats if seat % rules.sides != storyteller % rules.sides]

    def among(self, seats: list[int]) -> list[Group]:
        """The groups with those of their seats that are among `seats`."""
        parts = [(g.agent, [seat for seat in g.seats.tolist() if seat in seats]) for g in self.groups]
        return [Group(agent, read_only(np.array(own, np.int64))) for agent, own in parts if own]

    def hand(self, group: Group) -> NDArray[np.int16]:
        """The hands of a group: int16 (n, k, slots), read-only."""
        out = np.empty((len(self.rows), len(group.seats), self.rules.hand_size), np.int16)
        table.pick_hands(self.hands, self.rows, group.seats, out)
        hand: NDArray[np.int16] = read_only(out)
        return hand

    def shown(self, group: Group, decision: int) -> dict[str, Any]:
        """What every view shows."""
        if decision not in self.decision_keys:
            self.decision_keys[decision] = rnd.purpose_keys(self.keys, self.turn, decision)
        return {
            "rules": self.rules,
            "world": self.world,
            "seats": group.seats,
            "scores": self.scores_now,
            "random": Draws(self.decision_keys[decision], self.game_keys, group.seats),
            "history": self.record.history(self.turn, self.rows, group),
            "turn": self.turn,
        }

    def question(self, group: Group, decision: str, view: Any) -> Question:
        return Question(group, decision, view, self.address, f"turn {self.turn}")


def _own_images(owners: NDArray[np.int8], group: Group) -> NDArray[np.bool_]:
    """bool (n, k, images): which image each seat of the group handed in."""
    own: NDArray[np.bool_] = read_only(owners[:, None, :] == group.seats[:, None])
    return own
