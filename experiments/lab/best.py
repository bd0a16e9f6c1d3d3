"""Which settings can be the best: multiple comparison with the best on common deals.

For each setting i the hypothesis "i is the best" is tested by max over j of the paired t statistics of j against i. Its
critical value is the 95 % quantile of that maximum when all settings are equal, under the correlation that the settings
show on the common deals: a multivariate t, simulated with keyed numbers (Hsu 1996, Multiple Comparisons, chapter 4; the
max-t of Hothorn, Bretz and Westfall 2008). A setting stays unless its own test rejects it, so whichever is truly the
best stays with probability 95 %, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.lab import statistics
from experiments.lab.estimate import Estimate, Floats
from sim.randomness import TO_UNIT, word

DRAWS = 20_000
_KEY = 0xBE57


@dataclass(frozen=True, eq=False)
class BestSettings:
    """The outcome of a multiple comparison with the best.

    means: (settings,), over deals; index: the setting of the highest mean (lowest index on ties); inside: bool
    (settings,), True for every setting that cannot be told from the best; critical: (settings,), critical value of each
    setting's own test; n: number of common deals.
    """

    means: Floats
    index: int
    inside: NDArray[np.bool_]
    critical: Floats
    n: int

    def words(self, labels: Sequence[object]) -> str:
        """The settings inside, in words: '0.2', '0.2 to 0.4' (neighbours in the given order), '0.1 and 0.4 to 0.6'."""
        if len(labels) != len(self.inside):
            raise ValueError(f"{len(labels)} labels for {len(self.inside)} settings")
        runs: list[list[object]] = []
        for i, label in enumerate(labels):
            if self.inside[i]:
                if i and self.inside[i - 1]:
                    runs[-1].append(label)
                else:
                    runs.append([label])
        parts = [f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
        return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def best_settings(values: ArrayLike, level: float = statistics.LEVEL, smallest: bool = False) -> BestSettings:
    """The settings that a multiple comparison with the best does not rule out.

    values: (deals, settings), one number per deal and setting, all settings on the same deals. level: probability with
    which the truly best setting is among them. smallest: the best is the lowest mean. Settings that are equal on every
    deal stand or fall together; one that is behind by the same amount on every deal is out; with one deal all stay.
    ValueError for another shape or numbers that are not finite.
    """
    x = np.asarray(values, float)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"values: expected (deals, settings), at least one of each, got shape {x.shape}")
    if not np.isfinite(x).all():
        deal, setting = (int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise ValueError(f"values: {x[deal, setting]} at deal row {deal}, setting {setting} is not a finite number")
    n, k = x.shape
    y = -x if smallest else x
    means = y.mean(axis=0)
    index = int(np.argmax(means))
    inside, critical = np.ones(k, bool), np.full(k, np.nan)
    if n > 1:
        noise = _null_draws(y)
        for i in range(k):
            ahead = y - y[:, [i]]
            gap, sd = ahead.mean(axis=0), ahead.std(axis=0, ddof=1)
            constant = sd <= 1e-12 * np.abs(y).max(initial=1e-300)
            varies = ~constant
            if (gap[constant] > 1e-12 * np.abs(y).max(initial=1e-300)).any():
                inside[i] = False
            if varies.any():
                worst = ((noise[:, varies] - noise[:, [i]]) / sd[varies]).max(axis=1)
                critical[i] = np.quantile(worst, level)
                inside[i] &= bool((gap[varies] * np.sqrt(n) / sd[varies]).max() <= critical[i])
    return BestSettings(-means if smallest else means, index, inside, critical, n)


def measure_again(play: Callable[[int, int], ArrayLike], first_deal: int, n_deals: int) -> Estimate:
    """The value of a setting that was chosen for being the best, on deals that had no part in the choice.

    The highest of many means is too high by selection; fresh deals are not. play(first_deal, n_deals): per-deal values
    of the chosen setting (n_deals,). first_deal: the first deal that was not used for choosing.
    """
    values = np.asarray(play(first_deal, n_deals), float)
    if values.shape != (n_deals,):
        raise ValueError(f"play({first_deal}, {n_deals}): expected one value per deal, got shape {values.shape}")
    return statistics.mean(values)[()]


def _null_draws(y: Floats) -> Floats:
    """Draws of sqrt(n) x the settings' mean errors over their estimated scale: multivariate t, (DRAWS, settings)."""
    from scipy.special import gammaincinv, ndtri

    n, k = y.shape
    centred = y - y.mean(axis=0)
    root = semidefinite_root(np.einsum("di,dj->ij", centred, centred) / (n - 1))
    keys = word(np.uint64(_KEY), np.arange(DRAWS))
    u = ((word(keys[:, None], np.arange(k + 1)) >> np.uint64(11)) + 0.5) * TO_UNIT
    scale = np.sqrt(2 * gammaincinv((n - 1) / 2, u[:, k]) / (n - 1))
    return np.asarray(np.einsum("bj,ij->bi", ndtri(u[:, :k]), root) / scale[:, None], float)


def semidefinite_root(covariance: Floats) -> Floats:
    """Lower triangular L with L L' = covariance, also where it is singular (one setting sums others): (k, k)."""
    k = len(covariance)
    root = np.zeros((k, k))
    for j in range(k):
        rest = covariance[j:, j] - (root[j:, :j] * root[j, :j]).sum(axis=1)
        if rest[0] > 1e-12 * covariance[j, j]:
            root[j:, j] = rest / np.sqrt(rest[0])
    return root
