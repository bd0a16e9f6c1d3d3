"""Games of Stella, a batch at a time: one seating, many deals, every round in step."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sim import randomness as rnd
from sim.asking import Address, Group, Question
from sim.cards import Pile
from sim.columns import Columns
from sim.compiled import kernel
from sim.draws import Draws
from sim.games import Played, Rounds
from sim.stella.scoring import (
    RoundState,
    follow_priority_kernel,
    ranks,
    resolve_round_kernel,
    reveal_kernel,
    round_rules,
    score_round_kernel,
    start_round_kernel,
    winners,
)
from sim.stella.views import PUBLIC, MarkView, RevealView, ScoutView, StellaHistory
from sim.views import Same, read_only
from sim.world import checked

if TYPE_CHECKING:
    from sim.match import Match

REVEALS_PER_ROUND = 64
"""Scouts' keys: round * 64 + cards already revealed; a grid has at most 40 cards."""


def play(
    match: Match,
    seating: int,
    deals: NDArray[np.int64],
    seed: int,
    trace: list[dict[str, Any]] | None = None,
    details: bool = True,
) -> Played:
    """Play each deal once in this seating.

    trace: for a single game, receives a dict per round (see `sim.replay`); details: whether the result has `rounds`.
    """
    batch = _Batch(match, seating, deals, seed, trace)
    for _ in range(match.rules.rounds):  # type: ignore[union-attr]  # StellaRules, as `_Batch` asserts
        batch.play_round()
    return batch.played(details)


