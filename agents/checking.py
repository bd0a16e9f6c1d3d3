"""`check(agent)`: the contract that every strategy must keep, tried out at real tables.

The agent is seated at several tables of every variant, beside `random` players, and each of its decisions is put to it
again in other ways that must not change the answer:

- the same view once more (seeded: no global generator, no state between calls);
- a copy of the agent that went through pickle;
- a copy of the view that holds nothing but what its documentation names (nothing hidden is used);
- each game alone, the games in another order, games among others, each seat alone (nothing depends on the batch).

Views must not be written to, replies must be legal, and the agent must be equal to its copy and to what its spec makes.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.combinators import DECISIONS
from agents.registry import Game, game_of, make
from sim import AgentError
from sim.match import Match, simulate
from sim.odyssey import Clue, OdysseyRules
from sim.stella import StellaRules
from sim.world import World

__all__ = ["CheckReport", "ContractError", "check"]

DEALS = 6
HISTORY = (
    "counts", "dark", "fallen", "revealed", "owners", "points", "images", "votes", "trap", "storyteller", "vagueness"
)  # fmt: skip


class ContractError(AgentError, AssertionError):
    """An agent broke the contract; the message says which part, in which decision, with what.

    An `AgentError`, as matches raise it, and an AssertionError, as tests do.
    """


@dataclass(frozen=True)
class CheckReport:
    """What was tried. Prints as a few lines of text."""

    agent: str
    game: Game
    tables: tuple[str, ...]
    decisions: dict[str, int]
    """How many batches of each decision were put to the agent again."""

    def __str__(self) -> str:
        asked = ", ".join(f"{name} {count}" for name, count in sorted(self.decisions.items()))
        return "\n".join(
            [f"{self.agent} keeps the contract of {self.game} agents", f"  batches tried: {asked}"]
            + [f"  {table}" for table in self.tables]
        )


def check(agent: Any, game: Game | None = None) -> CheckReport:
    """Try an agent at tables of every variant of its game, and return what was tried.

    agent: an instance; game: "odyssey" or "stella", None: the one that it plays
    Raises ContractError naming the part of the contract, the decision and the address of a game that shows it;
    ValueError for what is no agent, or one of the other game.
    """
    played = game_of(agent)
    if game is not None and game != played:
        raise ValueError(f"{agent} plays {played}, not {game}")
    _check_value(agent, played)
    asked: Counter[str] = Counter()
    tables = []
    for name, rules in _tables(played):
        watched = _Watched(agent, asked)
        others = make(played, "random")
        lineup = [watched if seat % 3 != 1 else others for seat in range(rules.players)]
        try:
            simulate(Match(lineup, rules, World()), DEALS, seed=2008)
        except AgentError as error:
            broken = error.__cause__
            address = str(error).rpartition("(")[2].rstrip(")")
            told = f"{broken} [{name}; {address}]" if isinstance(broken, ContractError) else f"{error} [{name}]"
            raise ContractError(told) from broken
        tables.append(name)
    return CheckReport(str(agent), played, tuple(tables), dict(asked))


def _tables(game: Game) -> Iterator[tuple[str, Any]]:
    if game == "stella":
        for players in (2, 3, 4, 6, 12):
            yield f"{players} players", StellaRules(players=players, rounds=3)
        house: dict[str, Any] = {"minimum_marks": 2, "maximum_marks": 4, "rows": 2, "columns": 4, "grid_refresh": "all"}
        yield "4 players, 2 to 4 marks on 8 cards", StellaRules(players=4, rounds=3, darkness="all_most", **house)
        yield (
            "3 players, all of 6 cards, no darkness",
            StellaRules(
                players=3, rows=2, columns=3, minimum_marks=6, darkness="off", scout_passes="on_fall", rounds=2
            ),
        )
        return
    for players in (3, 4, 6, 7, 12):
        yield f"standard, {players} players", OdysseyRules(players=players, target_score=None, storyteller_turns=1)
    yield (
        "standard, 4 players, 3 images each",
        OdysseyRules(players=4, images_handed_in=3, hand_size=4, target_score=None, storyteller_turns=2),
    )
    for players in (6, 9):
        yield f"party, {players} players", OdysseyRules(variant="party", players=players)
    for players in (6, 8):
        yield f"team, {players} players", OdysseyRules(variant="team", players=players, storyteller_turns=1)


def _check_value(agent: Any, game: Game) -> None:
    """Equal by value, hashable, picklable, and made again by its spec."""
    try:
        copy = pickle.loads(pickle.dumps(agent))
    except Exception as error:
        raise ContractError(f"{agent}: cannot be pickled, so workers cannot play it: {error}") from error
    try:
        same = copy == agent and hash(copy) == hash(agent)
    except TypeError as error:
        raise ContractError(f"{agent}: cannot be hashed; make its class a frozen dataclass ({error})") from error
    if not same:
        raise ContractError(f"{agent}: a copy that went through pickle is not equal; make its class a frozen dataclass")
    spec = str(agent)
    if "<locals>" in spec or not is_dataclass(agent):
        return
    try:
        again = make(game, spec)
    except ValueError as error:
        raise ContractError(f"{agent}: its text is not a spec that makes it again: {error}") from error
    if again != agent:
        raise ContractError(f"{agent}: its spec makes {again!r}, not {agent!r}")


class _Watched:
    """The agent at the table: passes every decision on, and puts it to the agent again in other ways."""

    def __init__(self, agent: Any, asked: Counter[str]) -> None:
        self._agent = agent
        self._asked = asked
        self._copy = pickle.loads(pickle.dumps(agent))

    def __str__(self) -> str:
        return str(self._agent)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in {d for names in DECISIONS.values() for d in names}:
            raise AttributeError(name)
        decide = getattr(self._agent, name)
        return lambda view: self._asked_again(name, decide, view)

    def _asked_again(self, name: str, decide: Callable[[Any], Any], view: Any) -> Any:
        before = _contents(view)
        reply = decide(view)
        if _contents(view) != before:
            raise ContractError(f"{self._agent}: {name} wrote to its view")
        if not view.acting.any() or not _well_formed(reply, view):
            return reply
        self._asked[name] += 1
        what = f"{self._agent}: {name}"
        _same(what, "asked twice with the same view, it answered differently", view, reply, decide(view))
        _same(what, "its pickled copy answers differently", view, reply, getattr(self._copy, name)(view))
        try:
            bare = decide(_bare_copy(view))
        except AttributeError as error:
            raise ContractError(f"{what} uses more of its view than is documented: {error}") from error
        _same(what, "depends on more of its view than is documented", view, reply, bare)
        self._check_batches(what, decide, view, reply)
        return reply

    def _check_batches(self, what: str, decide: Callable[[Any], Any], view: Any, reply: Any) -> None:
        n, k = view.acting.shape
        games = np.arange(n)
        orders = [games[::-1], np.repeat(games, 2)[:-1]] + [games[[g]] for g in (0, n - 1)]
        for rows in orders:
            part = view.take(rows)
            _same(what, "the answer depends on the other games of the batch", part, _rows(reply, rows), decide(part))
        for i in range(k if k > 1 else 0):
            part = view.take_seats(np.array([i]))
            _same(what, "the answer depends on the other seats", part, _rows(reply, slice(None), [i]), decide(part))


def _well_formed(reply: Any, view: Any) -> bool:
    """The reply has the view's games and seats first. What has not is left to the engine, which says what is wrong."""
    parts = reply if isinstance(reply, Clue) else (reply,)
    try:
        return all(np.shape(part)[:2] == view.acting.shape for part in parts)
    except ValueError:  # rows of different lengths
        return False


