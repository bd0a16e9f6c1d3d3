"""The engine of the lab: seeded games of Dixit: Odyssey and Stella: Dixit Universe between pluggable agents.

`Match` and `simulate` play games, `Games` and `Summary` hold what came out, `replay` tells one game in words. Rules are
in `sim.odyssey` and `sim.stella`, the model of what a clue means to people is `World`, agents live in `agents`.
"""

from sim import odyssey, stella
from sim.errors import AgentError
from sim.games import Games
from sim.match import Match, simulate, simulate_all
from sim.replay import replay
from sim.summary import Summary
from sim.world import World

__all__ = [
    "AgentError",
    "Games",
    "Match",
    "Summary",
    "World",
    "odyssey",
    "replay",
    "simulate",
    "simulate_all",
    "stella",
]
