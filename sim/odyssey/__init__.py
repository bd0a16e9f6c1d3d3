"""Dixit: Odyssey."""

from sim.odyssey.clue import Clue
from sim.odyssey.rules import OdysseyRules
from sim.odyssey.scoring import score_turn, winners

__all__ = ["Clue", "OdysseyRules", "score_turn", "winners"]
