"""Rules objects: defaults, ranges, resolving, files, messages."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.odyssey import OdysseyRules
from sim.rules import Rules, RulesError
from sim.stella import StellaRules

odyssey: Any = OdysseyRules  # as without a type checker: what it would refuse is tried here
stella: Any = StellaRules


# Defaults -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(3, 13))
def test_standard_defaults(players: int) -> None:
    rules = OdysseyRules(players=players)
    assert (rules.variant, rules.deck_size, rules.max_turns) == ("standard", 84, 200)
    assert rules.hand_size == (7 if players == 3 else 6)
    assert rules.images_handed_in == (2 if players == 3 else 1)
    assert rules.votes == (2 if players >= 7 else 1)
    assert rules.single_vote_bonus == (1 if players >= 7 else 0)
    assert (rules.target_score, rules.storyteller_turns) == (30, None)
    assert not (rules.trap or rules.pass_hands or rules.teammate_hands_in or rules.teammate_decoy_scores)
    assert rules.sides == players
    assert rules.images == (5 if players == 3 else players)
    assert rules.voters == players - 1


@pytest.mark.parametrize("players", range(6, 13))
def test_party_defaults(players: int) -> None:
    rules = OdysseyRules(variant="party", players=players)
    assert (rules.hand_size, rules.images_handed_in, rules.votes, rules.single_vote_bonus) == (5, 1, 1, 0)
    assert (rules.target_score, rules.storyteller_turns, rules.party_cap) == (None, 1, 5)
    assert rules.trap and rules.pass_hands and not rules.trap_may_match_own_vote
    assert not (rules.teammate_hands_in or rules.teammate_decoy_scores)
    assert rules.sides == rules.images == rules.voters == players


@pytest.mark.parametrize("players", [6, 8, 10, 12])
def test_team_defaults(players: int) -> None:
    rules = OdysseyRules(variant="team", players=players)
    assert (rules.hand_size, rules.images_handed_in, rules.votes, rules.single_vote_bonus) == (4, 1, 1, 0)
    assert (rules.target_score, rules.storyteller_turns) == (None, 1)
    assert rules.teammate_hands_in and rules.teammate_decoy_scores
    assert not (rules.trap or rules.pass_hands)
    assert rules.sides == players // 2
    assert rules.images == players // 2 + 1
    assert rules.replace(teammate_hands_in=False).images == players // 2
    assert rules.voters == players // 2 - 1


def test_points_defaults() -> None:
    rules = OdysseyRules()
    assert (rules.points_storyteller_some, rules.points_storyteller_all, rules.points_storyteller_none) == (3, 0, 0)
    assert (rules.points_finder, rules.points_others_all, rules.points_others_none) == (3, 2, 2)
    assert (rules.points_per_vote, rules.vote_points_cap, rules.minimum_score) == (1, 3, 0)
    assert rules.single_vote_bonus_when_all


def test_stella_defaults() -> None:
    rules = StellaRules()
    assert (rules.players, rules.rows, rules.columns, rules.cards, rules.deck_size, rules.rounds) == (
        4,
        3,
        5,
        15,
        84,
        4,
    )
    assert (rules.minimum_marks, rules.maximum_marks) == (1, 10)
    assert (rules.spark_points, rules.super_spark_bonus, rules.darkness_erases) == (2, 1, 1)
    assert (rules.darkness, rules.darkness_needs_fall) == ("sole_most", True)
    assert (rules.scout_passes, rules.grid_refresh) == ("each_card", "row")
    assert rules.tie_break == ("lit_lanterns", "sparks")
    assert rules.sides == 4
    assert [rules.replace(grid_refresh=kind).cards_replaced for kind in ("row", "none", "all")] == [5, 0, 15]


# Ranges ---------------------------------------------------------------------------------------------------------------

ODYSSEY_RANGES: list[tuple[str, int, int, dict[str, Any]]] = [  # field, low, high, what else makes both ends possible
    ("players", 3, 12, {"deck_size": 1000}),
    ("players", 6, 12, {"variant": "party"}),
    ("players", 6, 12, {"variant": "team"}),
    ("deck_size", 42, 1000, {}),
    ("hand_size", 1, 20, {"deck_size": 1000}),
    ("images_handed_in", 1, 20, {"hand_size": 20, "deck_size": 1000}),
    ("images_handed_in", 1, 6, {}),
    ("images_handed_in", 1, 1, {"variant": "party"}),
    ("votes", 1, 2, {}),
    ("votes", 1, 1, {"variant": "team"}),
    ("storyteller_turns", 1, 33, {}),
    ("points_storyteller_some", -100, 100, {}),
    ("points_storyteller_all", -100, 100, {}),
    ("points_storyteller_none", -100, 100, {}),
    ("points_finder", 0, 100, {}),
    ("points_others_all", 0, 100, {}),
    ("points_others_none", 0, 100, {}),
    ("points_per_vote", 0, 100, {}),
    ("vote_points_cap", 0, 100, {}),
    ("single_vote_bonus", 0, 100, {"players": 7}),
    ("single_vote_bonus", 0, 0, {"players": 6}),
    ("party_cap", 0, 100, {"variant": "party"}),
]
STELLA_RANGES: list[tuple[str, int, int, dict[str, Any]]] = [
    ("players", 2, 12, {}),
    ("rows", 2, 40, {"columns": 1}),
    ("rows", 1, 8, {"deck_size": 1000}),
    ("rounds", 1, 50, {"deck_size": 1000}),
    ("minimum_marks", 1, 10, {}),
    ("spark_points", 0, 100, {}),
    ("super_spark_bonus", 0, 100, {}),
    ("darkness_erases", 0, 7, {"spark_points": 7}),
]
RANGES = [(OdysseyRules, *r) for r in ODYSSEY_RANGES] + [(StellaRules, *r) for r in STELLA_RANGES]


@pytest.mark.parametrize(("cls", "field", "low", "high", "others"), RANGES)
def test_range(cls: type[Rules], field: str, low: int, high: int, others: dict[str, Any]) -> None:
    for value in (low, high):
        assert getattr(cls(**others, **{field: value}), field) == value
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match=rf"{cls.__name__}\.{field} = {value}: "):
            cls(**others, **{field: value})


@pytest.mark.parametrize("field", ["target_score", "max_turns"])
def test_one_or_more(field: str) -> None:
    for value in (1, 50_000):
        assert getattr(odyssey(**{field: value}), field) == value
    with pytest.raises(ValueError, match=rf"{field} = 0: must be an integer from 1"):
        odyssey(**{field: 0})


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (7, 6), (41, 1), (1, 41)])
def test_a_grid_has_2_to_40_cards(rows: int, columns: int) -> None:
    assert StellaRules(rows=1, columns=2).cards == 2
    assert StellaRules(rows=5, columns=8).cards == StellaRules(rows=1, columns=40, deck_size=200).cards == 40
    with pytest.raises(ValueError, match=r"StellaRules\.(rows|columns) = .*\b40\b"):
        StellaRules(rows=rows, columns=columns, deck_size=1000)


def test_minimum_score_is_at_most_zero() -> None:
    assert OdysseyRules(minimum_score=-10_000).minimum_score == -10_000
    with pytest.raises(ValueError, match=r"minimum_score = 1: must be an integer from .* to 0"):
        OdysseyRules(minimum_score=1)


@pytest.mark.parametrize("players", [7, 9, 11])
def test_odd_teams(players: int) -> None:
    with pytest.raises(ValueError, match=f"players = {players}: must be 6, 8, 10 or 12"):
        OdysseyRules(variant="team", players=players)


@pytest.mark.parametrize("value", ["four", "4", 4.5, 4.0, True, None, [4], float("nan")])
@pytest.mark.parametrize("cls", [OdysseyRules, StellaRules])
def test_players_must_be_an_integer(cls: type[Rules], value: object) -> None:
    with pytest.raises(RulesError, match=r"players = .*: must be an integer from \d+ to 12$"):
        cls(players=value)


@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_switches_must_be_bool(value: object) -> None:
    with pytest.raises(ValueError, match=r"darkness_needs_fall = .*: must be true or false"):
        stella(darkness_needs_fall=value)


@pytest.mark.parametrize("value", ["party ", "Party", 3, None, True])
def test_variant_must_be_known(value: object) -> None:
    with pytest.raises(ValueError, match=r'variant = .*: must be one of "standard", "party", "team"'):
        odyssey(variant=value)


@pytest.mark.parametrize("value", [["sparks", "sparks"], ["stars"], "sparks", ["sparks", 1], None])
def test_tie_break_names_are_distinct_and_known(value: object) -> None:
    with pytest.raises(ValueError, match=r"StellaRules\.tie_break = "):
        stella(tie_break=value)


def test_tie_break_orders() -> None:
    assert stella(tie_break=[]).tie_break == ()
    assert stella(tie_break=["sparks", "lit_lanterns"]).tie_break == ("sparks", "lit_lanterns")


def test_numpy_numbers_are_numbers() -> None:
    rules = odyssey(players=np.int64(4), single_vote_bonus_when_all=np.bool_(False))
    assert type(rules.players) is int
    assert rules == OdysseyRules(players=4, single_vote_bonus_when_all=False)


# Impossible combinations ----------------------------------------------------------------------------------------------

NO_POINTS = {
    "points_storyteller_some": 0,
    "points_finder": 0,
    "points_others_all": 0,
    "points_others_none": 0,
    "points_per_vote": 0,
}


@pytest.mark.parametrize(
    ("cls", "fields", "message"),
    [
        (
            OdysseyRules,
            {"players": 12, "hand_size": 7},
            r"deck_size = 84: must be from 96 \(.* 12 x 7 \+ 12\) to 1,000",
        ),
        (OdysseyRules, {"target_score": None}, "target_score = None: the game needs an end"),
        (OdysseyRules, {"variant": "party", "storyteller_turns": None}, "target_score = None: the game needs an end"),
        (OdysseyRules, {"storyteller_turns": 34}, "storyteller_turns = 34: .* = 33, or max_turns 204"),
        (OdysseyRules, {"variant": "team", "max_turns": 5}, "storyteller_turns = 1: must be at most .* = 0"),
        (OdysseyRules, NO_POINTS, "target_score = 30: nobody can reach it"),
        (OdysseyRules, NO_POINTS | {"points_per_vote": 1, "vote_points_cap": 0}, "nobody can reach it"),
        (OdysseyRules, NO_POINTS | {"points_storyteller_all": -3}, "nobody can reach it"),
        (
            OdysseyRules,
            {"variant": "party", "storyteller_turns": None, "target_score": 9, "party_cap": 0},
            "nobody can reach it",
        ),
        (
            OdysseyRules,
            {"players": 7, "votes": 1, "single_vote_bonus": 1},
            "single_vote_bonus = 1: must be 0 where votes",
        ),
        (
            StellaRules,
            {"minimum_marks": 5, "maximum_marks": 4},
            "minimum_marks = 5: must be from 1 to maximum_marks .4",
        ),
        (StellaRules, {"rows": 1, "minimum_marks": 6}, "minimum_marks = 6: must be from 1 to maximum_marks .5"),
        (StellaRules, {"rounds": 15}, r"deck_size = 84: must be from 85 \(15 cards \+ 5 after each of 14 rounds"),
        (StellaRules, {"rounds": 6, "grid_refresh": "all"}, "deck_size = 84: must be from 90"),
        (StellaRules, {"deck_size": 14, "grid_refresh": "none"}, "deck_size = 14: must be from 15"),
        (StellaRules, {"rows": 1, "columns": 1}, "1 x 1 = 1 cards; must be from 2 to 40"),
        (StellaRules, {"darkness_erases": 3}, r"darkness_erases = 3: must be from 0 to spark_points \(2\)"),
        (StellaRules, {"spark_points": 0, "darkness_erases": 1}, "darkness_erases = 1: must be from 0 to spark_points"),
    ],
)
def test_impossible(cls: type[Rules], fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        NO_POINTS | {"storyteller_turns": 1},
        NO_POINTS | {"points_storyteller_none": 1},
        NO_POINTS | {"points_per_vote": 1, "vote_points_cap": None},
        NO_POINTS | {"players": 7},
        {"target_score": None, "storyteller_turns": 2},
        {"variant": "team", "storyteller_turns": None, "target_score": 30},
        {"variant": "party", "target_score": 30},
        {"players": 12, "storyteller_turns": 16},
    ],
)
def test_possible(fields: dict[str, Any]) -> None:
    odyssey(**fields)


UNUSED = [
    *[
        ("party", name, 4)
        for name in ("points_storyteller_all", "points_finder", "points_others_all", "points_per_vote")
    ],
    *[("party", name, 4) for name in ("points_storyteller_some", "points_storyteller_none", "points_others_none")],
    *[("party", "vote_points_cap", value) for value in (None, 2)],
    *[(variant, "party_cap", 4) for variant in ("standard", "team")],
    *[(variant, "trap", True) for variant in ("standard", "team")],
    *[(variant, "trap_may_match_own_vote", True) for variant in ("standard", "team")],
    *[(variant, "pass_hands", True) for variant in ("standard", "team")],
    *[(variant, "teammate_hands_in", True) for variant in ("standard", "party")],
    *[(variant, "teammate_decoy_scores", True) for variant in ("standard", "party")],
    *[(variant, "single_vote_bonus_when_all", False) for variant in ("party", "team")],
]


@pytest.mark.parametrize(("variant", "field", "value"), UNUSED)
def test_a_field_that_the_variant_does_not_use(variant: str, field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf'{field} = {value}: variant "{variant}" does not use it'):
        odyssey(variant=variant, **{field: value})
    default = getattr(odyssey(variant=variant), field)
    assert odyssey(variant=variant, **{field: default}) == odyssey(variant=variant)


# Messages -------------------------------------------------------------------------------------------------------------


def test_every_problem_is_named() -> None:
    with pytest.raises(RulesError) as caught:
        odyssey(players=2, hand_size=0, vots=2)
    lines = str(caught.value).split("\n")
    assert len(lines) == 3
    assert lines[0].startswith(
        'OdysseyRules has no field "vots"; did you mean "votes"? Fields: variant, players, deck_size'
    )
    assert lines[1:] == [
        "OdysseyRules.players = 2: must be an integer from 3 to 12",
        "OdysseyRules.hand_size = 0: must be an integer from 1 to 20",
    ]
    assert [problem.fields for problem in caught.value.problems] == [("vots",), ("players",), ("hand_size",)]


def test_an_unknown_field_that_is_like_no_other() -> None:
    with pytest.raises(ValueError, match=r'StellaRules has no field "zzz"\. Fields: players, rows'):
        stella(zzz=1)


def test_messages_carry_no_links() -> None:
    with pytest.raises(ValueError) as caught:
        odyssey(players="four")
    assert "http" not in str(caught.value)
    assert "pydantic" not in str(caught.value)


def test_errors_pickle() -> None:
    with pytest.raises(RulesError) as caught:
        OdysseyRules(players=2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_none_is_a_word() -> None:
    assert odyssey(target_score="none", storyteller_turns=2).target_score is None
    assert odyssey(vote_points_cap="none").vote_points_cap is None
    assert StellaRules(grid_refresh="none").grid_refresh == "none"
    with pytest.raises(ValueError, match="votes = 'none'"):
        odyssey(votes="none")
    with pytest.raises(ValueError, match=r'target_score = 0: must be an integer from 1 to .* or "none"'):
        OdysseyRules(target_score=0)


# A value --------------------------------------------------------------------------------------------------------------


def test_replace_resolves_again() -> None:
    rules = OdysseyRules(players=8, points_finder=4)
    assert (rules.votes, rules.single_vote_bonus) == (2, 1)
    three = rules.replace(players=3)
    assert three == OdysseyRules(players=3, points_finder=4)
    assert (three.votes, three.hand_size, three.images_handed_in, three.points_finder) == (1, 7, 2, 4)
    assert three.replace(variant="team", players=6, points_finder=3) == OdysseyRules(variant="team")
    assert rules.players == 8


def test_replace_keeps_what_was_given() -> None:
    assert OdysseyRules(players=8, hand_size=6).replace(players=3).hand_size == 6
    assert OdysseyRules(votes=2).single_vote_bonus == 1
    with pytest.raises(ValueError, match="single_vote_bonus = 2: must be 0"):
        OdysseyRules(players=8, single_vote_bonus=2).replace(players=6)


def test_maximum_marks_is_cut_to_the_grid_of_the_moment() -> None:
    rules = StellaRules(maximum_marks=30)
    assert rules.maximum_marks == 15
    assert rules.replace(rows=2).maximum_marks == 10
    assert rules.replace(rows=8).maximum_marks == 30
    assert StellaRules(rows=1).maximum_marks == 5
    assert StellaRules(rows=1).replace(rows=3).maximum_marks == 10


def test_darkness_erases_follows_worthless_sparks() -> None:
    assert StellaRules(spark_points=0).darkness_erases == 0
    assert StellaRules(spark_points=0).replace(spark_points=1).darkness_erases == 1


def test_equal_by_resolved_values() -> None:
    given_much, given_little = OdysseyRules(players=6, votes=1, hand_size=6), OdysseyRules()
    assert given_much == given_little
    assert len({given_much: 1, given_little: 2}) == 1
    assert OdysseyRules(players=7) != given_little
    assert StellaRules() != OdysseyRules()
    assert given_little != "rules"


@pytest.mark.parametrize("again", [lambda r: pickle.loads(pickle.dumps(r)), copy.copy, copy.deepcopy])
def test_copies(again: Any) -> None:
    rules = OdysseyRules(players=8)
    assert again(rules) == rules
    assert hash(again(rules)) == hash(rules)
    assert again(rules).replace(players=3).hand_size == 7


def test_frozen() -> None:
    rules = stella()
    with pytest.raises(ValueError, match=r"frozen: use rules.replace\(players=5\)"):
        rules.players = 5
    assert rules.model_copy(update={"players": 5}) == StellaRules(players=5)
    with pytest.raises(ValueError, match="players = 50"):
        rules.model_copy(update={"players": 50})


def test_repr_shows_what_differs() -> None:
    assert repr(OdysseyRules(players=7, votes=2, hand_size=5)) == "OdysseyRules(players=7, hand_size=5)"
    assert str(StellaRules()) == "StellaRules()"


def test_html_marks_what_differs() -> None:
    table = OdysseyRules(players=7)._repr_html_()
    assert table.count("<tr>") == 1 + len(OdysseyRules.model_fields)
    assert table.count("<b>") == 1
    assert "<td>players</td><td><b>7</b></td>" in table


@pytest.mark.parametrize("cls", [OdysseyRules, StellaRules])
def test_fields_are_documented(cls: type[Rules]) -> None:
    docs = cls.fields()
    assert [doc.name for doc in docs] == list(cls.model_fields)
    assert all(doc.meaning and doc.allowed and doc.default for doc in docs)


def test_field_docs_say_range_and_default() -> None:
    docs = {doc.name: doc for doc in OdysseyRules.fields()}
    assert docs["players"].allowed == "an integer from 3 to 12"
    assert docs["vote_points_cap"].allowed == 'an integer from 0 to 100 or "none"'
    assert docs["hand_size"].default == "6 (7 with 3 players); party 5; team 4"
    docs = {doc.name: doc for doc in StellaRules.fields()}
    assert docs["maximum_marks"].allowed == "an integer, 1 or more"
    assert docs["tie_break"].default == "[lit_lanterns, sparks]"


def test_the_base_class_is_no_game() -> None:
    with pytest.raises(TypeError, match="OdysseyRules or StellaRules"):
        Rules()


# Files ----------------------------------------------------------------------------------------------------------------


@st.composite
def odyssey_rules(draw: st.DrawFn) -> OdysseyRules:
    """Any valid rules of Odyssey, some fields left out."""
    variant = draw(st.sampled_from(["standard", "party", "team"]))
    small, points = st.integers(1, 4), st.integers(0, 100)
    fields: dict[str, st.SearchStrategy[Any]] = {
        "hand_size": st.integers(4, 20),
        "target_score": st.integers(1, 200),
        "storyteller_turns": st.one_of(st.none(), small) if variant == "standard" else small,
        "max_turns": st.integers(48, 500),
        "minimum_score": st.integers(-50, 0),
    }
    if variant == "party":
        fields |= {"party_cap": st.integers(1, 100), "trap": st.booleans(), "pass_hands": st.booleans()}
        fields |= {"trap_may_match_own_vote": st.booleans()}
    else:
        fields |= {f"points_storyteller_{case}": st.integers(-100, 100) for case in ("some", "all", "none")}
        fields |= {"points_finder": st.integers(1, 100), "points_others_all": points, "points_others_none": points}
        fields |= {"points_per_vote": points, "vote_points_cap": st.one_of(st.none(), points)}
    if variant == "team":
        fields |= {"teammate_hands_in": st.booleans(), "teammate_decoy_scores": st.booleans()}
    if variant == "standard":
        fields |= {"images_handed_in": small, "votes": st.integers(1, 2), "single_vote_bonus_when_all": st.booleans()}
    players = {"standard": st.integers(3, 12), "party": st.integers(6, 12), "team": st.sampled_from([6, 8, 10, 12])}
    chosen = draw(st.fixed_dictionaries({"players": players[variant]}, optional=fields))
    rules: OdysseyRules = odyssey(variant=variant, deck_size=1000, **chosen)
    return rules


@st.composite
def stella_rules(draw: st.DrawFn) -> StellaRules:
    """Any valid rules of Stella, some fields left out."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "players": st.integers(2, 12),
        "rows": st.integers(1, 5),
        "rounds": st.integers(1, 50),
        "maximum_marks": st.integers(2, 50),
        "minimum_marks": st.integers(1, 2),
        "spark_points": st.integers(2, 100),
        "super_spark_bonus": st.integers(0, 100),
        "darkness": st.sampled_from(["sole_most", "all_most", "off"]),
        "darkness_needs_fall": st.booleans(),
        "darkness_erases": st.integers(0, 2),
        "scout_passes": st.sampled_from(["each_card", "on_fall"]),
        "grid_refresh": st.sampled_from(["row", "none", "all"]),
        "tie_break": st.lists(st.sampled_from(["lit_lanterns", "sparks"]), unique=True),
    }
    chosen = draw(st.fixed_dictionaries({"columns": st.integers(2, 8)}, optional=fields))
    rules: StellaRules = stella(deck_size=2000, **chosen)
    return rules


