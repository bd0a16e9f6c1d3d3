"""A tournament in words: the answer, what it rests on, and where one number per agent says too little."""

from __future__ import annotations

import numpy as np

from experiments.contest.standing import WANTED, Standing
from experiments.lab.estimate import Estimate
from experiments.lab.precision import deals_needed


def notes(standing: Standing) -> list[str]:
    """Denominators, the rating's worst residual, tables that nobody joins with profit, and how many deals it takes."""
    play, rating = standing.play, standing.rating
    said = [
        f"{play.n_deals:,} deals at each of {len(play.sittings)} kinds of table, {int(play.n_games.sum()):,} games. "
        "Win share: victories (shared ones in parts) per own side and game, mean over the agent's tables with others, "
        f"fair share 1/{standing.sides}; alone: only the tables where another agent has all other sides. Margin: own "
        "points minus the mean of the other sides. Rating: 400 points = ten times the strength, mean of the pool 0. "
        "Self-play: points per side at a table of its own kind. columns.txt has every denominator."
    ]
    if standing.scheme == "gauntlet":
        said.append(
            "In a gauntlet everybody meets the focus alone: the rating says the same as the win shares, on one scale."
        )
    else:
        said.append(_worst(standing))
    if len(set(rating.components)) > 1:
        apart = [
            standing.names[a]
            for a in standing.order
            if not np.isfinite(rating.strength.low[a] + rating.strength.high[a])
        ]
        said.append(
            f"No victory, even by way of others, ties {', '.join(apart)} to the rest in both directions: that rating "
            "has no bound on one side, and its value rests on half a pseudo-game."
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
        said.append(
            f"An interval of +- {WANTED:g} for every win share takes {deals_needed(float(sd.max()), WANTED):,} deals."
        )
    return said


def _worst(standing: Standing) -> str:
    """Where one number per agent says least of what happened."""
    rating = standing.rating
    table, agent = rating.worst
    row, gap = standing.rows[table], rating.residuals[table, agent]
    who = f" of {standing.names[agent]}" if standing.play.sittings[row].kind == "mixed" else ""
    return (
        f"Worst residual of the rating: {standing.table(row)}, win share{who} {rating.measured[table, agent]:.3f} "
        f"where the rating says {rating.fit.expected[table, agent]:.3f}, {gap.short()} off"
        f"{'' if gap.low > 0 or gap.high < 0 else ', which chance explains'}. "
        "Where strength is not transitive, pairwise.csv and residuals.csv say who beats whom."
    )


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
    surely = (
        "each surely wins less"
        if strict == held
        else (f"where each surely wins less: {', '.join(strict)}" if strict else "at none does each surely win less")
    )
    return (
        f"Tables of one kind that no other single agent joins with more than its fair share (equilibria of the pool): "
        f"{', '.join(held)}; {surely}."
    )


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
        parts += (
            [f"less among {_listed(behind)}" if ahead else f"less than its fair share among {_listed(behind)}"]
            if behind
            else []
        )
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
