"""What the games of a tournament add up to: per agent, per pair, and for the rating; deal by deal, chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sim
from experiments.contest.schemes import Sitting
from experiments.lab.deal_sums import DealSums
from experiments.lab.estimate import Floats
from experiments.lab.moments import Moments
from experiments.lab.precision import VarianceSplit, variance_split
from experiments.lab.rating import Played, table_of
from experiments.lab.statistics import bootstrap_weights
from sim.summary import WIN_UNIT

REPLICATES = 400
"""Bootstrap replicates of the deals, each with a rating of its own."""
CHUNK = 4_096
"""Deals that are in memory at a time."""


def per_deal(games: sim.Games) -> DealSums:
    """What is needed of some games, summed over the seatings of each deal. A group: the sides of one agent.

    wins: win shares in units of 1/27,720 (deals, groups); score; margin in units of 1/(sides - 1); ahead: twice the
    pairs of sides in which a side of the first group has more points than one of the second, ties counting half
    (deals, groups, groups); winners: games by number of winning sides (deals, sides); unfinished; seated: wins of each
    group's first side by seating (deals, groups, seatings).
    """
    match = games.match
    sides = match.n_sides
    agents = list(dict.fromkeys(match.agents[:sides]))
    group = np.array([agents.index(agent) for agent in match.agents[:sides]])
    member = np.eye(len(agents), dtype=np.int64)[group]
    scores = games.scores.astype(np.int64)
    winners = games.winners.sum(axis=1)
    wins = games.winners * (WIN_UNIT // winners)[:, None]
    ahead = 2 * (scores[:, :, None] > scores[:, None, :]) + (scores[:, :, None] == scores[:, None, :])
    first = wins[:, np.array([int(np.argmax(group == g)) for g in range(len(agents))])]
    return DealSums.collect(
        games.deal,
        wins=wins @ member,
        score=scores @ member,
        margin=(scores * sides - scores.sum(axis=1, keepdims=True)) @ member,
        ahead=np.einsum("gij,ia,jb->gab", ahead, member, member),
        winners=winners[:, None] == np.arange(1, sides + 1),
        unfinished=~games.finished,
        seated=first[:, :, None] * (games.seating[:, None, None] == np.arange(match.seatings)),
    )


@dataclass(eq=False)
class CrossPlay:
    """The running sums of a tournament. `add` takes the games of some deals, all tables at once.

    sittings: the tables; n_agents; sides; key: of the bootstrap.
    shares: win share per agent and deal, kept whole (8 bytes each) for stopping and for telling the best apart.
    """

    sittings: Sequence[Sitting]
    n_agents: int
    sides: int
    key: int
    shares: list[Floats] = field(default_factory=list)
    moments: dict[str, Moments] = field(default_factory=dict)
    split: dict[tuple[int, int], VarianceSplit] = field(default_factory=dict)
    """Where the variance of a side's win share comes from, by table and agent, on the first deals."""
    games: NDArray[np.int64] = field(init=False)
    """Games by table and number of winners (sittings, sides)."""
    unfinished: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        size = (len(self.sittings), self.sides)
        self.games = np.zeros(size, np.int64)
        self.unfinished = np.zeros(len(self.sittings), np.int64)
        self._wins = np.zeros((REPLICATES + 1, len(self.sittings), self.n_agents))
        self._winners = np.zeros((REPLICATES + 1, *size))

    def add(self, results: Sequence[DealSums]) -> Floats:
        """The next deals: one `DealSums` per sitting, all of the same deals. Win share per deal and agent."""
        deals = results[0].deals
        if any(not np.array_equal(part.deals, deals) for part in results):
            raise ValueError("tables of different deals do not add up to a tournament")
        series = self._series(results)
        self.shares.append(series["agent.win_share"])
        for name, values in series.items():
            found = Moments.of(values)
            self.moments[name] = self.moments[name] + found if name in self.moments else found
        if not self.split and len(deals) > 1:
            for row, (sitting, part) in enumerate(zip(self.sittings, results, strict=True)):
                if sitting.kind != "self":
                    for g, agent in enumerate(sitting.agents):
                        self.split[row, agent] = variance_split(part["seated"][:, g] / WIN_UNIT)
        self._add_sums(deals, results)
        return series["agent.win_share"]

    def played(self) -> tuple[Played, Played]:
        """The cross-play for the rating, and its bootstrap replicates. Self-play says nothing about strength."""
        rows = [row for row, sitting in enumerate(self.sittings) if sitting.kind != "self"]
        tables = tuple(table_of(self.sittings[row].sides) for row in rows)
        parts = [Played(tables, self._wins[at][..., rows, :] / WIN_UNIT, self._winners[at][..., rows, :])
                 for at in (0, slice(1, None))]  # fmt: skip
        return parts[0], parts[1]

    @property
    def n_deals(self) -> int:
        """Deals played so far."""
        return sum(map(len, self.shares))

    @property
    def n_games(self) -> NDArray[np.int64]:
        """Games per table (sittings,)."""
        return np.asarray(self.games.sum(axis=1))

    def tables_with(self, agent: int) -> list[int]:
        """Rows of the cross-play tables at which an agent sits."""
        return cross_tables(self.sittings, agent)

    def _add_sums(self, deals: NDArray[np.int64], results: Sequence[DealSums]) -> None:
        """Sums over deals, plain and with bootstrap weights. All are whole numbers below 2**53, exact in float64."""
        weights = np.ones((REPLICATES + 1, len(deals)))
        weights[1:] = bootstrap_weights(self.key, deals, REPLICATES)
        for row, (sitting, part) in enumerate(zip(self.sittings, results, strict=True)):
            self._wins[:, row, list(sitting.agents)] += weights @ part["wins"].astype(float)
            self._winners[:, row] += weights @ part["winners"].astype(float)
            self.games[row] += part["winners"].sum(axis=0)
            self.unfinished[row] += part["unfinished"].sum()

    def _series(self, results: Sequence[DealSums]) -> dict[str, Floats]:
        """Per-deal numbers by name: "agent.*" and "self.*" (deals, agents), "pair.*" (deals, agents, agents).

        Pairs: the first alone at a table of the second or, at mixed tables, both at one table; NaN where there is none.
        """
        n, deals = self.n_agents, len(results[0])
        sides_of = [np.array([sitting.sides.count(agent) for agent in sitting.agents]) for sitting in self.sittings]
        units = {"win_share": ("wins", WIN_UNIT), "score": ("score", 1), "margin": ("margin", self.sides - 1)}
        value = [
            {name: part[column] / (part["games"][0] * own * unit) for name, (column, unit) in units.items()}
            for part, own in zip(results, sides_of, strict=True)
        ]

        def at(row: int, agent: int, name: str) -> Floats:
            return np.asarray(value[row][name][:, self.sittings[row].agents.index(agent)])

        series: dict[str, Floats] = {}
        for name in units:
            each = [[at(row, a, name) for row in self.tables_with(a)] for a in range(n)]
            series[f"agent.{name}"] = np.stack([sum(parts[1:], parts[0]) / len(parts) for parts in each], axis=1)
        alone_in = {s.agents: row for row, s in enumerate(self.sittings) if s.kind == "alone"}
        if self.sides == 2:
            alone_in |= {(second, first): row for (first, second), row in alone_in.items()}
        own = {s.agents[0]: row for row, s in enumerate(self.sittings) if s.kind == "self"}
        series["self.score"] = np.stack([at(own[a], a, "score") for a in range(n)], axis=1)
        series["self.minus_cross"] = series["self.score"] - series["agent.score"]
        series["self.shared"] = np.stack(
            [1 - results[own[a]]["winners"][:, 0] / results[own[a]]["games"][0] for a in range(n)], axis=1
        )
        pair = {name: np.full((deals, n, n), np.nan) for name in PAIR_COLUMNS}
        for (a, b), row in alone_in.items():
            for name in units:
                pair[name][:, a, b] = at(row, a, name)
            pair["table_score"][:, a, b] = at(row, b, "score")
            pair["score_minus_self_play"][:, a, b] = at(row, a, "score") - series["self.score"][:, b]
            if (b, a) in alone_in:
                pair["win_share_minus_reverse"][:, a, b] = at(row, a, "win_share") - at(alone_in[b, a], b, "win_share")
        series["agent.alone_win_share"] = _mean_known(pair["win_share"])
        for row, sitting in enumerate(self.sittings):
            if sitting.kind == "half":
                for a, b in (sitting.agents, sitting.agents[::-1]):
                    pair["half_win_share"][:, a, b] = at(row, a, "win_share") * self.sides / 2
        return series | {f"pair.{name}": values for name, values in (pair | self._ahead(results, sides_of)).items()}

    def _ahead(self, results: Sequence[DealSums], sides_of: Sequence[NDArray[np.int64]]) -> dict[str, Floats]:
        """How often a side of the first agent has more points than one of the second at the same table, ties half; and
        win share per side of the first minus that of the second there."""
        n, deals = self.n_agents, len(results[0])
        total, gap, tables = np.zeros((deals, n, n)), np.zeros((deals, n, n)), np.zeros((n, n))
        for sitting, part, own in zip(self.sittings, results, sides_of, strict=True):
            if sitting.kind == "self":
                continue
            share = part["wins"] / (part["games"][0] * own * WIN_UNIT)
            for i, a in enumerate(sitting.agents):
                for j, b in enumerate(sitting.agents):
                    if a != b:
                        total[:, a, b] += part["ahead"][:, i, j] / (2 * part["games"][0] * own[i] * own[j])
                        gap[:, a, b] += share[:, i] - share[:, j]
                        tables[a, b] += 1
        with np.errstate(invalid="ignore"):
            return {
                "ahead": total / np.where(tables, tables, np.nan),
                "win_share_gap": gap / np.where(tables, tables, np.nan),
            }


