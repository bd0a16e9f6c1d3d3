"""Do the answers on darkness and on vagueness depend on what is not known of people?

What people do leaves ranges for agreement, breadth_sd, clarity_sd and storyteller_floor. Worlds are sampled from all
of them (Saltelli's design), the same deals are played in each, and payoff differences are compared: a cautious player's
win share less a reckless one's, a storyteller's points at a middling vagueness less those at an extreme one. Sobol
indices say which parameter moves them. In the extreme worlds, every risk and vagueness is tried: does the best stay so?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, Le, MinLen
from numpy.typing import NDArray

import sim
from agents.registry import make
from experiments.lab import statistics
from experiments.lab.command import run
from experiments.lab.estimate import Estimate, Floats
from experiments.lab.experiment import Experiment, Game, Result, Settings
from experiments.robust import drawing, extremes, words
from experiments.robust.playing import point_sums, points_match, win_match, win_sums
from experiments.robust.sobol import NO_FLOOR, RANGES, Design, Indices, against, design, indices, thirds
from sim.summary import WIN_UNIT
from sim.world import World

if TYPE_CHECKING:
    import pandas as pd

    from experiments.lab.context import Context

StellaPlayers = Annotated[int, Ge(2), Le(12)]
OdysseyPlayers = Annotated[int, Ge(3), Le(6)]


@dataclass(frozen=True, kw_only=True)
class Robustness(Settings):
    """Settings of the experiment; the defaults are what is committed under results/."""

    quick_values: ClassVar[Mapping[str, Any]] = {
        "n_deals": 40, "n_turns": 300, "base": 8, "stella_players": (4,), "odyssey_players": (4,),
    }  # fmt: skip

    n_deals: Annotated[int, Ge(2)] = 200
    """Deals of whole games in every sampled world, in all seatings; twice as many in extreme worlds."""
    n_turns: Annotated[int, Ge(2)] = 2_000
    """First turns of Odyssey in every world, one a deal."""
    base: Annotated[int, Ge(4), Le(1024)] = 64
    """Size of the base sample, a power of 2; there are base x (parameters + 2) worlds per game."""
    stella_players: Annotated[tuple[StellaPlayers, ...], MinLen(1)] = (3, 4, 5, 6)
    """Numbers of players in Stella."""
    odyssey_players: Annotated[tuple[OdysseyPlayers, ...], MinLen(1)] = (4, 5, 6)
    """Numbers of players in Odyssey."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base & (self.base - 1):
            raise ValueError(f"base = {self.base}: must be a power of 2 (4, 8, 16, ...)")


@dataclass(frozen=True)
class Claim:
    """What an experiment concluded, as a difference that is above 0 if it is right."""

    name: str
    game: Game
    text: str
    better: str
    worse: str


