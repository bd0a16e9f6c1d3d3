"""Stella: Dixit Universe."""

from sim.stella.rules import StellaRules
from sim.stella.scoring import RoundResult, resolve_round, winners

__all__ = ["RoundResult", "StellaRules", "resolve_round", "winners"]
