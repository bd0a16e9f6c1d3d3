"""A tournament after its last game: its numbers, as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.contest.crossplay import CrossPlay
from experiments.contest.schemes import Scheme
from experiments.lab.best import BestSettings
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.precision import deals_needed
from experiments.lab.rating import Rating

if TYPE_CHECKING:
    import pandas as pd

WANTED = 0.01
"""Half-width of a win share's interval for which variance.csv says how many deals it needs."""

COLUMNS = """\
What the columns mean and what they are divided by. A side is what has a score: a seat, or in team a pair of partners.
x_low, x_high: 95 % interval over deals, for a deal is what repeats; all seatings of a deal are one observation. Missing
where symmetry fixes the value or every deal gave the same; Clopper-Pearson on deals where an agent never or always won.
With --precision: confidence sequences, which hold however often one looks.

n_deals            deals, each played at every table in every rotation of its lineup
n_games            games at the tables of the row
alone              one side of the agent, all others of another agent
win_share          victories per own side and game (one shared by k winners counts 1/k); fair_share = 1/sides

summary.csv        one row per agent, best rating first; means over the agent's tables, every table counting alike
  tables           kinds of table at which it met others; self-play is not among them
  alone_win_share  of these, the tables at which it is alone among another agent: what a single player gains by it
  score, margin    points per own side and game; own points minus the mean of all other sides
  best             not told from the highest win share (multiple comparison with the best, 95 %)
  rating           points of the Davidson-Luce model, mean of the pool 0; 400 points = ten times the strength;
                   strength = its natural logarithm. Intervals: refits on deals drawn by a Poisson bootstrap
  self_play_score  points per side at a table of its own kind; self_play_minus_cross_play: that minus score, on common
                   deals; self_play_shared: share of the self-play games with several winners

pairwise.csv       one row per ordered pair; at mixed tables: over the tables where both sit, every table counting alike
  win_share, score, margin    of the agent, alone at a table of `among`
  table_score      points of each `among` side at that table
  win_share_minus_reverse     minus the win share of `among` alone at a table of the agent, on common deals
  score_minus_self_play       minus what `among` scores at a table of its own kind: the gain from joining it as another
  half_win_share   share of the victories that go to the agent where sides alternate between both; fair: 1/2
  ahead            share of the pairs of sides at one table in which the agent's has more points; equal points count 1/2
  win_share_gap    mean over common tables of win share per side: the agent's minus the other's

residuals.csv      one row per table and agent: win share per own side, measured, by the rating, and the difference
ties.csv           cross-play games by number of winners; tie: the model's parameter (1 = as likely, among equals, as
                   the victory of one of them alone)
variance.csv       one game's win share of one side: its variance between deals (luck of the cards), between seatings
                   (turn order) and the rest, in per cent, on the first n_deals; deals_needed: for an interval of
                   +- 0.01. First rows: an agent's win share over all its tables
"""


@dataclass(frozen=True, eq=False)
class Standing:
    """A tournament after its last game.

    names: specs; focus: position of the gauntlet's agent; shares: win share per agent; factor: standard errors to each
    side of an interval (None: Student's t); best, fresh: None in a gauntlet, where tables are not comparable.
    """

    scheme: Scheme
    game: str
    names: tuple[str, ...]
    focus: int
    players: int
    sides: int
    play: CrossPlay
    shares: Estimates
    factor: float | None
    rating: Rating
    best: BestSettings | None
    fresh: Estimate | None
    precision: float | None
    reached: bool

    @property
    def order(self) -> list[int]:
        """Agents, best rating first."""
        return [int(i) for i in np.argsort(-self.rating.strength.value, kind="stable")]

    @property
    def rows(self) -> list[int]:
        """Rows of the cross-play tables, in the order of the rating's tables."""
        return [row for row, sitting in enumerate(self.play.sittings) if sitting.kind != "self"]

    def mean(self, name: str, shares: bool = False) -> Estimates:
        """A series of `CrossPlay` as means with intervals."""
        found = self.play.moments[name].estimates(self.factor, shares)
        return found.within(0, 1) if shares else found

    def table(self, row: int) -> str:
        """A table in words. row: its number among the sittings."""
        return self.play.sittings[row].words(self.names)


def summary(standing: Standing) -> pd.DataFrame:
    """One row per agent, best rating first."""
    import pandas as pd

    play, order = standing.play, standing.order
    with_agent = [play.tables_with(agent) for agent in order]
    columns: dict[str, Any] = {
        "agent": [standing.names[agent] for agent in order],
        "scheme": standing.scheme,
        "players": standing.players,
        "tables": [len(rows) for rows in with_agent],
        "n_deals": play.n_deals,
        "n_games": [int(play.n_games[rows].sum()) for rows in with_agent],
        "unfinished": [int(play.unfinished[rows].sum()) for rows in with_agent],
    }
    found = {
        "rating": standing.rating.points,
        "strength": standing.rating.strength,
        "win_share": standing.shares,
        "alone_win_share": standing.mean("agent.alone_win_share", shares=True),
        "margin": standing.mean("agent.margin"),
        "score": standing.mean("agent.score"),
        "self_play_score": standing.mean("self.score"),
        "self_play_minus_cross_play": standing.mean("self.minus_cross"),
        "self_play_shared": standing.mean("self.shared", shares=True),
    }
    for name, estimates in found.items():
        columns |= {column: values[order] for column, values in estimates.columns(name).items()}
    if not np.isfinite(columns["alone_win_share"]).any():
        for column in found["alone_win_share"].columns("alone_win_share"):
            del columns[column]
    columns["fair_share"] = 1 / standing.sides
    if standing.best is not None:
        columns["best"] = standing.best.inside[order]
    return pd.DataFrame(columns)


