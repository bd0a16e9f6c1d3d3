"""Odyssey Party as one compiled loop among players who hand in and vote for what fits best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from experiments.speed.loops.shared import (
    LOWEST,
    SOME_TURN,
    U64,
    agreement_and_clarity,
    best_of_hand,
    deal,
    refill,
)
from sim.compiled import kernel
from sim.randomness import LOW16, c_word


class Table(NamedTuple):
    """The rules that the loop knows: those of the printed party game. Fields as in `OdysseyRules`."""

    players: int
    deck_size: int
    hand_size: int
    storyteller_turns: int
    party_cap: int


@kernel
def play(seed: Any, rules: Any, clues: Any, normals: Any, final: Any, turns: Any) -> None:
    """Fills final (games, players) and turns (games,). Image v is that of seat v."""
    players = rules.players
    deck = np.empty(rules.deck_size, np.int32)
    held = np.zeros(rules.deck_size, np.bool_)
    hand = np.empty((players, rules.hand_size), np.int32)
    score, agreeing = np.empty(players, np.int32), np.empty(players, np.int32)
    table, whose, slot = np.empty(players, np.int32), np.empty(players, np.int32), np.empty(players, np.int32)
    fit = np.empty((players, players), np.float32)
    vote = np.empty(players, np.int32)
    for game in range(len(final)):
        key = c_word(seed, game)
        top = deal(deck, hand, key)
        score[:] = 0
        passed = 0  # hands stay where they are; how often they went to the left says who holds which
        for turn in range(players * rules.storyteller_turns):
            teller = turn % players
            turn_key = c_word(key, SOME_TURN + turn)
            root, rest, _ = agreement_and_clarity(turn_key, rules.deck_size, clues, normals)
            # everybody hands in the best fit of the hand
            for p in range(players):
                holds = p - passed if p >= passed else p - passed + players
                k, common, own = best_of_hand(hand, holds, turn_key, root, rest, normals)
                table[p], whose[p], slot[p] = hand[holds, k], holds, k
                # how everybody reads it; its owner as before
                w = c_word(turn_key, table[p] * 4 + 1)
                for voter in range(players):
                    if voter & 3 == 0:
                        w = c_word(turn_key, table[p] * 4 + 1 + (voter >> 2))
                    fit[voter, p] = common + rest * normals[w & LOW16]
                    w >>= U64(16)
                fit[p, p] = own
            # everybody votes for the best fit on the table, own image or not
            agreeing[:] = 0
            for p in range(players):
                best, high = 0, LOWEST
                for v in range(players):
                    if fit[p, v] > high:
                        best, high = v, fit[p, v]
                vote[p] = best
                agreeing[best] += 1
            # the red token: the best fit to the storyteller of all that it did not vote for
            trap, high = 0, LOWEST
            for v in range(players):
                if v != vote[teller] and fit[teller, v] > high:
                    trap, high = v, fit[teller, v]
            # points for agreeing
            for p in range(players):
                alone = agreeing[vote[p]] == 1
                score[p] += 0 if alone | (vote[p] == trap) else min(agreeing[vote[p]], rules.party_cap)
            if turn + 1 < players * rules.storyteller_turns:
                top = refill(deck, held, hand, whose, slot, top, key, turn_key)
            passed = passed + 1 if passed + 1 < players else 0
        turns[game] = players * rules.storyteller_turns
        for p in range(players):
            final[game, p] = score[p]