PAIR_COLUMNS = (
    "win_share", "score", "margin", "table_score", "score_minus_self_play", "win_share_minus_reverse", "half_win_share",
)  # fmt: skip


def _mean_known(pairs: Floats) -> Floats:
    """Mean over the second of two agents, (deals, agents, agents) -> (deals, agents); NaN where there is none."""
    known = np.isfinite(pairs)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, pairs, 0.0).sum(axis=2) / np.where(known, 1.0, 0.0).sum(axis=2))


def cross_tables(sittings: Sequence[Sitting], agent: int) -> list[int]:
    """Rows of the tables, self-play left out, at which an agent sits."""
    return [row for row, s in enumerate(sittings) if s.kind != "self" and agent in s.sides]


def win_share(sittings: Sequence[Sitting], results: Mapping[int, DealSums], agent: int) -> Floats:
    """Win share per own side of one agent, mean over its cross-play tables: (deals,). results: by row of `sittings`."""
    rows = cross_tables(sittings, agent)
    shares = [
        results[row]["wins"][:, sittings[row].agents.index(agent)]
        / (results[row]["games"][0] * sittings[row].sides.count(agent) * WIN_UNIT)
        for row in rows
    ]
    return np.asarray(sum(shares[1:], shares[0]) / len(rows), float)


def in_chunks(first: int, n_deals: int, play: Callable[[int, int], Any]) -> list[Any]:
    """play(first_deal, n_deals) for at most CHUNK deals at a time; what it returns, in order."""
    return [play(start, min(CHUNK, first + n_deals - start)) for start in range(first, first + n_deals, CHUNK)]
