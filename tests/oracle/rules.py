"""The defaults of the two rules objects, resolved by hand: for games without the engine, and to compare with it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def odyssey_rules(**given: Any) -> SimpleNamespace:
    """Every field of OdysseyRules, resolved. Nothing is checked."""
    variant = given.get("variant", "standard")
    players = given.get("players", 6)
    standard, party, team = (variant == name for name in ("standard", "party", "team"))
    votes = given.get("votes", 2 if standard and players >= 7 else 1)
    fields: dict[str, Any] = {
        "variant": variant,
        "players": players,
        "deck_size": 84,
        "hand_size": {"standard": 7 if players == 3 else 6, "party": 5, "team": 4}[variant],
        "images_handed_in": 2 if standard and players == 3 else 1,
        "votes": votes,
        "target_score": 30 if standard else None,
        "storyteller_turns": None if standard else 1,
        "max_turns": 200,
        "points_storyteller_some": 3,
        "points_storyteller_all": 0,
        "points_storyteller_none": 0,
        "points_finder": 3,
        "points_others_all": 2,
        "points_others_none": 2,
        "points_per_vote": 1,
        "vote_points_cap": 3,
        "single_vote_bonus": 1 if votes == 2 else 0,
        "single_vote_bonus_when_all": True,
        "minimum_score": 0,
        "party_cap": 5,
        "trap": party,
        "trap_may_match_own_vote": False,
        "pass_hands": party,
        "teammate_hands_in": team,
        "teammate_decoy_scores": team,
    }
    return SimpleNamespace(**(fields | given))


def stella_rules(**given: Any) -> SimpleNamespace:
    """Every field of StellaRules, resolved. Nothing is checked."""
    fields: dict[str, Any] = {
        "players": 4,
        "rows": 3,
        "columns": 5,
        "deck_size": 84,
        "rounds": 4,
        "minimum_marks": 1,
        "maximum_marks": 10,
        "spark_points": 2,
        "super_spark_bonus": 1,
        "darkness": "sole_most",
        "darkness_needs_fall": True,
        "darkness_erases": 1,
        "scout_passes": "each_card",
        "grid_refresh": "row",
        "tie_break": ("lit_lanterns", "sparks"),
    } | given
    fields["maximum_marks"] = min(fields["maximum_marks"], fields["rows"] * fields["columns"])
    return SimpleNamespace(**fields)


def world(**given: Any) -> SimpleNamespace:
    """Every field of World."""
    fields: dict[str, Any] = {
        "agreement_mean": 0.40,
        "agreement_sd": 0.15,
        "breadth_sd": 0.3,
        "clarity_sd": 1.15,
        "clarity_span": 3.0,
        "storyteller_floor": None,
    }
    return SimpleNamespace(**(fields | given))
