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
from sim.odyssey.record import Record
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.scoring import score_turn_kernel, scoring_rules, winners
from sim.odyssey.views import HandInView, TellView, TrapView, VoteView
from sim.views import full, read_only

if TYPE_CHECKING:
    from sim.match import Match

COMPACT_BELOW = 0.75
"""Finished games leave the batch once fewer than this share of it is still being played."""


def play(
    match: Match, seating: int, deals: NDArray[np.int64], seed: int, trace: list[dict[str, Any]] | None = None
) -> Played:
    """Play each deal once in this seating. trace: for a single game, receives a dict per turn (see `sim.replay`)."""
    batch = _Batch(match, seating, deals, seed, trace)
    while len(batch.rows):
        batch.play_turn()
    return batch.played()


class _Batch:
    """The state of the games that are still being played. No agent ever sees this object."""

    def __init__(
        self, match: Match, seating: int, deals: NDArray[np.int64], seed: int, trace: list[dict[str, Any]] | None
    ) -> None:
        assert isinstance(match.rules, OdysseyRules)
        self.rules, self.world, self.trace = match.rules, match.world, trace
        n, players = len(deals), self.rules.players
        self.groups = match.groups(seating)
        self.seat_group = {int(seat): group for group in self.groups for seat in group.seats}
        self.address = Address(seed, deals, seating)
        self.turn = 0
        self.rows = np.arange(n)
        self.alive = np.ones(n, np.bool_)
        self.keys = rnd.deal_keys(seed, deals)
        self.game_keys = rnd.purpose_keys(self.keys, 0, rnd.GAME)
        self.pile = Pile(self.keys, self.rules.deck_size)
        self.hands = self.pile.draw(players * self.rules.hand_size).reshape(n, players, self.rules.hand_size)
        self.scores = np.zeros((n, self.rules.sides), np.int32)
        self.kernel_rules = scoring_rules(self.rules)
        self.record = Record(n, self.rules, self.groups)
        self.final = np.zeros((n, self.rules.sides), np.int32)
        self.finished = np.zeros(n, np.bool_)
        self.turns = np.zeros(n, np.int16)

    # One turn ---------------------------------------------------------------------------------------------------------

    def play_turn(self) -> None:
        rules, n, players = self.rules, len(self.rows), self.rules.players
        storyteller = self.turn % players
        slots = np.full((n, players, rules.images_handed_in), -1, np.int8)
        vagueness = np.full(n, np.nan, np.float32)
        before = self.hands.copy() if self.trace is not None else None
        if rules.variant == "party":
            reading = self.world.open_clue(self.keys, self.turn)
        else:
            slot, vagueness = self.ask_tell(storyteller)
            slots[:, storyteller, 0] = slot
            cards = self.hands[np.arange(n), storyteller, slot]
            reading = self.world.clue(self.keys, self.turn, storyteller, cards, vagueness)
        voting = self.ask_hand_in(storyteller, reading, slots)
        images = np.zeros((n, rules.images), np.int16)
        owners = np.zeros((n, rules.images), np.int8)
        table.lay_out(self.hands, self.alive, slots, images, owners)
        votes = self.ask_vote(storyteller, reading, images, owners, voting)
        trap = np.full(n, -1, np.int16)
        if rules.trap:
            self.ask_trap(storyteller, reading, images, votes, trap)
        points, found, voters = np.empty((n, rules.sides), np.int16), np.empty(n, np.int8), np.empty(n, np.int8)
        tellers = np.full(n, storyteller, np.int8)
        score_turn_kernel(self.kernel_rules, tellers, owners, votes, trap, points, found, voters)
        over = np.zeros(n, np.bool_)
        table.add_points(self.scores, points, self.alive, rules.minimum_score, rules.target_score or 0, over)
        self.record.write(
            self.rows, self.alive, self.turn, storyteller, images, owners, votes, trap, points, vagueness, found, voters
        )
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
        self.end_turn(storyteller, over)

    def end_turn(self, storyteller: int, over: NDArray[np.bool_]) -> None:
        rules = self.rules
        self.turn += 1
        if rules.storyteller_turns is not None and self.turn >= rules.players * rules.storyteller_turns:
            over[:] = True
        stopped = self.turn >= rules.max_turns
        ending = self.alive & (over | stopped)
        if ending.any():
            rows = self.rows[ending]
            self.final[rows], self.finished[rows], self.turns[rows] = self.scores[ending], over[ending], self.turn
            self.alive &= ~ending
            if self.alive.mean() < COMPACT_BELOW:
                self.compact()
        if len(self.rows):
            pile = self.pile
            refill(
                pile.cards, pile.top, pile.size, pile.keys, self.keys, self.turn - 1, storyteller, self.hands, self.alive
            )
            if rules.pass_hands:
                pass_left(self.hands, self.alive)

    def compact(self) -> None:
        """Keep only the games that are still being played."""
        on = self.alive
        for name in ("rows", "keys", "game_keys", "hands", "scores"):
            setattr(self, name, getattr(self, name)[on])
        self.pile, self.address = self.pile.take(on), self.address.take(on)
        self.alive = np.ones(len(self.rows), np.bool_)

    def played(self) -> Played:
        columns = self.record.rows(self.turns)
        return Played(self.final, winners(self.rules, self.final), self.finished, self.turns, TurnRows(**columns))

    # Decisions --------------------------------------------------------------------------------------------------------

    def ask_tell(self, storyteller: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        group = Group(self.seat_group[storyteller].agent, np.array([storyteller], np.int64))
        n, m = len(self.rows), self.rules.hand_size
        fit, legal = full((n, 1, m), 0, np.float32), full((n, 1, m), True, np.bool_)
        hand = read_only(self.hands[:, group.seats])
        view = TellView(**self.shown(group, rnd.TELL), fit=fit, legal=legal, acting=self.acting(group), hand=hand)
        question = self.question(group, "tell", view)
        reply = question.ask()
        if not isinstance(reply, Clue):
            question.refuse(0, f"expected sim.odyssey.Clue(slot, vagueness); received {type(reply).__name__}")
        slot = question.array(reply.slot, (n, 1), "i", f"slot integers from 0 to {m - 1}").astype(np.int64)[:, 0]
        vagueness = question.array(reply.vagueness, (n, 1), "fi", "vagueness numbers from 0 to 1")[:, 0]
        for bad, values, expected in (
            ((slot < 0) | (slot >= m), slot, f"slot from 0 to {m - 1}"),
            (~((vagueness >= 0) & (vagueness <= 1)), vagueness, "vagueness from 0 to 1"),
        ):
            bad &= self.alive
            if bad.any():
                game = int(bad.argmax())
                question.refuse_at(game, 0, f"expected {expected}; received {values[game]}")
        return np.where(self.alive, slot, 0), np.where(self.alive, vagueness, 0).astype(np.float32)

    def ask_hand_in(self, storyteller: int, reading: Any, slots: NDArray[np.int8]) -> NDArray[np.bool_] | None:
        """Fill `slots` with everybody's choice. Team: which seats vote, bool (n, seats); else None: all who may."""
        rules, n, m = self.rules, len(self.rows), self.rules.hand_size
        fits = np.zeros((n, rules.players), np.float32)
        for group in self.among(self.givers(storyteller)):
            hand = np.empty((n, len(group.seats), m), np.int16)
            table.pick_hands(self.hands, group.seats, hand)
            fit = read_only(self.world.fit_hands(reading, group.seats, hand))
            acting = self.acting(group)
            view = HandInView(
                **self.shown(group, rnd.HAND_IN), fit=fit, legal=full(fit.shape, True, np.bool_), acting=acting,
                hand=read_only(hand),
            )  # fmt: skip
            question = self.question(group, "hand_in", view)
            shape = (n, len(group.seats), rules.images_handed_in)
            reply = question.array(question.ask(), shape, "i", f"slot integers from 0 to {m - 1}").astype(np.int64)
            fault = np.full(3, -1)
            table.check_slots(reply, acting, m, group.seats, slots, fault)
            if fault[0] >= 0:
                problem = f"different slots from 0 to {m - 1}; received {reply[fault[0], fault[1]].tolist()}"
                question.refuse_at(int(fault[0]), int(fault[1]), f"expected {problem}")
            if rules.variant == "team":
                table.offered_fits(reply, fit, acting, group.seats, fits)
        if rules.variant != "team":
            return None
        voting = np.zeros((n, rules.players), np.bool_)
        table.settle_offers(slots, fits, self.alive, storyteller, voting)
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
        seen = read_only(images.view())
        for group in self.among(self.voters(storyteller)):
            fit = read_only(self.world.fit_images(reading, group.seats, images))
            if rules.variant == "party":
                legal = np.ones(fit.shape, np.bool_)
            else:
                legal = np.empty(fit.shape, np.bool_)
                table.legal_images(owners, rules.sides, group.seats, legal)
            acting = self.acting(group) if voting is None else read_only(voting[:, group.seats])
            view = VoteView(
                **self.shown(group, rnd.VOTE), fit=fit, legal=read_only(legal), acting=acting, images=seen
            )  # fmt: skip
            question = self.question(group, "vote", view)
            expected = f"image integers from 0 to {rules.images - 1} (-1 for an unused second vote)"
            shape = (n, len(group.seats), rules.votes)
            reply = question.array(question.ask(), shape, "i", expected).astype(np.int64)
            fault = np.full(3, -1)
            table.check_votes(reply, acting, legal, group.seats, votes, fault)
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
        votes: NDArray[np.int16],
        trap: NDArray[np.int16],
    ) -> None:
        """The storyteller's red token, after the vote: fills trap (n,)."""
        rules, n = self.rules, len(self.rows)
        group = Group(self.seat_group[storyteller].agent, np.array([storyteller], np.int64))
        own_vote = read_only(votes[:, group.seats, 0].astype(np.int64))
        legal = np.ones((n, 1, rules.images), np.bool_)
        if not rules.trap_may_match_own_vote:
            legal[np.arange(n), 0, own_vote[:, 0]] = False
        view = TrapView(
            **self.shown(group, rnd.TRAP), fit=read_only(self.world.fit_images(reading, group.seats, images)),
            legal=read_only(legal), acting=self.acting(group), images=read_only(images.view()), own_vote=own_vote,
        )  # fmt: skip
        question = self.question(group, "trap", view)
        reply = question.array(question.ask(), (n, 1), "i", f"image integers from 0 to {rules.images - 1}")[:, 0]
        inside = (reply >= 0) & (reply < rules.images)
        bad = self.alive & ~(inside & legal[np.arange(n), 0, np.where(inside, reply, 0)])
        if bad.any():
            game = int(bad.argmax())
            barred = "" if rules.trap_may_match_own_vote else f", not the own vote {own_vote[game, 0]}"
            question.refuse_at(
                game, 0, f"expected an image from 0 to {rules.images - 1}{barred}; received {reply[game]}"
            )
        trap[:] = np.where(self.alive, reply, -1)

    # What decisions share ---------------------------------------------------------------------------------------------

    def givers(self, storyteller: int) -> list[int]:
        """Seats that hand in (team: that offer) an image."""
        rules, seats = self.rules, range(self.rules.players)
        if rules.variant == "party":
            return list(seats)
        if rules.variant == "team" and not rules.teammate_hands_in:
            return self.voters(storyteller)
        return [seat for seat in seats if seat != storyteller]

    def voters(self, storyteller: int) -> list[int]:
        """Seats that may have to vote."""
        rules, seats = self.rules, range(self.rules.players)
        if rules.variant == "party":
            return list(seats)
        return [seat for seat in seats if seat % rules.sides != storyteller % rules.sides]

    def among(self, seats: list[int]) -> list[Group]:
        """The groups with those of their seats that are among `seats`."""
        parts = [Group(g.agent, g.seats[np.isin(g.seats, seats)]) for g in self.groups]
        return [part for part in parts if len(part.seats)]

    def acting(self, group: Group) -> NDArray[np.bool_]:
        """bool (n, k): all of the group's seats, in games that are not over."""
        out: NDArray[np.bool_] = read_only(np.repeat(self.alive[:, None], len(group.seats), 1))
        return out

    def shown(self, group: Group, decision: int) -> dict[str, Any]:
        """What every view shows."""
        keys = rnd.purpose_keys(self.keys, self.turn, decision)
        return {
            "rules": self.rules,
            "world": self.world,
            "seats": read_only(group.seats.copy()),
            "scores": read_only(self.scores.copy()),
            "random": Draws(keys, self.game_keys, group.seats),
            "history": self.record.history(self.turn, self.rows, group),
            "turn": self.turn,
        }

    def question(self, group: Group, decision: str, view: Any) -> Question:
        return Question(group, decision, view, self.address, f"turn {self.turn}")

