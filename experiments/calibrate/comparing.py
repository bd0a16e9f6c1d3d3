"""People beside the model: rows of a table, and tests that account for the sampling error of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.calibrate.likelihood import p_value, saturated, simulated_counts
from experiments.lab.estimate import Estimate, Floats
from experiments.lab.statistics import clopper_pearson
from sim.randomness import NORMALS, word

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05


@dataclass(frozen=True)
class Row:
    """One number of people beside the model's.

    figure: which rows are tested together; outcome: what was counted; of: the denominator, in words
    people, model: with 95 % intervals and n (people without a usable n: none); p: of the whole figure, NaN = not tested
    """

    figure: str
    outcome: str
    of: str
    people: Estimate
    model: Estimate
    p: float
    model_is: str
    source: str

    @property
    def verdict(self) -> str:
        if np.isnan(self.p):
            return "not tested"
        return "compatible" if self.p >= LEVEL else "not compatible"


def counted(
    figure: str, outcomes: Sequence[str], of: str, people: NDArray[Any], model: NDArray[Any], key: int, replicates: int,
    model_is: str, source: str,
) -> list[Row]:  # fmt: skip
    """A row for each outcome of counted rounds; exact intervals on both sides, one test for all outcomes together."""
    p = same_shares(people, model, key, replicates)
    mine, theirs = ([clopper_pearson(int(k), int(x.sum())) for k in x] for x in (people, model))
    return [
        Row(figure, outcome, of, a, b, p, model_is, source)
        for outcome, a, b in zip(outcomes, mine, theirs, strict=True)
    ]


def same_shares(
    people: ArrayLike, model: ArrayLike, key: int, replicates: int, values: ArrayLike | None = None
) -> float:
    """p-value of "both were drawn from the same shares", from a parametric bootstrap of two multinomial samples.

    people, model: counts per outcome. Statistic: the deviance between separate and pooled shares; with `values`, one
    number per outcome, the difference of the mean values. The model's many turns are drawn by their normal limit.
    """
    mine, theirs = np.asarray(people, float), np.asarray(model, float)
    n, m = mine.sum(), theirs.sum()
    pooled = (mine + theirs) / (n + m)
    draws = simulated_counts([pooled], [int(n)], key, replicates)[0].astype(float)
    z = normals(word(np.uint64(key), 1), replicates, len(pooled))
    root = np.sqrt(pooled)
    others = np.maximum(m * pooled + np.sqrt(m) * (z * root - pooled * (z * root).sum(axis=1, keepdims=True)), 0)
    others *= m / others.sum(axis=1, keepdims=True)

    def statistic(x: Floats, y: Floats) -> Floats:
        if values is None:
            return 2 * (saturated(x) + saturated(y) - saturated(x + y))
        worth = np.asarray(values, float)
        return np.asarray(np.abs((x * worth).sum(-1) / n - (y * worth).sum(-1) / m), float)

    return p_value(statistic(draws, others), float(statistic(mine, theirs)))


def normals(key: Any, *shape: int) -> Floats:
    """Keyed standard normals."""
    index = np.arange(int(np.prod(shape)))
    return np.asarray(NORMALS[(word(key, index) >> np.uint64(48)).astype(np.int64)].reshape(shape), float)


def mean_of_counts(counts: NDArray[Any], values: Sequence[float], per: float = 1.0) -> Estimate:
    """Mean value per unit and its Student t interval, from how often each value came. per: what a unit holds."""
    from experiments.lab.statistics import t_quantile

    x, n = np.asarray(values, float) / per, int(counts.sum())
    centre = float((counts * x).sum() / n)
    sd = float(np.sqrt((counts * (x - centre) ** 2).sum() / (n - 1)))
    half = float(t_quantile(n)) * sd / np.sqrt(n)
    return Estimate(centre, centre - half, centre + half, n)


def table(rows: Sequence[Row]) -> pd.DataFrame:
    """summary.csv: shares with 95 % intervals; people_n and model_n count independent units."""
    import pandas as pd

    def column(name: str, pick: Any) -> dict[str, list[Any]]:
        return {name: [pick(row) for row in rows]}

    columns: dict[str, list[Any]] = {}
    columns |= column("figure", lambda row: row.figure) | column("outcome", lambda row: row.outcome)
    columns |= column("of", lambda row: row.of)
    for side in ("people", "model"):
        for end, name in (("value", side), ("low", f"{side}_low"), ("high", f"{side}_high")):
            columns |= column(name, lambda row, s=side, e=end: getattr(getattr(row, s), e))
        columns |= column(f"{side}_n", lambda row, s=side: getattr(row, s).n or None)
    columns |= column("p_value", lambda row: row.p) | column("verdict", lambda row: row.verdict)
    columns |= column("model_is", lambda row: row.model_is) | column("source", lambda row: row.source)
    return pd.DataFrame(columns).astype({"people_n": "Int64", "model_n": "Int64"})
