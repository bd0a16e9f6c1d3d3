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

    cards: int16 (n, deck_size); top: int32 (n,), the next card; size: int32 (n,), cards of the present shuffle;
    keys: uint64 (n,), the present shuffle's key.
    """

    __slots__ = ("cards", "keys", "size", "top")

    def __init__(self, deal_keys: Keys, deck_size: int) -> None:
        n = len(deal_keys)
        self.cards: Cards = np.empty((n, deck_size), np.int16)
        self.cards[:] = np.arange(deck_size, dtype=np.int16)
        self.top = np.zeros(n, np.int32)
        self.size = np.full(n, deck_size, np.int32)
        self.keys = purpose_keys(deal_keys, 0, DEAL)

    def take(self, rows: Any) -> Pile:
        """The piles of some of the games."""
        part = object.__new__(Pile)
        part.cards, part.top, part.size, part.keys = self.cards[rows], self.top[rows], self.size[rows], self.keys[rows]
        return part

    def draw(self, count: int) -> Cards:
        """The next `count` cards of every game: int16 (n, count). The pile must hold them."""
        out = np.empty((len(self.top), count), np.int16)
        _draw(self.cards, self.top, self.size, self.keys, out)
        return out


@kernel
def _draw(cards: Any, top: Any, size: Any, keys: Any, out: Any) -> None:
    for g in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[g, i] = c_draw(cards[g], keys[g], top[g], size[g])
            top[g] += 1


@kernel
def refill(
    cards: Any, top: Any, size: Any, keys: Any, deal_keys: Any, turn: Any, first: Any, hands: Any, alive: Any
) -> None:
    """Fill every empty slot (-1) of `hands` (n, seats, slots), seat `first` first, then clockwise, slots ascending.

    Where the pile runs out in the middle, the cards that no hand holds are shuffled into a new one.
    """
    n, seats, slots = hands.shape
    held = np.zeros(cards.shape[1], np.bool_)
    for g in range(n):
        if not alive[g]:
            continue
        for i in range(seats):
            p = first + i
            if p >= seats:
                p -= seats
            for h in range(slots):
                if hands[g, p, h] >= 0:
                    continue
                if top[g] == size[g]:
                    reshuffle(cards[g], hands[g], held, size, g)
                    keys[g] = c_purpose_key(deal_keys[g], turn, RESHUFFLE)
                    top[g] = 0
                hands[g, p, h] = c_draw(cards[g], keys[g], top[g], size[g])
                top[g] += 1


@kernel
def reshuffle(pile: Any, hands: Any, held: Any, size: Any, g: Any) -> None:
    """The discards, in card order, become the pile: all cards that no hand holds at this moment."""
    held[:] = False
    for p in range(hands.shape[0]):
        for h in range(hands.shape[1]):
            if hands[p, h] >= 0:
                held[hands[p, h]] = True
    count = 0
    for c in range(len(held)):
        if not held[c]:
            pile[count] = c
            count += 1
    size[g] = count


@kernel
def pass_left(hands: Any, alive: Any) -> None:
    """Everybody hands the whole hand to the left: seat p receives the hand of seat p - 1."""
    n, seats, slots = hands.shape
    kept = np.empty(slots, hands.dtype)
    for g in range(n):
        if alive[g]:
            kept[:] = hands[g, seats - 1]
            for p in range(seats - 1, 0, -1):
                hands[g, p] = hands[g, p - 1]
            hands[g, 0] = kept
