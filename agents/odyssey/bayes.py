"""`bayes`: asks of each image how much likelier it is the storyteller's than a decoy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Annotated, Any, Final

import numpy as np
from annotated_types import Ge, Le
from numpy.typing import NDArray
from scipy.special import gammaln, log_ndtr, logsumexp

from agents.choice import best
from agents.odyssey.base import Indices, single_vote
from agents.odyssey.best_fit import BestFit
from agents.probit import F32, constant
from agents.registry import register
from agents.worlds import parameter_of
from sim.compiled import kernel
from sim.odyssey import OdysseyRules
from sim.odyssey.views import VoteView

__all__ = ["Bayes", "log_ratios"]

Array = NDArray[np.float64]

_LOWEST: Final = -12.0
_STEPS: Final = 32
FITS: Final = constant(np.arange(_LOWEST * _STEPS, 16 * _STEPS + 1) / _STEPS)
"""The own fits at which the log-likelihood ratio is tabulated, -12 to 16."""


@register("bayes")
@dataclass(frozen=True)
class Bayes(BestFit):
    """Votes for the image that is, by its own fit f, likeliest the storyteller's rather than a decoy.

    It takes the highest log-likelihood ratio. Storyteller's image: f is normal with mean clarity_span (1 - vagueness)
    and variance clarity_sd^2 + 1 - a (a: the world's mean agreement); what a storyteller_floor does to it is allowed
    for. `vagueness` is what the voter expects; left out, every vagueness from 0 to 1 is equally likely. Decoy: handed
    in as the best of h cards by its owner's reading u, which has the density of the highest of h normals, and f given
    u is N(a u, 1 - a^2). (Several images of one giver: the best few; team: the better of two partners' offers.)

    So a decoy fits fairly well almost always, and the storyteller's image very well or badly: an image that fits far
    worse than any decoy would is a sign too. Assumes that decoys are best fits. Tells at 0.5, hands in the best fit.
    """

    vagueness: Annotated[float, Ge(0), Le(1)] | None = None

    def vote(self, view: VoteView) -> Indices:
        table = log_ratios(view.rules, view.world, self.vagueness)
        ratios = np.empty(view.fit.shape, np.float32)
        _looked_up(constant(view.fit), table, ratios)
        return single_vote(best(ratios, view.legal), view.rules.votes)


def log_ratios(rules: OdysseyRules, world: Any, vagueness: float | None) -> NDArray[np.float32]:
    """log P(f | the storyteller's image) - log P(f | a decoy) at each of FITS: float32 (fits,)."""
    floor = parameter_of(world, "storyteller_floor")
    agreement, span, sd = (
        float(parameter_of(world, name)) for name in ("agreement_mean", "clarity_span", "clarity_sd")
    )
    return _table(agreement, span, sd, None if floor is None else float(floor), vagueness, decoy_ranks(rules))


def decoy_ranks(rules: OdysseyRules) -> tuple[tuple[int, int, float], ...]:
    """What a decoy may be, as (rank, cards, chance): the rank-th best of so many cards by one reading."""
    hand = rules.hand_size
    if rules.variant != "team":
        count = rules.images_handed_in
        return tuple((rank, hand, 1 / count) for rank in range(1, count + 1))
    teammate = int(rules.teammate_hands_in)
    others = rules.sides - 2
    return ((1, 2 * hand, others / (others + teammate)), (1, hand, teammate / (others + teammate)))


@lru_cache(maxsize=256)
def _table(
    agreement: float, span: float, sd: float, floor: float | None, vagueness: float | None,
    ranks: tuple[tuple[int, int, float], ...],
) -> NDArray[np.float32]:  # fmt: skip
    aims = [span * (1 - v) for v in (np.arange(21) / 20 if vagueness is None else [vagueness])]
    private = max(1 - agreement, 1e-4)
    told = logsumexp([_told(FITS.astype(float), aim, sd * sd, private, floor) for aim in aims], axis=0)
    told = told - np.log(len(aims))
    own = np.arange(-700, 701) / 100
    given_own = _log_normal(FITS[:, None], agreement * own, max(1 - agreement * agreement, 1e-4))
    handed_in = logsumexp(
        [np.log(chance) + _log_rank(own, rank, cards) for rank, cards, chance in ranks if chance > 0], axis=0
    )
    decoy = logsumexp(given_own + handed_in, axis=1) + np.log(0.01)
    return constant(told - decoy)


def _told(fits: Array, aim: float, clarity: float, private: float, floor: float | None) -> Array:
    """Log density of another's fit to the storyteller's image. clarity, private: variances."""
    both = clarity + private
    density = _log_normal(fits, aim, both)
    if floor is None:
        return density
    # the storyteller's own fit given mine; it is told only where that reaches the floor
    share = clarity / both
    above = log_ndtr((aim + share * (fits - aim) - floor) / sqrt(both - clarity * share))
    return np.asarray(density + above - log_ndtr((aim - floor) / sqrt(both)))


def _log_rank(own: Array, rank: int, cards: int) -> Array:
    """Log density of the rank-th best of so many independent standard normals."""
    ways = gammaln(cards + 1) - gammaln(cards - rank + 1) - gammaln(rank)
    return np.asarray(ways + (cards - rank) * log_ndtr(own) + (rank - 1) * log_ndtr(-own) + _log_normal(own, 0.0, 1.0))


def _log_normal(x: Any, mean: Any, variance: float) -> Array:
    return np.asarray(-((x - mean) ** 2) / (2 * variance) - 0.5 * np.log(2 * np.pi * variance))


@kernel
def _looked_up(fit: Any, table: Any, out: Any) -> None:
    last = len(table) - 1
    n, k, m = fit.shape
    for g in range(n):
        for i in range(k):
            for v in range(m):
                place = min(max((fit[g, i, v] - F32(_LOWEST)) * F32(_STEPS), F32(0)), F32(last))
                left = min(int(place), last - 1)
                share = place - F32(left)
                out[g, i, v] = table[left] + share * (table[left + 1] - table[left])
