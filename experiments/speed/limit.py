"""The limit: whole games as one fused compiled loop each, without agents, views or records.

The same rules, the same world and the same choices as the engine with `greedy` (Odyssey: standard, party, team) and
with `threshold:fit=0.7` (Stella), so that mean lengths and scores agree; but readings, choices and scores stay in the
loop, nothing is checked and nothing is kept. Numbers are keyed as in `sim.randomness`, with fewer words to a reading.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.speed.loops import party, standard, team
from experiments.speed.loops import stella as marking
from experiments.speed.loops.shared import U64, Clues
from sim.odyssey import OdysseyRules
from sim.randomness import NORMALS
from sim.stella import StellaRules
from sim.world import World, agreement_roots

VAGUENESS = 0.5
"""Of `greedy`'s clues."""
_LOOPS: dict[str, Any] = {"standard": standard, "party": party, "team": team}


def odyssey(n: int, rules: OdysseyRules, seed: int = 0) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """n games among best-fit players. -> scores int16 (n, sides), turns int16 (n,).

    Raises ValueError for rules that differ from the printed variant in more than the number of players.
    """
    if rules != OdysseyRules(variant=rules.variant, players=rules.players):
        raise ValueError("the compiled loop plays the variants as printed, with any number of players that they allow")
    loop = _LOOPS[rules.variant]
    final, turns = np.empty((n, rules.sides), np.int16), np.empty(n, np.int16)
    loop.play(U64(seed), _fields(loop.Table, rules), _clues(World()), NORMALS, final, turns)
    return final, turns


def stella(n: int, rules: StellaRules, seed: int = 0) -> NDArray[np.int16]:
    """n games among threshold markers. -> points int16 (n, players). Raises ValueError as `odyssey` does."""
    if rules != StellaRules(players=rules.players):
        raise ValueError("the compiled loop plays Stella as printed, with 2 to 12 players")
    final = np.zeros((n, rules.players), np.int16)
    marking.play(U64(seed), _fields(marking.Grid, rules), _clues(World()), NORMALS, final)
    return final


def _fields(kind: Any, rules: OdysseyRules | StellaRules) -> Any:
    """The rules that a loop knows, as plain numbers."""
    return kind(*(getattr(rules, name) for name in kind._fields))


def _clues(world: World) -> Clues:
    root, rest = agreement_roots(world.agreement_mean, world.agreement_sd)
    aim = world.clarity_span * (1 - VAGUENESS)
    return Clues(root, rest, np.float32(aim), np.float32(world.clarity_sd), np.float32(world.breadth_sd))
