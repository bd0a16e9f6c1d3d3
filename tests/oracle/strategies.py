"""Hypothesis strategies: legal house rules, worlds and addresses of games. They give constructor arguments."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

VARIANTS = ("standard", "party", "team")
SEATS = {"standard": list(range(3, 13)), "party": list(range(6, 13)), "team": [6, 8, 10, 12]}
POINTS = st.one_of(st.integers(0, 5), st.integers(0, 100))
STORYTELLER_POINTS = st.one_of(st.integers(-5, 5), st.integers(-100, 100))
SEEDS = st.one_of(st.integers(0, 10), st.integers(0, 2**63 - 1))
DEALS = st.one_of(st.integers(0, 10), st.integers(0, 2**40))


def _decimals(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats with three decimals."""
    return st.integers(round(low * 1000), round(high * 1000)).map(lambda number: number / 1000)


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    mean = draw(_decimals(0.05, 0.95))
    widest = 0.8 * (mean * (1 - mean)) ** 0.5
    return {
        "agreement_mean": mean,
        "agreement_sd": draw(st.one_of(st.just(0.0), _decimals(0.02, min(0.3, widest)))),
        "breadth_sd": draw(_decimals(0, 1)),
        "clarity_sd": draw(_decimals(0.1, 3)),
        "clarity_span": draw(_decimals(1, 4)),
        "storyteller_floor": draw(st.one_of(st.none(), _decimals(-1, 2))),
    }


def images_of_a_turn(given: dict[str, Any]) -> int:
    """The most images that lie on the table in one turn."""
    if given["variant"] == "standard":
        return 1 + (int(given["players"]) - 1) * int(given["images_handed_in"])
    return int(given["players"]) if given["variant"] == "party" else int(given["players"]) // 2 + 1


@st.composite
def odyssey_rules(draw: st.DrawFn) -> dict[str, Any]:
    """Legal arguments of OdysseyRules; games of at most 40 turns."""
    variant = draw(st.sampled_from(VARIANTS))
    players = draw(st.sampled_from(SEATS[variant]))
    given: dict[str, Any] = {"variant": variant, "players": players}
    given["hand_size"] = draw(st.one_of(st.integers(1, 7), st.integers(1, 20)))
    if variant == "standard":
        given["images_handed_in"] = draw(st.integers(1, min(3, given["hand_size"])))
        given["votes"] = draw(st.sampled_from([1, 2]))
        if given["votes"] == 2:
            given["single_vote_bonus"] = draw(POINTS)
            given["single_vote_bonus_when_all"] = draw(st.booleans())
    if variant in ("standard", "team"):
        given["points_storyteller_some"] = draw(STORYTELLER_POINTS)
        given["points_storyteller_all"] = draw(STORYTELLER_POINTS)
        given["points_storyteller_none"] = draw(STORYTELLER_POINTS)
        given["points_finder"] = draw(POINTS.filter(bool))
        given["points_others_all"] = draw(POINTS)
        given["points_others_none"] = draw(POINTS)
        given["points_per_vote"] = draw(POINTS)
        given["vote_points_cap"] = draw(st.one_of(st.none(), POINTS))
        given["minimum_score"] = draw(st.one_of(st.just(0), st.integers(-40, 0)))
    if variant == "party":
        given["party_cap"] = draw(st.integers(1, 12))
        given["trap"] = draw(st.booleans())
        if given["trap"]:
            given["trap_may_match_own_vote"] = draw(st.booleans())
        given["pass_hands"] = draw(st.booleans())
    if variant == "team":
        given["teammate_hands_in"] = draw(st.booleans())
        if given["teammate_hands_in"]:
            given["teammate_decoy_scores"] = draw(st.booleans())
    least = players * given["hand_size"] + images_of_a_turn(given)
    given["deck_size"] = least + draw(st.one_of(st.integers(0, 30), st.just(1000 - least)))
    ends = draw(st.sampled_from(["target", "turns", "both"]))
    given["target_score"] = None if ends == "turns" else draw(st.one_of(st.integers(1, 40), st.integers(1, 500)))
    given["storyteller_turns"] = None if ends == "target" else draw(st.integers(1, 3))
    told = players * (given["storyteller_turns"] or 0)
    given["max_turns"] = draw(st.integers(max(1, told), max(40, told)))
    return given


@st.composite
def stella_rules(draw: st.DrawFn) -> dict[str, Any]:
    """Legal arguments of StellaRules; at most eight rounds."""
    rows, columns = draw(
        st.sampled_from([(r, c) for r, c in itertools.product(range(1, 41), repeat=2) if 2 <= r * c <= 40])
        | st.tuples(st.integers(2, 4), st.integers(2, 6))
    )
    size, rounds = rows * columns, draw(st.integers(1, 8))
    refresh = draw(st.sampled_from(["row", "none", "all"]))
    least = size + (rounds - 1) * {"row": columns, "none": 0, "all": size}[refresh]
    minimum = draw(st.integers(1, min(size, 12)))
    spark_points = draw(st.one_of(st.integers(0, 4), st.integers(0, 100)))
    orders = [order for n in range(3) for order in itertools.permutations(("lit_lanterns", "sparks"), n)]
    return {
        "players": draw(st.integers(2, 12)),
        "rows": rows,
        "columns": columns,
        "deck_size": least + draw(st.integers(0, 40)),
        "rounds": rounds,
        "minimum_marks": minimum,
        "maximum_marks": draw(st.integers(minimum, 40)),
        "spark_points": spark_points,
        "super_spark_bonus": draw(POINTS),
        "darkness": draw(st.sampled_from(["sole_most", "all_most", "off"])),
        "darkness_needs_fall": draw(st.booleans()),
        "darkness_erases": draw(st.integers(0, spark_points)),
        "scout_passes": draw(st.sampled_from(["each_card", "on_fall"])),
        "grid_refresh": refresh,
        "tie_break": draw(st.sampled_from(orders)),
    }
