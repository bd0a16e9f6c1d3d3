"""Scoring a turn of Dixit: Odyssey, and who wins. The rules stand once, for one game, in the compiled functions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.arrays import numbers, refuse, whole_numbers
from sim.compiled import F, kernel
from sim.odyssey.rules import OdysseyRules

__all__ = ["ScoringRules", "score_turn", "score_turn_kernel", "scoring_rules", "winners"]

NO_CAP = 2**30  # above all points that votes can draw


class ScoringRules(NamedTuple):
    """The rules that scoring needs, as plain numbers for the kernels. Fields as in `OdysseyRules`."""

    party: bool
    points_storyteller_some: int
    points_storyteller_all: int
    points_storyteller_none: int
    points_finder: int
    points_others_all: int
    points_others_none: int
    points_per_vote: int
    vote_points_cap: int
    single_vote_bonus: int
    single_vote_bonus_when_all: bool
    party_cap: int
    teammate_decoy_scores: bool


@lru_cache(maxsize=256)
def scoring_rules(rules: OdysseyRules) -> ScoringRules:
    """What the kernels need of `rules`."""
    values = {name: getattr(rules, name) for name in ScoringRules._fields if name != "party"}
    if rules.vote_points_cap is None:
        values["vote_points_cap"] = NO_CAP
    return ScoringRules(party=rules.variant == "party", **values)


def inlined(function: F) -> F:
    """A part of a kernel: as `kernel`, but always inlined, for to hand it many arrays would cost more than its work."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True)(function))


# Compiled ------------------------------------------------------------------------------------------------------------


@kernel
def score_turn_kernel(
    rules: Any, storyteller: Any, owners: Any, votes: Any, trap: Any, points: Any, found: Any, voters: Any
) -> None:
    """Score one turn of every game; the input is trusted.

    In:  rules: ScoringRules; storyteller: int8 (n,); owners: int8 (n, images);
         votes: int16 (n, seats, votes), -1 = none; trap: int16 (n,), -1 = no red token.
    Out: points: int16 (n, sides); found: int8 (n,) voters who found the image, -1 in party; voters: int8 (n,).
    """
    drawn = np.empty(points.shape[1], np.int64)
    used = np.empty(points.shape[1], np.int64)
    hit = np.empty(points.shape[1], np.bool_)
    for game in range(owners.shape[0]):
        if rules.party:
            found[game] = -1
            voters[game] = _score_party(rules, votes[game], trap[game], drawn, points[game])
        else:
            found[game], voters[game] = _score_clue(
                rules, storyteller[game], owners[game], votes[game], drawn, used, hit, points[game]
            )


@inlined
def _side(seat: Any, sides: Any) -> Any:
    """seat mod sides; a side has one seat or two."""
    return seat if seat < sides else seat - sides


@inlined
def _score_clue(
    rules: Any, storyteller: Any, owners: Any, votes: Any, drawn: Any, used: Any, hit: Any, points: Any
) -> Any:
    """One game's turn in standard and team, where voters look for the storyteller's image.

    A side has at most one voter. `drawn`, `used`, `hit` are room to count in, each (sides,): votes that the side's
    images drew, votes that its voter used, whether its voter found the image. Returns voters who found it, voters.
    """
    sides = points.shape[0]
    own_side = _side(storyteller, sides)
    for side in range(sides):
        drawn[side] = 0
        used[side] = 0
        hit[side] = False
    for seat in range(votes.shape[0]):
        side = _side(seat, sides)
        for vote in range(votes.shape[1]):
            image = votes[seat, vote]
            if image < 0:
                continue
            owner = np.int64(owners[image])
            owner_side = _side(owner, sides)
            is_storytellers = owner == storyteller
            used[side] += 1
            hit[side] |= is_storytellers
            drawn[owner_side] += (not is_storytellers) & ((owner_side != own_side) | rules.teammate_decoy_scores)
    found = 0
    voters = 0
    for side in range(sides):
        found += hit[side]
        voters += used[side] > 0
    all_found = found == voters
    if all_found:
        teller, finder, other = rules.points_storyteller_all, rules.points_others_all, rules.points_others_all
    elif found == 0:
        teller, finder, other = rules.points_storyteller_none, rules.points_others_none, rules.points_others_none
    else:
        teller, finder, other = rules.points_storyteller_some, rules.points_finder, 0
    bonus = rules.single_vote_bonus if not all_found or rules.single_vote_bonus_when_all else 0
    for side in range(sides):
        gained = teller if side == own_side else finder if hit[side] else other
        gained += bonus if hit[side] & (used[side] == 1) else 0
        points[side] = gained + min(rules.points_per_vote * drawn[side], rules.vote_points_cap)
    return found, voters


@inlined
def _score_party(rules: Any, votes: Any, trap: Any, agree: Any, points: Any) -> Any:
    """One game's turn in party, where everybody votes and agreeing pays.

    `agree` is room to count the green votes of every image (as many as players). Returns voters.
    """
    players = points.shape[0]
    agree[:] = 0
    for seat in range(players):
        agree[votes[seat, 0]] += 1
    for seat in range(players):
        image = votes[seat, 0]
        if agree[image] == 1 or image == trap:
            points[seat] = 0
        else:
            points[seat] = min(agree[image], rules.party_cap)
    return players


# Public --------------------------------------------------------------------------------------------------------------


