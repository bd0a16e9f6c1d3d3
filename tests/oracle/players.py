"""Scalar decision makers: one seat, one decision, plain lists. Ties always go to the lowest index.

`Hash...`, `BestFit...`, `Watcher...`, `Noisy...`, `Rethinking...`, `Attentive...` have batch twins in `hash_agents`;
`Random...`, `Greedy...`, `People...`, `Top...` and `Threshold...` mirror registered agents.

A view has rules, world, seat, turn or round, scores (by side), random, fit, legal and what DESIGN.md lists for the
decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

F = np.float32


def ranked(values: Sequence[Any], legal: Sequence[bool]) -> list[int]:
    """The legal indexes, highest value first, the lowest index first among equals."""
    return sorted((i for i in range(len(values)) if legal[i]), key=lambda i: (-values[i], i))


def repaired(rules: Any, wish: Sequence[bool], preference: Sequence[Any]) -> list[bool]:
    """The wish cut or filled to a legal number of marks, in order of preference."""
    cards = len(wish)
    number = min(max(sum(wish), rules.minimum_marks), rules.maximum_marks)
    order = sorted(range(cards), key=lambda card: (not wish[card], -preference[card], card))
    return [card in order[:number] for card in range(cards)]


def own_score(view: Any) -> int:
    return view.scores[view.seat % len(view.scores)]


# Odyssey ----------


@dataclass(frozen=True)
class HashOdyssey:
    """Everything at random."""

    def tell(self, view: Any) -> tuple[int, float]:
        return view.random.integers(0, len(view.hand), 1)[0], view.random.uniform(1, stream=1)[0]

    def hand_in(self, view: Any) -> list[int]:
        return ranked(view.random.uniform(len(view.hand)), view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        order = ranked(view.random.uniform(len(view.images)), view.legal)
        second = view.rules.votes == 2 and view.random.uniform(1, stream=1)[0] < 0.5
        return order[: 2 if second else 1]

    def trap(self, view: Any) -> int:
        return ranked(view.random.uniform(len(view.images)), view.legal)[0]


@dataclass(frozen=True)
class BestFitOdyssey:
    """Everything by own reading; the second vote when the best two are closer than `margin`."""

    vagueness: float = 0.6
    margin: float = 0.3

    def tell(self, view: Any) -> tuple[int, float]:
        return view.random.integers(0, len(view.hand), 1)[0], self.vagueness

    def hand_in(self, view: Any) -> list[int]:
        return ranked(view.fit, view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        order = ranked(view.fit, view.legal)
        if view.rules.votes == 2 and view.fit[order[0]] - view.fit[order[1]] < F(self.margin):
            return order[:2]
        return order[:1]

    def trap(self, view: Any) -> int:
        return ranked(view.fit, view.legal)[0]


@dataclass(frozen=True)
class WatcherOdyssey:
    """Reads the scores, the turn, the card numbers and its own vote; plays otherwise when in the lead."""

    def tell(self, view: Any) -> tuple[int, float]:
        leads = own_score(view) == max(view.scores)
        return (sum(view.hand) + view.turn) % len(view.hand), 0.3 if leads else 0.8

    def hand_in(self, view: Any) -> list[int]:
        leads = own_score(view) == max(view.scores)
        liking = view.fit if leads else [-fit for fit in view.fit]
        return ranked(liking, view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        if own_score(view) == max(view.scores):
            return ranked(view.images, view.legal)[: view.rules.votes]
        return ranked([-fit for fit in view.fit], view.legal)[:1]

    def trap(self, view: Any) -> int:
        after = [(image - view.own_vote - 1) % len(view.images) for image in range(len(view.images))]
        return ranked([-distance for distance in after], view.legal)[0]


@dataclass(frozen=True)
class NoisyOdyssey:
    """Own reading with normal noise; a vagueness that stays the same for the whole game."""

    noise: float = 0.5

    def _liking(self, view: Any, size: int) -> list[np.float32]:
        numbers = view.random.normal(size, stream=2)
        return [fit + F(self.noise) * z for fit, z in zip(view.fit, numbers, strict=True)]

    def tell(self, view: Any) -> tuple[int, float]:
        return view.random.integers(0, len(view.hand), 1, stream=3)[0], view.random.per_game.uniform(1, stream=4)[0]

    def hand_in(self, view: Any) -> list[int]:
        return ranked(self._liking(view, len(view.hand)), view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        return ranked(self._liking(view, len(view.images)), view.legal)[: view.rules.votes]

    def trap(self, view: Any) -> int:
        return ranked(self._liking(view, len(view.images)), view.legal)[0]


@dataclass(frozen=True)
class RandomOdyssey:
    """The registered `random`: exactly one vote."""

    def tell(self, view: Any) -> tuple[int, float]:
        return view.random.integers(0, len(view.hand), 1)[0], view.random.uniform(1, stream=1)[0]

    def hand_in(self, view: Any) -> list[int]:
        return ranked(view.random.uniform(len(view.hand)), view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        return ranked(view.random.uniform(len(view.images)), view.legal)[:1]

    def trap(self, view: Any) -> int:
        return ranked(view.random.uniform(len(view.images)), view.legal)[0]


@dataclass(frozen=True)
class GreedyOdyssey:
    """The registered `greedy`: best fit, one vote, vagueness 0.5. `people` is the same at 0.7."""

    vagueness: float = 0.5

    def tell(self, view: Any) -> tuple[int, float]:
        return view.random.integers(0, len(view.hand), 1)[0], self.vagueness

    def hand_in(self, view: Any) -> list[int]:
        return ranked(view.fit, view.legal)[: view.rules.images_handed_in]

    def vote(self, view: Any) -> list[int]:
        return ranked(view.fit, view.legal)[:1]

    def trap(self, view: Any) -> int:
        return ranked(view.fit, view.legal)[0]


# Stella ----------


@dataclass(frozen=True)
class HashStella:
    """Marks each card with a chance of `chance` (worst fits first when the number is not legal); random order."""

    chance: float = 0.4

    def mark(self, view: Any) -> list[bool]:
        wish = [u < self.chance for u in view.random.uniform(len(view.images))]
        return repaired(view.rules, wish, [-fit for fit in view.fit])

    def reveal_order(self, view: Any) -> list[float]:
        return view.random.uniform(len(view.images), stream=1)


@dataclass(frozen=True)
class BestFitStella:
    """Marks the best `k`; reveals the best first (`sign` 1) or last (-1)."""

    k: int = 5
    sign: int = 1

    def mark(self, view: Any) -> list[bool]:
        number = min(max(self.k, view.rules.minimum_marks), view.rules.maximum_marks)
        best = ranked(view.fit, view.legal)[:number]
        return [card in best for card in range(len(view.fit))]

    def reveal_order(self, view: Any) -> list[Any]:
        return [F(self.sign) * fit for fit in view.fit]


@dataclass(frozen=True)
class WatcherStella:
    """A threshold of its own for the whole game, lower when it leads; reads scores, counts, marks, card numbers."""

    def mark(self, view: Any) -> list[bool]:
        threshold = F(0.5) + F(0.35) * view.random.per_game.normal(1)[0]
        if own_score(view) == max(view.scores):
            threshold = threshold - F(0.25)
        return repaired(view.rules, [fit > threshold for fit in view.fit], view.fit)

    def reveal_order(self, view: Any) -> list[float]:
        if view.counts[view.seat] == max(view.counts):
            return [float(card) for card in view.images]
        return [-float(card) + 1000.0 * mark for card, mark in zip(view.images, view.marks, strict=True)]


@dataclass(frozen=True)
class RethinkingStella(HashStella):
    """A scout that names any hidden mark at random at every reveal."""

    def scout(self, view: Any) -> int:
        return ranked(view.random.uniform(len(view.images)), view.legal)[0]


@dataclass(frozen=True)
class AttentiveStella(BestFitStella):
    """A scout that looks at all that is public: who fell, what was revealed, who owned it."""

    def scout(self, view: Any) -> int:
        owned = sum(sum(row) for row in view.owners)
        odd = (sum(view.fallen) + sum(view.revealed) + owned) % 2
        liking = [-order for order in view.priority] if odd else view.priority
        return ranked(liking, view.legal)[0]


@dataclass(frozen=True)
class RandomStella:
    """The registered `random`: a number of marks, then a set, then an order."""

    def mark(self, view: Any) -> list[bool]:
        number = view.random.integers(view.rules.minimum_marks, view.rules.maximum_marks + 1, 1)[0]
        order = ranked(view.random.uniform(len(view.images), stream=1), view.legal)
        return [card in order[:number] for card in range(len(view.images))]

    def reveal_order(self, view: Any) -> list[float]:
        return view.random.uniform(len(view.images))


@dataclass(frozen=True)
class ThresholdStella:
    """The registered `threshold`: every fit above it, the best first."""

    fit: float = 0.7

    def mark(self, view: Any) -> list[bool]:
        return repaired(view.rules, [fit > F(self.fit) for fit in view.fit], view.fit)

    def reveal_order(self, view: Any) -> list[Any]:
        return list(view.fit)


@dataclass(frozen=True)
class TopStella:
    """The registered `top`: the best k, the best first."""

    k: int = 5

    def mark(self, view: Any) -> list[bool]:
        return repaired(
            view.rules, [card in ranked(view.fit, view.legal)[: self.k] for card in range(len(view.fit))], view.fit
        )

    def reveal_order(self, view: Any) -> list[Any]:
        return list(view.fit)


@dataclass(frozen=True)
class PeopleStella:
    """The registered `people`: a threshold per game and seat, N(0.5, 0.35^2)."""

    def mark(self, view: Any) -> list[bool]:
        threshold = F(0.5) + F(0.35) * view.random.per_game.normal(1)[0]
        return repaired(view.rules, [fit > threshold for fit in view.fit], view.fit)

    def reveal_order(self, view: Any) -> list[Any]:
        return list(view.fit)
