"""Odyssey, standard, as one compiled loop among players who hand in and vote for what fits best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from experiments.speed.loops.shared import LOWEST, SOME_TURN, U64, agreement_and_clarity, any_slot, deal, refill
from sim.compiled import kernel
from sim.randomness import LOW16, c_word


class Table(NamedTuple):
    """The rules that the loop knows: those of the standard game. Fields as in `OdysseyRules`."""

    players: int
    deck_size: int
    hand_size: int
    images_handed_in: int
    target_score: int
    single_vote_bonus: int


@kernel
def play(seed: Any, rules: Any, clues: Any, normals: Any, final: Any, turns: Any) -> None:
    """Fills final (games, players) and turns (games,)."""
    players, hand_size, handed_in = rules.players, rules.hand_size, rules.images_handed_in
    images = 1 + (players - 1) * handed_in
    deck = np.empty(rules.deck_size, np.int32)
    held = np.zeros(rules.deck_size, np.bool_)
    hand = np.empty((players, hand_size), np.int32)
    score, choice, drawn = np.empty(players, np.int32), np.empty(players, np.int32), np.empty(players, np.int32)
    table, owner, slot = np.empty(images, np.int32), np.empty(images, np.int32), np.empty(images, np.int32)
    common = np.empty(images, np.float32)
    shared, fit = np.empty(hand_size, np.float32), np.empty(hand_size, np.float32)
    for game in range(len(final)):
        key = c_word(seed, game)
        top = deal(deck, hand, key)
        for p in range(players):
            score[p] = 0
        turn = 0
        best_score = 0
        while best_score < rules.target_score:
            teller = turn % players
            turn_key = c_word(key, SOME_TURN + turn)
            # the clue: any card, and how apt the clue comes out
            k = any_slot(turn_key, rules.deck_size, hand_size)
            table[0], owner[0], slot[0] = hand[teller, k], teller, k
            root, rest, common[0] = agreement_and_clarity(turn_key, rules.deck_size, clues, normals)
            # everybody hands in the best fits of the hand
            v = 1
            for step in range(1, players):
                p = teller + step if teller + step < players else teller + step - players
                for h in range(hand_size):
                    w = c_word(turn_key, hand[p, h] * 4)
                    shared[h] = root * normals[w & LOW16]
                    fit[h] = shared[h] + rest * normals[(w >> U64(16)) & LOW16]
                for _ in range(handed_in):
                    best, high = 0, LOWEST
                    for h in range(hand_size):
                        if fit[h] > high:
                            best, high = h, fit[h]
                    fit[best] = LOWEST
                    table[v], owner[v], slot[v], common[v] = hand[p, best], p, best, shared[best]
                    v += 1
            # everybody votes for the best fit on the table
            for p in range(players):
                drawn[p] = 0
            found = 0
            for p in range(players):
                if p == teller:
                    continue
                best, high = 0, LOWEST
                block, shift = 1 + (p >> 2), U64(16 * (p & 3))
                for v in range(images):
                    if owner[v] != p:
                        w = c_word(turn_key, table[v] * 4 + block)
                        own = common[v] + rest * normals[(w >> shift) & LOW16]
                        if own > high:
                            best, high = v, own
                choice[p] = best
                found += best == 0
                drawn[owner[best]] += best != 0
            # points
            some = 0 < found < players - 1
            for p in range(players):
                if p == teller:
                    gained = 3 if some else 0
                else:
                    gained = (3 if choice[p] == 0 else 0) if some else 2
                    gained += min(drawn[p], 3) + (rules.single_vote_bonus if choice[p] == 0 else 0)
                score[p] += gained
                best_score = max(best_score, score[p])
            turn += 1
            if best_score >= rules.target_score:
                break
            top = refill(deck, held, hand, owner, slot, top, key, turn_key)
        turns[game] = turn
        for p in range(players):
            final[game, p] = score[p]