def score_turn(
    rules: OdysseyRules, storyteller: ArrayLike, owners: ArrayLike, votes: ArrayLike, trap: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Raw points of one turn in every game; the floor (`minimum_score`) is not applied.

    Args:
        storyteller: int or int (games,), seat 0..players-1.
        owners: int (games, images), the seat that handed in each image.
        votes: int (games, seats, rules.votes), image index or -1 = none; all -1 for who does not vote.
        trap: int or int (games,), image index of the red token; given exactly when `rules.trap`.

    Returns:
        points: int64 (games, sides).

    Raises:
        ValueError: a wrong shape, or an illegal turn, named by game and seat.

    Source: RULES.md, Odyssey, "A turn" and "Fields".
    """
    owners = whole_numbers("owners", owners, ("game", "image"), (None, rules.images), 0, rules.players - 1)
    games = owners.shape[0]
    ballot = (games, rules.players, rules.votes)
    votes = whole_numbers("votes", votes, ("game", "seat", "vote"), ballot, -1, rules.images - 1)
    tellers = _per_game("storyteller", storyteller, games, rules.players - 1)
    if rules.trap != (trap is not None):
        raise ValueError(f"trap is {'missing' if trap is None else 'given'}, but rules.trap is {rules.trap}")
    traps = np.full(games, -1) if trap is None else _per_game("trap", trap, games, rules.images - 1)
    handed_in = (owners[:, :, None] == np.arange(rules.players)).sum(axis=1)
    _check_images(rules, tellers, handed_in)
    _check_votes(rules, tellers, owners, votes, handed_in)
    if rules.trap and not rules.trap_may_match_own_vote:
        own = votes[np.arange(games), tellers, 0]
        refuse(
            own == traps,
            ("game",),
            lambda at: f"seat {tellers[at]}, the storyteller: the red token is on {_image(own[at])}, the own vote",
        )
    points = np.empty((games, rules.sides), np.int16)
    count = np.empty((2, games), np.int8)
    score_turn_kernel(
        scoring_rules(rules),
        tellers.astype(np.int8),
        owners.astype(np.int8),
        votes.astype(np.int16),
        traps.astype(np.int16),
        points,
        count[0],
        count[1],
    )
    return points.astype(np.int64)


def winners(rules: OdysseyRules, scores: ArrayLike) -> NDArray[np.bool_]:
    """Who has the most points; equal points share the victory.

    Args:
        scores: numbers (games, sides).

    Returns:
        bool (games, sides).

    Raises:
        ValueError: a wrong shape or a NaN, named by game and side.
    """
    values = numbers("scores", scores, ("game", "side"), (None, rules.sides))
    best: NDArray[np.bool_] = values == values.max(axis=1, keepdims=True)
    return best


def _per_game(name: str, values: ArrayLike, games: int, high: int) -> NDArray[np.int64]:
    """One number for every game, given as such or as one for all."""
    spread = np.broadcast_to(values, (games,)) if np.ndim(values) == 0 else values
    return whole_numbers(name, spread, ("game",), (games,), 0, high)


def _image(index: Any) -> str:
    return f"image {index}"


def _check_images(rules: OdysseyRules, tellers: NDArray[np.int64], handed_in: NDArray[np.int64]) -> None:
    """Whether everybody handed in as many images as the variant asks for; handed_in: int (games, seats)."""
    seats = np.arange(rules.players)
    expected = np.full_like(handed_in, 1 if rules.variant == "party" else rules.images_handed_in)
    expected[seats == tellers[:, None]] = 1
    if rules.variant == "team":
        pairs = handed_in.reshape(len(handed_in), 2, rules.sides).sum(axis=1)
        mates = (tellers + rules.sides) % rules.players
        expected[seats == mates[:, None]] = int(rules.teammate_hands_in)
        others = seats[: rules.sides] != (tellers % rules.sides)[:, None]
        refuse(
            others & (pairs != 1),
            ("game", "seat"),
            lambda game, seat: (
                f"and partner (seat {seat + rules.sides}): {pairs[game, seat]} images of this team; must be 1"
            ),
        )
        expected = np.where(np.tile(others, 2), handed_in, expected)
    refuse(
        handed_in != expected,
        ("game", "seat"),
        lambda game, seat: f"{handed_in[game, seat]} images of this seat; must be {expected[game, seat]}",
    )


def _check_votes(
    rules: OdysseyRules,
    tellers: NDArray[np.int64],
    owners: NDArray[np.int64],
    votes: NDArray[np.int64],
    handed_in: NDArray[np.int64],
) -> None:
    """Whether everybody who may vote did, nobody else did, and no vote is on an image of the own side or twice."""
    seats = np.arange(rules.players)
    games = np.arange(len(votes))[:, None, None]
    cast = votes >= 0
    if rules.variant == "party":
        voter = np.ones(cast.shape[:2], dtype=bool)
    else:
        voter = seats % rules.sides != (tellers % rules.sides)[:, None]
        if rules.variant == "team":
            voter &= handed_in == 0
    refuse(
        ~voter & cast.any(axis=2),
        ("game", "seat"),
        lambda game, seat: f"votes = {votes[game, seat].tolist()}, but this seat does not vote; must be all -1",
    )
    refuse(voter & ~cast.any(axis=2), ("game", "seat"), lambda game, seat: "no vote; must be at least one")
    if rules.votes == 2:
        refuse(
            cast[:, :, 0] & (votes[:, :, 0] == votes[:, :, 1]),
            ("game", "seat"),
            lambda game, seat: f"both votes on {_image(votes[game, seat, 0])}; must be different images",
        )
    if rules.variant != "party":
        own = owners[games, votes] % rules.sides == (seats % rules.sides)[:, None]
        refuse(
            cast & own,
            ("game", "seat", "vote"),
            lambda game, seat, vote: f"on {_image(votes[game, seat, vote])}, which is of the own side",
        )
