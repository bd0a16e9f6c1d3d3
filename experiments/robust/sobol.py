"""Worlds sampled over what is not known of people, and how much each parameter moves an outcome (Sobol indices)."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.lab import statistics
from experiments.lab.estimate import Estimate, Estimates, Floats
from sim.world import World

RANGES: Mapping[str, tuple[float, float]] = {
    "agreement_mean": (0.2, 0.7),
    "breadth_sd": (0.0, 0.6),
    "clarity_sd": (0.45, 2.9),
    "storyteller_floor": (-0.75, 0.5),
}
"""What is not known of people. Below NO_FLOOR, a fifth of its range, storyteller_floor stands for none."""
NO_FLOOR = -0.5
ENTERS: Mapping[str, tuple[str, ...]] = {
    "stella": ("agreement_mean", "breadth_sd"),
    "odyssey": ("agreement_mean", "clarity_sd", "storyteller_floor"),
}
"""The parameters that a game's readings use: the others have index 0 by construction."""
RESAMPLES = 1_000


def world_at(base: World, values: Mapping[str, float]) -> World:
    """The base world with some parameters replaced."""
    changes: dict[str, float | None] = {name: float(value) for name, value in values.items()}
    floor = changes.get("storyteller_floor")
    if floor is not None and floor < NO_FLOOR:
        changes["storyteller_floor"] = None
    return base.replace(**changes)


@dataclass(frozen=True, eq=False)
class Design:
    """Saltelli's sample for one game: base x (parameters + 2) rows, the same for every conclusion on that game.

    names: parameters; rows: float64 (rows, parameters)
    """

    names: tuple[str, ...]
    rows: Floats

    def worlds(self, base: World) -> list[World]:
        return [world_at(base, dict(zip(self.names, row, strict=True))) for row in self.rows]


def design(game: str, base: int, seed: int) -> Design:
    """Sample the parameters that enter a game. base: a power of 2."""
    names = ENTERS[game]
    rows = _salib("sample.sobol").sample(_problem(names), base, calc_second_order=False, seed=_seed(seed))
    return Design(names, np.asarray(rows, float))


@dataclass(frozen=True, eq=False)
class Indices:
    """Sobol indices of one outcome.

    first: the share of its variance that a parameter explains alone; total: with all its interactions. Intervals: 95 %,
    bootstrap over the base sample (normal); n counts base samples.
    """

    names: tuple[str, ...]
    first: Estimates
    total: Estimates

    @property
    def top(self) -> str:
        """The parameter of highest total index."""
        return self.names[int(np.argmax(self.total.value))]

    def of(self, name: str) -> tuple[Estimate, Estimate]:
        """First-order and total index; 0 without interval for a parameter that does not enter."""
        if name not in self.names:
            return Estimate(0.0), Estimate(0.0)
        place = self.names.index(name)
        return self.first[place], self.total[place]


def indices(sample: Design, outcome: Floats, seed: int) -> Indices:
    """Saltelli et al. 2010 (first order) and Jansen 1999 (total), by SALib. outcome: one number per row."""
    n = len(outcome) // (len(sample.names) + 2)
    if np.ptp(outcome) == 0:
        zero = np.zeros(len(sample.names))
        nothing = Estimates(zero, zero, zero, np.full(len(zero), n, np.int64), "base samples")
        return Indices(sample.names, nothing, nothing)
    found = _salib("analyze.sobol").analyze(
        _problem(sample.names), outcome, calc_second_order=False, num_resamples=RESAMPLES, seed=_seed(seed)
    )

    def of(name: str) -> Estimates:
        value, half = np.asarray(found[name], float), np.asarray(found[f"{name}_conf"], float)
        return Estimates(value, value - half, value + half, np.full(len(value), n, np.int64), "base samples")

    return Indices(sample.names, of("S1"), of("ST"))


def thirds(values: Floats, outcome: Floats) -> list[Estimate]:
    """Mean outcome over the worlds in the lower, middle and upper third of a parameter's range (over worlds)."""
    low, high = values.min(), values.max()
    part = np.minimum((3 * (values - low) / (high - low)).astype(np.int64), 2)
    return [statistics.mean(outcome[part == k])[()] for k in range(3)]


def against(values: Floats, errors: Floats, level: float = 0.05) -> NDArray[np.bool_]:
    """Where an outcome lies below 0 for certain, at `level` for all worlds together (Bonferroni)."""
    from scipy.special import ndtri

    return values + float(-ndtri(level / len(values))) * errors < 0


def _problem(names: Sequence[str]) -> dict[str, Any]:
    return {"num_vars": len(names), "names": list(names), "bounds": [list(RANGES[name]) for name in names]}


def _seed(seed: int) -> int:
    """SALib takes 0 for no seed."""
    return seed % (2**32 - 1) + 1


def _salib(module: str) -> Any:
    try:
        return importlib.import_module(f"SALib.{module}")
    except ImportError:
        raise ValueError('robustness needs SALib for Sobol indices: pip install "dixit-lab[lab]"') from None
