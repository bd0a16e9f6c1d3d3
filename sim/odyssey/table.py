"""One turn at the table, as compiled loops: laying out the images, who may vote for what, checks of replies."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.compiled import kernel

OK, OUT_OF_RANGE, ILLEGAL, TWICE, MISSING = 0, 1, 2, 3, 4


@kernel
def pick_hands(hands: Any, seats: Any, out: Any) -> None:
    """The hands of some seats: out (n, k, slots)."""
    n, k, m = out.shape
    for g in range(n):
        for i in range(k):
            for h in range(m):
                out[g, i, h] = hands[g, seats[i], h]


@kernel
def check_slots(slots: Any, acting: Any, hand_size: Any, seats: Any, chosen: Any, fault: Any) -> None:
    """Copy the slots of who acts into chosen (n, seats, images); fault: game, agent seat, kind of the first bad reply."""
    n, k, count = slots.shape
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            for x in range(count):
                slot = slots[g, i, x]
                if slot < 0 or slot >= hand_size:
                    fault[:] = (g, i, OUT_OF_RANGE)
                    return
                for y in range(x):
                    if slots[g, i, y] == slot:
                        fault[:] = (g, i, TWICE)
                        return
                chosen[g, seats[i], x] = slot


@kernel
def check_votes(votes: Any, acting: Any, legal: Any, seats: Any, cast: Any, fault: Any) -> None:
    """Copy the votes of who votes into cast (n, seats, votes); fault as in `check_slots`."""
    n, k, count = votes.shape
    images = legal.shape[2]
    for g in range(n):
        for i in range(k):
            if not acting[g, i]:
                continue
            used = 0
            for x in range(count):
                image = votes[g, i, x]
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
                    if votes[g, i, y] == image:
                        fault[:] = (g, i, TWICE)
                        return
                cast[g, seats[i], x] = image
            if used == 0:
                fault[:] = (g, i, MISSING)
                return


@kernel
def lay_out(hands: Any, alive: Any, slots: Any, images: Any, owners: Any) -> None:
    """Take the chosen cards out of the hands and lay them out in card-number order, with their owners' seats.

    slots: (n, seats, images of a seat), -1 for none. The order says nothing about who handed in what.
    """
    n, seats, count = slots.shape
    for g in range(n):
        if not alive[g]:
            continue
        laid = 0
        for p in range(seats):
            for x in range(count):
                slot = slots[g, p, x]
                if slot < 0:
                    continue
                card = hands[g, p, slot]
                hands[g, p, slot] = -1
                place = laid
                while place > 0 and images[g, place - 1] > card:
                    images[g, place] = images[g, place - 1]
                    owners[g, place] = owners[g, place - 1]
                    place -= 1
                images[g, place] = card
                owners[g, place] = p
                laid += 1


@kernel
def settle_offers(slots: Any, fits: Any, alive: Any, storyteller: Any, voting: Any) -> None:
    """Team: of both members' offers the one that its owner finds to fit better is handed in (ties: lower seat).

    slots: (n, seats, 1), the other offer becomes -1; fits: (n, seats) own reading of the own offer; voting: bool
    (n, seats), True for the member who votes.
    """
    n, seats, _ = slots.shape
    teams = seats // 2
    for g in range(n):
        if not alive[g]:
            continue
        for team in range(teams):
            if team == storyteller % teams:
                continue
            gives, votes = team, team + teams
            if fits[g, votes] > fits[g, gives]:
                gives, votes = votes, gives
            slots[g, votes, 0] = -1
            voting[g, votes] = True


@kernel
def offered_fits(slots: Any, fit: Any, acting: Any, seats: Any, out: Any) -> None:
    """Team: how each offer fits to its owner: out (n, seats)."""
    for g in range(slots.shape[0]):
        for i in range(slots.shape[1]):
            if acting[g, i]:
                out[g, seats[i]] = fit[g, i, slots[g, i, 0]]


@kernel
def legal_images(owners: Any, sides: Any, seats: Any, out: Any) -> None:
    """Which images a seat may vote for: never one of the own side. out: bool (n, k, images)."""
    n, k, images = out.shape
    for g in range(n):
        for i in range(k):
            side = seats[i] % sides
            for v in range(images):
                out[g, i, v] = owners[g, v] % sides != side


@kernel
def add_points(scores: Any, points: Any, alive: Any, floor: Any, target: Any, over: Any) -> None:
    """Add a turn's points, floored once; over: bool (n,), set where a side has reached the target (0: no target)."""
    n, sides = points.shape
    for g in range(n):
        if not alive[g]:
            continue
        for side in range(sides):
            score = scores[g, side] + points[g, side]
            if score < floor:
                score = floor
            scores[g, side] = score
            if target > 0 and score >= target:
                over[g] = True


@kernel
def record_turn(
    rows: Any, alive: Any, turn: Any, images: Any, owners: Any, votes: Any, trap: Any, points: Any, vagueness: Any,
    found: Any, voters: Any, r_images: Any, r_owners: Any, r_votes: Any, r_trap: Any, r_points: Any, r_vagueness: Any,
    r_found: Any, r_voters: Any, r_second: Any,
) -> None:  # fmt: skip
    """Write one turn into the preallocated columns (all games of the batch, turns, ...), games by their `rows`."""
    for g in range(len(rows)):
        if not alive[g]:
            continue
        row = rows[g]
        for v in range(images.shape[1]):
            r_images[row, turn, v] = images[g, v]
            r_owners[row, turn, v] = owners[g, v]
        second = 0
        for p in range(votes.shape[1]):
            used = 0
            for x in range(votes.shape[2]):
                r_votes[row, turn, p, x] = votes[g, p, x]
                used += votes[g, p, x] >= 0
            second += used == 2
        for side in range(points.shape[1]):
            r_points[row, turn, side] = points[g, side]
        r_trap[row, turn] = trap[g]
        r_vagueness[row, turn] = vagueness[g]
        r_found[row, turn] = found[g]
        r_voters[row, turn] = voters[g]
        r_second[row, turn] = second
