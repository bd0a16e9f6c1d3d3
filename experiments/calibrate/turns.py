"""One turn of Odyssey among people who take the best fit, straight from the world's readings.

The engine plays the same turns (a test compares them vote by vote). Here they come apart into what a likelihood needs:
voter v finds the storyteller's image if and only if the clue's clarity exceeds v's *threshold*, the fit of v's best
decoy less v's private reading of the storyteller's image. Thresholds do not depend on the clarity, so the chance that k
voters find the image is exact in vagueness and clarity_sd, and only an average over turns in the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from agents.choice import best, best_k
from experiments.lab.estimate import Floats
from sim.cards import Pile
from sim.odyssey import OdysseyRules
from sim.randomness import deal_keys
from sim.world import TRIES, World

BIN = 0.02
"""Width of the bins in which thresholds are counted; its rounding is a normal error of sd 0.006."""
_LOWEST, _HIGHEST = -8.0, 10.0
CENTRES: Floats = np.asarray(_LOWEST + BIN * (np.arange(round((_HIGHEST - _LOWEST) / BIN)) + 0.5), np.float64)


@dataclass(frozen=True, eq=False)
class Turns:
    """First turns of n deals; the storyteller is seat 0 and tells the card in its first slot.

    found: bool (n, voters); votes: int16 (n, voters), card numbers
    thresholds: float64 (n, voters); decoys: int16 (n, voters), each voter's best decoy; own: float64 (n,), the
    storyteller's private reading of the own image
    """

    found: NDArray[np.bool_]
    votes: NDArray[np.int16]
    thresholds: Floats
    decoys: NDArray[np.int16]
    own: Floats

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often 0, 1, ..., all voters found the image: int64 (voters + 1,)."""
        return np.bincount(self.found.sum(1), minlength=self.found.shape[1] + 1)

    @property
    def same_pairs(self) -> NDArray[np.int64]:
        """Pairs of voters who chose the same image, per turn: int64 (n,)."""
        return _pairs(self.votes)


