"""Engine and oracle play the same whole games, event by event: every variant, and house rules drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sim
import sim.odyssey
import sim.stella
from agents.registry import make
from oracle import hash_agents, odyssey, players, rules, stella, strategies
from sim.odyssey import OdysseyRules
from sim.replay import trace
from sim.stella import StellaRules

QUICK = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SLOW = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))

ODYSSEY_TABLES = [(variant, seats) for variant in strategies.VARIANTS for seats in strategies.SEATS[variant]]
ODYSSEY_LINEUPS = st.lists(st.sampled_from(hash_agents.ODYSSEY), min_size=12, max_size=12)
STELLA_LINEUPS = st.lists(st.sampled_from(hash_agents.STELLA), min_size=12, max_size=12)
SCOUT_LINEUPS = st.lists(st.sampled_from(hash_agents.STELLA + hash_agents.SCOUTS), min_size=12, max_size=12)
ODYSSEY_EVENTS = (
    "storyteller",
    "hands",
    "slot",
    "vagueness",
    "images",
    "owners",
    "votes",
    "trap",
    "points",
    "found",
    "voters",
    "scores",
)
STELLA_EVENTS = (
    "grid",
    "fits",
    "marks",
    "counts",
    "dark",
    "reveals",
    "fallen",
    "sparks",
    "super_sparks",
    "erased",
    "points",
)


def plain(value: Any) -> Any:
    """Lists, ints, bools and floats, whatever the engine's log is made of."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def assert_same_events(engine: list[dict[str, Any]], oracle: list[dict[str, Any]], names: tuple[str, ...]) -> None:
    for number, (ours, theirs) in enumerate(zip(engine, oracle, strict=False)):
        assert set(ours) >= set(names)
        for name in names:
            given, expected = plain(ours[name]), plain(theirs[name])
            if name == "vagueness":
                np.testing.assert_equal(np.float32(given), np.float32(expected))
            else:
                assert given == expected, f"{name} of turn or round {number}"
    assert len(engine) == len(oracle)


def seated(members: list[Any], seating: int) -> list[Any]:
    """By seat: member j sits at seat (j + seating) mod players."""
    return [members[(seat - seating) % len(members)] for seat in range(len(members))]


def in_lineup_order(by_side: list[Any], seating: int, n_players: int) -> list[Any]:
    """Column j: the side of member j, who sits at seat (j + seating) mod players."""
    return [by_side[(j + seating) % n_players % len(by_side)] for j in range(len(by_side))]


def check_match(
    lineup: list[Any],
    scalars: list[Any],
    game_rules: Any,
    world: sim.World,
    seed: int,
    first_deal: int,
    n_deals: int = 1,
    seating: str = "fixed",
) -> None:
    """Every game of a match against the oracle: the columns of all, the traces of the first deal."""
    is_odyssey = isinstance(game_rules, OdysseyRules)
    match = sim.Match(lineup, game_rules, world=world, seating=seating)
    games = sim.simulate(match, n_deals=n_deals, first_deal=first_deal, seed=seed, keep="games")
    row = 0
    for deal in range(first_deal, first_deal + n_deals):
        for turned in range(match.seatings):
            table = seated(scalars, turned)
            assert (games.deal[row], games.seating[row]) == (deal, turned)
            told: Any
            if is_odyssey:
                told = odyssey.play_odyssey(game_rules, world, table, seed, deal)
                assert games.turns[row] == len(told.turns)
            else:
                told = stella.play_stella(game_rules, world, table, seed, deal)
                _check_rounds(games, row, told, turned)
            if deal == first_deal:
                log = trace(match, seed, deal, turned)
                if is_odyssey:
                    assert_same_events(log.turns, told.turns, ODYSSEY_EVENTS)
                else:
                    assert_same_events(log.rounds, told.rounds, STELLA_EVENTS)
                assert plain(log.scores) == told.scores
                assert plain(log.winners) == told.winners
                assert bool(log.finished) == told.finished
            assert plain(games.scores[row]) == in_lineup_order(told.scores, turned, game_rules.players)
            assert plain(games.winners[row]) == in_lineup_order(told.winners, turned, game_rules.players)
            assert bool(games.finished[row]) == told.finished
            row += 1
    assert row == len(games.deal)


