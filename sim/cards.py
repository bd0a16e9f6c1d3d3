"""Cards: the deal, hands and their refill, the reshuffle, and Stella's grid. Every card is in one place at a time.

A pile is the whole deck, shuffled while it is drawn: position i is final once card i is drawn (see `c_draw`), so a game
hashes only the cards that it uses, and the order is that of a full shuffle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.compiled import kernel
from sim.randomness import DEAL, RESHUFFLE, Keys, c_draw, c_purpose_key, purpose_keys

Cards = NDArray[np.int16]


class Pile:
    """The draw piles of n games.

    cards: (n, deck_size), of the smallest type that holds the deck; top: int32 (n,), the next card
    size: int32 (n,), cards of the present shuffle; keys: uint64 (n,), the present shuffle's key
    """

    __slots__ = ("cards", "keys", "size", "top")

    def __init__(self, deal_keys: Keys, deck_size: int) -> None:
        n = len(deal_keys)
        kind = np.uint8 if deck_size <= 256 else np.int16
        self.cards: NDArray[Any] = np.empty((n, deck_size), kind)
        self.cards[:] = np.arange(deck_size).astype(kind)
        self.top = np.zeros(n, np.int32)
        self.size = np.full(n, deck_size, np.int32)
        self.keys = purpose_keys(deal_keys, 0, DEAL)

    def draw(self, count: int) -> Cards:
        """The next `count` cards of every game: int16 (n, count). The pile must hold them."""
        out = np.empty((len(self.top), count), np.int16)
        _draw(self.cards, self.top, self.size, self.keys, out)
        return out


@kernel
def _draw(cards: Any, top: Any, size: Any, keys: Any, out: Any) -> None:
    for g in range(out.shape[0]):
        drawn = np.int64(top[g])
        for i in range(out.shape[1]):
            out[g, i] = c_draw(cards[g], keys[g], drawn + i, np.int64(size[g]))
        top[g] = drawn + out.shape[1]


@kernel
def refill(
    cards: Any, top: Any, size: Any, keys: Any, deal_keys: Any, turn: Any, first: Any, hands: Any, rows: Any, slots: Any
) -> None:
    """Fill the empty slots of the hands, seat `first` first, then clockwise, slots ascending.

    hands: (games of the batch, seats, slots), an empty slot is -1; rows: (n,), the games that go on
    slots: (n, seats, images), the empty slots of every hand, ascending, and -1s
    Where the pile runs out in the middle, the cards that no hand holds are shuffled into a new one.
    """
    n, seats, images = slots.shape
    held = np.zeros(cards.shape[1], np.bool_)
    for g in range(n):
        row = rows[g]
        key, drawn, of = keys[row], np.int64(top[row]), np.int64(size[row])
        for i in range(seats):
            p = first + i if first + i < seats else first + i - seats
            for x in range(images):
                slot = slots[g, p, x]
                if slot < 0:
                    continue
                if drawn == of:
                    of = reshuffle(cards[row], hands[row], held)
                    key = c_purpose_key(deal_keys[row], turn, RESHUFFLE)
                    drawn = np.int64(0)
                hands[row, p, slot] = c_draw(cards[row], key, drawn, of)
                drawn += 1
        keys[row], top[row], size[row] = key, drawn, of


@kernel
def reshuffle(pile: Any, hands: Any, held: Any) -> Any:
    """The discards, in card order, become the pile: all cards that no hand holds at this moment. Returns how many."""
    held[:] = False
    for p in range(hands.shape[0]):
        for h in range(hands.shape[1]):
            if hands[p, h] >= 0:
                held[hands[p, h]] = True
    count = 0
    for c in range(len(held)):
        pile[count] = c  # written over by the next card if this one is held: no branch to be mispredicted
        count += not held[c]
    return count


@kernel
def pass_left(hands: Any, rows: Any) -> None:
    """Everybody hands the whole hand to the left: seat p receives the hand of seat p - 1."""
    seats, slots = hands.shape[1], hands.shape[2]
    kept = np.empty(slots, hands.dtype)
    for row in rows:
        kept[:] = hands[row, seats - 1]
        for p in range(seats - 1, 0, -1):
            hands[row, p] = hands[row, p - 1]
        hands[row, 0] = kept
