"""What the loops of Odyssey share: the deal, the best image of a hand, what a voter reads, refill and reshuffle.

A game has one key; a turn has a key of its own, with which cards, clues and draws are hashed. The words of a card:
the first has the shared reading (lane 0) and that of whoever holds the card (lane 1), the words from `block_of` on
those of everybody at the table, four seats to a word.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numpy.typing import NDArray

from sim.compiled import F, kernel
from sim.randomness import GAMMA, LOW16, S32, c_mix, c_word

U64 = np.uint64
LOWEST = np.float32(-np.inf)
SOME_TURN = 1_000  # where the keys of turns begin; those of the deal come first


class Clues(NamedTuple):
    """What a world makes of a clue, as numbers for the loops."""

    root: NDArray[np.float32]
    rest: NDArray[np.float32]
    aim: np.float32
    clarity_sd: np.float32
    breadth_sd: np.float32


def inlined(function: F) -> F:
    """A part of a loop: as `kernel`, but always inlined, for to hand it arrays would cost a fifth of a game's time.

    It is cached as part of its loop, whose stamp covers it.
    """
    compiled: Any = numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
    compiled.lab_stamp = cast(Any, kernel(function)).lab_stamp
    return cast(F, compiled)


@inlined
def draw(deck: Any, top: Any, word: Any) -> Any:
    """The next card of a pile that is shuffled while it is drawn: any of deck[top:]."""
    j = top + np.int64(((word >> S32) * U64(len(deck) - top)) >> S32)
    card = deck[j]
    deck[j] = deck[top]
    deck[top] = card
    return card


@inlined
def deal(deck: Any, hand: Any, key: Any) -> Any:
    """All hands from a new deck: where the pile begins."""
    for card in range(len(deck)):
        deck[card] = card
    top = 0
    word = key
    for p in range(hand.shape[0]):
        for h in range(hand.shape[1]):
            word += GAMMA
            hand[p, h] = draw(deck, top, c_mix(word))
            top += 1
    return top


@inlined
def any_slot(turn_key: Any, cards: Any, hand_size: Any) -> Any:
    """Any card of the storyteller's hand."""
    w = c_word(turn_key, cards * 4)
    return np.int64(((w >> S32) * U64(hand_size)) >> S32)


@inlined
def agreement_and_clarity(turn_key: Any, cards: Any, clues: Any, normals: Any) -> Any:
    """How the turn's clue comes out: roots of shared and private share of a reading, and how apt it is."""
    w = c_word(turn_key, cards * 4 + 1)
    level = (w & LOW16) >> U64(4)
    return clues.root[level], clues.rest[level], clues.aim + clues.clarity_sd * normals[(w >> U64(16)) & LOW16]


@inlined
def best_of_hand(hand: Any, p: Any, turn_key: Any, root: Any, rest: Any, normals: Any) -> Any:
    """The image of hand p that fits best to whoever holds it: its slot, shared reading and fit."""
    best, common, high = 0, np.float32(0), LOWEST
    for h in range(hand.shape[1]):
        w = c_word(turn_key, hand[p, h] * 4)
        shared = root * normals[w & LOW16]
        fit = shared + rest * normals[(w >> U64(16)) & LOW16]
        if fit > high:
            best, common, high = h, shared, fit
    return best, common, high


@inlined
def refill(deck: Any, held: Any, hand: Any, owner: Any, slot: Any, top: Any, key: Any, turn_key: Any) -> Any:
    """A new card for every image that was handed in: where the pile goes on.

    What no hand holds is shuffled into a new pile when the old one runs out.
    """
    word = turn_key + GAMMA
    for v in range(len(owner)):
        hand[owner[v], slot[v]] = -1
    for v in range(len(owner)):
        if top == len(deck):
            top = _reshuffle(deck, held, hand)
        word += GAMMA
        hand[owner[v], slot[v]] = draw(deck, top, c_mix(word ^ key))
        top += 1
    return top


@inlined
def _reshuffle(deck: Any, held: Any, hand: Any) -> Any:
    """What hands hold goes to the front of the deck, the rest behind it: where the new pile begins."""
    held[:] = False
    for p in range(hand.shape[0]):
        for h in range(hand.shape[1]):
            if hand[p, h] >= 0:
                held[hand[p, h]] = True
    front, back = 0, len(deck) - 1
    for card in range(len(deck)):
        deck[front if held[card] else back] = card
        front += held[card]
        back -= not held[card]
    return front