@given(rules=st.one_of(odyssey_rules(), stella_rules()))
def test_toml_round_trip(rules: Rules, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "rules.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    for loaded in (Rules.from_toml(path), type(rules).from_toml(path)):
        assert loaded == rules
        assert loaded.to_toml() == rules.to_toml()
    assert pickle.loads(pickle.dumps(rules)) == rules


def written(folder: Path, text: str) -> Path:
    path = folder / "house.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_writes_every_field() -> None:
    text = OdysseyRules().to_toml()
    assert text.startswith('game = "odyssey"\n')
    assert 'storyteller_turns = "none"\n' in text
    assert all(f"{name} = " in text for name in OdysseyRules.model_fields)


def test_toml_may_leave_out_fields_and_on_a_class_the_game(tmp_path: Path) -> None:
    path = written(tmp_path, "players = 3  # of us\n")
    assert OdysseyRules.from_toml(path) == OdysseyRules(players=3)
    assert OdysseyRules.from_toml(str(path)).replace(players=8).votes == 2
    assert StellaRules.from_toml(path) == StellaRules(players=3)
    with pytest.raises(RulesError, match=r'house\.toml: game is missing: it must be "odyssey" or "stella"'):
        Rules.from_toml(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# ours\nplayers = 2\n", r"house\.toml, line 2: OdysseyRules\.players = 2: must be an integer from 3 to 12"),
        ("players = 4\nvots = 2\n", r'house\.toml, line 2: OdysseyRules has no field "vots"; did you mean "votes"\?'),
        ('players = 4\n\nvotes = "two"\n', r"house\.toml, line 3: OdysseyRules\.votes = 'two'"),
        ("players = 4.0\n", r"house\.toml, line 1: OdysseyRules\.players = 4\.0"),
        ("players = 8\n[points_finder]\nx = 1\n", r"house\.toml, line 2: OdysseyRules\.points_finder = {'x': 1}"),
        ("players = 12\nhand_size = 7\n", r"house\.toml, line 2: OdysseyRules\.deck_size = 84"),
        ('trap = true\nvariant = "team"\n', r"house\.toml, line 1: OdysseyRules\.trap = True: variant"),
        ('target_score = "none"\n', r"house\.toml, line 1: OdysseyRules\.target_score = None"),
        ("players = 4\nplayers = 5\n", r"house\.toml, line 2: not valid TOML: Cannot overwrite a value$"),
        ("players = 4\nvotes 2\n", r"house\.toml, line 2: not valid TOML"),
        ("players = 4\nvotes =", r"house\.toml, line 2: not valid TOML"),
        ('game = "stella"\n', r'house\.toml, line 1: game = \'stella\': must be "odyssey" for OdysseyRules'),
        ("players = 2\nhand_size = 0", r"line 1: OdysseyRules\.players(.|\n)*line 2: OdysseyRules\.hand_size"),
    ],
)
def test_toml_errors_name_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        OdysseyRules.from_toml(written(tmp_path, text))


def test_toml_of_an_unknown_game(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r'house\.toml, line 2: game = \'go\': must be "odyssey" or "stella"'):
        Rules.from_toml(written(tmp_path, 'players = 4\ngame = "go"\n'))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"absent\.toml: there is no such rules file"):
        Rules.from_toml(tmp_path / "absent.toml")
    with pytest.raises(RulesError, match="cannot be read"):
        Rules.from_toml(tmp_path)
    (tmp_path / "house.toml").write_bytes(b"players = \xff")
    with pytest.raises(RulesError, match="cannot be read as a text file"):
        Rules.from_toml(tmp_path / "house.toml")
