"""A tournament as tables, words and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.lab import plots
from experiments.lab.best import BestSettings
from experiments.lab.crossplay import CrossPlay
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.heat_map import heat_map
from experiments.lab.precision import deals_needed
from experiments.lab.rating import Rating
from experiments.lab.schemes import Scheme

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

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
  self_play_score  points per side at a table of its own kind; self_play_shared: share of those games with several winners

pairwise.csv       one row per ordered pair; at mixed tables: over the tables where both sit, every table counting alike
  win_share, score, margin    of the agent, alone at a table of `among`
  table_score      points of each `among` side at that table
  win_share_minus_reverse     minus the win share of `among` alone at a table of the agent, on common deals
  score_minus_self_play       minus what `among` scores at a table of its own kind: the gain from joining it as another
  half_win_share   share of the victories that go to the agent where sides alternate between both; fair: 1/2
  ahead            of all pairs of sides at one table, those in which the agent's has more points; equal points count 1/2
  win_share_gap    mean over common tables of win share per side: the agent's minus the other's

residuals.csv      one row per table and agent: win share per own side, measured, by the rating, and the difference
ties.csv           cross-play games by number of winners; tie: the model's parameter (1 = as likely as one winner's victory
                   among equals)
variance.csv       one game's win share of one side: variance between deals (luck of the cards), seatings (turn order) and
                   rest, in per cent, on the first n_deals; deals_needed: for an interval of +- 0.01. First rows: an
                   agent's win share over all its tables
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
        return self.play.moments[name].estimates(self.factor, shares)

    def table(self, row: int) -> str:
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


def notes(standing: Standing) -> list[str]:
    """Denominators, the rating's worst residual, tables that nobody joins with profit, and how many deals it takes."""
    play, rating = standing.play, standing.rating
    said = [
        f"{play.n_deals:,} deals at each of {len(play.sittings)} kinds of table, {int(play.n_games.sum()):,} games. Win share: "
        "victories (shared ones in parts) per own side and game, mean over the agent's tables with others; fair share "
        f"1/{standing.sides}; alone: only those where another agent has all other sides. Margin: own points minus the mean of the other sides. Rating: 400 points = ten times the "
        "strength, pool mean 0. Self-play: points per side at a table of its own kind. columns.txt has every denominator."
    ]
    table, agent = rating.worst
    gap = rating.residuals[table, agent]
    who = "" if standing.play.sittings[standing.rows[table]].kind != "mixed" else f" of {standing.names[agent]}"
    told = "" if gap.low > 0 or gap.high < 0 else ", which chance explains"
    said.append(
        f"Worst residual of the rating: {standing.table(standing.rows[table])}, win share{who} {rating.measured[table, agent]:.3f} "
        f"where the rating says {rating.fit.expected[table, agent]:.3f}: {gap.short()} off{told}. "
        "A rating is one number per agent; who beats whom beyond it is in pairwise.csv and residuals.csv."
    )
    if len(set(rating.components)) > 1:
        apart = [standing.names[a] for a in standing.order if not np.isfinite(rating.strength.low[a] + rating.strength.high[a])]
        said.append(
            f"No victory, even by way of others, ties {', '.join(apart)} to the rest in both directions: that rating has "
            "no bound on one side, and its value rests on half a pseudo-game."
        )
    if standing.scheme == "round-robin":
        said.append(_stable(standing))
    if (unfinished := int(play.unfinished.sum())) > 0:
        said.append(f"{unfinished:,} games were stopped unfinished by max_turns and won by the most points so far.")
    if standing.precision is not None:
        widest = float(np.nanmax(standing.shares.half_width))
        said.append(
            f"Precision: the widest interval of a win share is +- {widest:.4f} after {play.n_deals:,} deals "
            + (f"(wanted: {standing.precision:g}). " if standing.reached else
               f"(wanted: {standing.precision:g}; stopped by --max-deals). ")
            + "Intervals hold however often one looks (confidence sequences, 95 % each)."
        )  # fmt: skip
    sd = play.moments["agent.win_share"].sd
    if np.isfinite(sd).all():
        said.append(f"An interval of +- {WANTED:g} for every win share takes {deals_needed(float(sd.max()), WANTED):,} deals.")
    return said


