"""Errors that users meet."""

from __future__ import annotations

__all__ = ["AgentError", "WorldError"]


class AgentError(ValueError):
    """An agent's reply was of the wrong shape, kind or range, or the agent raised an exception.

    The message names the agent, the decision, what was expected, what was received, and the address (seed, deal,
    seating) of a game that shows it; `sim.replay(match, seed, deal, seating)` plays that very game again.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


class WorldError(ValueError):
    """A world of the user's own replied with what is no fit, or raised an exception.

    The message names the world's type, the method, what was expected and what was received.
    """
