"""Where the engine's time goes: one profiled run, its functions sorted into the parts of a game."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections.abc import Mapping
from typing import Any

import sim

RANDOM, ASKING, VIEWS = "random numbers", "asking and checking replies", "views and histories"
ARRAYS, MERGING, REST = "making arrays", "blocks and merging", "the course of a turn"
PARTS = (
    "deal", "readings", "agents' decisions", "table", "scoring", "refill", "records",
    RANDOM, ASKING, VIEWS, ARRAYS, MERGING, REST,
)  # fmt: skip
"""RANDOM: keys, and what agents draw (the storyteller's card). ARRAYS: NumPy's empty, full and so on for a turn.

MERGING: to divide games into blocks, and to put their turns or rounds together. REST: what `play_turn` and `play_round`
do themselves, above all to take the games that are still being played.
"""
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
    ("sim/odyssey/record.py", "history"): VIEWS,
    ("sim/odyssey/record.py", ""): "records",
    ("sim/columns.py", ""): "records",
    ("/play.py", "played"): "records",
    ("sim/draws.py", ""): RANDOM,
    ("sim/randomness.py", ""): RANDOM,
    ("sim/asking.py", ""): ASKING,
    ("/play.py", "question"): ASKING,
    ("/play.py", "ask_"): ASKING,
    ("sim/views.py", ""): VIEWS,
    ("/views.py", ""): VIEWS,
    ("/play.py", "shown"): VIEWS,
    ("/play.py", "hand"): VIEWS,
    ("/play.py", "_own_images"): VIEWS,
    ("sim/games.py", ""): MERGING,
    ("sim/summary.py", ""): MERGING,
    ("sim/match.py", ""): MERGING,
    ("sim/progress.py", ""): MERGING,
    ("agents/", ""): "agents' decisions",
    ("/sim/", ""): REST,
}
"""Where a function belongs: by a part of its file's path and how its name begins ("": any), the first that fits."""
_MAKERS = ("numpy.empty>", "numpy.zeros>", "numpy.arange>", "full", "ones", "copyto")
"""How the names of functions end that make an array."""

STEPS = 8
"""How many of a library's functions may stand on each other."""

Function = tuple[str, int, str]


def shares(match: sim.Match, games: int, batch: int) -> dict[str, float]:
    """Share of processor time of each part of a run that keeps turns and rounds. A profiler slows small calls down.

    Functions of NumPy and of Python count for the part that called them, in proportion where there are several.
    """
    sim.simulate(match, min(games, 64), seed=1, block_deals=batch)
    profile = cProfile.Profile(time.process_time)
    profile.runcall(sim.simulate, match, games, seed=1, block_deals=batch)
    stats: Any = pstats.Stats(profile)
    belongs = _parts({function: times[4] for function, times in stats.stats.items()})
    seconds = dict.fromkeys(PARTS, 0.0)
    for function, (_, _, own, _, _) in stats.stats.items():
        for part, share in belongs[function].items():
            seconds[part] += share * own
    total = sum(seconds.values())
    return {part: value / total for part, value in seconds.items()}


def _parts(calls: Mapping[Function, Mapping[Function, Any]]) -> dict[Function, dict[str, float]]:
    """What share of each function belongs to which part. calls: by caller, profiled times.

    A library's function passes on what its callers have, a step up the stack in each pass.
    """
    belongs = {function: {_part(function) or REST: 1.0} for function in calls}
    passing = {
        function: {caller: times[3] for caller, times in callers.items() if times[3] > 0}
        for function, callers in calls.items()
        if _part(function) is None
    }
    for _ in range(STEPS):
        for function, callers in passing.items():
            found: dict[str, float] = {}
            for caller, seconds in callers.items():
                for part, share in belongs[caller].items():
                    name = ARRAYS if part in (ASKING, REST) and function[2].endswith(_MAKERS) else part
                    found[name] = found.get(name, 0.0) + share * seconds / sum(callers.values())
            belongs[function] = found or belongs[function]
    return belongs


def _part(function: Function) -> str | None:
    """The part of a function of the lab; None for a library's, and for a comprehension: its callers' parts."""
    path, _, name = function
    path = path.replace("\\", "/")
    if name.startswith("<"):
        return None
    for (place, start), part in _FUNCTIONS.items():
        if (place in path if place.endswith("/") else path.endswith(place)) and name.startswith(start):
            return part
    return None