CLAIMS = (
    Claim("some caution", "stella", "caution pays: risk 0.2 wins more often than risk 1, no caution at all",
          "avoider:risk=0.2", "avoider:risk=1"),
    Claim("much caution", "stella", "risk 0.2 wins more often than risk 0.6", "avoider:risk=0.2", "avoider:risk=0.6"),
    Claim("not too vague", "odyssey", "vagueness 0.5 earns a storyteller more than 0.9",
          "storyteller:vagueness=0.5", "storyteller:vagueness=0.9"),
    Claim("not too literal", "odyssey", "vagueness 0.5 earns a storyteller more than 0.1",
          "storyteller:vagueness=0.5", "storyteller:vagueness=0.1"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Finding:
    """One claim with one number of players.

    values, errors: difference and its standard error per sampled world; here, like_people: in the world as given, and
    in that of `World.like("people")`
    """

    claim: Claim
    players: int
    sample: Design
    values: Floats
    errors: Floats
    here: Estimate
    like_people: Estimate
    indices: Indices

    @property
    def contradicts(self) -> NDArray[np.bool_]:
        """Worlds that contradict the claim for certain."""
        return against(self.values, self.errors)

    @property
    def against(self) -> int:
        """How many they are."""
        return int(self.contradicts.sum())

    @property
    def without_floor(self) -> NDArray[np.bool_]:
        """Worlds whose storytellers have no floor."""
        if "storyteller_floor" not in self.sample.names:
            return np.ones(len(self.values), bool)
        return np.asarray(self.sample.rows[:, self.sample.names.index("storyteller_floor")] < NO_FLOOR)

    @property
    def noise(self) -> float:
        """At most this share of the worlds' variance is the error of a finite number of deals."""
        return float(min(1.0, (self.errors**2).mean() / self.values.var()))

    def thirds(self, name: str) -> list[Estimate]:
        return thirds(self.sample.rows[:, self.sample.names.index(name)], self.values)


def answer(settings: Robustness, context: Context) -> Result:
    """Play the claims in sampled worlds, and all settings in the extreme ones."""
    import pandas as pd

    tables: list[tuple[Game, int]] = [("stella", n) for n in settings.stella_players]
    tables += [("odyssey", n) for n in settings.odyssey_players]
    samples = {game: design(game, settings.base, settings.seed) for game in dict.fromkeys(game for game, _ in tables)}
    findings: list[Finding] = []
    best: list[extremes.Best] = []
    with context.bar("tables", 2 * len(tables)) as advance:
        for game, players in tables:
            findings += _findings(settings, context, game, players, samples[game])
            advance(1)
        for game, players in tables:
            best += extremes.play(context, game, players, 2 * settings.n_deals, settings.n_turns)
            advance(1)
    verdicts = [words.verdict(finding) for finding in findings] + [words.stays(group) for group in words.groups(best)]
    return Result(
        summary=pd.concat([_rows(finding) for finding in findings], ignore_index=True),
        table=pd.DataFrame([_row(finding) for finding in findings]),
        tables={
            "conclusions": pd.DataFrame([{**_row(finding), "verdict": words.verdict(finding)} for finding in findings]),
            "worlds": pd.concat([_worlds(finding) for finding in findings], ignore_index=True),
            "best": pd.DataFrame([row for part in best for row in part.rows()]),
            "stays_best": pd.DataFrame([words.stays_row(group) for group in words.groups(best)]),
        },
        figure=drawing.draw(findings, best),
        sentence=words.sentence(findings, best),
        notes=[words.HOW, *verdicts],
    )


def _findings(settings: Robustness, context: Context, game: Game, players: int, sample: Design) -> list[Finding]:
    """All claims on one table, on the same deals in every world."""
    claims = [claim for claim in CLAIMS if claim.game == game]
    specs = list(dict.fromkeys(spec for claim in claims for spec in (claim.better, claim.worse)))
    worlds = [context.world, World.like("people"), *sample.worlds(context.world)]
    matches = {
        f"{i} {spec}": _match(context, game, players, spec, world) for i, world in enumerate(worlds) for spec in specs
    }
    if game == "stella":
        played = context.play_all(matches, win_sums)
        values = {name: sums.per("win", players * WIN_UNIT) for name, sums in played.items()}
    else:
        played = context.play_all(matches, point_sums, settings.n_turns)
        values = {name: sums.per("points") for name, sums in played.items()}
    found = []
    for claim in claims:
        gaps = [
            statistics.paired(values[f"{i} {claim.better}"], values[f"{i} {claim.worse}"])[()]
            for i in range(len(worlds))
        ]
        value = np.array([gap.value for gap in gaps[2:]])
        errors = np.array([gap.half_width for gap in gaps[2:]]) / float(statistics.t_quantile(gaps[0].n))
        moved = indices(sample, value, settings.seed)
        found.append(Finding(claim, players, sample, value, errors, gaps[0], gaps[1], moved))
    return found


def _match(context: Context, game: Game, players: int, spec: str, world: World) -> sim.Match:
    if game == "stella":
        return win_match(context, "stella", players, make("stella", spec), "people", world)
    return points_match(context, players, make("odyssey", spec), "people", world)


def _rows(finding: Finding) -> pd.DataFrame:
    """summary.csv: one row per claim, number of players and parameter."""
    import pandas as pd

    rows = []
    for name in RANGES:
        first, total = finding.indices.of(name)
        entered = name in finding.sample.names
        row: dict[str, Any] = {
            "claim": finding.claim.name, "game": finding.claim.game, "players": finding.players, "parameter": name,
            "enters": entered, "first_order": first.value, "first_order_low": first.low, "first_order_high": first.high,
            "total": total.value, "total_low": total.low, "total_high": total.high,
            "n_base_samples": len(finding.values) // (len(finding.sample.names) + 2), "n_worlds": len(finding.values),
            "n_deals": finding.here.n,
        }  # fmt: skip
        parts = finding.thirds(name) if entered else [Estimate(np.nan)] * 3
        for place, part in zip(("lower", "middle", "upper"), parts, strict=True):
            column = f"difference_in_{place}_third"
            row |= {column: part.value, f"{column}_low": part.low, f"{column}_high": part.high}
        rows.append(row)
    return pd.DataFrame(rows)


def _row(finding: Finding) -> dict[str, Any]:
    """One row per claim and number of players: the difference here, over the worlds, and what moves it most."""
    total = finding.indices.of(finding.indices.top)[1]
    return {
        "claim": finding.claim.text, "players": finding.players,
        "measure": "win share" if finding.claim.game == "stella" else "points per turn told",
        "difference": finding.here.value, "difference_low": finding.here.low, "difference_high": finding.here.high,
        "like_people": finding.like_people.value, "like_people_low": finding.like_people.low,
        "like_people_high": finding.like_people.high, "n_deals": finding.here.n, "n_worlds": len(finding.values),
        "least": float(finding.values.min()),
        "mean": float(finding.values.mean()), "most": float(finding.values.max()),
        "worlds_above_0": float((finding.values > 0).mean()), "worlds_against": finding.against,
        "worlds_without_floor": int(finding.without_floor.sum()),
        "against_without_floor": int(finding.contradicts[finding.without_floor].sum()),
        "moved_most_by": finding.indices.top, "total_index": total.value, "total_index_low": total.low,
        "total_index_high": total.high, "noise_share_at_most": finding.noise,
    }  # fmt: skip


def _worlds(finding: Finding) -> pd.DataFrame:
    """worlds.csv: the difference in every sampled world."""
    import pandas as pd

    half = finding.errors * float(statistics.t_quantile(finding.here.n))
    columns: dict[str, Any] = {"claim": finding.claim.name, "players": finding.players}
    for name in RANGES:
        known = name in finding.sample.names
        columns[name] = finding.sample.rows[:, finding.sample.names.index(name)] if known else np.nan
    columns |= {
        "difference": finding.values,
        "difference_low": finding.values - half,
        "difference_high": finding.values + half,
    }
    return pd.DataFrame({**columns, "n_deals": finding.here.n}, index=range(len(finding.values)))


EXPERIMENT = Experiment(
    name="robustness",
    question="Do the answers on darkness and on vagueness depend on what is not known of people?",
    settings=Robustness,
    run=answer,
    games=("stella", "odyssey"),
    swept=("players", "variant", "max_turns"),
    examples=("--world people", "--base 16 --stella-players 4"),
)

if __name__ == "__main__":
    run(EXPERIMENT)
