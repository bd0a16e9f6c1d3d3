"""An agent in a file of its own: `make("stella", "my_agents:Follower:more=1")`, from the folder with this file."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from agents import StellaAgent
from agents.choice import top


@dataclass(frozen=True)
class Follower(StellaAgent):
    """Marks its best cards: as many as the others did on average so far, and `more` besides."""

    more: Annotated[float, Ge(-10), Le(10)] = 0.0
    first: Annotated[int, Ge(1), Le(40)] = 5

    def mark(self, view):
        if view.round == 0:
            wanted = np.full(view.acting.shape, self.first)
        else:
            counts = view.history.counts.mean(axis=1)
            total = counts.sum(axis=1, keepdims=True)
            others = (total - counts[:, view.seats]) / (view.rules.players - 1)
            wanted = np.round(others + self.more)
        size = np.clip(wanted, view.rules.minimum_marks, view.rules.maximum_marks).astype(int)
        return top(view.fit, size)
