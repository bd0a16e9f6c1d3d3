"""A round of Stella, from the marks to the points, and who wins. The rules stand once, for one game, compiled.

A round lives in a `RoundState`, arrays over games. `resolve_round_kernel` plays it to its end with scouts who follow a
priority; `start_round_kernel`, `reveal_kernel` and `score_round_kernel` play the same round card by card.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.arrays import numbers, refuse, whole_numbers
from sim.compiled import F, kernel
from sim.stella.rules import StellaRules

__all__ = [
    "RoundResult",
    "RoundRules",
    "RoundState",
    "follow_priority_kernel",
    "ranks",
    "resolve_round",
    "resolve_round_kernel",
    "reveal_kernel",
    "round_rules",
    "score_round_kernel",
    "start_round_kernel",
    "winners",
]


class RoundResult(NamedTuple):
    """What a round brought, each (games, seats): numbers int64, the others bool.

    counts: cards marked; dark: in the dark; fallen; sparks and super_sparks, counted apart, before anything is erased;
    erased: stars erased for darkness; points of the round.
    """

    counts: NDArray[np.int64]
    dark: NDArray[np.bool_]
    fallen: NDArray[np.bool_]
    sparks: NDArray[np.int64]
    super_sparks: NDArray[np.int64]
    erased: NDArray[np.int64]
    points: NDArray[np.int64]


class RoundRules(NamedTuple):
    """The rules that a round needs, as plain numbers for the kernels. Fields as in `StellaRules`."""

    darkness: bool
    all_most: bool
    darkness_needs_fall: bool
    darkness_erases: int
    passes_each_card: bool
    spark_points: int
    super_spark_bonus: int


@lru_cache(maxsize=256)
def round_rules(rules: StellaRules) -> RoundRules:
    """What the kernels need of `rules`."""
    return RoundRules(
        darkness=rules.darkness != "off",
        all_most=rules.darkness == "all_most",
        darkness_needs_fall=rules.darkness_needs_fall,
        darkness_erases=rules.darkness_erases,
        passes_each_card=rules.scout_passes == "each_card",
        spark_points=rules.spark_points,
        super_spark_bonus=rules.super_spark_bonus,
    )


class RoundState(NamedTuple):
    """A round in every game, games first. All but `marks` is filled in by the kernels."""

    marks: NDArray[np.bool_]  # (n, seats, cards), the input; never changed
    hidden: NDArray[np.uint64]  # (n, seats) own marks not yet revealed, fallen players' too: bit c for card c
    counts: NDArray[np.int8]  # (n, seats) cards marked
    dark: NDArray[np.bool_]  # (n, seats)
    fallen: NDArray[np.bool_]  # (n, seats)
    sparks: NDArray[np.int8]  # (n, seats)
    super_sparks: NDArray[np.int8]  # (n, seats)
    erased: NDArray[np.int16]  # (n, seats)
    points: NDArray[np.int16]  # (n, seats)
    revealed: NDArray[np.bool_]  # (n, cards)
    reveals: NDArray[np.int8]  # (n,) how many cards are revealed
    order: NDArray[np.int8]  # (n, cards) the revealed cards in order, then -1
    scouts: NDArray[np.int8]  # (n, cards) the seat that revealed each of `order`, then -1
    scout: NDArray[np.int8]  # (n,) the seat that is to reveal next, -1 = the round is over

    @classmethod
    def of(cls, marks: NDArray[np.bool_]) -> RoundState:
        """Room for a round with these marks: bool (n, seats, cards), C-contiguous, writeable."""
        games, seats, cards = marks.shape
        return cls(
            marks=marks,
            hidden=np.empty((games, seats), np.uint64),
            counts=np.empty((games, seats), np.int8),
            dark=np.empty((games, seats), np.bool_),
            fallen=np.empty((games, seats), np.bool_),
            sparks=np.empty((games, seats), np.int8),
            super_sparks=np.empty((games, seats), np.int8),
            erased=np.empty((games, seats), np.int16),
            points=np.empty((games, seats), np.int16),
            revealed=np.empty((games, cards), np.bool_),
            reveals=np.empty(games, np.int8),
            order=np.empty((games, cards), np.int8),
            scouts=np.empty((games, cards), np.int8),
            scout=np.empty(games, np.int8),
        )


def inlined(function: F) -> F:
    """A part of a kernel: as `kernel`, but always inlined, for to hand it many arrays would cost more than its work."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function))


# Compiled: cards as bits of one word ---------------------------------------------------------------------------------

NO_CARD, FIRST_CARD = np.uint64(0), np.uint64(1)
DE_BRUIJN = 0x03F79D71B4CB0A89  # its windows of 6 bits are all different, so a window tells how far it was shifted
PLACE = np.zeros(64, np.int8)
PLACE[[(DE_BRUIJN << place) % 2**64 >> 58 for place in range(64)]] = np.arange(64)


@inlined
def _lowest(cards: Any) -> Any:
    """The lowest card of a set that is not empty."""
    alone = cards & (~cards + FIRST_CARD)
    return np.int64(PLACE[(alone * np.uint64(DE_BRUIJN)) >> np.uint64(58)])


