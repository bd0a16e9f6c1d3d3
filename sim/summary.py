"""Summaries that add up: integer sums over deals, from which means and intervals follow.

A deal is the unit of replication: all seatings of a deal share its luck, so every interval is over deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

if TYPE_CHECKING:
    import pandas as pd

    from sim.games import Games
    from sim.match import Match

WIN_UNIT = 27_720
"""A won game in integer units: the least common multiple of 1..12, so that shared victories stay whole."""
Ranges = tuple[tuple[int, int], ...]


def deal_ranges(deals: NDArray[np.int64]) -> Ranges:
    """The deals as sorted half-open ranges: ((0, 1000), (2000, 3000))."""
    unique = deals if (deals[1:] > deals[:-1]).all() else np.unique(deals)
    breaks = np.flatnonzero(np.diff(unique) > 1)
    starts, stops = np.concatenate([[0], breaks + 1]), np.concatenate([breaks, [len(unique) - 1]])
    return tuple((int(unique[a]), int(unique[b]) + 1) for a, b in zip(starts, stops, strict=True))


def refuse_overlap(a: Ranges, b: Ranges) -> None:
    """ValueError if two sets of deals overlap: the same luck would count twice."""
    for start, stop in a:
        for other_start, other_stop in b:
            if start < other_stop and other_start < stop:
                raise ValueError(
                    f"deals {max(start, other_start)} to {min(stop, other_stop) - 1} stand in both: "
                    "overlapping deals do not add up"
                )


def joined(a: Ranges, b: Ranges) -> Ranges:
    """Two sets of disjoint ranges as one, neighbours joined."""
    refuse_overlap(a, b)
    out: list[tuple[int, int]] = []
    for start, stop in sorted(a + b):
        if out and out[-1][1] == start:
            out[-1] = (out[-1][0], stop)
        else:
            out.append((start, stop))
    return tuple(out)


def t_interval(total: int, squares: int, n: int, unit: int) -> tuple[float, float, float]:
    """Mean and 95 % Student t interval of n integers with this sum and sum of squares, divided by `unit`."""
    mean = total / (n * unit)
    if n < 2:
        return mean, nan, nan
    spread = n * squares - total * total  # exact: no cancellation
    half = float(stdtrit(n - 1, 0.975)) * sqrt(spread / (n - 1)) / n / unit
    return mean, mean - half, mean + half


@dataclass(frozen=True)
class Summary:
    """Score, margin and win share of each agent of a match, as exact sums over deals.

    agents: specs in lineup order, each once; members: how many members each has; deals: the deals as ranges
    sums: Python integers per agent: (score, score squared, margin, margin squared, wins, wins squared), each summed
    over deals of a deal's total over its seatings and the agent's members. Margins are in units of 1 / (sides - 1),
    wins in units of 1 / 27,720. `a + b` adds up, in any order to the same bits; overlapping deals are refused.
    """

    match: Match
    seed: int
    agents: tuple[str, ...]
    members: tuple[int, ...]
    deals: Ranges
    n_games: int
    unfinished: int
    sums: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, games: Games) -> Summary:
        """The summary of some games; every deal in them must have been played in all seatings."""
        match, sides = games.match, games.match.n_sides
        agents = tuple(dict.fromkeys(match.agents))
        scores = games.scores.astype(np.int64)
        margins = scores * sides - scores.sum(1, keepdims=True)
        wins = games.winners * (WIN_UNIT // games.winners.sum(1, keepdims=True)).astype(np.int64)
        deals = games.deal[:: match.seatings]
        if not np.array_equal(np.repeat(deals, match.seatings), games.deal):
            every, counts = np.unique(games.deal, return_counts=True)
            deal = every[counts != match.seatings][0]
            raise ValueError(f"deal {deal} was not played in all {match.seatings} seatings: no summary over deals")
        sums = []
        for agent in agents:
            columns = [member % sides for member, other in enumerate(match.agents) if other == agent]
            totals = [values[:, columns].sum(1).reshape(len(deals), -1).sum(1) for values in (scores, margins, wins)]
            sums.append(tuple(int(x) for total in totals for x in (total.sum(), _sum_of_squares(total))))
        return cls(
            match=match,
            seed=games.seed,
            agents=tuple(map(str, agents)),
            members=tuple(sum(other == agent for other in match.agents) for agent in agents),
            deals=deal_ranges(deals),
            n_games=len(games),
            unfinished=int((~games.finished).sum()),
            sums=tuple(sums),
        )

    @property
    def n_deals(self) -> int:
        """How many deals were played."""
        return sum(stop - start for start, stop in self.deals)

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        if self.match != other.match or self.seed != other.seed:
            raise ValueError("summaries of different matches or seeds do not add up")
        sums = zip(self.sums, other.sums, strict=True)
        return Summary(
            match=self.match,
            seed=self.seed,
            agents=self.agents,
            members=self.members,
            deals=joined(self.deals, other.deals),
            n_games=self.n_games + other.n_games,
            unfinished=self.unfinished + other.unfinished,
            sums=tuple(tuple(x + y for x, y in zip(a, b, strict=True)) for a, b in sums),
        )

    def rows(self) -> list[dict[str, Any]]:
        """One dict per agent, with the columns of `to_frame`."""
        sides, seatings = self.match.n_sides, self.match.seatings
        alone = len(self.agents) == 1  # symmetry fixes margin and win share: no interval
        rows = []
        for agent, members, sums in zip(self.agents, self.members, self.sums, strict=True):
            unit = members * seatings
            row: dict[str, Any] = {
                "agent": agent, "members": members, "n_deals": self.n_deals,
                "n_games": self.n_games, "unfinished": self.unfinished,
            }  # fmt: skip
            for name, scale, pair in (
                ("score", 1, sums[0:2]),
                ("margin", sides - 1, sums[2:4]),
                ("win_share", WIN_UNIT, sums[4:6]),
            ):
                mean, low, high = t_interval(pair[0], pair[1], self.n_deals, unit * scale)
                if name != "score" and (alone or low == high):
                    low, high = _without_spread(mean, self.n_deals) if name == "win_share" else (nan, nan)
                row |= {name: mean, f"{name}_low": low, f"{name}_high": high}
            row["chance_share"] = 1 / sides
            rows.append(row)
        return rows

    def to_frame(self) -> pd.DataFrame:
        """One row per agent; means are over its members, seatings and deals, intervals are 95 %, over deals.

        Columns: agent, members, n_deals, n_games, unfinished, score, score_low, score_high, margin (own score minus the
        mean of the other sides'), margin_low, margin_high, win_share (a shared victory counts 1/winners),
        win_share_low, win_share_high, chance_share (1/sides). Where symmetry fixes a value (one agent alone) its
        interval is missing; an agent that never (or always) won has Clopper and Pearson's interval on deals.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def __repr__(self) -> str:
        lines = [f"<Summary: {self.n_games:,} games, {self.n_deals:,} deals; means with 95 % intervals over deals"]
        for row in self.rows():
            parts = [
                f"{name.replace('_', ' ')} {_with_interval(row, name)}" for name in ("score", "margin", "win_share")
            ]
            lines.append(f"  {row['agent']} (x{row['members']}): " + ", ".join(parts))
        return "\n".join(lines) + f"; chance share {1 / self.match.n_sides:.3g}>"

    def _repr_html_(self) -> str:
        from html import escape

        names = ("score", "margin", "win_share")
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ("members", *names))
        body = "".join(
            f"<tr><td style='text-align: left'>{escape(row['agent'])}</td><td>{row['members']}</td>"
            + "".join(f"<td>{_with_interval(row, name)}</td>" for name in names)
            + "</tr>"
            for row in self.rows()
        )
        sides = self.match.n_sides
        unfinished = f" {self.unfinished:,} games were stopped unfinished." if self.unfinished else ""
        return (
            f"<table><thead><tr><th style='text-align: left'>agent</th>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>Means per game and member over {self.n_deals:,} deals ({self.n_games:,} games), 95 % intervals over "
            f"deals. Margin: own score minus the mean of the other sides'. Fair win share: 1/{sides} = {1 / sides:.3f}."
            f"{unfinished}</p>"
        )


def _without_spread(share: float, n: int) -> tuple[float, float]:
    """The interval of a win share that is the same on every deal: Clopper and Pearson's on deals where nothing or
    everything was won, and none where symmetry fixes the share."""
    if share == 0:
        return 0.0, float(1 - 0.025 ** (1 / n))
    return (float(0.025 ** (1 / n)), 1.0) if share == 1 else (nan, nan)


def _sum_of_squares(values: NDArray[np.int64]) -> int:
    """Exact: in Python integers where 64 bits might not hold it."""
    largest = max(int(values.max()), -int(values.min()))
    if len(values) * largest**2 < 2**63:
        return int((values * values).sum())
    return int((values.astype(object) ** 2).sum())


def _with_interval(row: dict[str, Any], name: str) -> str:
    digits = 3 if name == "win_share" else 2
    text = f"{row[name]:.{digits}f}"
    if row[f"{name}_low"] == row[f"{name}_low"]:
        text += f" ({row[f'{name}_low']:.{digits}f} to {row[f'{name}_high']:.{digits}f})"
    return text
