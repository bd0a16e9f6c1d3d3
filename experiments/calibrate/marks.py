"""What two people's marks, or best few, have in common: the model in Stella's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, owens_t

from agents.choice import top
from experiments.lab import statistics
from experiments.lab.estimate import Estimate
from sim.randomness import deal_keys
from sim.world import World, agreement_roots


def both_mark(mark: float, correlation: Any) -> Any:
    """P(two people both mark a card), of latent normal fits. mark: P(one marks), 0..1; correlation: below 1 in size.

    By Owen's T (Owen 1956, Tables for computing bivariate normal probabilities).
    """
    threshold = -float(ndtri(mark))
    return mark - 2 * owens_t(threshold, np.sqrt((1 - correlation) / (1 + correlation)))


def latent_correlation(mark: float, both: float) -> float:
    """The tetrachoric correlation: that of latent normals with these chances that one, and that both, mark a card."""
    return _solve(lambda r: float(both_mark(mark, r)), both, -0.999, 0.999)


def expected_other(world: World, mark: float) -> float:
    """P(another marks a card | I do) in the world, when everybody marks this share of all cards, exactly."""
    root, _ = agreement_roots(world.agreement_mean, world.agreement_sd)
    breadth = world.breadth_sd**2
    return float(both_mark(mark, (breadth + root.astype(float) ** 2) / (1 + breadth)).mean() / mark)


def agreement_for(world: World, mark: float, other: float) -> float:
    """The mean agreement at which `expected_other` is what people show; breadth and agreement_sd as in the world."""
    room = (1 - np.sqrt(1 - 4 * world.agreement_sd**2)) / 2 + 1e-6  # a Beta of mean m needs sd^2 < m (1 - m)
    return _solve(lambda a: expected_other(world.replace(agreement_mean=a), mark), other, room, 1 - room)


def breadth_for(agreement: float, correlation: float) -> float:
    """The breadth_sd that lifts an agreement within words to a correlation over all words: (b^2 + a) / (b^2 + 1)."""
    return float(np.sqrt((correlation - agreement) / (1 - correlation)))


def mark_fits(world: World, entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the marks on paintings say of agreement and breadth: rows of marks.csv. entry: of the data file.

    The rate at which another marks it too fixes agreement once breadth_sd is given, or breadth_sd once agreement is.
    The correlations within single words give the agreement that is left when no word's breadth is in it.
    """
    mark, seen = float(entry["mark"]), widest(entry["other_marks_given_mark"], entry["n"])
    ends = (seen.value, seen.low, seen.high)
    agreement = _estimate([agreement_for(world, mark, share) for share in ends], seen.n)
    within = statistics.mean(list(entry["latent_correlation_by_word"].values()))[()]
    breadth = _estimate([breadth_for(within.value, latent_correlation(mark, mark * share)) for share in ends], seen.n)
    found = (
        (
            "agreement_mean",
            agreement,
            "artworks",
            f"breadth_sd {world.breadth_sd:g}, agreement_sd {world.agreement_sd:g}",
        ),
        ("agreement_mean within words", within, "words", "each word's own rate of marking"),
        ("breadth_sd", breadth, "artworks", f"agreement {within.value:.3g}, the mean within words"),
    )
    return [
        {
            "parameter": name,
            "fitted": e.value,
            "fitted_low": e.low,
            "fitted_high": e.high,
            "n": e.n,
            "n_of": of,
            "given": held,
        }
        for name, e, of, held in found
    ]


def marks_in_common(
    world: World, mark: float, seed: int, n: int, cards: int, players: int
) -> tuple[Estimate, Estimate]:
    """P(mark) and P(another marks | I mark), simulated: n words, a grid of cards each, a threshold for all.

    The threshold is the one at which this share of cards is marked on average. Intervals: jackknife over words.
    """
    fits = _fits(world, seed, n, cards, players)
    threshold = -float(ndtri(mark)) * np.sqrt(1 + world.breadth_sd**2)
    owners = (fits > threshold).sum(axis=1)
    marks, pairs = owners.sum(axis=1), (owners * (owners - 1)).sum(axis=1)
    return statistics.mean(marks / (players * cards))[()], statistics.ratio(pairs, marks * (players - 1))[()]


def overlap(world: World, seed: int, n: int, cards: int, chosen: int, listeners: int) -> Estimate:
    """Share of one person's best few that are another's too, mean over pairs of listeners and n boards."""
    owners = top(_fits(world, seed, n, cards, listeners), chosen).sum(axis=1)
    pairs = (owners * (owners - 1)).sum(axis=1)
    return statistics.mean(pairs / (listeners * (listeners - 1) * chosen))[()]


def agreement_for_overlap(
    world: World, wanted: float, seed: int, n: int, cards: int, chosen: int, listeners: int
) -> float:
    """The agreement, the same for all clues, at which the overlap is what people show; the same boards throughout."""

    def there(agreement: float) -> float:
        same = world.replace(agreement_mean=agreement, agreement_sd=0.0)
        return overlap(same, seed, n, cards, chosen, listeners).value

    return _solve(there, wanted, 0.0, 1.0, steps=12)


def two_shares(people: float, people_n: int, model: Estimate) -> float:
    """p-value of equal shares: people's over units of which each has at most a share's variance, and the model's.

    people's standard error is at most sqrt(p (1 - p) / n), whatever a unit's share varies like within 0..1; the model's
    is read off its interval. Normal.
    """
    error = np.sqrt(people * (1 - people) / people_n)
    other = model.half_width / float(statistics.t_quantile(model.n))
    return float(2 * ndtr(-abs(people - model.value) / np.hypot(error, other)))


def widest(people: float, n: int) -> Estimate:
    """A share with the widest interval that n units can have: Wilson's, as if each were all or nothing."""
    z = float(statistics.t_quantile(10**9))
    centre = (people + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(people * (1 - people) / n + z * z / (4 * n * n))
    return Estimate(people, centre - half, centre + half, n)


def _estimate(ends: Sequence[float], n: int) -> Estimate:
    value, low, high = ends
    return Estimate(value, low, high, n)


def _fits(world: World, seed: int, n: int, cards: int, seats: int) -> NDArray[np.float32]:
    """How cards 0..cards-1 fit n words: float32 (n, seats, cards)."""
    images = np.broadcast_to(np.arange(cards, dtype=np.int16), (n, cards)).copy()
    reading = world.word(deal_keys(seed, np.arange(n)), 0)
    return world.fit_images(reading, np.arange(seats), images)


def _solve(rising: Any, wanted: float, low: float, high: float, steps: int = 50) -> float:
    """Where a rising function reaches a value, by halving."""
    for _ in range(steps):
        middle = (low + high) / 2
        if rising(middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2