class _Batch:
    """The state of a batch of games. No agent ever sees this object."""

    def __init__(
        self, match: Match, seating: int, deals: NDArray[np.int64], seed: int, trace: list[dict[str, Any]] | None
    ) -> None:
        from sim.stella.rules import StellaRules

        assert isinstance(match.rules, StellaRules)
        self.rules, self.world, self.trace = match.rules, match.world, trace
        self.readings = checked(match.world)
        self.kernel_rules = round_rules(self.rules)
        n, players, cards = len(deals), self.rules.players, self.rules.cards
        self.n, self.round = n, 0
        self.groups = match.groups(seating)
        self.scouting = [group for group in self.groups if hasattr(group.agent, "scout")]
        self.address = Address(seed, deals, seating)
        self.keys = rnd.deal_keys(seed, deals)
        self.game_keys = rnd.purpose_keys(self.keys, 0, rnd.GAME)
        self.pile = Pile(self.keys, self.rules.deck_size)
        self.grid = self.pile.draw(cards)
        self.scores = np.zeros((n, players), np.int32)
        self.played_rounds: list[RoundState] = []
        shapes: dict[str, tuple[tuple[int, ...], type]] = {
            "counts": ((players,), np.int8), "dark": ((players,), np.bool_), "fallen": ((players,), np.bool_),
            "revealed": ((cards,), np.bool_), "owners": ((players, cards), np.bool_), "points": ((players,), np.int16),
        }  # fmt: skip
        self.public = Columns(n, shapes)
        self.all_true = Same(True, np.bool_, n * players * cards)

    # One round --------------------------------------------------------------------------------------------------------

    def play_round(self) -> None:
        reading = self.readings.word(self.keys, self.round)
        seen = read_only(self.grid.copy())
        fits = {group.agent: read_only(self.readings.fit_images(reading, group.seats, seen)) for group in self.groups}
        self.shown_now = {
            "rules": self.rules, "world": self.world, "round": self.round, "images": seen,
            "scores": read_only(self.scores.copy()), "history": StellaHistory(self.round, self.public),
        }  # fmt: skip
        marks = np.empty((self.n, self.rules.players, self.rules.cards), np.bool_)
        counts = np.empty((self.n, self.rules.players), np.int8)
        for group in self.groups:
            self.ask_mark(group, fits[group.agent], marks, counts)
        read_only(counts)
        priority = np.empty(marks.shape, np.float32)
        orders = {
            group.agent: self.ask_reveal_order(group, fits[group.agent], marks, counts, priority)
            for group in self.groups
        }
        first_scout = np.full(self.n, self.round % self.rules.players, np.int8)
        state = RoundState.of(marks)
        if self.scouting:
            self.reveal_step_by_step(state, first_scout, fits, counts, priority, orders)
        else:
            resolve_round_kernel(self.kernel_rules, state, first_scout, priority)
        self.end_round(state, fits)

    def end_round(self, state: RoundState, fits: dict[Any, NDArray[np.float32]]) -> None:
        self.played_rounds.append(state)
        self.scores += state.points
        if self.trace is not None:
            self.trace.append(_told(state, self.grid, fits, self.groups))
        self.round += 1
        if self.round < self.rules.rounds:
            public = {name: getattr(state, name) for name in PUBLIC if name != "owners"}
            public["owners"] = np.empty(state.marks.shape, np.bool_)
            _owners_of_revealed(state.marks, state.revealed, public["owners"])
            self.public.note(slice(None), public)
            self.refresh_grid()

    def refresh_grid(self) -> None:
        """After round r row r mod rows is replaced (or nothing, or all); replaced cards never return."""
        rules = self.rules
        if rules.grid_refresh == "row":
            start = (self.round - 1) % rules.rows * rules.columns
            self.grid[:, start : start + rules.columns] = self.pile.draw(rules.columns)
        elif rules.grid_refresh == "all":
            self.grid = self.pile.draw(rules.cards)

    def played(self, details: bool) -> Played:
        rounds = self.played_rounds
        lit = sum((~state.dark).astype(np.int64) for state in rounds)
        sparks = sum(state.sparks.astype(np.int64) + state.super_sparks for state in rounds)
        won = winners(self.rules, self.scores, lit, sparks)
        columns = None
        if details:
            names = {field.name: "counts" if field.name == "marks" else field.name for field in fields(Rounds)}
            columns = Rounds(
                **{name: np.stack([getattr(state, its) for state in rounds], 1) for name, its in names.items()}
            )
        return Played(self.scores, won, np.ones(self.n, np.bool_), rounds=columns)

    # Decisions --------------------------------------------------------------------------------------------------------

    def ask_mark(
        self, group: Group, fit: NDArray[np.float32], marks: NDArray[np.bool_], counts: NDArray[np.int8]
    ) -> None:
        rules = self.rules
        view = MarkView(
            **self.shown(group, rnd.MARK, self.round), acting=self.all_true(*fit.shape[:2]), fit=fit,
            legal=self.all_true(*fit.shape),
        )  # fmt: skip
        question = Question(group, "mark", view, self.address, f"round {self.round}")
        expected = f"bool marks, {rules.minimum_marks} to {rules.maximum_marks} for each game and seat,"
        reply = question.array(question.ask(), fit.shape, "b", expected)
        fault = np.full(3, -1)
        _take_marks(reply, group.seats, rules.minimum_marks, rules.maximum_marks, marks, counts, fault)
        if fault[0] >= 0:
            number = f"from {rules.minimum_marks} to {rules.maximum_marks} marks"
            question.refuse_at(int(fault[0]), int(fault[1]), f"expected {number}; received {fault[2]} marks")

    def ask_reveal_order(
        self,
        group: Group,
        fit: NDArray[np.float32],
        marks: NDArray[np.bool_],
        counts: NDArray[np.int8],
        priority: NDArray[np.float32],
    ) -> NDArray[Any]:
        """Fill the group's seats of `priority`; returns the reply."""
        own = read_only(marks.take(group.seats, 1))
        view = RevealView(
            **self.shown(group, rnd.REVEAL_ORDER, self.round), acting=self.all_true(*fit.shape[:2]), fit=fit,
            legal=own, marks=own, counts=counts,
        )  # fmt: skip
        question = Question(group, "reveal_order", view, self.address, f"round {self.round}")
        reply = question.array(question.ask(), fit.shape, "fi", "priority numbers, none of them NaN,")
        order = reply if reply.dtype == np.float32 else ranks(reply)
        if order is not reply and reply.dtype.kind == "f":
            order[np.isnan(reply)] = np.nan
        fault = np.full(3, -1)
        _take_priority(np.ascontiguousarray(order), group.seats, priority, fault)
        if fault[0] >= 0:
            problem = f"expected priority numbers, none of them NaN; received NaN for card {fault[2]}"
            question.refuse_at(int(fault[0]), int(fault[1]), problem)
        return reply

    def reveal_step_by_step(
        self,
        state: RoundState,
        first_scout: NDArray[np.int8],
        fits: dict[Any, NDArray[np.float32]],
        counts: NDArray[np.int8],
        priority: NDArray[np.float32],
        orders: dict[Any, NDArray[Any]],
    ) -> None:
        """Where somebody thinks again at every reveal: card by card, all games in step."""
        start_round_kernel(self.kernel_rules, state, first_scout)
        card = np.empty(self.n, np.int64)
        step = 0
        while (state.scout >= 0).any():
            follow_priority_kernel(state, priority, card)
            for group in self.scouting:
                acting = state.scout[:, None] == group.seats
                if acting.any():
                    self.ask_scout(group, state, step, acting, fits[group.agent], counts, orders[group.agent], card)
            reveal_kernel(self.kernel_rules, state, card)
            step += 1
        score_round_kernel(self.kernel_rules, state)

    def ask_scout(
        self,
        group: Group,
        state: RoundState,
        step: int,
        acting: NDArray[np.bool_],
        fit: NDArray[np.float32],
        counts: NDArray[np.int8],
        order: NDArray[Any],
        card: NDArray[np.int64],
    ) -> None:
        """Fill `card` (n,) where a seat of the group is the scout."""
        marks = state.marks.take(group.seats, 1)
        legal = marks & ~state.revealed[:, None, :]
        view = ScoutView(
            **self.shown(group, rnd.SCOUT, self.round * REVEALS_PER_ROUND + step), acting=read_only(acting), fit=fit,
            legal=read_only(legal), marks=read_only(marks), counts=counts,
            priority=read_only(order.astype(np.float64)), revealed=read_only(state.revealed.copy()),
            owners=read_only(state.marks & state.revealed[:, None, :]), fallen=read_only(state.fallen.copy()),
        )  # fmt: skip
        question = Question(group, "scout", view, self.address, f"round {self.round}, reveal {step}")
        reply = question.array(question.ask(), acting.shape, "i", f"cards from 0 to {self.rules.cards - 1}")
        inside = (reply >= 0) & (reply < self.rules.cards)
        chosen = np.where(inside, reply, 0)
        good = inside & np.take_along_axis(legal, chosen[:, :, None], 2)[:, :, 0]
        bad = acting & ~good
        if bad.any():
            game, i = (int(x) for x in np.argwhere(bad)[0])
            allowed = np.flatnonzero(legal[game, i]).tolist()
            problem = f"expected an own mark that is not revealed, {allowed}; received {reply[game, i]}"
            question.refuse_at(game, i, problem)
        games = acting.any(1)
        card[games] = chosen[acting]

    def shown(self, group: Group, decision: int, step: int) -> dict[str, Any]:
        """What every view shows."""
        keys = rnd.purpose_keys(self.keys, step, decision)
        return {
            **self.shown_now,
            "seats": group.seats,
            "random": Draws(keys, self.game_keys, group.seats),
        }


