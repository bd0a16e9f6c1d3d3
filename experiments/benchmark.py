"""How fast the lab is, always beside a compiled loop that plays the same games: python -m experiments.benchmark

Everything is a ratio within one run, rivals taking turns, medians of several repetitions. Rates count processor time.
Tables are printed; `results/benchmark/` is written only by --commit-baseline, and --check compares with it.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from annotated_types import Ge

from experiments.lab import storage, tables
from experiments.lab.blocks import write_atomically
from experiments.lab.command import compute, guarded
from experiments.lab.context import Context
from experiments.lab.discovery import load
from experiments.lab.experiment import Running
from experiments.lab.formats import plain, rounded, to_csv, to_json
from experiments.lab.given import load_given
from experiments.speed import growth, parts, processes, rates
from experiments.speed.spread import Spread

if TYPE_CHECKING:
    import pandas as pd

PROG = "python -m experiments.benchmark"
DESCRIPTION = f"""How fast is the engine, and where does its time go?

examples:
  {PROG} --quick
  {PROG} --check
  {PROG} --commit-baseline"""
BATCHES = (1, 64, 1024, 4096)
LEAST = 0.7
"""A ratio to the compiled loop below this share of the committed one is a regression; less is noise."""
BASELINE = "baseline.json"
TIMED = ("darkness_risk", "clue_vagueness")
"""Experiments that are timed with their default settings."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What to measure, and how long."""

    games: Annotated[int, Ge(100)] = 10_000
    """Games per measurement."""
    repetitions: Annotated[int, Ge(1)] = 7
    """Measurements of which the median counts."""
    quick: bool = False
    """Only the rates, with fewer games."""
    check: bool = False
    """Only compare the headline ratios with the committed ones; exit code 1 if one fell below 0.7 of it."""
    commit_baseline: bool = False
    """Write the tables and ratios to results/benchmark/."""


def measure_rates(settings: Settings) -> pd.DataFrame:
    """One row per case and batch size."""
    import pandas as pd

    games, repetitions = (2_000, 3) if settings.quick else (settings.games, settings.repetitions)
    rows = []
    for case in rates.CASES:
        _say(f"{case.name} ...")
        speed = rates.measure(case, BATCHES, games, repetitions, oracle_games=5 if settings.quick else 30)
        rows += [
            {
                "table": speed.case,
                "batch": batch,
                "games_per_second": speed.engine[batch],
                "ratio_to_compiled_loop": speed.ratios[batch].median,
                "lowest_ratio": speed.ratios[batch].lowest,
                "highest_ratio": speed.ratios[batch].highest,
                "repetitions": speed.ratios[batch].repetitions,
                "microseconds_per_turn_or_round": 1e6 / speed.engine[batch] / speed.turns,
                "compiled_loop_games_per_second": speed.loop,
                "oracle_games_per_second": speed.oracle,
                "times_the_oracle": speed.engine[batch] / speed.oracle,
            }
            for batch in BATCHES
        ]
    return pd.DataFrame(rows)


def measure_parts(settings: Settings) -> pd.DataFrame:
    """Shares of processor time, one column per headline case."""
    import pandas as pd

    columns: dict[str, Any] = {"part": parts.PARTS}
    for case in _headlines():
        shares = parts.shares(case.match, settings.games * 2, 2048)
        columns[case.name] = [shares[part] for part in parts.PARTS]
    return pd.DataFrame(columns)


def measure_processes(settings: Settings) -> pd.DataFrame:
    """Two processes, import, compilation and memory: median, lowest and highest of repetitions per headline case."""
    import pandas as pd

    columns: dict[str, dict[str, float]] = {}
    repeated: dict[str, float] = {}
    for case in _headlines():
        _say(f"{case.name}: processes ...")
        engine, loop, both = processes.gains_of_two(case, settings.games * 100, settings.repetitions)
        cold, warm = processes.cold_and_warm(case)
        small, large = processes.fresh(case, 10_000), processes.fresh(case, 1_000_000)
        measured = {
            "two processes against one, engine": engine,
            "two processes against one, compiled loop": loop,
            "engine's gain / loop's gain": both,
            "seconds to import": Spread.of([warm.imported]),
            "seconds to the first game, nothing compiled": Spread.of([cold.played]),
            "seconds to the first game, kernels on disk": Spread.of([warm.played]),
            "peak memory, 10 thousand games, MiB": Spread.of([small.memory]),
            "peak memory, 1 million games, MiB": Spread.of([large.memory]),
            "memory of a million / of ten thousand": Spread.of([large.memory / small.memory]),
        }
        columns[case.name] = {what: value.median for what, value in measured.items()}
        columns[f"{case.name}: lowest"] = {what: value.lowest for what, value in measured.items()}
        columns[f"{case.name}: highest"] = {what: value.highest for what, value in measured.items()}
        repeated = {what: value.repetitions for what, value in measured.items()}
    return pd.DataFrame({**columns, "repetitions": repeated}).reset_index(names="what")


