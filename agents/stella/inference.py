"""What a player can know about the others' marks: the reasoning behind `greedy`, `avoider` and `counting`.

The others are taken for `people`: player j marks every card whose fit is above j's threshold t_j, which is the same in
every round. Cards are read as in the probit world (`sim.world`) with its mean agreement a and a word of breadth b.

One card. My own fit f says where the shared reading s lies: s given f is N(sqrt(a) f, 1 - a), and j marks the card with
chance Phi((sqrt(a) s - x_j) / sqrt(1 - a)), so that

    P(j marks it)        = E_s[Phi((sqrt(a) s - x_j) / sqrt(1 - a))]  =  Phi((a f - x_j) / sqrt(1 - a^2))
    P(somebody marks it) = 1 - E_s[prod_j (1 - Phi((sqrt(a) s - x_j) / sqrt(1 - a)))]          8-point Gauss-Hermite

with x_j = t_j - (1 - a) b: a broad word (b above 0) works like a lower threshold of everybody.

The word. My fits of all m cards have mean b + noise of variance 1/m, so b given them is normal with mean
shrink * mean(fit), shrink = sd^2 / (sd^2 + 1/m), and variance shrink / m (sd: the world's breadth_sd).

The others. t_j starts at the `people` prior, N(0.5, 0.35^2), which weighs as much as two rounds. Every announced
count is turned into the threshold that would give it on average, and t_j is the mean of the prior (twice) and these;
its variance shrinks accordingly: 0.35^2 * 2 / (2 + rounds).

Counts. Given x_j, the number of marks of j is a sum over the cards, each marked or not with the chance above (cards
are independent given b); the average over x_j is taken on 16 values of x from -1.5 to 2.25, and over b, which is
common to all others, at three values. Assumed away: that agreement differs from word to word, and that given b the
others' counts still lean the same way because they share s. In the default world the stated chances come true within
about 0.02 (0.05 where breadth_sd is 0.6).

Deterministic: float32 tables and loops of fixed order (`agents.probit`).
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from agents.probit import F32, HERMITE_NODES, HERMITE_WEIGHTS, PHI, constant, phi
from agents.worlds import parameter_of
from sim.compiled import kernel
from sim.stella.views import ScoutView, StellaView

__all__ = ["chance_all_fewer", "chance_matched", "chance_matched_now"]

Chances = NDArray[np.float32]

PRIOR_MEAN: Final = 0.5
PRIOR_SD: Final = 0.35
PRIOR_ROUNDS: Final = 2
"""Thresholds of `people`, and the number of rounds that this prior is worth."""

_THRESHOLDS: Final = constant(0.25 * np.arange(16) - 1.5)
_HALF_STEP: Final = F32(0.125)
_BREADTH_NODES: Final = constant([-sqrt(3), 0, sqrt(3)])
_BREADTH_WEIGHTS: Final = constant([1 / 6, 2 / 3, 1 / 6])
_BISECTIONS: Final = 16


class _Model(NamedTuple):
    """The world's numbers as the loops need them, float32."""

    agreement: Any
    """a"""
    root: Any
    """sqrt(a (1 - a)): sd of sqrt(a) s given the own fit"""
    private: Any
    """1 - a"""
    spread: Any
    """sqrt(1 - a^2)"""
    shrink: Any
    """b given the own fits has mean shrink * mean(fit) ..."""
    breadth_sd: Any
    """... and this standard deviation"""


def chance_all_fewer(view: StellaView) -> Chances:
    """P(every other player announces fewer than j marks), for j = 0..maximum_marks, before the announcement.

    -> float32 (n, k, maximum_marks + 1), rising in j; 0 where the seat does not act.
    """
    fit = constant(view.fit)
    out = np.zeros((*fit.shape[:2], view.rules.maximum_marks + 1), np.float32)
    world, cards = view.world, fit.shape[2]
    model = _model(float(parameter_of(world, "agreement_mean")), float(parameter_of(world, "breadth_sd")), cards)
    _all_fewer(
        fit, constant(view.acting, bool), constant(view.seats, np.int64), *_thresholds(view, cards), model,
        view.rules.minimum_marks, PHI, _THRESHOLDS, _BREADTH_NODES, _BREADTH_WEIGHTS, out,
    )  # fmt: skip
    return out