def _check_rounds(games: Any, row: int, told: stella.Game, seating: int) -> None:
    names = {"marks": "counts"} | {
        name: name for name in ("dark", "fallen", "sparks", "super_sparks", "erased", "points")
    }
    for column, event in names.items():
        expected = [in_lineup_order(played[event], seating, len(told.scores)) for played in told.rounds]
        assert plain(getattr(games.rounds, column)[row]) == expected, column


def lineup_of(kinds: tuple[Any, ...], n_players: int, first: int = 0) -> list[Any]:
    return [kinds[(first + seat) % len(kinds)] for seat in range(n_players)]


def twins(lineup: list[Any]) -> list[Any]:
    return [hash_agents.scalar(agent) for agent in lineup]


# Every variant and number of players ----------


@pytest.mark.parametrize(("variant", "seats"), ODYSSEY_TABLES)
def test_odyssey_tables(variant: str, seats: int) -> None:
    lineup = lineup_of(hash_agents.ODYSSEY, seats, first=seats)
    check_match(
        lineup,
        twins(lineup),
        OdysseyRules(variant=variant, players=seats),
        sim.World(),
        seed=7,
        first_deal=40,
        n_deals=3,
    )


@pytest.mark.parametrize(("variant", "seats"), [("standard", 4), ("standard", 7), ("party", 6), ("team", 6)])
def test_odyssey_seatings(variant: str, seats: int) -> None:
    lineup = lineup_of(hash_agents.ODYSSEY, seats)
    game_rules = OdysseyRules(variant=variant, players=seats)
    check_match(lineup, twins(lineup), game_rules, sim.World(), seed=1, first_deal=0, n_deals=2, seating="rotate")


@pytest.mark.parametrize("floor", [-0.5, 0.5, 4.0])
@pytest.mark.parametrize(("variant", "seats"), [("standard", 4), ("team", 8)])
def test_storyteller_floor(variant: str, seats: int, floor: float) -> None:
    lineup = lineup_of(hash_agents.ODYSSEY, seats)
    world = sim.World(storyteller_floor=floor)
    check_match(
        lineup, twins(lineup), OdysseyRules(variant=variant, players=seats), world, seed=3, first_deal=0, n_deals=2
    )


@pytest.mark.parametrize("seats", range(2, 13))
@pytest.mark.parametrize("scouts", [False, True], ids=["one order", "scouts that think again"])
def test_stella_tables(seats: int, scouts: bool) -> None:
    kinds = hash_agents.STELLA + hash_agents.SCOUTS if scouts else hash_agents.STELLA
    lineup = lineup_of(kinds, seats, first=len(hash_agents.STELLA) - 1 if scouts else 0)
    check_match(lineup, twins(lineup), StellaRules(players=seats), sim.World(), seed=7, first_deal=40, n_deals=3)


@pytest.mark.parametrize(
    "kinds", [hash_agents.STELLA, hash_agents.SCOUTS], ids=["one order", "scouts that think again"]
)
def test_stella_seatings(kinds: tuple[Any, ...]) -> None:
    lineup = lineup_of(kinds, 4)
    check_match(lineup, twins(lineup), StellaRules(), sim.World(), seed=1, first_deal=0, n_deals=2, seating="rotate")


def test_the_longest_stella_game() -> None:
    game_rules = StellaRules(players=3, rounds=50, deck_size=300)
    lineup = lineup_of(hash_agents.STELLA, 3)
    check_match(lineup, twins(lineup), game_rules, sim.World(), seed=1, first_deal=0)


# House rules drawn at random ----------


def check_odyssey(given_rules: dict[str, Any], world: dict[str, Any], lineup: list[Any], seed: int, deal: int) -> None:
    game_rules = OdysseyRules(**given_rules)
    lineup = lineup[: game_rules.players]
    check_match(lineup, twins(lineup), game_rules, sim.World(**world), seed, deal)


def check_stella(given_rules: dict[str, Any], world: dict[str, Any], lineup: list[Any], seed: int, deal: int) -> None:
    game_rules = StellaRules(**given_rules)
    lineup = lineup[: game_rules.players]
    check_match(lineup, twins(lineup), game_rules, sim.World(**world), seed, deal)


