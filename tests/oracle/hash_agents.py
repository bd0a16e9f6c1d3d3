"""Batch agents whose every decision is easy to repeat by hand, each with its scalar twin in `players.py`.

n games, k seats, m slots, images or cards, as DESIGN.md has it. Only NumPy, only the view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.odyssey import Clue

from . import players

F = np.float32


def ranked(values: NDArray[Any], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Indexes along the last axis: legal before illegal, highest value first, the lowest index first among equals."""
    values = np.broadcast_to(values, legal.shape)
    return np.lexsort((-values, ~legal), axis=-1)


def repaired(rules: Any, wish: NDArray[np.bool_], preference: NDArray[Any]) -> NDArray[np.bool_]:
    """The wish cut or filled to a legal number of marks, in order of preference."""
    number = np.clip(wish.sum(axis=-1, keepdims=True), rules.minimum_marks, rules.maximum_marks)
    return _first(ranked(preference, wish), number)


def _first(order: NDArray[np.int64], number: NDArray[np.int64] | int) -> NDArray[np.bool_]:
    chosen = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(chosen, order, np.arange(order.shape[-1]) < number, axis=-1)
    return chosen


def leads(view: Any) -> NDArray[np.bool_]:
    """Whether each seat's side has the most points: (n, k)."""
    scores = np.asarray(view.scores)
    best = scores.max(axis=1, keepdims=True)
    return scores[:, np.asarray(view.seats) % scores.shape[1]] == best