def _rows(reply: Any, rows: Any, columns: Any = slice(None)) -> Any:
    if isinstance(reply, Clue):
        return Clue(*(_rows(part, rows, columns) for part in reply))
    array = np.asarray(reply)
    return array[rows][:, columns] if array.ndim >= 2 else array


def _same(what: str, how: str, view: Any, first: Any, second: Any) -> None:
    """Raises ContractError unless both replies agree wherever the seats act. Malformed ones are left to the engine."""
    if isinstance(first, Clue) and isinstance(second, Clue):
        for a, b in zip(first, second, strict=True):
            _same(what, how, view, a, b)
        return
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim < 2 or a.shape[:2] != view.acting.shape:
        return
    if a.shape != b.shape or a.dtype != b.dtype:
        raise ContractError(f"{what}: {how}: {a.dtype} {a.shape}, then {b.dtype} {b.shape}")
    acting = view.acting
    if a[acting].tobytes() != b[acting].tobytes():
        axes = tuple(range(2, a.ndim))
        g, i = np.argwhere(acting & (a != b).any(axis=axes))[0]
        raise ContractError(f"{what}: {how}: {a[g, i].tolist()}, then {b[g, i].tolist()} (seat {int(view.seats[i])})")


def _contents(view: Any) -> list[bytes]:
    arrays = [getattr(view, f.name) for f in fields(view)]
    return [array.tobytes() for array in arrays if isinstance(array, np.ndarray)]


def _bare_copy(view: Any) -> Any:
    """The same view on fresh arrays; its history and source of numbers have nothing but their public names."""
    arrays = {f.name: getattr(view, f.name) for f in fields(view)}
    changed: dict[str, Any] = {name: _fresh(value) for name, value in arrays.items() if isinstance(value, np.ndarray)}
    history = view.history
    columns = {name: _fresh(getattr(history, name)) for name in HISTORY if hasattr(history, name)}
    return replace(view, **changed, history=_History(len(history), columns), random=_Numbers(view.random))


def _fresh(array: Any) -> Any:
    array = np.array(array)
    array.flags.writeable = False
    return array


class _History(SimpleNamespace):
    def __init__(self, length: int, columns: dict[str, Any]) -> None:
        super().__init__(**columns)
        self._length = length

    def __len__(self) -> int:
        return self._length


@dataclass(frozen=True)
class _Numbers:
    """The public face of `view.random`."""

    _source: Any = field(repr=False)

    def uniform(self, size: int, stream: int = 0) -> Any:
        return self._source.uniform(size, stream)

    def normal(self, size: int, stream: int = 0) -> Any:
        return self._source.normal(size, stream)

    def integers(self, low: int, high: int, size: int, stream: int = 0) -> Any:
        return self._source.integers(low, high, size, stream)

    @property
    def per_game(self) -> _Numbers:
        return _Numbers(self._source.per_game)

    def family(self, index: int) -> _Numbers:
        return _Numbers(self._source.family(index))

    def take(self, rows: Any) -> _Numbers:
        return _Numbers(self._source.take(rows))

    def take_seats(self, columns: Any) -> _Numbers:
        return _Numbers(self._source.take_seats(columns))
