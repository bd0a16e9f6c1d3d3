"""The limit: whole games as one fused compiled loop each, without agents, views or records.

The same rules, the same world and the same choices as the engine with `greedy` (Odyssey, standard) and with
`threshold:fit=0.7` (Stella), so that mean lengths and scores agree; but readings, choices and scores stay in the loop,
nothing is checked and nothing is kept. Numbers are keyed as in `sim.randomness`, with fewer words to a reading.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.compiled import kernel
from sim.odyssey import OdysseyRules
from sim.randomness import GAMMA, LOW16, NORMALS, S32, c_mix, c_word
from sim.stella import StellaRules
from sim.world import World, agreement_roots

U64 = np.uint64
VAGUENESS, THRESHOLD = 0.5, 0.7
"""Of `greedy`'s clues; of the marks of `threshold:fit=0.7`."""
LOWEST = np.float32(-np.inf)
SOME_TURN = 1_000  # where the keys of turns begin; those of the deal come first


class Clues(NamedTuple):
    """What a world makes of a clue, as numbers for the loops."""

    root: NDArray[np.float32]
    rest: NDArray[np.float32]
    aim: np.float32
    clarity_sd: np.float32
    breadth_sd: np.float32


class Table(NamedTuple):
    """The Odyssey rules that the loop knows: those of the standard game. Fields as in `OdysseyRules`."""

    players: int
    deck_size: int
    hand_size: int
    images_handed_in: int
    target_score: int
    single_vote_bonus: int


class Grid(NamedTuple):
    """The Stella rules that the loop knows: the printed ones. Fields as in `StellaRules`."""

    players: int
    cards: int
    rounds: int
    minimum_marks: int
    maximum_marks: int


def odyssey(n: int, rules: OdysseyRules, seed: int = 0) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """n standard games among best-fit players. -> scores int16 (n, players), turns int16 (n,).

    Raises ValueError for rules that differ from the printed standard game in more than the number of players.
    """
    if rules != OdysseyRules(players=rules.players):
        raise ValueError("the compiled loop plays the standard game as printed, with 3 to 12 players")
    final, turns = np.empty((n, rules.players), np.int16), np.empty(n, np.int16)
    table = Table(*(getattr(rules, name) for name in Table._fields))
    _odyssey(U64(seed), table, _clues(World()), NORMALS, final, turns)
    return final, turns


def stella(n: int, rules: StellaRules, seed: int = 0) -> NDArray[np.int16]:
    """n games among threshold markers. -> points int16 (n, players). Raises ValueError as `odyssey` does."""
    if rules != StellaRules(players=rules.players):
        raise ValueError("the compiled loop plays Stella as printed, with 2 to 12 players")
    final = np.zeros((n, rules.players), np.int16)
    grid = Grid(*(getattr(rules, name) for name in Grid._fields))
    _stella(U64(seed), grid, _clues(World()), NORMALS, final)
    return final


def _clues(world: World) -> Clues:
    root, rest = agreement_roots(world.agreement_mean, world.agreement_sd)
    aim = world.clarity_span * (1 - VAGUENESS)
    return Clues(root, rest, np.float32(aim), np.float32(world.clarity_sd), np.float32(world.breadth_sd))


@kernel
def _draw(deck: Any, top: Any, word: Any) -> Any:
    """The next card of a pile that is shuffled while it is drawn: any of deck[top:]."""
    j = top + np.int64(((word >> S32) * U64(len(deck) - top)) >> S32)
    card = deck[j]
    deck[j] = deck[top]
    deck[top] = card
    return card


@kernel
def _odyssey(seed: Any, rules: Any, clues: Any, normals: Any, final: Any, turns: Any) -> None:
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
        for card in range(rules.deck_size):
            deck[card] = card
        top = 0
        word = key
        for p in range(players):
            score[p] = 0
            for h in range(hand_size):
                word += GAMMA
                hand[p, h] = _draw(deck, top, c_mix(word))
                top += 1
        turn = 0
        best_score = 0
        while best_score < rules.target_score:
            teller = turn % players
            turn_key = c_word(key, SOME_TURN + turn)
            # the clue: any card, and how apt the clue comes out
            w = c_word(turn_key, rules.deck_size * 4)
            k = np.int64(((w >> S32) * U64(hand_size)) >> S32)
            w = c_word(turn_key, rules.deck_size * 4 + 1)
            root, rest = clues.root[(w & LOW16) >> U64(4)], clues.rest[(w & LOW16) >> U64(4)]
            table[0], owner[0], slot[0] = hand[teller, k], teller, k
            common[0] = clues.aim + clues.clarity_sd * normals[(w >> U64(16)) & LOW16]
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
            # refill, storyteller first; what no hand holds is shuffled when the pile runs out
            word = turn_key + GAMMA
            for v in range(images):
                hand[owner[v], slot[v]] = -1
            for v in range(images):
                if top == rules.deck_size:
                    top = _reshuffle(deck, held, hand)
                word += GAMMA
                hand[owner[v], slot[v]] = _draw(deck, top, c_mix(word ^ key))
                top += 1
        turns[game] = turn
        for p in range(players):
            final[game, p] = score[p]


@kernel
def _reshuffle(deck: Any, held: Any, hand: Any) -> Any:
    """What hands hold goes to the front of the deck, the rest behind it: where the new pile begins."""
    held[:] = False
    for p in range(hand.shape[0]):
        for h in range(hand.shape[1]):
            if hand[p, h] >= 0:
                held[hand[p, h]] = True
    front, back = 0, len(deck) - 1
    for card in range(len(deck)):
        deck[front if held[card] else back] = card
        front += held[card]
        back -= not held[card]
    return front


@kernel
def _stella(seed: Any, rules: Any, clues: Any, normals: Any, final: Any) -> None:
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
