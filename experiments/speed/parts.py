"""Where the engine's time goes: one profiled run, its functions sorted into the parts of a game."""

from __future__ import annotations

import cProfile
import pstats
import time
from typing import Any

import sim

PARTS = ("deal", "readings", "agents' decisions", "table", "scoring", "refill", "records", "views and the rest")
_REST = PARTS[-1]
_FUNCTIONS = {
    ("sim/cards.py", "refill"): "refill",
    ("sim/cards.py", "pass_left"): "refill",
    ("sim/cards.py", ""): "deal",
    ("sim/world.py", ""): "readings",
    ("sim/odyssey/table.py", "add_points"): "scoring",
    ("sim/odyssey/table.py", ""): "table",
    ("sim/stella/play.py", "_take_marks"): "table",
    ("sim/stella/play.py", "_take_priority"): "table",
    ("sim/stella/play.py", "_owners_of_revealed"): "records",
    ("sim/odyssey/scoring.py", ""): "scoring",
    ("sim/stella/scoring.py", ""): "scoring",
    ("sim/odyssey/record.py", ""): "records",
    ("sim/columns.py", ""): "records",
    ("sim/games.py", ""): "records",
    ("sim/summary.py", ""): "records",
    ("sim/draws.py", ""): "agents' decisions",
    ("agents/", ""): "agents' decisions",
}
"""Where a function belongs: by a part of its file's path and its name ("": any), the first that fits."""


def shares(match: sim.Match, games: int, batch: int) -> dict[str, float]:
    """Share of processor time of each part of a run that keeps turns and rounds. A profiler slows small calls down.

    NumPy's own functions count for the part that called them.
    """
    sim.simulate(match, min(games, 64), seed=1, block_deals=batch)
    profile = cProfile.Profile(time.process_time)
    profile.runcall(sim.simulate, match, games, seed=1, block_deals=batch)
    seconds = dict.fromkeys(PARTS, 0.0)
    stats: Any = pstats.Stats(profile)
    for function, (_, _, own, _, callers) in stats.stats.items():
        part = _part(function)
        if part is not None or not callers:
            seconds[part or _REST] += own
        else:  # a library's function: to whoever called it, by how much of its time that was
            for caller, (_, _, share, _) in callers.items():
                seconds[_part(caller) or _REST] += share
    total = sum(seconds.values())
    return {part: value / total for part, value in seconds.items()}


def _part(function: tuple[str, int, str]) -> str | None:
    path, _, name = function
    path = path.replace("\\", "/")
    for (place, only), part in _FUNCTIONS.items():
        if (place in path if place.endswith("/") else path.endswith(place)) and only in ("", name):
            return part
    return _REST if "/sim/" in path else None
