"""Stella as one compiled loop among players who mark what fits them better than a threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from experiments.speed.loops.shared import SOME_TURN, U64
from sim.compiled import kernel
from sim.randomness import LOW16, c_word

THRESHOLD = 0.7
"""Of the marks of `threshold:fit=0.7`."""


class Grid(NamedTuple):
    """The Stella rules that the loop knows: the printed ones. Fields as in `StellaRules`."""

    players: int
    cards: int
    rounds: int
    minimum_marks: int
    maximum_marks: int


@kernel
def play(seed: Any, rules: Any, clues: Any, normals: Any, final: Any) -> None:
    players, cards = rules.players, rules.cards
    threshold = np.float32(THRESHOLD)
    fit = np.empty((players, cards), np.float32)
    mark = np.empty((players, cards), np.bool_)
    owners = np.empty(cards, np.int32)
    left, fallen = np.empty(players, np.int32), np.empty(players, np.bool_)
    sparks, super_sparks = np.empty(players, np.int32), np.empty(players, np.int32)
    for game in range(len(final)):
        key = c_word(seed, game)
        for turn in range(rules.rounds):
            round_key = c_word(key, SOME_TURN + turn)
            # the word, and how everybody reads every card of the grid
            w = c_word(round_key, cards * 4)
            root, rest = clues.root[(w & LOW16) >> U64(4)], clues.rest[(w & LOW16) >> U64(4)]
            breadth = clues.breadth_sd * normals[(w >> U64(16)) & LOW16]
            for c in range(cards):
                w = c_word(round_key, c * 4)
                common = breadth + root * normals[w & LOW16]
                owners[c] = 0
                for p in range(players):
                    if p & 3 == 0:
                        w = c_word(round_key, c * 4 + 1 + (p >> 2))
                    fit[p, c] = common + rest * normals[w & LOW16]
                    w >>= U64(16)
            # association and announcement
            most, alone = 0, -1
            for p in range(players):
                count, best = 0, 0
                for c in range(cards):
                    mark[p, c] = fit[p, c] > threshold
                    count += mark[p, c]
                    if fit[p, c] > fit[p, best]:
                        best = c
                if count < rules.minimum_marks:  # the printed minimum is 1
                    mark[p, best] = True
                    count = 1
                while count > rules.maximum_marks:
                    worst = -1
                    for c in range(cards):
                        if mark[p, c] and (worst < 0 or fit[p, c] <= fit[p, worst]):
                            worst = c
                    mark[p, worst] = False
                    count -= 1
                for c in range(cards):
                    owners[c] += mark[p, c]
                left[p], fallen[p], sparks[p], super_sparks[p] = count, False, 0, 0
                if count > most:
                    most, alone = count, p
                elif count == most:
                    alone = -1
            # revelation, the best fit first
            scout = turn % players
            while True:
                passed = 0
                while passed < players and (fallen[scout] or left[scout] == 0):
                    scout = scout + 1 if scout + 1 < players else 0
                    passed += 1
                if passed == players:
                    break
                best = -1
                for c in range(cards):
                    if mark[scout, c] and (best < 0 or fit[scout, c] > fit[scout, best]):
                        best = c
                if owners[best] == 1:
                    fallen[scout] = True
                for p in range(players):
                    gains = mark[p, best] & (not fallen[p])
                    super_sparks[p] += gains & (owners[best] == 2)
                    sparks[p] += gains & (owners[best] != 2)
                    left[p] -= mark[p, best]
                    mark[p, best] = False
                scout = scout + 1 if scout + 1 < players else 0
            # scoring
            for p in range(players):
                points = 2 * sparks[p] + 3 * super_sparks[p]
                if p == alone and fallen[p]:
                    points -= sparks[p] + super_sparks[p]
                final[game, p] += points