def chance_matched(view: StellaView) -> tuple[Chances, Chances]:
    """For every card: P(no other player marks it), P(exactly one does), before the announcement.

    -> float32 (n, k, cards) twice; 0 where the seat does not act.
    """
    fit = constant(view.fit)
    nobody, one = np.zeros(fit.shape, np.float32), np.zeros(fit.shape, np.float32)
    world, cards = view.world, fit.shape[2]
    model = _model(float(parameter_of(world, "agreement_mean")), float(parameter_of(world, "breadth_sd")), cards)
    _before(
        fit, constant(view.acting, bool), constant(view.seats, np.int64), *_thresholds(view, cards), model,
        PHI, HERMITE_NODES, HERMITE_WEIGHTS, nobody, one,
    )  # fmt: skip
    return nobody, one


def chance_matched_now(view: ScoutView) -> Chances:
    """For every own unrevealed mark: P(somebody else has marked it), given announced counts and revealed marks.

    Player j has count_j minus j's revealed marks left, on the unrevealed cards: x_j is set so that the expected number
    there is just that. A fallen player's marks match as any other's. -> float32 (n, k, cards), -1 for other cards.
    """
    fit = constant(view.fit)
    out = np.full(fit.shape, -1, np.float32)
    model = _model(float(parameter_of(view.world, "agreement_mean")), 0.0, fit.shape[2])
    _now(
        fit, constant(view.acting, bool), constant(view.seats, np.int64), constant(view.legal, bool),
        constant(view.counts, np.int16), constant(view.revealed, bool), constant(view.owners, bool), model,
        PHI, HERMITE_NODES, HERMITE_WEIGHTS, out,
    )  # fmt: skip
    return out


@lru_cache(maxsize=64)
def _model(agreement: float, breadth_sd: float, cards: int) -> _Model:
    a = min(agreement, 1 - 1e-6)
    shrink = breadth_sd**2 / (breadth_sd**2 + 1 / cards)
    return _Model(
        F32(a), F32(sqrt(a * (1 - a))), F32(1 - a), F32(sqrt(1 - a * a)), F32(shrink), F32(sqrt(shrink / cards))
    )


@lru_cache(maxsize=64)
def _implied(breadth_sd: float, cards: int) -> Chances:
    """The threshold at which a player marks c of the cards on average, c = 0..cards (half a mark inside the ends)."""
    share = (np.arange(cards + 1) + 0.5) / (cards + 1)
    return constant(sqrt(1 + breadth_sd**2) * ndtri(1 - share))


def _thresholds(view: StellaView, cards: int) -> tuple[Chances, Any]:
    """Mean of t_j, float32 (n, players), and its variance, from the counts announced so far."""
    implied = _implied(float(parameter_of(view.world, "breadth_sd")), cards)
    counts = view.history.counts
    total = np.full((len(counts), counts.shape[2]), PRIOR_ROUNDS * PRIOR_MEAN, np.float32)
    for past in range(counts.shape[1]):
        total += implied[counts[:, past]]
    rounds = PRIOR_ROUNDS + counts.shape[1]
    return constant(total / F32(rounds)), F32(PRIOR_SD**2 * PRIOR_ROUNDS / rounds)


@kernel
def _all_fewer(
    fit: Any, acting: Any, seats: Any, means: Any, variance: Any, model: Any, minimum: Any,
    table: Any, nodes: Any, breadth_nodes: Any, breadth_weights: Any, out: Any,
) -> None:  # fmt: skip
    n, k, cards = fit.shape
    top, players, width = out.shape[2], means.shape[1], len(nodes)
    fewer = np.empty((top, width), F32)
    weight = np.empty(width, F32)
    p = np.empty(width, F32)
    one = np.empty(top, F32)
    everybody = np.empty(top, F32)
    sd = np.sqrt(variance)
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            # fewer[c, x]: first P(a player with x marks exactly c cards), then P(fewer than c)
            fewer[:] = F32(0)
            fewer[0, :] = F32(1)
            total = F32(0)
            for c in range(cards):
                total += fit[g, i, c]
                centre = model.agreement * fit[g, i, c]
                for x in range(width):
                    p[x] = phi((centre - nodes[x]) / model.spread, table)
                for count in range(min(c + 1, top - 1), 0, -1):
                    for x in range(width):
                        fewer[count, x] += p[x] * (fewer[count - 1, x] - fewer[count, x])
                for x in range(width):
                    fewer[0, x] -= p[x] * fewer[0, x]
            for x in range(width):
                running = F32(0)
                for count in range(top):
                    exactly = fewer[count, x]
                    fewer[count, x] = running
                    running += exactly
            breadth = model.shrink * total / F32(cards)
            for b in range(len(breadth_nodes)):
                shift = model.private * (breadth + model.breadth_sd * breadth_nodes[b])
                everybody[:] = F32(1)
                known = F32(np.nan)
                for j in range(players):
                    if j == seats[i]:
                        continue
                    if means[g, j] != known:
                        known = means[g, j]
                        _one_fewer(known - shift, sd, nodes, table, fewer, weight, one)
                    for count in range(top):
                        everybody[count] *= one[count]
                for count in range(minimum + 1, top):
                    out[g, i, count] += breadth_weights[b] * everybody[count]
            for count in range(1, top):
                out[g, i, count] = min(F32(1), max(out[g, i, count], out[g, i, count - 1]))


