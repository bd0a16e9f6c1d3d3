"""A storyteller's decision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Clue"]


class Clue(NamedTuple):
    """What `tell` returns, for n games and the agent's k seats that may act.

    slot: int (n, k), the hand's slot of the storyteller's image.
    vagueness: float (n, k), 0 (as literal as can be) to 1 (fits the image no better than a random card).
    """

    slot: NDArray[np.integer]
    vagueness: NDArray[np.floating]
