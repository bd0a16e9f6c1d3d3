"""A small experiment: how the lab's parts fit together, and what the tests of the command line run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from annotated_types import Ge, Le

import sim
from agents.registry import make
from experiments.lab import plots, statistics
from experiments.lab.best import best_settings
from experiments.lab.command import compute, run
from experiments.lab.context import Context
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Experiment, Result, Running
from experiments.lab.experiment import Settings as LabSettings


@dataclass(frozen=True, kw_only=True)
class Settings(LabSettings):
    quick_values = {"n_deals": 64, "marks": (2, 8)}  # noqa: RUF012

    n_deals: Annotated[int, Ge(1)] = 130
    """Deals for every number of marks."""
    marks: tuple[Annotated[int, Ge(1), Le(10)], ...] = (2, 5, 8)
    """Numbers of cards to mark."""


def per_deal(games: sim.Games) -> DealSums:
    share = games.winners[:, 0] / games.winners.sum(axis=1)
    return DealSums.collect(games.deal, win_share=share, score=games.scores[:, 0])


def answer(settings: Settings, context: Context) -> Result:
    rules = context.rules("stella", players=3)
    others = [make("stella", "random")] * 2
    matches = {
        str(k): sim.Match([make("stella", f"top:k={k}"), *others], rules, world=context.world) for k in settings.marks
    }
    sums = context.play_all(matches, per_deal)
    values = np.stack([part.per("win_share") for part in sums.values()], axis=1)
    shares, best = statistics.mean(values), best_settings(values)
    summary = pd.DataFrame(
        {"marks": settings.marks, **shares.columns("win_share"), "best": best.inside, "n_deals": shares.n}
    )
    figure, axes = plots.new_figure(title="How many cards to mark?")
    plots.best_band(axes[0, 0], settings.marks, best)
    plots.line(axes[0, 0], settings.marks, shares, label="top:k")
    plots.legend(figure, axes)
    return Result(summary, f"Best: {best.words(settings.marks)} marks; win share {shares[best.index]}.", figure)


EXPERIMENT = Experiment(
    name="test_lab_dummy",
    question="How many cards should one mark among random players?",
    settings=Settings,
    run=answer,
    games=("stella",),
    swept=("players",),
    examples=("--marks 1 10",),
)


def test_an_experiment_can_be_computed_without_storing() -> None:
    result = compute(EXPERIMENT, Settings(n_deals=64, marks=[3, 7]), Running(n_jobs=1))
    assert list(result.summary["marks"]) == [3, 7]
    assert result.sentence.startswith("Best: ")


if __name__ == "__main__":
    run(EXPERIMENT)
