"""Matches and simulations: a lineup plays deals, each deal once per seating, in blocks, on any joblib backend."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, Literal, cast

import joblib
import numpy as np
from joblib.externals.loky.process_executor import BrokenProcessPool

from sim.asking import Group
from sim.cluster import on_cluster
from sim.errors import AgentError, WorldError
from sim.games import Games
from sim.odyssey.rules import OdysseyRules
from sim.randomness import MAX_SEED
from sim.stella.rules import StellaRules
from sim.views import read_only
from sim.world import ReadingModel, World

__all__ = ["Match", "simulate", "simulate_all"]

BLOCK_DEALS = {"odyssey": 2500, "stella": 1250}
"""Deals per block: a block is what a worker plays in one go, seating by seating, and what an interruption loses.

Larger blocks spend less on what a turn costs however many games play it; smaller ones stay in a core's cache. Odyssey
has some ten turns a game and little to keep of each, Stella four rounds and every fit of a grid.
"""
LEAST_BLOCK = 512
"""Deals that are not divided further to give every worker a block."""
RETRIES = 3
"""How often blocks of workers that died are given to new ones."""

Keep = Literal["games", "summary"] | Callable[[Games], Any]


@dataclass(frozen=True)
class Match:
    """A lineup under rules in a world: duplicate play, every deal once per seating.

    agents: one per seat, in lineup order (a name for each member is its position); rules: OdysseyRules or StellaRules;
    world: a `World` or anything with its interface (`sim.world.ReadingModel`)
    seating: "rotate": member j sits at seat (j + r) mod players, r = 0..seatings-1, where `seatings` is the smallest
    rotation that gives the lineup back (ABCD 4, ABAB 2, AAAA 1); "fixed": member j sits at seat j, one seating.
    Raises ValueError for a lineup of the wrong length, an agent of the other game, an unknown seating.
    """

    agents: tuple[Any, ...]
    rules: OdysseyRules | StellaRules
    world: ReadingModel = field(default_factory=World)
    seating: Literal["rotate", "fixed"] = "rotate"

    def __init__(
        self,
        agents: Sequence[Any],
        rules: OdysseyRules | StellaRules,
        world: ReadingModel | None = None,
        seating: Literal["rotate", "fixed"] = "rotate",
    ) -> None:
        if not isinstance(rules, OdysseyRules | StellaRules):
            raise ValueError(f"rules: expected OdysseyRules or StellaRules, received {rules!r}")
        if isinstance(agents, str) or not isinstance(agents, Sequence):
            raise ValueError(f"agents: expected a list of agents, received {agents!r}")
        if len(agents) != rules.players:
            raise ValueError(f"the lineup has {len(agents)} agents, the rules have players = {rules.players}")
        if seating not in ("rotate", "fixed"):
            raise ValueError(f"seating = {seating!r}: allowed are 'rotate' and 'fixed'")
        world = World() if world is None else world
        if isinstance(world, type) or not isinstance(world, ReadingModel):
            raise ValueError(f"world: expected a World or an object with its methods, received {world!r}")
        for name, value in (("agents", tuple(agents)), ("rules", rules), ("world", world), ("seating", seating)):
            object.__setattr__(self, name, value)
        for position, agent in enumerate(self.agents):
            _check_agent(agent, position, self)

    @property
    def game(self) -> Literal["odyssey", "stella"]:
        """Which of the two games is played."""
        return "odyssey" if isinstance(self.rules, OdysseyRules) else "stella"

    @property
    def decisions(self) -> tuple[str, ...]:
        """What every agent of this match is asked for."""
        if isinstance(self.rules, StellaRules):
            return ("mark", "reveal_order")
        if self.rules.variant == "party":
            return ("hand_in", "vote", "trap") if self.rules.trap else ("hand_in", "vote")
        return ("tell", "hand_in", "vote")

    @property
    def seatings(self) -> int:
        """How many seatings each deal is played in."""
        if self.seating == "fixed":
            return 1
        lineup, players = self.agents, len(self.agents)
        return next(r for r in range(1, players + 1) if lineup[r % players :] + lineup[: r % players] == lineup)

    @property
    def n_sides(self) -> int:
        """How many sides have a score."""
        return self.rules.sides

    def specs(self) -> list[str]:
        """The spec of each member, in lineup order."""
        return [str(agent) for agent in self.agents]

    def groups(self, seating: int) -> list[Group]:
        """Equal agents with all their seats (ascending) in one seating, in order of their first seat."""
        players = len(self.agents)
        seats: dict[Any, list[int]] = {}
        for seat in range(players):
            seats.setdefault(self.agents[(seat - seating) % players], []).append(seat)
        return [Group(agent, read_only(np.array(where, np.int64))) for agent, where in seats.items()]


def simulate(
    match: Match,
    n_deals: int,
    first_deal: int = 0,
    seed: int = 0,
    n_jobs: int = 1,
    backend: str = "loky",
    keep: Keep = "games",
    progress: bool = False,
    blocks: MutableMapping[str, Any] | None = None,
    block_deals: int | None = None,
) -> Any:
    """Play n_deals deals, each in every seating of the match: n_deals x match.seatings games.

    n_deals: 1 or more; first_deal: 0 or more; seed: 0..2**64-1; n_jobs: processes (threads), 1 or more
    backend: a joblib backend by name ("loky", "threading", "dask", ...)
    keep: "games" -> `Games`, "summary" -> `Summary` (memory flat in the number of games), or a picklable function of a
    block's `Games` whose results add up with `+`
    progress: show a bar on standard error; blocks: a mapping in which finished blocks are kept, so that an interrupted
    run can go on; block_deals: deals per block, None: what is fastest
    Results depend on match, n_deals, first_deal, seed and keep alone, and not on jobs, backend, blocks or their order.
    Raises ValueError for values out of range and `AgentError` for an agent's bad reply.
    """
    return simulate_all(
        {"": match}, n_deals, first_deal, seed, n_jobs, backend, keep, progress, blocks, block_deals
    )[""]  # fmt: skip


def simulate_all(
    matches: Mapping[str, Match],
    n_deals: int,
    first_deal: int = 0,
    seed: int = 0,
    n_jobs: int = 1,
    backend: str = "loky",
    keep: Keep = "games",
    progress: bool = False,
    blocks: MutableMapping[str, Any] | None = None,
    block_deals: int | None = None,
) -> dict[str, Any]:
    """Play several matches on the same deals, side by side: what `simulate` gives, under each match's name."""
    n_deals, first_deal = whole("n_deals", n_deals, 1), whole("first_deal", first_deal, 0)
    seed, n_jobs = whole("seed", seed, 0, MAX_SEED), whole("n_jobs", n_jobs, 1)
    if block_deals is not None:
        block_deals = whole("block_deals", block_deals, 1)
    if first_deal + n_deals > 2**62:
        raise ValueError(f"first_deal + n_deals = {first_deal + n_deals}: allowed are deals below 2**62")
    if keep not in ("games", "summary") and not callable(keep):
        raise ValueError(f"keep = {keep!r}: allowed are 'games', 'summary' and a function of a block's games")
    tasks = [
        _Task(name, match, seed, start, min(size, first_deal + n_deals - start), keep)
        for name, match in matches.items()
        for size in [block_deals or min(BLOCK_DEALS[match.game], max(LEAST_BLOCK, -(-n_deals // 4)))]
        for start in range(first_deal, first_deal + n_deals, size)
    ]
    kept: MutableMapping[str, Any] = {} if blocks is None else blocks
    with _progress_bar(progress, sum(task.games for task in tasks)) as advance:
        done = {task.key for task in tasks if task.key in kept}
        for task in tasks:
            if task.key in done:
                advance(task.games)
        _play_all([task for task in tasks if task.key not in done], kept, n_jobs, backend, advance)
    merged = {name: [kept[task.key] for task in tasks if task.name == name] for name in matches}
    return {name: _merge(parts) for name, parts in merged.items()}


@dataclass(frozen=True)
class _Task:
    """One block: a run of deals of one match."""

    name: str
    match: Match
    seed: int
    first: int
    count: int
    keep: Keep

    @property
    def key(self) -> str:
        return f"{self.name}:{self.first}+{self.count}"

    @property
    def games(self) -> int:
        return self.count * self.match.seatings

    @property
    def where(self) -> str:
        """The block's address, in words."""
        return f"seed={self.seed}, deals {self.first} to {self.first + self.count - 1} of {self.match.specs()}"

    def __call__(self) -> tuple[str, Any]:
        try:
            games = play_block(self.match, self.seed, self.first, self.count, details=self.keep != "summary")
            if self.keep == "games":
                return self.key, games
            return self.key, games.summary() if self.keep == "summary" else cast(Any, self.keep)(games)
        except AgentError:
            raise
        except WorldError as error:
            raise WorldError(f"{error} (in the block {self.where})") from error
        except Exception as error:
            raise RuntimeError(f"the block {self.where} failed: {error!r}") from error


def play_block(match: Match, seed: int, first: int, count: int, details: bool = True) -> Games:
    """Play a run of deals in every seating, one batch per seating. details: with turns and rounds, not scores alone."""
    deals = np.arange(first, first + count, dtype=np.int64)
    if isinstance(match.rules, StellaRules):
        from sim.stella.play import play
    else:
        from sim.odyssey.play import play
    return Games.merged(
        [
            Games.from_seats(match, seed, seating, deals, play(match, seating, deals, seed, details=details))
            for seating in range(match.seatings)
        ]
    )


def _play_all(
    tasks: list[_Task], kept: MutableMapping[str, Any], n_jobs: int, backend: str, advance: Callable[[int], None]
) -> None:
    games = {task.key: task.games for task in tasks}
    for attempt in range(RETRIES + 1):
        waiting = [task for task in tasks if task.key not in kept]
        if not waiting:
            return
        try:
            for key, value in _results(waiting, n_jobs, backend):
                kept[key] = value
                advance(games[key])
        except BrokenProcessPool as error:
            if attempt == RETRIES:
                task = next(task for task in tasks if task.key not in kept)
                raise RuntimeError(f"workers died {RETRIES + 1} times; first block not played: {task.where}") from error


def _results(tasks: list[_Task], n_jobs: int, backend: str) -> Iterator[tuple[str, Any]]:
    if n_jobs == 1 and backend in ("loky", "threading", "multiprocessing", "sequential"):
        yield from (task() for task in tasks)
        return
    if backend == "dask":
        yield from on_cluster(tasks)
        return
    _warm_up(tasks)
    # one thread for BLAS and Numba in each worker: parallel work is over blocks alone
    options: dict[str, Any] = {}
    if backend == "loky":
        options = {"inner_max_num_threads": 1, "initializer": _prepare_worker}
    try:
        config = joblib.parallel_config(backend, n_jobs=n_jobs, **options)
    except (KeyError, ImportError, ValueError) as error:
        raise ValueError(f"backend = {backend!r}: not a joblib backend that is at hand ({error})") from error
    with config:
        parallel = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs", batch_size="auto")
        yield from parallel(joblib.delayed(task)() for task in tasks)


def _prepare_worker() -> None:
    """In a new worker: leave Ctrl-C to the process that started it, and leave within a second when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


_WARM: set[Any] = set()


def _warm_up(tasks: list[_Task]) -> None:
    """Compile here what workers would all compile at once: play one deal of each kind of match, once per process."""
    for task in tasks:
        rules = task.match.rules
        variant = rules.variant if isinstance(rules, OdysseyRules) else ""
        kind = (type(rules), variant, type(task.match.world), frozenset(map(type, task.match.agents)))
        if kind not in _WARM:
            _WARM.add(kind)
            play_block(task.match, task.seed, task.first, 1)


def _merge(parts: list[Any]) -> Any:
    return Games.merged(parts) if isinstance(parts[0], Games) else reduce(add, parts)


def _progress_bar(wanted: bool, total: int) -> Any:
    from sim.progress import games_bar

    return games_bar(wanted, total)


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A whole number within its range, or a ValueError that names it."""
    allowed = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high}"
    if low == high:
        allowed = str(low)
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} = {value!r}: must be {allowed}")
    if value < low or (high is not None and value > high):
        raise ValueError(f"{name} = {value}: must be {allowed}")
    return int(value)


def _check_agent(agent: Any, position: int, match: Match) -> None:
    if isinstance(agent, type):
        name = agent.__name__
        raise ValueError(f"agent {position} of the lineup is the class {name}; give an instance, {name}()")
    missing = [name for name in match.decisions if not callable(getattr(agent, name, None))]
    if missing:
        games = {"mark": "an agent for Stella", "vote": "an agent for Odyssey"}
        whose = next((game for name, game in games.items() if callable(getattr(agent, name, None))), "no agent")
        raise ValueError(
            f"agent {position} of the lineup, {agent}, cannot play {match.game}: it is {whose} "
            f"(it has no {' and no '.join(missing)})"
        )
    try:
        hash(agent)
    except TypeError:
        raise ValueError(
            f"agent {position} of the lineup, {agent}, cannot be compared by value: make its class a frozen dataclass"
        ) from None


def cpu_count() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
