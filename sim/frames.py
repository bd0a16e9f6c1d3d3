"""Games as pandas frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.games import CASES, Games


def _specs(games: Games, members: Any) -> Any:
    specs = games.match.specs()
    categories = list(dict.fromkeys(specs))
    codes = np.array([categories.index(spec) for spec in specs])
    return pd.Categorical.from_codes(codes[members], categories=pd.Index(categories))


def games_frame(games: Games) -> pd.DataFrame:
    """One row per game and member, sorted by deal, seating, member.

    deal, seating, member (position in the lineup), agent (its spec), seat, score (its side's), win_share (its side's:
    1/number of winning sides, 0 if none; the same for both partners), turns (missing in Stella), finished
    """
    n, players = len(games), games.match.rules.players
    member = np.tile(np.arange(players), n)
    row = np.repeat(np.arange(n), players)
    side = member % games.match.n_sides
    turns: Any = pd.array([pd.NA] * len(row), dtype="Int32") if games.turns is None else games.turns[row]
    return pd.DataFrame(
        {
            "deal": games.deal[row],
            "seating": games.seating[row],
            "member": member,
            "agent": _specs(games, member),
            "seat": (member + games.seating[row]) % players,
            "score": games.scores[row, side],
            "win_share": games.win_shares[row, side],
            "turns": turns,
            "finished": games.finished[row],
        }
    )


def turns_frame(games: Games) -> pd.DataFrame:
    """Odyssey: one row per turn, sorted by deal, seating, turn.

    deal, seating, turn, storyteller (seat), agent (the storyteller's spec), vagueness, voters, found (how many of the
    voters), case (all/some/none), storyteller_points (the storyteller side's raw points of the turn). In party
    vagueness, found and case are missing. Raises ValueError for Stella.
    """
    rows = games.turn_rows
    if rows is None:
        raise ValueError("turns_frame() is for Odyssey; Stella has rounds_frame()")
    member = (rows.storyteller - games.seating[rows.game]) % games.match.rules.players
    return pd.DataFrame(
        {
            "deal": games.deal[rows.game],
            "seating": games.seating[rows.game],
            "turn": rows.turn,
            "storyteller": rows.storyteller,
            "agent": _specs(games, member),
            "vagueness": rows.vagueness,
            "voters": rows.voters,
            "found": pd.arrays.IntegerArray(rows.found.copy(), rows.found < 0),
            "case": pd.Categorical.from_codes(rows.case, categories=pd.Index(CASES)),
            "storyteller_points": rows.storyteller_points,
        }
    )


def rounds_frame(games: Games) -> pd.DataFrame:
    """Stella: one row per round and player, sorted by deal, seating, round, member.

    deal, seating, round, member, agent, seat, marks, dark, fallen, sparks, super_sparks, erased, points.
    Raises ValueError for Odyssey.
    """
    rounds = games.rounds
    if rounds is None:
        raise ValueError("rounds_frame() is for Stella; Odyssey has turns_frame()")
    n, count, players = rounds.marks.shape
    row = np.repeat(np.arange(n), count * players)
    member = np.tile(np.arange(players), n * count)
    columns = ("marks", "dark", "fallen", "sparks", "super_sparks", "erased", "points")
    return pd.DataFrame(
        {
            "deal": games.deal[row],
            "seating": games.seating[row],
            "round": np.tile(np.repeat(np.arange(count), players), n),
            "member": member,
            "agent": _specs(games, member),
            "seat": (member + games.seating[row]) % players,
            **{name: getattr(rounds, name).reshape(-1) for name in columns},
        }
    )