def first_turns(world: World, rules: OdysseyRules, seed: int, n: int, vagueness: float, first_deal: int = 0) -> Turns:
    """Play the first turn of n deals, everybody taking the best fit. rules: standard, one vote each."""
    keys = deal_keys(seed, np.arange(first_deal, first_deal + n))
    hands = Pile(keys, rules.deck_size).draw(rules.players * rules.hand_size).reshape(n, rules.players, -1)
    voters = np.arange(1, rules.players)
    source = hands[:, 0, 0].copy()
    reading = world.clue(keys, 0, 0, source, np.full(n, vagueness, np.float32))
    slots = best_k(world.fit_hands(reading, voters, hands[:, 1:]), rules.images_handed_in)
    decoys = np.take_along_axis(hands[:, 1:], slots, axis=2).reshape(n, -1)
    images = np.concatenate([source[:, None], decoys], axis=1)
    owners = np.concatenate([[0], np.repeat(voters, rules.images_handed_in)])
    order = np.argsort(images, axis=1)
    images, owner = np.take_along_axis(images, order, axis=1), owners[order]
    others = owner[:, None, :] != voters[None, :, None]
    votes = best(world.fit_images(reading, voters, images), others)
    unclear = reading._replace(levels=reading.levels * np.array([1, 1, 1, 0], np.float32))
    fits = world.fit_images(unclear, np.arange(rules.players), images)
    told = owner == 0
    private = fits[np.broadcast_to(told[:, None, :], fits.shape)].reshape(n, rules.players).astype(float)
    legal = others & ~told[:, None, :]
    decoy = best(fits[:, 1:], legal)
    height = np.take_along_axis(fits[:, 1:], decoy[..., None], axis=2)[..., 0].astype(float)
    return Turns(
        found=np.take_along_axis(told, votes, axis=1),
        votes=np.take_along_axis(images, votes, axis=1),
        thresholds=height - private[:, 1:],
        decoys=np.take_along_axis(images, decoy, axis=1),
        own=private[:, 0],
    )


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Turns sorted into bins of their thresholds, so that any clarity's outcomes are a sum over bins.

    at_most: (voters, bins): share of turns whose k-th lowest threshold lies in the bin, k = 1..voters
    alike: (3, bins), four players only: as at_most for k = 1 (twice) and k = 2, over turns in which two of those who do
    not find the image choose the same decoy: with no finder (first row), with one (second and third row)
    """

    thresholds: Floats
    alike: Floats | None

    @classmethod
    def of(cls, turns: Turns) -> Outcomes:
        order = np.argsort(turns.thresholds, axis=1, kind="stable")
        ranked = np.take_along_axis(turns.thresholds, order, axis=1)
        n, voters = ranked.shape
        alike = None
        if voters == 3:
            decoys = np.take_along_axis(turns.decoys, order, axis=1)
            none, one = _pairs(decoys) > 0, decoys[:, 1] == decoys[:, 2]
            alike = np.stack([_binned(ranked[none, 0]), _binned(ranked[one, 0]), _binned(ranked[one, 1])]) / n
        return cls(np.stack([_binned(ranked[:, k]) for k in range(voters)]) / n, alike)

    def shares(self, above: Floats) -> Floats:
        """Chances that 0, 1, ..., all voters find it. above: (..., bins), from `chance_above` -> (..., voters + 1)."""
        at_least = np.einsum("...b,kb->...k", above, self.thresholds)
        ends = np.ones((*at_least.shape[:-1], 1))
        return -np.diff(np.concatenate([ends, at_least, 0 * ends], axis=-1), axis=-1)

    def alike_shares(self, above: Floats) -> Floats:
        """Chances of: nobody finds the image and two choose the same decoy; one finds it and the two others do."""
        assert self.alike is not None
        chance = np.einsum("...b,kb->...k", above, self.alike)
        total = self.alike[0].sum()
        return np.stack([total - chance[..., 0], chance[..., 1] - chance[..., 2]], axis=-1)


def chance_above(aim: Floats, clarity_sd: Floats) -> Floats:
    """P(clarity > threshold) at the centre of every bin. aim, clarity_sd: broadcast -> (..., bins). No floor."""
    mean, sd = np.broadcast_arrays(np.asarray(aim, float), np.asarray(clarity_sd, float))
    return np.asarray(ndtr((mean[..., None] - CENTRES) / sd[..., None]), float)


def shares_with_floor(turns: Turns, aim: Floats, clarity_sd: Floats, floor: float) -> Floats:
    """As `Outcomes.shares`, for a storyteller who draws the clue again below `floor`, at most TRIES times.

    A draw passes if it exceeds floor - own. If none of the eight passes, the clearest is told.
    """
    ranked = np.sort(turns.thresholds, axis=1)[:, :, None]
    mean, sd = (np.ravel(part) for part in np.broadcast_arrays(np.asarray(aim, float), np.asarray(clarity_sd, float)))
    need = floor - turns.own[:, None, None]
    fails, below = ndtr((need - mean) / sd), ndtr((ranked - mean) / sd)
    none_passes = fails**TRIES
    passing = (1 - none_passes) * (1 - np.maximum(below, fails)) / np.maximum(1 - fails, 1e-300)
    at_least = (passing + np.maximum(none_passes - below**TRIES, 0)).mean(axis=0).T
    ends = np.ones((len(at_least), 1))
    shares = -np.diff(np.concatenate([ends, at_least, 0 * ends], axis=-1), axis=-1)
    return np.asarray(shares.reshape(*np.broadcast_shapes(np.shape(aim), np.shape(clarity_sd)), -1), float)


def _pairs(cards: NDArray[Any]) -> NDArray[np.int64]:
    """Pairs of equal entries in every row."""
    first, second = np.triu_indices(cards.shape[1], 1)
    return np.asarray((cards[:, first] == cards[:, second]).sum(1), np.int64)


def _binned(values: Floats) -> NDArray[np.int64]:
    place = np.clip(((values - _LOWEST) / BIN).astype(np.int64), 0, len(CENTRES) - 1)
    return np.bincount(place, minlength=len(CENTRES))
