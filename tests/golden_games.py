"""Golden playthroughs: whole games in words, kept as files. Write them anew with python tests/golden_games.py

A change of a file is a change of what users see: of rules, randomness, an agent's strategy, or the telling.
"""

from __future__ import annotations

from pathlib import Path

import sim
from agents.registry import make
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

FOLDER = Path(__file__).parent / "golden"

GAMES: dict[str, tuple[list[str], OdysseyRules | StellaRules]] = {
    "stella_4_players": (["avoider:risk=0.2", "people", "people", "greedy"], StellaRules()),
    "stella_thinking_scouts": (["counting", "counting", "random"], StellaRules(players=3, scout_passes="on_fall")),
    "odyssey_4_players": (["people", "random", "greedy", "storyteller:vagueness=0.3"], OdysseyRules(players=4)),
    "odyssey_3_players": (["people", "random", "people"], OdysseyRules(players=3)),
    "odyssey_8_players": (["two_votes:margin=0.5"] * 4 + ["random"] * 4, OdysseyRules(players=8)),
    "party_6_players": (["party:discount=0.5"] * 5 + ["bluff"], OdysseyRules(variant="party")),
    "team_6_players": (["people", "greedy", "random"] * 2, OdysseyRules(variant="team")),
}


def told(name: str) -> str:
    """The game in words."""
    specs, rules = GAMES[name]
    match = sim.Match([make(rules.game, spec) for spec in specs], rules)
    return str(sim.replay(match, seed=7, deal=3))


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        (FOLDER / f"{name}.txt").write_text(told(name), encoding="utf-8")
        print(FOLDER / f"{name}.txt")