def measure_growth(settings: Settings) -> pd.DataFrame:
    """One row per kind of growth."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "what": grown.what,
                "sizes": " ".join(map(str, grown.sizes)),
                "microseconds": " ".join(f"{x:.3g}" for x in grown.microseconds),
                "exponent": grown.exponent,
            }
            for grown in growth.measure_all(max(settings.games // 4, 1), min(settings.repetitions, 5))
        ]
    )


def measure_experiments() -> pd.DataFrame:
    """Seconds of whole experiments with default settings, compiled, on all cores, and of the loop for as many games.

    The loop plays the headline table of the experiment's game, on one core, right after the experiment.
    """
    import pandas as pd

    rows = []
    for name in TIMED:
        _say(f"{name} ...")
        experiment = load(name)
        case = next(case for case in _headlines() if case.game in experiment.games)
        compute(experiment, experiment.settings.preset(quick=True))
        settings, running = experiment.settings.preset(), Running()
        context = Context(experiment, settings, load_given(experiment, settings), running)
        start = time.perf_counter()
        experiment.run(settings, context)
        seconds = time.perf_counter() - start
        case.loop(64)
        start = time.perf_counter()
        case.loop(context.games_played)
        loop = time.perf_counter() - start
        rows.append(
            {
                "experiment": name,
                "seconds": seconds,
                "processes": running.jobs,
                "games": context.games_played,
                "compiled_loop_seconds": loop,
                "times_the_compiled_loop": seconds / loop,
            }
        )
    return pd.DataFrame(rows)


def headline_ratios(games: int, repetitions: int) -> dict[str, float]:
    """Ratio of the engine to the compiled loop in the cases that have a goal, at the best batch size."""
    speeds = [rates.measure(case, BATCHES[-2:], games, repetitions) for case in _headlines()]
    return {speed.case: max(ratio.median for ratio in speed.ratios.values()) for speed in speeds}


def regressions(committed: Mapping[str, float], measured: Mapping[str, float]) -> list[str]:
    """In words, the ratios that fell below LEAST of the committed ones; a case that was not measured counts too."""
    return [
        f"{case}: {measured.get(case, float('nan')):.3f} of the compiled loop, committed {ratio:.3f}; "
        f"the least allowed is {LEAST * ratio:.3f}"
        for case, ratio in committed.items()
        if not measured.get(case, float("nan")) >= LEAST * ratio
    ]


def committed_ratios() -> dict[str, float]:
    """The ratios in results/benchmark/. ValueError if there are none."""
    path = folder() / BASELINE
    try:
        ratios = json.loads(path.read_text(encoding="utf-8"))["ratios"]
        return {str(case): float(ratio) for case, ratio in ratios.items()}
    except (OSError, ValueError, KeyError) as error:
        raise ValueError(f"{path}: no committed ratios ({error}); write them with {PROG} --commit-baseline") from None


def folder() -> Path:
    """results/benchmark."""
    return storage.results_root() / "benchmark"


def check(settings: Settings) -> list[str]:
    """Measure the headline ratios and compare; what looks slow is measured once more before it counts."""
    committed = committed_ratios()
    games, repetitions = min(settings.games, 8192), min(settings.repetitions, 5)
    measured = headline_ratios(games, repetitions)
    if regressions(committed, measured):
        again = headline_ratios(games, repetitions)
        measured = {case: max(ratio, again[case]) for case, ratio in measured.items()}
    for case, ratio in measured.items():
        print(f"{case}: {ratio:.3f} of the compiled loop (committed {committed.get(case, float('nan')):.3f})")
    return regressions(committed, measured)


def measure_all(settings: Settings) -> dict[str, pd.DataFrame]:
    """Every table by its name; with `quick` the rates alone."""
    found = {"rates": measure_rates(settings)}
    if not settings.quick:
        found["parts"] = measure_parts(settings)
        found["processes"] = measure_processes(settings)
        found["growth"] = measure_growth(settings)
        found["experiments"] = measure_experiments()
    return found


def commit(found: Mapping[str, pd.DataFrame]) -> None:
    """Write tables and baseline to results/benchmark/, each whole or not at all."""
    at = folder()
    at.mkdir(parents=True, exist_ok=True)
    for name, frame in found.items():
        write_atomically(at / f"{name}.csv", to_csv(frame).encode())
    best = found["rates"].groupby("table")["ratio_to_compiled_loop"].max()
    baseline = {
        "ratios": {name: best[name] for name in rates.HEADLINES},
        "machine": _machine(),
        "versions": _versions(),
    }
    write_atomically(at / BASELINE, to_json(rounded(plain(baseline))).encode())
    _say(f"Written: {at}")


def _headlines() -> list[rates.Case]:
    return [case for case in rates.CASES if case.name in rates.HEADLINES]


def _machine() -> dict[str, Any]:
    return {"processor": _processor(), "cores": os.cpu_count(), "system": platform.system()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    import numba
    import numpy as np

    return {"python": platform.python_version(), "numpy": np.__version__, "numba": numba.__version__}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(args: list[str] | None = None) -> int:
    """0 done, 1 slower than the baseline allows, 2 bad input."""
    slower: list[str] = []

    def action(arguments: list[str]) -> None:
        config = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)
        settings = tyro.cli(Settings, prog=PROG, description=DESCRIPTION, args=arguments, config=config)
        if settings.check and settings.commit_baseline:
            raise ValueError("--check compares with the baseline that --commit-baseline writes: give one of them")
        if settings.quick and settings.commit_baseline:
            raise ValueError("--commit-baseline needs the whole measurement, without --quick")
        if settings.check:
            slower.extend(check(settings))
            return
        found = measure_all(settings)
        for name, frame in found.items():
            tables.show(frame, name)
            print()
        if settings.commit_baseline:
            commit(found)

    code = guarded(action, sys.argv[1:] if args is None else args, PROG)
    for line in slower:
        _say(f"slower: {line}")
    return 1 if slower and code == 0 else code


if __name__ == "__main__":
    sys.exit(main())