@kernel
def _one_fewer(mean: Any, sd: Any, nodes: Any, table: Any, fewer: Any, weight: Any, one: Any) -> None:
    """P(one player announces fewer than c), over x ~ N(mean, sd^2): a node stands for the interval around it."""
    below = F32(0)
    last = len(nodes) - 1
    for x in range(last):
        upto = phi((nodes[x] + _HALF_STEP - mean) / sd, table)
        weight[x] = upto - below
        below = upto
    weight[last] = F32(1) - below
    for count in range(len(one)):
        chance = F32(0)
        for x in range(last + 1):
            chance += weight[x] * fewer[count, x]
        one[count] = chance


@kernel
def _before(
    fit: Any, acting: Any, seats: Any, means: Any, variance: Any, model: Any,
    table: Any, nodes: Any, weights: Any, nobody: Any, one: Any,
) -> None:  # fmt: skip
    n, k, cards = fit.shape
    # what is not known of x_j widens the private reading: the same integral
    unsure = variance + (model.private * model.breadth_sd) * (model.private * model.breadth_sd)
    spread = np.sqrt(model.private + unsure)
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            total = F32(0)
            for c in range(cards):
                total += fit[g, i, c]
            shift = model.private * model.shrink * total / F32(cards)
            for c in range(cards):
                for h in range(len(nodes)):
                    reading = model.agreement * fit[g, i, c] + model.root * nodes[h]
                    none, single = F32(1), F32(0)
                    for j in range(means.shape[1]):
                        if j != seats[i]:
                            p = phi((reading - means[g, j] + shift) / spread, table)
                            single += p * (none - single)
                            none -= p * none
                    nobody[g, i, c] += weights[h] * none
                    one[g, i, c] += weights[h] * single


@kernel
def _now(
    fit: Any, acting: Any, seats: Any, legal: Any, counts: Any, revealed: Any, owners: Any, model: Any,
    table: Any, nodes: Any, weights: Any, out: Any,
) -> None:  # fmt: skip
    n, k, cards = fit.shape
    players = counts.shape[1]
    spread = np.sqrt(model.private)
    thresholds = np.empty(players, F32)
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            hidden = 0
            for c in range(cards):
                hidden += not revealed[g, c]
            for j in range(players):
                left = np.int64(counts[g, j])
                for c in range(cards):
                    left -= owners[g, j, c]
                low, high = F32(-8), F32(8)
                if j == seats[i] or left <= 0:
                    low = high
                elif left >= hidden:
                    high = low
                else:
                    for _ in range(_BISECTIONS):
                        middle = (low + high) / F32(2)
                        expected = F32(0)
                        for c in range(cards):
                            if not revealed[g, c]:
                                expected += phi((model.agreement * fit[g, i, c] - middle) / model.spread, table)
                        if expected > left:
                            low = middle
                        else:
                            high = middle
                thresholds[j] = low
            for c in range(cards):
                if legal[g, i, c]:
                    matched = F32(0)
                    for h in range(len(nodes)):
                        reading = model.agreement * fit[g, i, c] + model.root * nodes[h]
                        none = F32(1)
                        for j in range(players):
                            none -= none * phi((reading - thresholds[j]) / spread, table)
                        matched += weights[h] * (F32(1) - none)
                    out[g, i, c] = matched