def result_tables(standing: Standing) -> dict[str, pd.DataFrame]:
    """pairwise, residuals, ties and variance."""
    return {
        "pairwise": _pairwise(standing),
        "residuals": _residuals(standing),
        "ties": _ties(standing),
        "variance": _variance(standing),
    }


def _pairwise(standing: Standing) -> pd.DataFrame:
    import pandas as pd

    play, names = standing.play, standing.names
    mixed = standing.scheme == "mixed"
    pairs = [(a, b) for a in standing.order for b in standing.order if a != b and _met(standing, a, b)]
    at = tuple(np.array(pairs).T)
    common = [[row for row in play.tables_with(a) if b in play.sittings[row].sides] for a, b in pairs]
    columns: dict[str, Any] = {
        "agent": [names[a] for a, _ in pairs],
        "with" if mixed else "among": [names[b] for _, b in pairs],
        "n_deals": play.n_deals,
        "n_games": [int(play.n_games[rows].sum()) for rows in common],
        "fair_share": 1 / standing.sides,
    }
    wanted = ["ahead", "win_share_gap"] if mixed else [
        "win_share", "win_share_minus_reverse", "margin", "score", "table_score", "score_minus_self_play",
        "half_win_share", "ahead",
    ]  # fmt: skip
    for name in wanted:
        estimates = standing.mean(f"pair.{name}", shares=name.endswith("share"))
        if np.isfinite(estimates.value[at]).any():
            columns |= {column: values[at] for column, values in estimates.columns(name).items()}
    return pd.DataFrame(columns)


def _met(standing: Standing, a: int, b: int) -> bool:
    series = "ahead" if standing.scheme == "mixed" else "win_share"
    return bool(np.isfinite(standing.play.moments[f"pair.{series}"].mean[a, b]))


def _residuals(standing: Standing) -> pd.DataFrame:
    import pandas as pd

    rating, found = standing.rating, []
    for table, row in enumerate(standing.rows):
        for agent in standing.play.sittings[row].agents:
            gap = rating.residuals[table, agent]
            found.append(
                {
                    "table": standing.table(row), "agent": standing.names[agent], "n_deals": standing.play.n_deals,
                    "n_games": int(standing.play.n_games[row]), "fair_share": 1 / standing.sides,
                    "win_share": rating.measured[table, agent], "by_rating": rating.fit.expected[table, agent],
                    "residual": gap.value, "residual_low": gap.low, "residual_high": gap.high,
                }
            )  # fmt: skip
    frame = pd.DataFrame(found)
    order = np.argsort(-np.abs(frame["residual"].to_numpy()), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def _ties(standing: Standing) -> pd.DataFrame:
    import pandas as pd

    games = standing.play.games[standing.rows].sum(axis=0)
    return pd.DataFrame(
        {
            "winners": np.arange(1, standing.sides + 1),
            "n_games": games,
            "share_of_games": games / games.sum(),
            "tie": np.exp(np.concatenate([[0.0], standing.rating.fit.log_tie])),
        }
    )


def _variance(standing: Standing) -> pd.DataFrame:
    import pandas as pd

    sd = standing.play.moments["agent.win_share"].sd
    found: list[dict[str, Any]] = [
        {
            "agent": standing.names[agent],
            "table": "all its tables",
            "n_deals": standing.play.n_deals,
            "sd_of_deal_means": sd[agent],
            "deals_needed": deals_needed(float(sd[agent]), WANTED) if np.isfinite(sd[agent]) else None,
        }
        for agent in standing.order
    ]
    for (row, agent), split in standing.play.split.items():
        shares = split.row()
        found.append(
            {
                "agent": standing.names[agent],
                "table": standing.table(row),
                "n_deals": split.deals,
                "seatings": split.seatings,
                "deal_percent": shares["deal %"],
                "seating_percent": shares["seating %"],
                "rest_percent": shares["rest %"],
                "sd_of_deal_means": np.sqrt(split.deal_mean),
                "deals_needed": split.deals_needed(WANTED),
            }
        )
    columns = ["agent", "table", "n_deals", "seatings", "deal_percent", "seating_percent", "rest_percent"]
    frame = pd.DataFrame(found, columns=[*columns, "sd_of_deal_means", "deals_needed"])
    return frame.astype({"seatings": "Int64", "deals_needed": "Int64"})
