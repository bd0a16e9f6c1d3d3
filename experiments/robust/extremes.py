"""All settings in extreme worlds: is the best risk, or vagueness, the same at all ends of what is not known?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from agents.registry import make
from experiments.lab.best import BestSettings, best_settings
from experiments.lab.experiment import Game
from experiments.robust.playing import point_sums, points_match, win_match, win_sums
from experiments.robust.sobol import ENTERS, RANGES, world_at
from sim.summary import WIN_UNIT
from sim.world import World

if TYPE_CHECKING:
    from experiments.lab.context import Context

import numpy as np

SETTINGS: dict[str, tuple[float, ...]] = {
    "stella": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
    "odyssey": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
}
SPECS = {"stella": "avoider:risk={:g}", "odyssey": "storyteller:vagueness={:g}"}
FIELDS = {"stella": ("people",), "odyssey": ("people", "bayes")}


@dataclass(frozen=True, eq=False)
class Best:
    """One table in one world: which settings cannot be told from the best. ends: "-" low or "+" high per parameter."""

    game: Game
    players: int
    field: str
    criterion: str
    world: str
    ends: str
    values: dict[str, float | None]
    best: BestSettings

    @property
    def settings(self) -> tuple[float, ...]:
        return SETTINGS[self.game]

    def rows(self) -> list[dict[str, Any]]:
        labels = [f"{setting:g}" for setting in self.settings]
        return [
            {
                "game": self.game, "players": self.players, "field": self.field, "criterion": self.criterion,
                "world": self.world, **self.values, "n_deals": self.best.n, "best": self.best.words(labels),
                "highest_at": self.settings[self.best.index], "highest": float(self.best.means[self.best.index]),
            }
        ]  # fmt: skip


def worlds(base: World, game: Game) -> dict[str, tuple[World, str]]:
    """The given world, the people's, and the corners of the ranges of the parameters that enter the game."""
    names = ENTERS[game]
    found = {"as given": (base, ""), "like people": (World.like("people"), "")}
    for ends in product((0, 1), repeat=len(names)):
        signs = "".join("-+"[end] for end in ends)
        found[signs] = world_at(base, {name: RANGES[name][end] for name, end in zip(names, ends, strict=True)}), signs
    return found


def play(context: Context, game: Game, players: int, n_deals: int, n_turns: int) -> list[Best]:
    """Every setting in every extreme world: win share in whole games, and in Odyssey points per turn told."""
    found = []
    for field in FIELDS[game]:
        criteria = ("win share",) if game == "stella" else ("win share", "points per turn told")
        for criterion in criteria:
            matches = {}
            here = worlds(context.world, game)
            for (name, (world, _)), setting in product(here.items(), SETTINGS[game]):
                agent = make(game, SPECS[game].format(setting))
                if criterion == "win share":
                    match = win_match(context, game, players, agent, field, world)
                else:
                    match = points_match(context, players, agent, field, world)
                matches[f"{name} {setting:g}"] = match
            if criterion == "win share":
                played = context.play_all(matches, win_sums, n_deals)
                values = {name: sums.per("win", players * WIN_UNIT) for name, sums in played.items()}
            else:
                played = context.play_all(matches, point_sums, n_turns)
                values = {name: sums.per("points") for name, sums in played.items()}
            for name, (world, ends) in here.items():
                table = np.stack([values[f"{name} {setting:g}"] for setting in SETTINGS[game]], axis=1)
                numbers = {parameter: getattr(world, parameter) for parameter in RANGES}
                found.append(Best(game, players, field, criterion, name, ends, numbers, best_settings(table)))
    return found
