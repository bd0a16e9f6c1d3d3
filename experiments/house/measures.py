"""What house rules are measured by: every measure in one place, with its words and the sums it is made of.

A measure is a ratio of two sums over games; both are kept per deal. `python -m experiments.house.measures` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import sim
from experiments.house.course import Course, Ints
from experiments.lab.deal_sums import DealSums
from experiments.lab.experiment import Game
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules
from sim.summary import WIN_UNIT

AnyRules = OdysseyRules | StellaRules
Counts = tuple[NDArray[Any], NDArray[Any]]
Table = Literal["equals", "random", "people"]
"""Who plays: all alike, or one sensible agent (in team its partner too) among `random` or among `people`."""

LEAD = 6
"""The lead, in points, that `runaway` asks about."""
CLOSE = 3
"""A winner who is at most so many points ahead of the next side has won closely."""
BOTH: tuple[Game, ...] = ("odyssey", "stella")
PER = "/"
"""What the denominator's column has after the measure's name."""
UNFINISHED = "unfinished"
"""The column that counts games which the safety stop `max_turns` ended."""


@dataclass(frozen=True)
class Measure:
    """One measure.

    name: in files and goals; label: for figures and sentences; short: for the head of a table; definition: one sentence
    unit: of the value; per: the denominator, in words; games: where it exists; table: at which table it is measured
    count(course) -> what is counted and out of how many, per game, whole numbers
    fixed(rules): the rules alone decide the value, so that it has no interval
    main: shown in the first table and the figure; more, fewer: what a higher and a lower value mean, in words
    """

    name: str
    label: str
    short: str
    definition: str
    unit: str
    per: str
    games: tuple[Game, ...]
    count: Callable[[Course], Counts]
    table: Table = "equals"
    fixed: Callable[[Any], bool] = lambda rules: False
    main: bool = False
    more: str = ""
    fewer: str = ""

    @property
    def is_share(self) -> bool:
        """The value lies within 0..1: it says how many of `per`."""
        return self.unit == "share"

    @property
    def counts_wins(self) -> bool:
        """The sums are of win shares, in units of 1 / 27,720."""
        return self.count in (_half_time_leader, _runaway, _first_seat, _boldest, _skill)


def game_of(rules: AnyRules) -> Game:
    """The game that the rules are of."""
    return "odyssey" if isinstance(rules, OdysseyRules) else "stella"


def measures(game: Game) -> tuple[Measure, ...]:
    """The measures of one game, in order."""
    return tuple(measure for measure in MEASURES if game in measure.games)


def per_deal(games: sim.Games) -> DealSums:
    """Sums per deal of all measures at a table of equals: columns `name` and `name/`, the denominator."""
    return _collect(games, ("equals",))


def per_deal_of_one(games: sim.Games) -> DealSums:
    """Sums per deal of what is measured of one sensible agent, member 0, among others."""
    return _collect(games, ("random", "people"))


def _collect(games: sim.Games, tables: tuple[Table, ...]) -> DealSums:
    course = Course.of(games)
    columns: dict[str, NDArray[Any]] = {UNFINISHED: ~games.finished}
    for measure in measures(games.match.game):
        if measure.table in tables:
            columns[measure.name], columns[measure.name + PER] = measure.count(course)
    return DealSums.collect(games.deal, **columns)


def _each_game(course: Course, unit: int = 1) -> Ints:
    return np.full(len(course.games), unit, np.int64)


def _turns(course: Course) -> Counts:
    return course.steps, _each_game(course)


def _points(course: Course) -> Counts:
    return course.games.scores.sum(axis=1, dtype=np.int64), _each_game(course, course.games.match.n_sides)


def _storyteller_share(course: Course) -> Counts:
    rows = course.games.turn_rows
    assert rows is not None
    own = rows.storyteller_points.astype(np.int64)
    return course.per_game(own), course.per_game(own + rows.others_points)


def _zero_turns(course: Course) -> Counts:
    rows = course.games.turn_rows
    assert rows is not None
    return course.per_game(rows.storyteller_points <= 0), course.steps


def _spread(course: Course) -> Counts:
    scores = course.games.scores
    return (scores.max(axis=1) - scores.min(axis=1)).astype(np.int64), _each_game(course)


def _close_finish(course: Course) -> Counts:
    ordered = np.sort(course.games.scores, axis=1)
    return ordered[:, -1] - ordered[:, -2] <= CLOSE, _each_game(course)


def _ties(course: Course) -> Counts:
    return course.games.winners.sum(axis=1) > 1, _each_game(course)


def _lead_changes(course: Course) -> Counts:
    changes = np.zeros(len(course.games), np.int64)
    last = np.full(len(course.games), -1, np.int64)
    played = course.played
    for step in range(course.leader.shape[1]):
        now = np.where(played[:, step], course.leader[:, step], -1)
        changes += (now >= 0) & (last >= 0) & (now != last)
        last = np.where(now >= 0, now, last)
    return changes, _each_game(course)


def _half_time_leader(course: Course) -> Counts:
    half = course.steps // 2
    index = np.maximum(half - 1, 0)[:, None]
    leader = np.where(half > 0, np.take_along_axis(course.leader, index, axis=1)[:, 0], -1)
    return course.wins_of(leader), (leader >= 0) * WIN_UNIT


def _runaway(course: Course) -> Counts:
    before_the_last = np.arange(course.lead.shape[1]) < course.steps[:, None] - 1
    ahead = before_the_last & (course.lead >= LEAD)
    first = ahead.argmax(axis=1)[:, None]
    leader = np.where(ahead.any(axis=1), np.take_along_axis(course.leader, first, axis=1)[:, 0], -1)
    return course.wins_of(leader), (leader >= 0) * WIN_UNIT


def _first_seat(course: Course) -> Counts:
    side = (-course.games.seating) % course.games.match.rules.players % course.games.match.n_sides
    return course.wins_of(side), _each_game(course, WIN_UNIT)


def _skill(course: Course) -> Counts:
    return course.wins[:, 0], _each_game(course, WIN_UNIT)


def _of_rounds(column: str) -> Callable[[Course], Counts]:
    """Sums over rounds and players of a column of `Rounds`, per player and round."""

    def count(course: Course) -> Counts:
        values = getattr(course.games.rounds, column)
        return values.sum(axis=(1, 2), dtype=np.int64), _each_game(course, values.shape[1] * values.shape[2])

    return count


def _boldest(course: Course) -> Counts:
    rounds = course.games.rounds
    assert rounds is not None
    marks = rounds.marks.sum(axis=1, dtype=np.int64)
    most = marks == marks.max(axis=1, keepdims=True)
    side = np.where(most.sum(axis=1) == 1, most.argmax(axis=1), -1)
    return course.wins_of(side), (side >= 0) * WIN_UNIT


def _no_race(rules: OdysseyRules) -> bool:
    return rules.target_score is None


def _no_darkness(rules: StellaRules) -> bool:
    return rules.darkness == "off"


def _nothing_erased(rules: StellaRules) -> bool:
    return rules.darkness == "off" or rules.darkness_erases == 0


MEASURES: Sequence[Measure] = (
    Measure(
        "turns", "turns per game", "turns", "Length of a game in turns.", "turns", "games", ("odyssey",), _turns,
        fixed=_no_race, main=True, more="longer", fewer="shorter",
    ),
    Measure(
        "points", "points per player", "points", "Final score of a side (Stella: stars of a player).", "points",
        "games x sides", BOTH, _points, more="more points", fewer="fewer points",
    ),
    Measure(
        "storyteller_share", "storyteller's share of points", "storyteller",
        "Raw points of the storyteller's side out of the raw points of all sides, summed over turns.", "share",
        "points", ("odyssey",), _storyteller_share, main=True, more="storytellers earn more",
        fewer="storytellers earn less",
    ),
    Measure(
        "zero_turns", "turns with nothing for the storyteller", "empty turns",
        "Turns in which the storyteller's side gets 0 points or fewer.", "share", "turns", ("odyssey",), _zero_turns,
        main=True, more="more empty turns", fewer="fewer empty turns",
    ),
    Measure(
        "marks", "cards marked", "marks", "Cards that a player marks in a round.", "cards", "rounds x players",
        ("stella",), _of_rounds("marks"), main=True, more="more marks", fewer="fewer marks",
    ),
    Measure(
        "darkness", "players in the dark", "dark", "Players in the dark in a round (lantern turned, fallen or not).",
        "share", "rounds x players", ("stella",), _of_rounds("dark"), fixed=_no_darkness, main=True,
        more="more darkness", fewer="less darkness",
    ),
    Measure(
        "falls", "players who fall", "fallen", "Players who fall in a round.", "share", "rounds x players", ("stella",),
        _of_rounds("fallen"), main=True, more="more falls", fewer="fewer falls",
    ),
    Measure(
        "erased", "stars erased", "erased", "Stars that a player loses to darkness in a round.", "stars",
        "rounds x players", ("stella",), _of_rounds("erased"), fixed=_nothing_erased,
        more="more stars erased", fewer="fewer stars erased",
    ),
    Measure(
        "spread", "first minus last score", "spread", "Highest minus lowest final score.", "points", "games", BOTH,
        _spread, more="wider apart", fewer="closer together",
    ),
    Measure(
        "close_finish", "close finishes", "close",
        f"Games whose first side ends at most {CLOSE} points ahead of the second.",
        "share", "games", BOTH, _close_finish, main=True, more="more close finishes", fewer="fewer close finishes",
    ),
    Measure(
        "ties", "shared victories", "ties", "Games that several sides win together, tie-breaks applied.", "share",
        "games", BOTH, _ties, more="more shared victories", fewer="fewer shared victories",
    ),
    Measure(
        "lead_changes", "changes of lead", "lead changes",
        "How often another side than the last one comes to lead alone, counted after every turn or round.", "changes",
        "games", BOTH, _lead_changes, main=True, more="more changes of lead", fewer="fewer changes of lead",
    ),
    Measure(
        "half_time_leader", "half-time leader wins", "half time",
        "Games won (shared victories split) by the side that leads alone after half the turns or rounds, rounded down.",
        "share", "games with a sole leader at half time", BOTH, _half_time_leader, more="half time decides more",
        fewer="half time decides less",
    ),
    Measure(
        "runaway", f"a lead of {LEAD} holds", "lead holds",
        f"Games won (shared victories split) by the side that is first to lead alone by {LEAD} points or more, before "
        "the last turn or round.",
        "share", "games with such a lead", BOTH, _runaway, main=True, more="leads are safer",
        fewer="leads are less safe",
    ),
    Measure(
        "first_seat", "first seat wins", "first seat",
        "Games won (shared victories split) by seat 0, the first storyteller or scout.", "share", "games", BOTH,
        _first_seat, more="going first helps more", fewer="going first helps less",
    ),
    Measure(
        "boldest", "boldest player wins", "boldest",
        "Games won (shared victories split) by the player who marked the most cards over the whole game.", "share",
        "games with one such player", ("stella",), _boldest, more="boldness pays more", fewer="boldness pays less",
    ),
    Measure(
        "skill_random", "skill: win share among random", "skill/random",
        "Games won (shared victories split) by one sensible agent, in every seat, among `random`.", "share", "games",
        BOTH, _skill, table="random", main=True, more="skill counts more among random players",
        fewer="skill counts less among random players",
    ),
    Measure(
        "skill_people", "skill: win share among people", "skill/people",
        "Games won (shared victories split) by one sensible agent, in every seat, among `people`.", "share", "games",
        BOTH, _skill, table="people", main=True, more="skill counts more among people",
        fewer="skill counts less among people",
    ),
)  # fmt: skip
"""All measures. A sensible agent is one tuned to the rules (`experiments.house.retuning`)."""


def table() -> str:
    """All measures as a Markdown table: name, definition, unit, denominator, games."""
    lines = ["| measure | definition | unit | out of | game |", "|---|---|---|---|---|"]
    for measure in MEASURES:
        where = " and ".join(measure.games)
        lines.append(f"| `{measure.name}` | {measure.definition} | {measure.unit} | {measure.per} | {where} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