@inlined
def _size(cards: Any) -> Any:
    """How many cards are in the set."""
    size = 0
    while cards != NO_CARD:
        cards &= cards - FIRST_CARD
        size += 1
    return size


@inlined
def _has(cards: Any, card: Any) -> Any:
    """1 if the card is in the set, else 0."""
    return np.int64((cards >> np.uint64(card)) & FIRST_CARD)


# Compiled: the rules, for one game -----------------------------------------------------------------------------------


@inlined
def _announce(rules: Any, state: Any, game: Any) -> None:
    """The numbers of marks, and who is in the dark."""
    seats, cards = state.marks.shape[1], state.marks.shape[2]
    most = 0
    have_most = 0
    for seat in range(seats):
        hidden = NO_CARD
        for card in range(cards):
            hidden |= np.uint64(state.marks[game, seat, card]) << np.uint64(card)
        state.hidden[game, seat] = hidden
        count = _size(hidden)
        state.counts[game, seat] = count
        if count > most:
            most = count
            have_most = 1
        elif count == most:
            have_most += 1
    somebody = rules.darkness and (have_most == 1 or rules.all_most)
    for seat in range(seats):
        state.dark[game, seat] = somebody and state.counts[game, seat] == most


@inlined
def _start(rules: Any, state: Any, game: Any, first_scout: Any) -> None:
    """Announcement; then nothing is revealed, and the first scout, or the next who can, is to reveal."""
    seats, cards = state.marks.shape[1], state.marks.shape[2]
    _announce(rules, state, game)
    for seat in range(seats):
        state.fallen[game, seat] = False
        state.sparks[game, seat] = 0
        state.super_sparks[game, seat] = 0
    for card in range(cards):
        state.revealed[game, card] = False
        state.order[game, card] = -1
        state.scouts[game, card] = -1
    state.reveals[game] = 0
    state.scout[game] = _next_scout(state, game, np.int64(first_scout))


@inlined
def _next_scout(state: Any, game: Any, seat: Any) -> Any:
    """The first, from `seat` clockwise, who has not fallen and has an unrevealed mark; -1 = nobody."""
    seats = state.marks.shape[1]
    for _ in range(seats):
        if not state.fallen[game, seat] and state.hidden[game, seat] != NO_CARD:
            return seat
        seat = _left(seat, seats)
    return -1


@inlined
def _left(seat: Any, seats: Any) -> Any:
    return seat + 1 if seat + 1 < seats else 0


@inlined
def _reveal(rules: Any, state: Any, game: Any, card: Any) -> None:
    """The scout names an own, not yet revealed mark: a fall, super sparks or sparks; then the role passes."""
    seats = state.marks.shape[1]
    scout = np.int64(state.scout[game])
    state.order[game, state.reveals[game]] = card
    state.scouts[game, state.reveals[game]] = scout
    state.reveals[game] += 1
    state.revealed[game, card] = True
    owners = 0
    for seat in range(seats):
        owners += _has(state.hidden[game, seat], card)
    if owners == 1:
        state.fallen[game, scout] = True
    for seat in range(seats):
        gains = _has(state.hidden[game, seat], card) & (not state.fallen[game, seat])
        state.super_sparks[game, seat] += gains & (owners == 2)
        state.sparks[game, seat] += gains & (owners >= 3)
        state.hidden[game, seat] &= ~(FIRST_CARD << np.uint64(card))
    state.scout[game] = _next_scout(state, game, _left(scout, seats) if rules.passes_each_card else scout)


@inlined
def _score(rules: Any, state: Any, game: Any) -> None:
    """Stars for sparks and super sparks; some are erased for who is in the dark (and has fallen)."""
    for seat in range(state.marks.shape[1]):
        super_sparks = np.int64(state.super_sparks[game, seat])
        earned = state.sparks[game, seat] + super_sparks
        pays = state.dark[game, seat] and (state.fallen[game, seat] or not rules.darkness_needs_fall)
        erased = rules.darkness_erases * earned if pays else 0
        state.erased[game, seat] = erased
        state.points[game, seat] = rules.spark_points * earned + rules.super_spark_bonus * super_sparks - erased


@inlined
def _dearest(state: Any, game: Any, priority: Any) -> Any:
    """The scout's own unrevealed mark of highest priority; ties: the lowest index."""
    scout = np.int64(state.scout[game])
    rest = state.hidden[game, scout]
    best = _lowest(rest)
    while rest != NO_CARD:
        card = _lowest(rest)
        rest &= rest - FIRST_CARD
        if priority[game, scout, card] > priority[game, scout, best]:
            best = card
    return best


# Compiled: over the games --------------------------------------------------------------------------------------------


@kernel
def resolve_round_kernel(rules: Any, state: Any, first_scout: Any, priority: Any) -> None:
    """A whole round in every game; the input is trusted.

    rules: RoundRules; state: RoundState.of(marks), filled in; first_scout: int8 (n,);
    priority: float32 (n, seats, cards), no NaN: a scout reveals the own mark of highest priority first.
    """
    for game in range(state.marks.shape[0]):
        _start(rules, state, game, first_scout[game])
        while state.scout[game] >= 0:
            _reveal(rules, state, game, _dearest(state, game, priority))
        _score(rules, state, game)


