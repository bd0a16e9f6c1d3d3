"""Searching rules for a designer's goals: optuna proposes, the lab plays, in fixed batches that can be resumed.

The proposals depend on the seed and on what was measured, and on nothing else: a run that goes on asks for the same
rules again and takes their games from the kept blocks. (Optuna's own arithmetic may differ between processors.)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from experiments.house.comparison import RETUNED, Compared, Entry, compare
from experiments.house.measures import AnyRules, Measure
from experiments.house.retuning import Retuning
from experiments.house.rule_sets import Varied, named, value_words
from experiments.lab.context import Context
from experiments.lab.estimate import Estimate
from sim.rules import RulesError

if TYPE_CHECKING:
    import pandas as pd

Resolve = Callable[[Mapping[str, Any]], AnyRules]


@dataclass(frozen=True)
class Goal:
    """What a designer wants of one measure: a value, or as high or as low as can be."""

    measure: Measure
    wanted: float | Literal["high", "low"]

    def distance(self, value: float) -> float:
        """How far a value is from the goal, in the measure's unit; less is better."""
        if self.wanted == "high":
            return -value
        return value if self.wanted == "low" else abs(value - self.wanted)

    def __str__(self) -> str:
        return f"{self.measure.name} = {self.wanted if isinstance(self.wanted, str) else f'{self.wanted:g}'}"


@dataclass(frozen=True)
class Trial:
    """One proposal. values: of the goals' measures; empty where the rules cannot be, and problem says why."""

    number: int
    fields: Mapping[str, Any]
    rules: AnyRules | None
    values: tuple[Estimate, ...] = ()
    agent: str = ""
    problem: str = ""

    @property
    def name(self) -> str:
        return named(self.fields)


@dataclass(frozen=True)
class Searched:
    """All trials in order, and those on the front: no other is nearer to one goal and as near to all others."""

    goals: tuple[Goal, ...]
    trials: tuple[Trial, ...]
    front: tuple[Trial, ...]

    @property
    def different(self) -> tuple[Trial, ...]:
        """The trials that could be played, each rule set once."""
        first: dict[AnyRules, Trial] = {}
        for trial in self.trials:
            if trial.rules is not None and trial.values:
                first.setdefault(trial.rules, trial)
        return tuple(first.values())

    def distances(self, trial: Trial) -> tuple[float, ...]:
        return tuple(goal.distance(value.value) for goal, value in zip(self.goals, trial.values, strict=True))

    def winners(self, most: int) -> tuple[Trial, ...]:
        """The trials to be measured again: the best compromises of the front (with one goal: the nearest of all).

        A compromise is as good as its worst goal: 0 for the nearest trial to it, 1 for the farthest one.
        """
        among = self.different if len(self.goals) == 1 else self.front
        distances = np.array([self.distances(trial) for trial in self.different])
        nearest, span = distances.min(axis=0), np.ptp(distances, axis=0)

        def order(trial: Trial) -> tuple[float, float, int]:
            parts = (np.array(self.distances(trial)) - nearest) / np.where(span > 0, span, 1)
            return float(parts.max()), float(parts.sum()), trial.number

        return tuple(sorted(among, key=order)[:most])

    def frame(self) -> pd.DataFrame:
        """One row per trial."""
        import pandas as pd

        on_front = {trial.number for trial in self.front}
        rows = []
        for trial in self.trials:
            row: dict[str, Any] = {"trial": trial.number + 1}
            row |= {name: value_words(value) for name, value in trial.fields.items()}
            for i, goal in enumerate(self.goals):
                value = trial.values[i] if trial.values else Estimate(math.nan)
                name = goal.measure.name
                row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
                row[f"{name}_from_goal"] = goal.distance(value.value) if isinstance(goal.wanted, float) else math.nan
            row |= {"on_front": trial.number in on_front, "agent": trial.agent, "problem": trial.problem}
            rows.append(row)
        return pd.DataFrame(rows)


