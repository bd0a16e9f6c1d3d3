"""`greedy`: the most stars for itself, without a thought for the darkness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.choice import best, top
from agents.probit import constant
from agents.registry import register
from agents.stella.base import Marks, StellaAgent
from agents.stella.inference import chance_matched
from sim.compiled import kernel
from sim.stella.views import MarkView

__all__ = ["Greedy", "expected_stars"]

_nodes, _weights = np.polynomial.legendre.leggauss(20)
_NODES: Final = constant((_nodes + 1) / 2, np.float64)
_WEIGHTS: Final = constant(_weights / 2, np.float64)


@register("greedy")
@dataclass(frozen=True)
class Greedy(StellaAgent):
    """Marks the number of best cards that promises the most stars to itself; darkness is left out of the sum.

    A mark that is matched earns a spark, a super spark if exactly one other player matched it, and the first unmatched
    one that is named ends the round: with marks 1..k in the order of naming, matched with chance m and worth v stars on
    average (nothing if unmatched), k marks promise the sum over i of v_i m_1 ... m_(i-1). Chances are those of
    `agents.stella.inference`; taken as independent from card to card; what others reveal before is left out.

    Named from the safest on, a doubtful mark comes last and costs nothing: then the answer is always maximum_marks, and
    is given without the sum. Naming the boldest first, or at random, every mark more is a danger to the others.
    """

    def mark(self, view: MarkView) -> Marks:
        rules = view.rules
        if self.order == "safest":
            return top(view.fit, rules.maximum_marks)
        stars = expected_stars(view, self.order)
        return top(view.fit, rules.minimum_marks + best(stars[..., rules.minimum_marks :]))


def expected_stars(view: MarkView, order: str) -> NDArray[np.float64]:
    """Own expected stars, before erasure, of marking the j best cards, j = 0..maximum_marks.

    order: "safest", "boldest" or "random" -> float64 (n, k, maximum_marks + 1)
    """
    nobody, one = chance_matched(view)
    rules = view.rules
    out = np.zeros((*view.fit.shape[:2], rules.maximum_marks + 1))
    _stars(
        constant(view.fit), nobody, one, rules.spark_points, rules.super_spark_bonus,
        ("safest", "boldest", "random").index(order), _NODES, _WEIGHTS, out,
    )  # fmt: skip
    return out


@kernel
def _stars(
    fit: Any, nobody: Any, one: Any, spark: Any, bonus: Any, order: Any, nodes: Any, weights: Any, out: Any
) -> None:
    n, k, _cards = fit.shape
    most = out.shape[2] - 1
    matched, worth = np.empty(most), np.empty(most)
    for g in range(n):
        for i in range(k):
            ranked = np.argsort(-fit[g, i], kind="mergesort")
            for rank in range(most):
                c = ranked[rank]
                matched[rank] = 1.0 - nobody[g, i, c]
                worth[rank] = spark * matched[rank] + bonus * np.float64(one[g, i, c])
            for number in range(1, most + 1):
                if order == 0:
                    out[g, i, number] = _in_order(matched[:number], worth[:number])
                elif order == 1:
                    out[g, i, number] = _in_order(matched[:number][::-1], worth[:number][::-1])
                else:
                    out[g, i, number] = _in_any_order(matched[:number], worth[:number], nodes, weights)


@kernel
def _in_order(matched: Any, worth: Any) -> Any:
    standing, stars = 1.0, 0.0
    for i in range(len(matched)):
        stars += standing * worth[i]
        standing *= matched[i]
    return stars


@kernel
def _in_any_order(matched: Any, worth: Any, nodes: Any, weights: Any) -> Any:
    """Uniform order: give every mark a uniform time; those before time u are each there with chance u.

    Mark i, named at time u, finds the player standing with chance prod over others of (1 - u (1 - m)); the average
    over u is a polynomial of degree 39 at most, which 20-point Gauss-Legendre integrates exactly.
    """
    stars = 0.0
    for i in range(len(matched)):
        for h in range(len(nodes)):
            standing = weights[h]
            for j in range(len(matched)):
                if j != i:
                    standing *= 1.0 - nodes[h] * (1.0 - matched[j])
            stars += standing * worth[i]
    return stars