@kernel
def start_round_kernel(rules: Any, state: Any, first_scout: Any) -> None:
    """Announcement in every game; afterwards `state.scout` says who is to reveal. first_scout: int8 (n,)."""
    for game in range(state.marks.shape[0]):
        _start(rules, state, game, first_scout[game])


@kernel
def follow_priority_kernel(state: Any, priority: Any, card: Any) -> None:
    """What the scout of every game that goes on reveals by `priority` (as above), written to `card`: int (n,)."""
    for game in range(state.marks.shape[0]):
        if state.scout[game] >= 0:
            card[game] = _dearest(state, game, priority)


@kernel
def reveal_kernel(rules: Any, state: Any, card: Any) -> None:
    """The scout of every game that goes on reveals `card` (int (n,)), an own unrevealed mark; the role passes."""
    for game in range(state.marks.shape[0]):
        if state.scout[game] >= 0:
            _reveal(rules, state, game, card[game])


@kernel
def score_round_kernel(rules: Any, state: Any) -> None:
    """Points and erased stars of every game, of what is earned so far."""
    for game in range(state.marks.shape[0]):
        _score(rules, state, game)


# Public --------------------------------------------------------------------------------------------------------------


def resolve_round(rules: StellaRules, marks: ArrayLike, first_scout: ArrayLike, priority: ArrayLike) -> RoundResult:
    """One round in every game.

    Args:
        marks: bool (or 0 and 1) (games, seats, cards); each seat minimum_marks..maximum_marks.
        first_scout: int or int (games,), seat 0..players-1.
        priority: numbers (games, seats, cards): a scout reveals the own mark of highest priority first (ties: the
            lowest index).

    Raises:
        ValueError: a wrong shape, or illegal marks, scout or priority, named by game and seat.

    Source: RULES.md, Stella, "A round".
    """
    axes, shape = ("game", "seat", "card"), (None, rules.players, rules.cards)
    given = numbers("marks", marks, axes, shape)
    given = given.view(np.uint8) if given.dtype == np.bool_ else given
    checked = whole_numbers("marks", given, axes, shape, 0, 1).astype(np.bool_)
    games = len(checked)
    counts = checked.sum(axis=2)
    refuse(
        (counts < rules.minimum_marks) | (counts > rules.maximum_marks),
        ("game", "seat"),
        lambda game, seat: f"{counts[game, seat]} marks; must be from {rules.minimum_marks} to {rules.maximum_marks}",
    )
    spread = np.broadcast_to(first_scout, (games,)) if np.ndim(first_scout) == 0 else first_scout
    scouts = whole_numbers("first_scout", spread, ("game",), (games,), 0, rules.players - 1)
    order = ranks(numbers("priority", priority, axes, (games, rules.players, rules.cards)))
    state = RoundState.of(checked)
    resolve_round_kernel(round_rules(rules), state, scouts.astype(np.int8), order)
    return RoundResult(
        counts=state.counts.astype(np.int64),
        dark=state.dark,
        fallen=state.fallen,
        sparks=state.sparks.astype(np.int64),
        super_sparks=state.super_sparks.astype(np.int64),
        erased=state.erased.astype(np.int64),
        points=state.points.astype(np.int64),
    )


def winners(rules: StellaRules, points: ArrayLike, lit_rounds: ArrayLike, sparks: ArrayLike) -> NDArray[np.bool_]:
    """Who has the most points; equal points are decided by `rules.tie_break`, then shared.

    Args:
        points: numbers (games, seats), of all rounds.
        lit_rounds: numbers (games, seats), rounds in which the player was not in the dark.
        sparks: numbers (games, seats), sparks + super sparks of all rounds.

    Returns:
        bool (games, seats).

    Raises:
        ValueError: a wrong shape or a NaN, named by game and seat.
    """
    total = numbers("points", points, ("game", "seat"), (None, rules.players))
    decides = {
        "lit_lanterns": numbers("lit_rounds", lit_rounds, ("game", "seat"), total.shape),
        "sparks": numbers("sparks", sparks, ("game", "seat"), total.shape),
    }
    best: NDArray[np.bool_] = total == total.max(axis=1, keepdims=True)
    for name in rules.tie_break:
        value = np.where(best, decides[name].astype(np.float64), -np.inf)
        best &= value == value.max(axis=1, keepdims=True)
    return best


def ranks(priority: NDArray[Any]) -> NDArray[np.float32]:
    """The same order along the last axis as small whole numbers, so that no bit of a wider type is lost.

    Equal priorities get falling ranks: the lowest index stays first.
    """
    cards = priority.shape[-1]
    backwards = np.argsort(priority[..., ::-1], axis=-1, kind="stable")  # ties: the lowest index last, so highest rank
    ranks = np.empty(priority.shape, np.float32)
    np.put_along_axis(ranks, cards - 1 - backwards, np.arange(cards, dtype=np.float32)[None, None], axis=-1)
    return ranks
