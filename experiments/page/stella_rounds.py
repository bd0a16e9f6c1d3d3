"""Two looks at Stella for a page: how many cards are marked at tables of 3 to 6, and one round in the dark in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

import sim
from agents.registry import make
from experiments.lab import plots, statistics
from experiments.lab.estimate import Estimate, Estimates, Floats
from sim.replay import trace
from sim.stella import StellaRules

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PLAYERS = (3, 4, 5, 6)
N_DEALS = 500
SEED = 7
ONE = "avoider:risk=0.3"
REPLAY = "python -m experiments.replay"


@dataclass(frozen=True)
class Marks:
    """How many cards are marked in a round. figure: by number of players; table: one row per number of players."""

    figure: Figure
    table: pd.DataFrame


@dataclass(frozen=True)
class DarkRound:
    """One round in the dark.

    somebody, fell: shares of rounds in which somebody stands in the dark, and in which that player also falls; erased:
    stars that darkness erases then; deal, round: where the round is; grid: rows of (card, seats that marked it); dark:
    seat in the dark; lines: the round in words; command: how to read the whole game.
    """

    somebody: Estimate
    fell: Estimate
    erased: Estimate
    deal: int
    round: int
    dark: int
    grid: tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
    lines: tuple[str, ...]
    command: str


def marks() -> Marks:
    """Tables of people, and one avoider among people, 500 deals each."""
    import pandas as pd

    figure, axes = plots.player_panels(PLAYERS, title="Cards marked in a round of Stella")
    rows = []
    for axis, players in zip(axes[0], PLAYERS, strict=True):
        people, one = _table(players, "people"), _table(players, ONE)
        counts = np.arange(1, people.match.rules.maximum_marks + 1)  # type: ignore[union-attr]
        shares, others = _shares(people, counts), _shares(one, counts)
        error = np.maximum(shares.half_width, 0)
        axis.bar(counts, shares.value, yerr=error, capsize=2, label="people among people", **plots.bar_style(0))
        plots.line(axis, counts, others, 1, label=f"one {ONE} among people")
        axis.set_xticks(counts)
        axis.set_xlabel("cards marked")
        rows.append(_row(players, people, one))
    axes[0, 0].set_ylabel("share of rounds")
    plots.legend(figure, axes)
    return Marks(figure, pd.DataFrame(rows))


def _table(players: int, spec: str) -> sim.Games:
    lineup = [make("stella", spec), *[make("stella", "people")] * (players - 1)]
    games: sim.Games = sim.simulate(sim.Match(lineup, StellaRules(players=players)), N_DEALS, seed=SEED)
    return games


def _per_deal(games: sim.Games, values: ArrayLike) -> Floats:
    """Means over a deal's seatings and whatever follows: (games, ...) -> (deals,)."""
    return np.asarray(np.reshape(values, (games.n_deals, -1)).mean(axis=1))


def _own(games: sim.Games) -> NDArray[np.int8]:
    """Marks of member 0 and of all who play like it: (games, rounds, members)."""
    assert games.rounds is not None
    alike = np.array([agent == games.match.agents[0] for agent in games.match.agents])
    return np.asarray(games.rounds.marks[:, :, alike])


def _shares(games: sim.Games, counts: NDArray[np.int64]) -> Estimates:
    own = _own(games)
    return statistics.mean(np.stack([_per_deal(games, own == count) for count in counts], axis=1))


def _row(players: int, people: sim.Games, one: sim.Games) -> dict[str, object]:
    assert people.rounds is not None
    row: dict[str, object] = {"players": players, "n_deals": N_DEALS}
    for name, games, values in (
        ("marks_of_people", people, _own(people)),
        ("marks_of_the_avoider", one, _own(one)),
        ("rounds_with_somebody_in_the_dark", people, people.rounds.dark.any(axis=2)),
    ):
        estimate = statistics.mean(_per_deal(games, values))[()]
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return row


def dark_round(players: int = 4) -> DarkRound:
    """Of all rounds of people in which somebody stands in the dark and falls, the one nearest to the middle."""
    games = _table(players, "people")
    rounds = games.rounds
    assert rounds is not None
    both = rounds.dark & rounds.fallen
    where = np.argwhere(both)
    looks = np.stack([column[both] for column in (rounds.marks, rounds.erased, rounds.points)], axis=1).astype(float)
    looks = np.column_stack([looks, rounds.fallen.sum(axis=2)[where[:, 0], where[:, 1]]])
    spread = np.maximum(np.abs(looks - np.median(looks, axis=0)).mean(axis=0), 1e-9)
    nearest = int(np.argmin((np.abs(looks - np.median(looks, axis=0)) / spread).sum(axis=1)))
    game, number, _ = (int(i) for i in where[nearest])
    deal = int(games.deal[game])
    step = trace(games.match, SEED, deal).rounds[number]
    told = str(sim.replay(games.match, seed=SEED, deal=deal)).split("\n\n")[number + 1].splitlines()
    cells = [
        (card, tuple(seat for seat in range(players) if step["marks"][seat][place]))
        for place, card in enumerate(step["grid"])
    ]
    columns = games.match.rules.columns  # type: ignore[union-attr]
    erased, fallen = np.where(both, rounds.erased, 0).sum(axis=(1, 2)), both.sum(axis=(1, 2))
    return DarkRound(
        somebody=statistics.mean(_per_deal(games, rounds.dark.any(axis=2)))[()],
        fell=statistics.mean(_per_deal(games, both.any(axis=2)))[()],
        erased=statistics.ratio(erased, fallen)[()],
        deal=deal,
        round=number + 1,
        dark=step["dark"].index(True),
        grid=tuple(tuple(cells[start : start + columns]) for start in range(0, len(cells), columns)),
        lines=tuple(line.strip() for line in (told[0], *told[2:])),
        command=f"{REPLAY} --game stella --agents people --players {players} --seed {SEED} --deal {deal}",
    )
