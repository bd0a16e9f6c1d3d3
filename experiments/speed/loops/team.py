"""Odyssey Team as one compiled loop among players who offer and vote for what fits best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from experiments.speed.loops.shared import (
    LOWEST,
    SOME_TURN,
    U64,
    agreement_and_clarity,
    any_slot,
    best_of_hand,
    deal,
    refill,
)
from sim.compiled import kernel
from sim.randomness import LOW16, c_word


class Table(NamedTuple):
    """The rules that the loop knows: those of the printed team game. Fields as in `OdysseyRules`."""

    players: int
    deck_size: int
    hand_size: int
    storyteller_turns: int


@kernel
def play(seed: Any, rules: Any, clues: Any, normals: Any, final: Any, turns: Any) -> None:
    """Fills final (games, teams) and turns (games,). Image 0 is the storyteller's, image 1 the teammate's decoy."""
    players, teams = rules.players, rules.players // 2
    images = teams + 1
    deck = np.empty(rules.deck_size, np.int32)
    held = np.zeros(rules.deck_size, np.bool_)
    hand = np.empty((players, rules.hand_size), np.int32)
    score, drawn, choice = np.empty(teams, np.int32), np.empty(teams, np.int32), np.empty(teams, np.int32)
    table, owner, slot = np.empty(images, np.int32), np.empty(images, np.int32), np.empty(images, np.int32)
    team_of, voter = np.empty(images, np.int32), np.empty(images, np.int32)
    common = np.empty(images, np.float32)
    for game in range(len(final)):
        key = c_word(seed, game)
        top = deal(deck, hand, key)
        score[:] = 0
        for turn in range(players * rules.storyteller_turns):
            teller = turn % players
            telling = teller if teller < teams else teller - teams
            mate = teller + teams if teller < teams else telling
            turn_key = c_word(key, SOME_TURN + turn)
            # the clue: any card, and how apt the clue comes out; the teammate's decoy
            k = any_slot(turn_key, rules.deck_size, rules.hand_size)
            table[0], owner[0], slot[0], team_of[0] = hand[teller, k], teller, k, telling
            root, rest, common[0] = agreement_and_clarity(turn_key, rules.deck_size, clues, normals)
            k, common[1], _ = best_of_hand(hand, mate, turn_key, root, rest, normals)
            table[1], owner[1], slot[1], team_of[1] = hand[mate, k], mate, k, telling
            # every other team: the offer that fits its owner better is handed in, the other member votes
            v = 2
            for team in range(teams):
                if team == telling:
                    continue
                gives, votes = team, team + teams
                k, shared, fit = best_of_hand(hand, gives, turn_key, root, rest, normals)
                other_k, other_shared, other_fit = best_of_hand(hand, votes, turn_key, root, rest, normals)
                if other_fit > fit:
                    gives, votes, k, shared = votes, gives, other_k, other_shared
                table[v], owner[v], slot[v], team_of[v] = hand[gives, k], gives, k, team
                common[v], voter[v] = shared, votes
                v += 1
            # who votes takes the best fit on the table that is not the own team's
            drawn[:] = 0
            found = 0
            for own in range(2, images):
                best, high = 0, LOWEST
                p = voter[own]
                block, shift = 1 + (p >> 2), U64(16 * (p & 3))
                for v in range(images):
                    if v != own:
                        w = c_word(turn_key, table[v] * 4 + block)
                        fit = common[v] + rest * normals[(w >> shift) & LOW16]
                        if fit > high:
                            best, high = v, fit
                choice[team_of[own]] = best
                found += best == 0
                drawn[team_of[best]] += best != 0
            # points, with votes on the decoy for the storyteller's team
            some = 0 < found < teams - 1
            for team in range(teams):
                score[team] += min(drawn[team], 3)
                if team == telling:
                    score[team] += 3 if some else 0
                elif some:
                    score[team] += 3 if choice[team] == 0 else 0
                else:
                    score[team] += 2
            if turn + 1 < players * rules.storyteller_turns:
                top = refill(deck, held, hand, owner, slot, top, key, turn_key)
        turns[game] = players * rules.storyteller_turns
        for team in range(teams):
            final[game, team] = score[team]
