"""What processes cost: two against one, import, compilation, memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

import sim
from experiments.speed.rates import Case
from experiments.speed.spread import Spread

_PLAY = """
import sys, time
from pathlib import Path
start = time.perf_counter()
import sim
from experiments.speed.rates import CASES
imported = time.perf_counter() - start
match = next(case for case in CASES if case.name == sys.argv[1]).match
start = time.perf_counter()
sim.simulate(match, int(sys.argv[2]), seed=1, keep="summary")
played = time.perf_counter() - start
status = Path("/proc/self/status")  # Linux; resource.getrusage would tell the parent's peak where that is higher
peak = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else ["nan"]
print(imported, played, float(peak[0]) / 1024)
"""


@dataclass(frozen=True)
class Started:
    """A fresh process that plays some games. Seconds; memory: its peak, in MiB (NaN where the system does not tell)."""

    imported: float
    played: float
    memory: float


def fresh(case: Case, games: int, cache: str | None = None) -> Started:
    """Import the lab and play in a process of its own. cache: folder of compiled kernels; None: the usual one."""
    environment = {**os.environ, **({} if cache is None else {"NUMBA_CACHE_DIR": cache})}
    command = [sys.executable, "-c", _PLAY, case.name, str(games)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Started(*map(float, done.stdout.split()))


def cold_and_warm(case: Case) -> tuple[Started, Started]:
    """A first game without compiled kernels on disk, and one with them."""
    with tempfile.TemporaryDirectory() as cache:
        return fresh(case, 1, cache), fresh(case, 1, cache)


def gains_of_two(case: Case, games: int, repetitions: int) -> tuple[Spread, Spread, Spread]:
    """How many times as many games two processes play as one, by the clock on the wall.

    -> engine, compiled loop, engine's gain over the loop's in the same repetition. The loop's two copies are what the
    machine gives. One after the other, for each has workers of its own.
    """
    match, loop = case.match, case.loop

    def engine(jobs: int) -> None:
        sim.simulate(match, games, seed=1, keep="summary", n_jobs=jobs)

    def loops(jobs: int) -> None:
        if jobs == 1:
            loop(games)
        else:
            joblib.Parallel(jobs, "loky")(joblib.delayed(_loop)(case, games // jobs) for _ in range(jobs))

    of_engine, of_loop = _gains(engine, repetitions), _gains(loops, repetitions)
    return Spread.of(of_engine), Spread.of(of_loop), Spread.of(of_engine / of_loop)


def _gains(play: Callable[[int], None], repetitions: int) -> NDArray[np.float64]:
    play(1)
    play(2)
    return np.array([_seconds(play, 1) / _seconds(play, 2) for _ in range(repetitions)])


def _loop(case: Case, games: int) -> None:
    case.loop(games)


def _seconds(play: Callable[[int], Any], jobs: int) -> float:
    start = time.perf_counter()
    play(jobs)
    return time.perf_counter() - start