odyssey_games = given(
    strategies.odyssey_rules(), strategies.worlds(), ODYSSEY_LINEUPS, strategies.SEEDS, strategies.DEALS
)
stella_games = given(strategies.stella_rules(), strategies.worlds(), STELLA_LINEUPS, strategies.SEEDS, strategies.DEALS)
scout_games = given(strategies.stella_rules(), strategies.worlds(), SCOUT_LINEUPS, strategies.SEEDS, strategies.DEALS)

test_odyssey_house_rules = QUICK(odyssey_games(check_odyssey))
test_stella_house_rules = QUICK(stella_games(check_stella))
test_stella_house_rules_with_scouts = QUICK(scout_games(check_stella))
test_many_odyssey_house_rules = pytest.mark.slow(SLOW(odyssey_games(check_odyssey)))
test_many_stella_house_rules = pytest.mark.slow(SLOW(stella_games(check_stella)))
test_many_stella_house_rules_with_scouts = pytest.mark.slow(SLOW(scout_games(check_stella)))


@QUICK
@given(strategies.odyssey_rules())
def test_odyssey_fields_resolve_as_written(given_rules: dict[str, Any]) -> None:
    resolved, expected = OdysseyRules(**given_rules), vars(rules.odyssey_rules(**given_rules))
    assert {name: getattr(resolved, name) for name in expected} == expected


@pytest.mark.parametrize(("variant", "seats"), ODYSSEY_TABLES)
def test_odyssey_defaults(variant: str, seats: int) -> None:
    expected = vars(rules.odyssey_rules(variant=variant, players=seats))
    resolved = OdysseyRules(variant=variant, players=seats)
    assert {name: getattr(resolved, name) for name in expected} == expected


@QUICK
@given(strategies.stella_rules())
def test_stella_fields_resolve_as_written(given_rules: dict[str, Any]) -> None:
    for arguments in ({}, {"players": given_rules["players"]}, given_rules):
        resolved, expected = StellaRules(**arguments), vars(rules.stella_rules(**arguments))
        assert {name: getattr(resolved, name) for name in expected} == expected


# The rules as functions ----------


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Any], int, list[int], list[list[int]], int | None]:
    """A legal table: rules, storyteller, owners, votes, trap."""
    given_rules = draw(strategies.odyssey_rules())
    resolved = rules.odyssey_rules(**given_rules)
    seats, storyteller = resolved.players, draw(st.integers(0, resolved.players - 1))
    sides = odyssey.number_of_sides(resolved)
    if resolved.variant == "party":
        owners = list(range(seats))
    elif resolved.variant == "standard":
        owners = [storyteller] + [s for s in range(seats) if s != storyteller for _ in range(resolved.images_handed_in)]
    else:
        owners = [storyteller] + [(storyteller + sides) % seats] * resolved.teammate_hands_in
        owners += [draw(st.sampled_from([s, s + sides])) for s in range(sides) if s != storyteller % sides]
    owners = draw(st.permutations(owners))
    votes: list[list[int]] = [[] for _ in range(seats)]
    for seat in range(seats):
        if resolved.variant == "party":
            votes[seat] = [draw(st.integers(0, seats - 1))]
        elif seat % sides != storyteller % sides and (resolved.variant == "standard" or seat not in owners):
            legal = [image for image, owner in enumerate(owners) if owner % sides != seat % sides]
            votes[seat] = draw(st.lists(st.sampled_from(legal), min_size=1, max_size=resolved.votes, unique=True))
    trap = None
    if resolved.trap:
        free = [i for i in range(seats) if resolved.trap_may_match_own_vote or i != votes[storyteller][0]]
        trap = draw(st.sampled_from(free))
    return given_rules, storyteller, owners, votes, trap


def check_score_turn(table: tuple[dict[str, Any], int, list[int], list[list[int]], int | None]) -> None:
    given_rules, storyteller, owners, votes, trap = table
    game_rules = OdysseyRules(**given_rules)
    padded = [chosen + [-1] * (game_rules.votes - len(chosen)) for chosen in votes]
    points = sim.odyssey.score_turn(
        game_rules,
        storyteller,
        np.array([owners]),
        np.array([padded]),
        None if trap is None else np.array([trap]),
    )
    assert plain(points) == [odyssey.score_turn(game_rules, storyteller, owners, votes, trap)]