def _stable(standing: Standing) -> str:
    """Tables of one kind that no single other agent joins with more than its fair share: symmetric equilibria."""
    shares = standing.mean("pair.win_share", shares=True)
    fair, n = 1 / standing.sides, len(standing.names)
    held = [
        standing.names[b]
        for b in standing.order
        if all(shares.value[a, b] <= fair or shares.low[a, b] <= fair for a in range(n) if a != b)
    ]
    strict = [name for name in held if all(shares.high[a, standing.names.index(name)] < fair for a in range(n)
                                           if a != standing.names.index(name))]  # fmt: skip
    if not held:
        return "Every table of one kind is joined with profit by some other agent of the pool: none is an equilibrium."
    each = ", ".join(f"{name}{'' if name in strict else ' (not told from its fair share)'}" for name in held)
    return f"Tables of one kind at which no other single agent wins more than its fair share (equilibria in this pool): {each}."


def sentence(standing: Standing) -> str:
    """The answer."""
    names, fair = standing.names, f"fair share {1 / standing.sides:.3g}"
    n = f"n = {standing.play.n_deals:,} deals"
    if standing.best is None:
        shares = standing.mean("pair.win_share", shares=True)
        fields = [b for b in range(len(names)) if b != standing.focus]
        ahead = [names[b] for b in fields if shares.low[standing.focus, b] > 1 / standing.sides]
        behind = [names[b] for b in fields if shares.high[standing.focus, b] < 1 / standing.sides]
        rest = len(fields) - len(ahead) - len(behind)
        parts = [f"more than its fair share among {_listed(ahead)}"] if ahead else []
        parts += [f"less among {_listed(behind)}" if ahead else f"less than its fair share among {_listed(behind)}"] if behind else []
        parts += [f"cannot be told from it among {rest} other{'s' if rest > 1 else ''}"] if rest else []
        each = ", ".join(f"{names[b]} {shares[standing.focus, b].short()}" for b in fields)
        return f"{names[standing.focus]} alone wins {'; '.join(parts)} ({fair}, {n}): {each}."
    best, points = standing.best, standing.rating.points
    assert standing.fresh is not None
    top = best.index
    order = [agent for agent in standing.order if best.inside[agent] and agent != top]
    others = f", not told from {_listed([names[a] for a in order])}" if order else ""
    kind = "at mixed tables" if standing.scheme == "mixed" else "over all pairs"
    alone = ""
    if standing.scheme == "round-robin":
        single = standing.mean("agent.alone_win_share", shares=True)
        first = int(np.argmax(single.value))
        alone = f"; alone at the tables of others {names[first]} wins most, {single[first].short()}"
    return (
        f"Best of {len(names)} {kind} of {standing.players} players: {names[top]}{others}; it wins "
        f"{standing.fresh.short()} of its games on fresh deals ({fair}, {n} each), rating {_signed(points[top])}; "
        f"at a table of its own kind each side scores {standing.mean('self.score')[top].short()}{alone}."
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _signed(points: Estimate) -> str:
    return ("+" if points.value > 0 else "") + points.short()


def figure(standing: Standing) -> Figure:
    """Who wins how much at whose table, and the rating beside it, agents in the same rows."""
    order = standing.order
    names = [standing.names[agent] for agent in order]
    n = len(order)
    kind = {"round-robin": "Tournament of pairs", "gauntlet": "Gauntlet", "mixed": "Tournament at mixed tables"}
    title = f"{kind[standing.scheme]}: {standing.game.capitalize()}, {standing.players} players, {standing.play.n_deals:,} deals"
    drawn, axes = plots.new_figure(1, 2, 5.2 + 0.75 * n, 2.6 + 0.42 * n, title, width_ratios=[0.35 + 0.2 * n, 1])
    left, right = axes[0]
    fair = 1 / standing.sides
    if standing.scheme == "gauntlet":
        _gauntlet(standing, left)
    else:
        mixed = standing.scheme == "mixed"
        cells = standing.mean(f"pair.{'ahead' if mixed else 'win_share'}", shares=True)
        level = 0.5 if mixed else fair
        values = cells.value[np.ix_(order, order)].copy()
        np.fill_diagonal(values, level)
        words = np.full((n, n), "", dtype=object)
        np.fill_diagonal(words, "even" if mixed else "fair")
        heat_map(left, values, names, names, bold=cells.low[np.ix_(order, order)] > level, words=words, low=0.0)
        if mixed:
            left.set_title("How often the row has more points than the column\n(ties half; bold: more often than not, 95 %)", loc="left")
            left.set_xlabel("... than this agent at the same table")
        else:
            left.set_title(f"Win share of one row agent at a table of the column\n(fair: {fair:.2f}; bold: more than fair, 95 %)", loc="left")
            left.set_xlabel("... among this agent on all other sides")
    _rating(standing, right)
    return drawn


def _gauntlet(standing: Standing, axis: Any) -> None:
    fields = [b for b in standing.order if b != standing.focus]
    shares = standing.mean("pair.win_share", shares=True)
    row = Estimates(*(np.asarray(getattr(shares, part))[standing.focus, fields] for part in ("value", "low", "high", "n")))
    plots.bars(axis, [f"among {standing.names[b]}" for b in fields], row)
    for place, share in enumerate(row):
        axis.text(max(share.value, share.high) + 0.01, place, f"{share.value:.2f}", va="center")
    plots.reference(axis, 1 / standing.sides, vertical=True)
    axis.set_xlim(0, min(1.1, float(np.nanmax(np.maximum(row.value, row.high))) + 0.12))
    axis.set_title(f"Win share of {standing.names[standing.focus]}, alone\n(dotted: fair share {1 / standing.sides:.2f})", loc="left")
    axis.set_xlabel("victories per game")


_PAPER: Any = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}


