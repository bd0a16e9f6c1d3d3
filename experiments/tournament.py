"""A tournament between agents of either game: pairs, a gauntlet, or mixed tables; scores, win shares and a rating.

Self-play is played beside it: what a strategy is worth depends on the table, and a table of equals shows what it does
to the game itself. All tables are played on the same deals, in every rotation of the seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import tyro
from annotated_types import Ge, Gt, Le, Lt

from agents.registry import make
from experiments.contest.crossplay import CrossPlay, cross_tables, in_chunks, per_deal, win_share
from experiments.contest.figure import figure
from experiments.contest.schemes import Scheme, Sitting, sittings
from experiments.contest.standing import COLUMNS, Standing, result_tables, summary
from experiments.contest.words import notes, sentence
from experiments.lab.best import BestSettings, best_settings, measure_again
from experiments.lab.command import run
from experiments.lab.estimate import Estimate, Estimates
from experiments.lab.experiment import Experiment, Game, Result, Settings
from experiments.lab.given import refuse_other_game
from experiments.lab.precision import play_until, sequence_factor
from experiments.lab.rating import rate
from sim.match import Match
from sim.odyssey import OdysseyRules
from sim.randomness import scalar
from sim.stella import StellaRules

if TYPE_CHECKING:
    from experiments.lab.context import Context

Players = Annotated[int, Ge(2), Le(12)]
HalfWidth = Annotated[float, Gt(0), Lt(0.5)]
POOLS: Mapping[str, tuple[str, ...]] = {
    "stella": ("random", "people", "greedy", "top:k=5", "threshold", "avoider:risk=0.2", "avoider:risk=0.6"),
    "standard": ("random", "people", "greedy", "tuned", "adaptive", "bayes"),
    "team": ("random", "people", "greedy", "tuned", "adaptive", "bayes"),
    "party": ("random", "people", "party", "bluff", "wary"),
}
"""Who plays unless `--agents` says so: Stella, and the variants of Odyssey."""


@dataclass(frozen=True, kw_only=True)
class Tournament(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 100}

    game: Game = "stella"
    """Which game; the variant of Odyssey by --set variant=team or a rules file."""
    agents: Annotated[tuple[str, ...], tyro.conf.arg(metavar="SPEC ...", help_behavior_hint="(default: a pool)")] = ()
    """Specs of the agents, two or more (see python -m agents)."""
    players: Annotated[
        Players | None, tyro.conf.arg(metavar="INT", help_behavior_hint="(default: Stella 4, Odyssey 6)")
    ] = None
    """Number of players at a table."""
    scheme: Scheme = "round-robin"
    """round-robin: of every pair one alone among the other, both ways, and half and half; gauntlet: one agent alone
    among each other; mixed: tables of different agents."""
    focus: Annotated[
        str | None, tyro.conf.arg(metavar="SPEC", help_behavior_hint="(default: first that is not random)")
    ] = None
    """Gauntlet: the agent that runs it."""
    tables: Annotated[int, Ge(1)] | None = None
    """Mixed: tables to draw where there are more combinations than that (default: 70)."""
    n_deals: Annotated[int, Ge(1)] = 1_000
    """Deals for every table, each played once per seating; with --precision the number before the first look."""
    precision: Annotated[
        HalfWidth | None, tyro.conf.arg(metavar="FLOAT", help_behavior_hint="(default: play --n-deals deals)")
    ] = None
    """Play on until the interval of every agent's win share is +- this or narrower."""
    max_deals: Annotated[int, Ge(1)] = 100_000
    """With --precision: stop there at the latest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, scheme in (("focus", "gauntlet"), ("tables", "mixed")):
            if getattr(self, name) is not None and self.scheme != scheme:
                raise ValueError(f"{name} = {getattr(self, name)!r}: only with --scheme {scheme}, not {self.scheme}")
        if self.precision is None and self.max_deals != type(self).max_deals:
            raise ValueError(f"max_deals = {self.max_deals}: only with --precision")


def answer(settings: Tournament, context: Context) -> Result:
    """Play all tables, fit the rating, tell the best, and measure it again on fresh deals."""
    refuse_other_game(settings, settings.game)
    rules = context.rules(settings.game, **({} if settings.players is None else {"players": settings.players}))
    agents, focus = pool(settings, rules.variant if isinstance(rules, OdysseyRules) else "stella")
    names = tuple(map(str, agents))
    tables = sittings(settings.scheme, len(agents), rules.sides, focus, settings.tables)
    each = rules.players // rules.sides
    matches = {
        table.words(names): Match([agents[a] for a in table.sides] * each, rules, context.world) for table in tables
    }
    play, shares, factor, reached = _play(settings, context, tables, matches, len(agents), rules.sides)
    rating = rate(*play.played(), play.n_deals, factor)
    best, fresh = None, None
    if settings.scheme != "gauntlet":
        best = best_settings(np.concatenate(play.shares))
        fresh = _again(context, tables, matches, best, play.n_deals)
    standing = Standing(
        scheme=settings.scheme,
        game=_game_words(rules),
        names=names,
        focus=focus,
        players=rules.players,
        sides=rules.sides,
        play=play,
        shares=shares,
        factor=factor,
        rating=rating,
        best=best,
        fresh=fresh,
        precision=settings.precision,
        reached=reached,
    )
    frame = summary(standing)
    shown = ["agent", "rating", "win_share", "alone_win_share", "margin", "score", "self_play_score", "best"]
    return Result(
        summary=frame,
        sentence=sentence(standing),
        table=frame[[c + end for c in shown for end in ("", "_low", "_high") if c + end in frame.columns]],
        tables=result_tables(standing),
        figure=figure(standing),
        files={"columns.txt": COLUMNS},
        notes=notes(standing),
    )


def pool(settings: Tournament, kind: str) -> tuple[list[Any], int]:
    """The agents in the order of their specs, and the position of the focus. kind: "stella" or a variant of Odyssey.

    ValueError for fewer than two agents, one that is there twice, an unknown one or one of the other game.
    """
    agents = [make(settings.game, spec) for spec in settings.agents or POOLS[kind]]
    for position, agent in enumerate(agents):
        if agent in agents[:position]:
            first = settings.agents[agents.index(agent)] if settings.agents else str(agent)
            said = settings.agents[position] if settings.agents else str(agent)
            same = "" if first == said else f" ({first} and {said} are the same)"
            raise ValueError(f"agents: {agent} is there twice{same}; a tournament is between different agents")
    chosen = next((agent for agent in agents if str(agent) != "random"), agents[0]) if agents else None
    focus = chosen if settings.focus is None else make(settings.game, settings.focus)
    if focus not in agents:
        agents.append(focus)
    if len(agents) < 2:
        raise ValueError(f"agents = {agents[0]} alone: a tournament needs at least two")
    agents.sort(key=str)
    return agents, agents.index(focus)


def _play(
    settings: Tournament,
    context: Context,
    tables: Sequence[Sitting],
    matches: Mapping[str, Match],
    n_agents: int,
    sides: int,
) -> tuple[CrossPlay, Estimates, float | None, bool]:
    """The games, every agent's win share, how many standard errors wide intervals are (None: Student's t), and whether
    the wanted precision was reached."""
    play = CrossPlay(tables, n_agents, sides, scalar.word(settings.seed, _BOOTSTRAP))

    def deals(first: int, n: int) -> Any:
        parts = in_chunks(first, n, lambda f, m: play.add([*context.play_all(matches, per_deal, m, f).values()]))
        return np.concatenate(parts)

    if settings.precision is None:
        deals(0, settings.n_deals)
        return play, play.moments["agent.win_share"].estimates(shares=True), None, True
    found = play_until(deals, settings.precision, settings.max_deals, first_look=settings.n_deals)
    tuned_for = max(settings.n_deals, settings.max_deals // 2)
    return play, found.estimates, sequence_factor(play.n_deals, tuned_for), found.reached


def _game_words(rules: OdysseyRules | StellaRules) -> str:
    if isinstance(rules, StellaRules):
        return "Stella"
    return "Odyssey" if rules.variant == "standard" else f"Odyssey ({rules.variant})"


_BOOTSTRAP = 0xB007


def _again(
    context: Context, tables: Sequence[Sitting], matches: Mapping[str, Match], best: BestSettings, n_deals: int
) -> Estimate:
    """The win share of the agent with the highest one, on deals that had no part in choosing it."""
    rows = cross_tables(tables, best.index)
    named = list(matches.items())
    wanted = dict(named[row] for row in rows)

    def play(first: int, n: int) -> Any:
        def chunk(start: int, count: int) -> Any:
            results = context.play_all(wanted, per_deal, count, start)
            return win_share(tables, dict(zip(rows, results.values(), strict=True)), best.index)

        return np.concatenate(in_chunks(first, n, chunk))

    return measure_again(play, n_deals, n_deals)


EXPERIMENT = Experiment(
    name="tournament",
    question="Which of these agents plays best, against whom, and what does each make of a table of its own kind?",
    settings=Tournament,
    run=answer,
    games=("stella", "odyssey"),
    swept=("players",),
    examples=(
        "--agents greedy people avoider:risk=0.3 --players 5 --scheme round-robin",
        "--scheme gauntlet --focus avoider:risk=0.4",
        "--scheme mixed --precision 0.01 --max-deals 50000",
        "--game odyssey --players 6",
        "--game odyssey --set variant=team --players 8",
    ),
)

if __name__ == "__main__":
    run(EXPERIMENT)