@kernel
def _take_marks(
    reply: Any, seats: Any, minimum: Any, maximum: Any, marks: Any, counts: Any, fault: Any
) -> None:  # fmt: skip
    """Copy a group's marks into marks (n, players, cards), counted; fault: game, agent seat, count of a bad reply."""
    n, k, cards = reply.shape
    for g in range(n):
        for i in range(k):
            count = 0
            for c in range(cards):
                marks[g, seats[i], c] = reply[g, i, c]
                count += reply[g, i, c]
            counts[g, seats[i]] = count
            if count < minimum or count > maximum:
                fault[:] = (g, i, count)
                return


@kernel
def _take_priority(reply: Any, seats: Any, priority: Any, fault: Any) -> None:
    """Copy a group's priorities into priority (n, players, cards); fault: game, agent seat, card of the first NaN."""
    n, k, cards = reply.shape
    for g in range(n):
        for i in range(k):
            for c in range(cards):
                priority[g, seats[i], c] = reply[g, i, c]
                if reply[g, i, c] != reply[g, i, c] and fault[0] < 0:
                    fault[:] = (g, i, c)


@kernel
def _owners_of_revealed(marks: Any, revealed: Any, owners: Any) -> None:
    """Who had marked the cards that were revealed: owners (n, players, cards), False where not revealed."""
    n, players, cards = marks.shape
    for g in range(n):
        for p in range(players):
            for c in range(cards):
                owners[g, p, c] = marks[g, p, c] & revealed[g, c]


def _told(
    state: RoundState, grid: NDArray[np.int16], fits: dict[Any, NDArray[np.float32]], groups: list[Group]
) -> dict[str, Any]:
    """A round of a single game as plain lists, by seat."""
    by_seat = {int(seat): fits[group.agent][0, i].tolist() for group in groups for i, seat in enumerate(group.seats)}
    reveals = [
        (int(scout), int(card), np.flatnonzero(state.marks[0, :, card]).tolist())
        for scout, card in zip(state.scouts[0], state.order[0], strict=True)
        if card >= 0
    ]
    return {
        "grid": grid[0].tolist(),
        "fits": [by_seat[seat] for seat in sorted(by_seat)],
        "reveals": reveals,
        "marks": state.marks[0].tolist(),
        **{
            name: getattr(state, name)[0].tolist()
            for name in ("counts", "dark", "fallen", "sparks", "super_sparks", "erased", "points")
        },
    }