test_score_turn = settings(QUICK, max_examples=100)(given(tables())(check_score_turn))
test_score_turn_more = pytest.mark.slow(settings(SLOW, max_examples=3000)(given(tables())(check_score_turn)))


def check_resolve_round(given_rules: dict[str, Any], first_scout: int, numbers: int) -> None:
    game_rules = StellaRules(**given_rules)
    dice = np.random.default_rng(numbers)
    shape = (game_rules.players, game_rules.rows * game_rules.columns)
    marks = dice.random(shape) < dice.random()
    for row in marks:
        while row.sum() < game_rules.minimum_marks:
            row[dice.integers(shape[1])] = True
        while row.sum() > game_rules.maximum_marks:
            row[dice.integers(shape[1])] = False
    priority = dice.integers(0, 5, shape).astype(float)
    first_scout %= game_rules.players
    expected = stella.resolve_round(
        game_rules,
        plain(marks),
        first_scout,
        lambda scout, state: stella.highest(priority[scout], state.hidden_marks(scout)),
    )
    result = sim.stella.resolve_round(game_rules, marks[None], first_scout, priority[None])
    for name in ("counts", "dark", "fallen", "sparks", "super_sparks", "erased", "points"):
        assert plain(getattr(result, name)) == [expected[name]], name


drawn_rounds = given(strategies.stella_rules(), st.integers(0, 11), st.integers(0, 2**32))
test_resolve_round = settings(QUICK, max_examples=100)(drawn_rounds(check_resolve_round))
test_resolve_round_more = pytest.mark.slow(settings(SLOW, max_examples=3000)(drawn_rounds(check_resolve_round)))


@QUICK
@given(strategies.stella_rules(), st.integers(0, 2**32))
def test_stella_winners(given_rules: dict[str, Any], numbers: int) -> None:
    game_rules = StellaRules(**given_rules)
    points, lit, sparks = np.random.default_rng(numbers).integers(0, 3, (3, 20, game_rules.players))
    expected = [
        stella.winners(game_rules, *(plain(row) for row in game)) for game in zip(points, lit, sparks, strict=True)
    ]
    assert plain(sim.stella.winners(game_rules, points, lit, sparks)) == expected


@pytest.mark.parametrize(("variant", "seats"), [("standard", 4), ("party", 6), ("team", 8)])
def test_odyssey_winners(variant: str, seats: int) -> None:
    game_rules = OdysseyRules(variant=variant, players=seats)
    scores = np.random.default_rng(0).integers(0, 4, (50, odyssey.number_of_sides(game_rules)))
    assert plain(sim.odyssey.winners(game_rules, scores)) == [odyssey.winners(plain(row)) for row in scores]


# Registered agents ----------

REGISTERED = [
    ("odyssey", "random", players.RandomOdyssey()),
    ("odyssey", "greedy", players.GreedyOdyssey()),
    ("odyssey", "people", players.GreedyOdyssey(vagueness=0.7)),
    ("stella", "random", players.RandomStella()),
    ("stella", "threshold:fit=0.7", players.ThresholdStella()),
    ("stella", "top:k=5", players.TopStella()),
    ("stella", "people", players.PeopleStella()),
]


@pytest.mark.parametrize(("game", "spec", "scalar"), REGISTERED, ids=[f"{game} {spec}" for game, spec, _ in REGISTERED])
def test_registered_agents(game: str, spec: str, scalar: Any) -> None:
    """Simple agents of the registry, written a second time."""
    tables = ODYSSEY_TABLES[::4] if game == "odyssey" else [("", seats) for seats in (3, 4, 6)]
    for variant, seats in tables:
        game_rules = OdysseyRules(variant=variant, players=seats) if game == "odyssey" else StellaRules(players=seats)
        check_match(
            [make(game, spec)] * seats, [scalar] * seats, game_rules, sim.World(), seed=2, first_deal=5, n_deals=2
        )