def search(
    context: Context, resolve: Resolve, fields: Sequence[Varied], goals: Sequence[Goal], retuning: Retuning,
    trials: int, batch: int, seed: int,
) -> Searched:  # fmt: skip
    """Ask, play and tell `trials` times, `batch` at a time, agents re-tuned to every proposal.

    Raises ValueError where optuna is not installed, and where no proposal could be played.
    """
    study, distributions = _study(fields, len(goals), batch, seed)
    done: list[Trial] = []
    with context.bar("searching rules", trials) as advance:
        while len(done) < trials:
            asked = [study.ask(distributions) for _ in range(min(batch, trials - len(done)))]
            proposed = [_proposal(one.number, _decoded(one.params, fields), resolve) for one in asked]
            for one, trial in zip(asked, _measured(context, proposed, done, goals, retuning), strict=True):
                done.append(trial)
                _tell(study, one, trial, goals)
            advance(len(asked))
    searched = Searched(tuple(goals), tuple(done), ())
    if not searched.different:
        problem = next((trial.problem for trial in done if trial.problem), "the goals' measures had no value")
        raise ValueError(f"--tune: none of {trials} proposals gave a game to measure; the first problem: {problem}")
    return Searched(tuple(goals), tuple(done), _front(searched))


def _study(fields: Sequence[Varied], goals: int, batch: int, seed: int) -> tuple[Any, dict[str, Any]]:
    try:
        import optuna
    except ImportError:
        raise ValueError("--tune needs optuna, which is not installed: pip install 'dixit-lab[lab]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=seed % 2**32, n_startup_trials=max(10, 2 * batch), constant_liar=True)
    distributions: dict[str, Any] = {
        one.field: optuna.distributions.IntDistribution(*one.bounds)
        if one.bounds
        else optuna.distributions.CategoricalDistribution([value_words(value) for value in one.values])
        for one in fields
    }
    return optuna.create_study(directions=["minimize"] * goals, sampler=sampler), distributions


def _decoded(params: Mapping[str, Any], fields: Sequence[Varied]) -> dict[str, Any]:
    """What optuna proposed as rules values."""
    words = {one.field: {value_words(value): value for value in one.values} for one in fields if not one.bounds}
    return {
        one.field: words[one.field][params[one.field]] if one.field in words else params[one.field] for one in fields
    }


def _proposal(number: int, fields: Mapping[str, Any], resolve: Resolve) -> Trial:
    try:
        return Trial(number, fields, resolve(fields))
    except RulesError as error:
        return Trial(number, fields, None, problem=" ".join(str(error).split("\n")))


def _measured(
    context: Context, proposed: Sequence[Trial], done: Sequence[Trial], goals: Sequence[Goal], retuning: Retuning
) -> list[Trial]:
    """The proposals with their values: what was played before is not played again."""
    known = {trial.rules: trial for trial in done if trial.rules is not None}
    new = {trial.rules: trial for trial in proposed if trial.rules is not None and trial.rules not in known}
    entries = [Entry(str(trial.number), rules, str(trial.number)) for rules, trial in new.items()]
    if entries:
        measures = tuple(dict.fromkeys(goal.measure for goal in goals))
        compared = compare(context, entries, measures, retuning, plays=(RETUNED,))
        for entry in entries:
            known[entry.rules] = _with_values(new[entry.rules], compared, entry, goals)
    return [
        trial if trial.rules is None else Trial(
            trial.number, trial.fields, trial.rules, known[trial.rules].values, known[trial.rules].agent,
            known[trial.rules].problem,
        )
        for trial in proposed
    ]  # fmt: skip


def _with_values(trial: Trial, compared: Compared, entry: Entry, goals: Sequence[Goal]) -> Trial:
    cells = [compared.cell(RETUNED, entry, goal.measure) for goal in goals]
    missing = [cell.measure for cell in cells if math.isnan(cell.value.value)]
    if missing:
        problem = f"{missing[0].name} has no value: there were no {missing[0].per}"
        return Trial(trial.number, trial.fields, trial.rules, (), cells[0].agent, problem)
    return Trial(trial.number, trial.fields, trial.rules, tuple(cell.value for cell in cells), cells[0].agent)


def _tell(study: Any, asked: Any, trial: Trial, goals: Sequence[Goal]) -> None:
    import optuna

    if trial.values:
        study.tell(asked, [goal.distance(value.value) for goal, value in zip(goals, trial.values, strict=True)])
    else:
        study.tell(asked, state=optuna.trial.TrialState.FAIL)


def _front(searched: Searched) -> tuple[Trial, ...]:
    distances = {trial.number: searched.distances(trial) for trial in searched.different}

    def beaten(own: tuple[float, ...]) -> bool:
        return any(
            other != own and all(a <= b for a, b in zip(other, own, strict=True)) for other in distances.values()
        )

    return tuple(trial for trial in searched.different if not beaten(distances[trial.number]))
