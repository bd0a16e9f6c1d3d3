"""Strategies for both games: base classes, wrappers, and the check that every strategy must pass.

from agents import StellaAgent, OdysseyAgent, Noisy, Mixed, check
from agents.registry import make, names
"""

from __future__ import annotations

from agents.checking import check
from agents.combinators import Mixed, Noisy
from agents.odyssey.base import OdysseyAgent
from agents.stella.base import StellaAgent

__all__ = ["Mixed", "Noisy", "OdysseyAgent", "StellaAgent", "check"]
