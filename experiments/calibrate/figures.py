"""What people did: the figures of `experiments/data/human_figures.json`, each with its source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = "data/human_figures.json"


@dataclass(frozen=True, eq=False)
class Told:
    """Rounds of Odyssey: how many of the voters found the storyteller's image.

    counts: int64, rounds found by 0, 1, ..., all voters; or by none, some, all (`cases`)
    """

    name: str
    players: int
    images_handed_in: int
    counts: NDArray[np.int64]
    source: str

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    @property
    def cases(self) -> bool:
        """Counted by none, some and all, not by number of voters."""
        return len(self.counts) == 3 < self.players

    @property
    def outcomes(self) -> tuple[str, ...]:
        if self.cases:
            return ("found by none", "found by some", "found by all")
        return tuple(f"found by {k} of {self.players - 1}" for k in range(self.players))

    def grouped(self, shares: NDArray[Any]) -> NDArray[Any]:
        """Numbers for 0, 1, ..., all voters, added up to this figure's outcomes. shares: (..., voters + 1)."""
        if not self.cases:
            return shares
        return np.stack([shares[..., 0], shares[..., 1:-1].sum(axis=-1), shares[..., -1]], axis=-1)


@lru_cache(maxsize=1)
def figures() -> dict[str, Any]:
    """The content of the data file."""
    loaded: dict[str, Any] = json.loads((files("experiments") / FILE).read_text(encoding="utf-8"))
    return loaded


def told(name: str) -> Told:
    """One of the four sets of rounds, by its name in the data file."""
    entry = figures()[name]
    counts = np.array(entry["found_by"] if "found_by" in entry else entry["none_some_all"], np.int64)
    assert counts.sum() == entry["n"]
    return Told(name, entry["players"], entry["images_handed_in"], counts, entry["source"])


def same_image_rounds() -> NDArray[np.int64]:
    """4 players, 18 rounds: rounds in which 0, 1, 3 pairs of voters chose the same image.

    The 19 pairs of 54 are spread over the rounds in one way only. Three finders are three pairs, two are one: 17 pairs.
    The two others chose a decoy together; with one finder or none, at most one pair of a round can (a decoy's owner may
    not choose it), so they are one each in two of the seven rounds that fewer than two voters found.
    """
    entry = figures()["human_4_players"]
    found = entry["found_by"]
    others = entry["voter_pairs_same_image"] - 3 * found[3] - found[2]
    return np.array([found[0] + found[1] - others, found[2] + others, found[3]], np.int64)


def alike_rounds() -> tuple[int, int]:
    """(2, 7): of the rounds that fewer than two of three voters found, those in which two chose the same decoy."""
    found = figures()["human_4_players"]["found_by"]
    return int(same_image_rounds()[1] - found[2]), found[0] + found[1]
