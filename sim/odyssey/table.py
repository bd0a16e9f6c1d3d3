"""One turn at the table, as compiled loops: clues, hands, images laid out, who may vote for what, checks of replies.

State lies in arrays over all games of a batch; `rows` (n,) says which of them go on. What a turn brings lies in arrays
over those n games, in the same order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.compiled import kernel

OK, OUT_OF_RANGE, ILLEGAL, TWICE, MISSING = 0, 1, 2, 3, 4
SLOT, VAGUENESS = 1, 2


@kernel
def _side(seat: Any, sides: Any) -> Any:
    """seat mod sides; a side has one seat or two."""
    return seat if seat < sides else seat - sides


@kernel
def pick_hands(hands: Any, rows: Any, seats: Any, out: Any) -> None:
    """The hands of some seats: out (n, k, slots)."""
    n, k, m = out.shape
    for g in range(n):
        row = rows[g]
        for i in range(k):
            seat = seats[i]
            for h in range(m):
                out[g, i, h] = hands[row, seat, h]


@kernel
def take_clue(
    slot: Any, vagueness: Any, hand: Any, storyteller: Any, slots: Any, cards: Any, told: Any, fault: Any
) -> None:
    """The storyteller's slot, image and vagueness into slots (n, seats, images), cards (n,) and told (n,).

    slot, vagueness: (n, 1); hand: (n, 1, slots); fault: game and kind (SLOT, VAGUENESS) of a bad reply.
    """
    hand_size = hand.shape[2]
    for g in range(len(slot)):
        if slot[g, 0] < 0 or slot[g, 0] >= hand_size:
            fault[:] = (g, SLOT)
            return
        if not (vagueness[g, 0] >= 0 and vagueness[g, 0] <= 1):  # NaN is neither
            fault[:] = (g, VAGUENESS)
            return
        slots[g, storyteller, 0] = slot[g, 0]
        cards[g] = hand[g, 0, slot[g, 0]]
        told[g] = vagueness[g, 0]


@kernel
def take_slots(reply: Any, hand_size: Any, seats: Any, slots: Any, fault: Any) -> None:
    """What everybody hands in, in ascending order, into slots (n, seats, images).

    reply: (n, k, images); fault: game, agent seat, kind of the first bad reply.
    """
    n, k, count = reply.shape
    for g in range(n):
        for i in range(k):
            for x in range(count):
                slot = reply[g, i, x]
                if slot < 0 or slot >= hand_size:
                    fault[:] = (g, i, OUT_OF_RANGE)
                    return
                place = x
                while place > 0 and slots[g, seats[i], place - 1] > slot:
                    slots[g, seats[i], place] = slots[g, seats[i], place - 1]
                    place -= 1
                if place > 0 and slots[g, seats[i], place - 1] == slot:
                    fault[:] = (g, i, TWICE)
                    return
                slots[g, seats[i], place] = slot


@kernel
def take_votes(reply: Any, acting: Any, legal: Any, seats: Any, votes: Any, fault: Any) -> None:
    """The votes of who votes into votes (n, seats, votes); reply: (n, k, votes); fault as in `take_slots`."""
    n, k, count = reply.shape
    images = legal.shape[2]
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            used = 0
            for x in range(count):
                image = reply[g, i, x]
                if image < -1 or image >= images:
                    fault[:] = (g, i, OUT_OF_RANGE)
                    return
                if image < 0:
                    continue
                used += 1
                if not legal[g, i, image]:
                    fault[:] = (g, i, ILLEGAL)
                    return
                for y in range(x):
                    if reply[g, i, y] == image:
                        fault[:] = (g, i, TWICE)
                        return
                votes[g, seats[i], x] = image
            if used == 0:
                fault[:] = (g, i, MISSING)
                return


@kernel
def lay_out(hands: Any, rows: Any, slots: Any, images: Any, owners: Any) -> None:
    """Take the chosen cards out of the hands and lay them out in card-number order, with their owners' seats.

    slots: (n, seats, images of a seat), -1 for none; images, owners: (n, images). The order says nothing about who
    handed in what.
    """
    n, seats, count = slots.shape
    laid = images.shape[1]
    cards = np.empty(laid, images.dtype)
    whose = np.empty(laid, owners.dtype)
    for g in range(n):
        row = rows[g]
        v = 0
        for p in range(seats):
            for x in range(count):
                slot = slots[g, p, x]
                if slot >= 0:
                    cards[v] = hands[row, p, slot]
                    whose[v] = p
                    v += 1
                    hands[row, p, slot] = -1
        for v in range(laid):
            place = 0
            for other in range(laid):
                place += cards[other] < cards[v]
            images[g, place] = cards[v]
            owners[g, place] = whose[v]


@kernel
def settle_offers(slots: Any, fits: Any, storyteller: Any, voting: Any) -> None:
    """Team: of both members' offers the one that its owner finds to fit better is handed in (ties: lower seat).

    slots: (n, seats, 1), the other offer becomes -1; fits: (n, seats) own reading of the own offer; voting: bool
    (n, seats), True for the member who votes.
    """
    n, seats, _ = slots.shape
    teams = seats // 2
    for g in range(n):
        for team in range(teams):
            if team == _side(storyteller, teams):
                continue
            gives, votes = team, team + teams
            if fits[g, votes] > fits[g, gives]:
                gives, votes = votes, gives
            slots[g, votes, 0] = -1
            voting[g, votes] = True


@kernel
def offered_fits(slots: Any, fit: Any, seats: Any, out: Any) -> None:
    """Team: how each offer fits to its owner: out (n, seats)."""
    for g in range(slots.shape[0]):
        for i in range(slots.shape[1]):
            out[g, seats[i]] = fit[g, i, slots[g, i, 0]]


@kernel
def legal_images(owners: Any, sides: Any, seats: Any, out: Any) -> None:
    """Which images a seat may vote for: never one of the own side. out: bool (n, k, images)."""
    n, k, images = out.shape
    members = np.full((sides, 2), -1, np.int64)  # of each side, those of its at most two seats that are asked
    for i in range(k):
        members[_side(seats[i], sides), seats[i] // sides] = i
    out[:] = True
    for g in range(n):
        for v in range(images):
            side = _side(owners[g, v], sides)
            for i in members[side]:
                if i >= 0:
                    out[g, i, v] = False


@kernel
def add_points(scores: Any, rows: Any, points: Any, floor: Any, target: Any, over: Any) -> None:
    """Add a turn's points, floored once; over: bool (n,), set where a side has reached the target (0: no target)."""
    n, sides = points.shape
    for g in range(n):
        row = rows[g]
        for side in range(sides):
            score = max(scores[row, side] + points[g, side], floor)
            scores[row, side] = score
            if target > 0 and score >= target:
                over[g] = True