def _rating(standing: Standing, axis: Any) -> None:
    """Points with bars, agents in the order of the rating; an arrow where there is no bound."""
    points, order = standing.rating.points, standing.order
    place = np.arange(len(order))
    value, low, high = (np.asarray(ends)[order] for ends in (points.value, points.low, points.high))
    finite = np.concatenate([value, low[np.isfinite(low)], high[np.isfinite(high)]])
    margin = 0.08 * (finite.max() - finite.min()) or 10.0
    left, right = float(finite.min() - margin), float(finite.max() + 5 * margin)
    reach = [np.nan_to_num(value - np.maximum(low, left)), np.nan_to_num(np.minimum(high, right) - value)]
    axis.errorbar(
        value, place, xerr=np.maximum(reach, 0), fmt="o", color="black", markerfacecolor="white", capsize=3, elinewidth=1.3
    )
    for row, (v, top) in enumerate(zip(value, high, strict=True)):
        edge = top if np.isfinite(top) else v
        axis.text(edge + margin / 2, row, f"{v:+.0f}", va="center", bbox=_PAPER)
    for row in np.flatnonzero(~np.isfinite(low)):
        axis.plot(left, row, marker="<", color="black", clip_on=False)
    for row in np.flatnonzero(~np.isfinite(high)):
        axis.plot(right, row, marker=">", color="black", clip_on=False)
    plots.reference(axis, 0.0, vertical=True)
    axis.set_xlim(left, right)
    axis.set_ylim(len(order) - 0.5, -0.5)
    axis.set_yticks(place, [standing.names[agent] for agent in order] if standing.scheme == "gauntlet" else [])
    axis.grid(False, axis="y")
    axis.set_title("Rating with 95 % intervals\n(400 points: ten times the strength)", loc="left")
    axis.set_xlabel("points, mean of the pool 0")