def one_or_two(order: NDArray[np.int64], votes: int, second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The best image, and the next best where `second`."""
    chosen = order[..., :votes].copy()
    if votes == 2:
        chosen[..., 1] = np.where(second, chosen[..., 1], -1)
    return chosen


@dataclass(frozen=True)
class HashOdyssey:
    def tell(self, view: Any) -> Clue:
        slot = view.random.integers(0, view.hand.shape[-1], 1)[..., 0]
        return Clue(slot, view.random.uniform(1, stream=1)[..., 0])

    def hand_in(self, view: Any) -> NDArray[np.int64]:
        return ranked(view.random.uniform(view.hand.shape[-1]), view.legal)[..., : view.rules.images_handed_in]

    def vote(self, view: Any) -> NDArray[np.int64]:
        order = ranked(view.random.uniform(view.images.shape[-1]), view.legal)
        return one_or_two(order, view.rules.votes, view.random.uniform(1, stream=1)[..., 0] < 0.5)

    def trap(self, view: Any) -> NDArray[np.int64]:
        return ranked(view.random.uniform(view.images.shape[-1]), view.legal)[..., 0]


@dataclass(frozen=True)
class BestFitOdyssey:
    vagueness: float = 0.6
    margin: float = 0.3

    def tell(self, view: Any) -> Clue:
        slot = view.random.integers(0, view.hand.shape[-1], 1)[..., 0]
        return Clue(slot, np.full(slot.shape, self.vagueness))

    def hand_in(self, view: Any) -> NDArray[np.int64]:
        return ranked(view.fit, view.legal)[..., : view.rules.images_handed_in]

    def vote(self, view: Any) -> NDArray[np.int64]:
        order = ranked(view.fit, view.legal)
        best_two = np.take_along_axis(view.fit, order[..., :2], axis=-1)
        return one_or_two(order, view.rules.votes, best_two[..., 0] - best_two[..., 1] < F(self.margin))

    def trap(self, view: Any) -> NDArray[np.int64]:
        return ranked(view.fit, view.legal)[..., 0]


@dataclass(frozen=True)
class WatcherOdyssey:
    def tell(self, view: Any) -> Clue:
        slot = (view.hand.sum(axis=-1, dtype=np.int64) + view.turn) % view.hand.shape[-1]
        return Clue(slot, np.where(leads(view), 0.3, 0.8))

    def hand_in(self, view: Any) -> NDArray[np.int64]:
        liking = np.where(leads(view)[..., None], view.fit, -view.fit)
        return ranked(liking, view.legal)[..., : view.rules.images_handed_in]

    def vote(self, view: Any) -> NDArray[np.int64]:
        in_front = leads(view)
        highest_cards = ranked(view.images[:, None, :].astype(np.int64), view.legal)
        worst = ranked(-view.fit, view.legal)
        return one_or_two(np.where(in_front[..., None], highest_cards, worst), view.rules.votes, in_front)

    def trap(self, view: Any) -> NDArray[np.int64]:
        m = view.images.shape[-1]
        after = (np.arange(m) - np.asarray(view.own_vote, dtype=np.int64)[..., None] - 1) % m
        return ranked(-after, view.legal)[..., 0]


@dataclass(frozen=True)
class NoisyOdyssey:
    noise: float = 0.5

    def _order(self, view: Any) -> NDArray[np.int64]:
        numbers = view.random.normal(view.fit.shape[-1], stream=2)
        return ranked(view.fit + F(self.noise) * numbers, view.legal)

    def tell(self, view: Any) -> Clue:
        slot = view.random.integers(0, view.hand.shape[-1], 1, stream=3)[..., 0]
        return Clue(slot, view.random.per_game.uniform(1, stream=4)[..., 0])

    def hand_in(self, view: Any) -> NDArray[np.int64]:
        return self._order(view)[..., : view.rules.images_handed_in]

    def vote(self, view: Any) -> NDArray[np.int64]:
        return self._order(view)[..., : view.rules.votes]

    def trap(self, view: Any) -> NDArray[np.int64]:
        return self._order(view)[..., 0]


@dataclass(frozen=True)
class HashStella:
    chance: float = 0.4

    def mark(self, view: Any) -> NDArray[np.bool_]:
        return repaired(view.rules, view.random.uniform(view.images.shape[-1]) < self.chance, -view.fit)

    def reveal_order(self, view: Any) -> NDArray[np.float64]:
        return view.random.uniform(view.images.shape[-1], stream=1)


@dataclass(frozen=True)
class BestFitStella:
    k: int = 5
    sign: int = 1

    def mark(self, view: Any) -> NDArray[np.bool_]:
        number = min(max(self.k, view.rules.minimum_marks), view.rules.maximum_marks)
        return _first(ranked(view.fit, view.legal), number)

    def reveal_order(self, view: Any) -> NDArray[np.float32]:
        return F(self.sign) * view.fit


@dataclass(frozen=True)
class WatcherStella:
    def mark(self, view: Any) -> NDArray[np.bool_]:
        threshold = F(0.5) + F(0.35) * view.random.per_game.normal(1)
        threshold = np.where(leads(view)[..., None], threshold - F(0.25), threshold)
        return repaired(view.rules, view.fit > threshold, view.fit)

    def reveal_order(self, view: Any) -> NDArray[np.float64]:
        cards = view.images[:, None, :].astype(np.float64)
        counts = np.asarray(view.counts)
        most = counts[:, np.asarray(view.seats)] == counts.max(axis=1, keepdims=True)
        return np.where(most[..., None], cards, -cards + 1000.0 * view.marks)


@dataclass(frozen=True)
class RethinkingStella(HashStella):
    def scout(self, view: Any) -> NDArray[np.int64]:
        return ranked(view.random.uniform(view.images.shape[-1]), view.legal)[..., 0]


@dataclass(frozen=True)
class AttentiveStella(BestFitStella):
    def scout(self, view: Any) -> NDArray[np.int64]:
        public = view.fallen.sum(axis=1) + view.revealed.sum(axis=1) + view.owners.sum(axis=(1, 2))
        odd = (public % 2 == 1)[:, None, None]
        return ranked(np.where(odd, -view.priority, view.priority), view.legal)[..., 0]


def scalar(agent: Any) -> Any:
    """The scalar twin of one of these agents: the class of the same name, with the same parameters."""
    return getattr(players, type(agent).__name__)(**vars(agent))


ODYSSEY = (HashOdyssey(), BestFitOdyssey(), WatcherOdyssey(), NoisyOdyssey(), BestFitOdyssey(vagueness=0.9, margin=1.0))
STELLA = (HashStella(), BestFitStella(), WatcherStella(), BestFitStella(k=9, sign=-1), HashStella(chance=0.15))
SCOUTS = (RethinkingStella(), AttentiveStella(), AttentiveStella(k=8, sign=-1))
