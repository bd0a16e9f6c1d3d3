"""The same game alone and among a million: nothing depends on batch, block, order, workers or who else plays."""

from __future__ import annotations

import pickle
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import sim
from oracle.hash_agents import ODYSSEY, SCOUTS, STELLA
from sim.games import Games, Rounds, TurnRows
from sim.odyssey import OdysseyRules
from sim.replay import trace
from sim.stella import StellaRules


def lineup(pool: tuple[Any, ...], players: int) -> list[Any]:
    return [pool[i % len(pool)] for i in range(players)]


MATCHES = {
    "stella": sim.Match(lineup(STELLA, 4), StellaRules()),
    "stella, thinking scouts": sim.Match(lineup((*SCOUTS, *STELLA), 5), StellaRules(players=5, scout_passes="on_fall")),
    "odyssey": sim.Match(lineup(ODYSSEY, 5), OdysseyRules(players=5)),
    "odyssey, three": sim.Match(lineup(ODYSSEY, 3), OdysseyRules(players=3)),
    "odyssey, eight": sim.Match(lineup(ODYSSEY, 8), OdysseyRules(players=8)),
    "party": sim.Match(lineup(ODYSSEY, 6), OdysseyRules(variant="party")),
    "team": sim.Match(lineup(ODYSSEY, 6), OdysseyRules(variant="team", target_score=12, storyteller_turns=3)),
}


def columns(games: Games) -> dict[str, np.ndarray]:
    """Every number of some games."""
    out: dict[str, np.ndarray] = {}
    for name in ("deal", "seating", "scores", "winners", "finished", "turns"):
        if (value := getattr(games, name)) is not None:
            out[name] = value
    for part, kind in ((games.rounds, Rounds), (games.turn_rows, TurnRows)):
        if part is not None:
            out |= {f"{kind.__name__}.{f.name}": getattr(part, f.name) for f in fields(kind)}
    return out


def assert_same(a: Games, b: Games) -> None:
    ours, theirs = columns(a), columns(b)
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        assert values.dtype == theirs[name].dtype, name
        assert values.tobytes() == theirs[name].tobytes(), name


@pytest.fixture(scope="module", params=MATCHES)
def played(request: pytest.FixtureRequest) -> tuple[sim.Match, Games]:
    match = MATCHES[request.param]
    return match, sim.simulate(match, 90, first_deal=10, seed=3)


@pytest.mark.parametrize("block_deals", [1, 7, 64])
def test_blocks(played: tuple[sim.Match, Games], block_deals: int) -> None:
    match, games = played
    assert_same(games, sim.simulate(match, 90, first_deal=10, seed=3, block_deals=block_deals))


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 3), ("loky", 2)])
def test_workers(played: tuple[sim.Match, Games], backend: str, n_jobs: int) -> None:
    match, games = played
    assert_same(games, sim.simulate(match, 90, first_deal=10, seed=3, n_jobs=n_jobs, backend=backend, block_deals=16))


def test_parts_in_any_order(played: tuple[sim.Match, Games]) -> None:
    match, games = played
    parts = [sim.simulate(match, n, first_deal=first, seed=3) for first, n in ((10, 20), (30, 1), (31, 69))]
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        a, b, c = (parts[i] for i in order)
        assert_same(games, (a + b) + c)
        assert_same(games, a + (b + c))
        assert (a.summary() + b.summary()) + c.summary() == games.summary()
    assert games.summary() == sim.simulate(match, 90, first_deal=10, seed=3, keep="summary", block_deals=11)


def test_a_game_alone(played: tuple[sim.Match, Games]) -> None:
    match, games = played
    rng = np.random.default_rng(0)
    for row in rng.choice(len(games), 12, replace=False):
        deal, seating = int(games.deal[row]), int(games.seating[row])
        told = trace(match, seed=3, deal=deal, seating=seating)
        sides = (np.arange(match.n_sides) + seating) % match.n_sides
        assert np.array(told.scores)[sides].tolist() == games.scores[row].tolist()
        assert np.array(told.winners)[sides].tolist() == games.winners[row].tolist()
        assert told.finished == games.finished[row]


def test_a_rotated_lineup_plays_the_games_of_that_seating(played: tuple[sim.Match, Games]) -> None:
    match, games = played
    players = match.rules.players
    for seating in range(match.seatings):
        # member j at seat j + seating: the lineup turned by that much, played fixed
        turned = [match.agents[(seat - seating) % players] for seat in range(players)]
        fixed = sim.simulate(sim.Match(turned, match.rules, match.world, "fixed"), 90, first_deal=10, seed=3)
        sides = (np.arange(match.n_sides) + seating) % match.n_sides
        assert (fixed.scores[:, sides] == games.scores[games.seating == seating]).all()


def test_other_seeds_and_deals_are_other_games(played: tuple[sim.Match, Games]) -> None:
    match, games = played
    other = sim.simulate(match, 90, first_deal=10, seed=4)
    shifted = sim.simulate(match, 90, first_deal=100, seed=3)
    for games_of_other_luck in (other, shifted):
        assert (games_of_other_luck.scores != games.scores).any(1).mean() > 0.9


def test_everything_pickles(played: tuple[sim.Match, Games]) -> None:
    match, games = played
    again = pickle.loads(pickle.dumps(games))
    assert again.match == match
    assert_same(games, again)
    assert pickle.loads(pickle.dumps(games.summary())) == games.summary()


def test_interrupted_blocks_are_not_played_again() -> None:
    match = MATCHES["stella"]
    whole = sim.simulate(match, 90, seed=1, block_deals=20)
    kept: dict[str, Any] = {}
    sim.simulate(match, 90, seed=1, block_deals=20, blocks=kept)
    assert len(kept) == 5
    lost = sorted(kept)[:2]
    for key in lost:
        del kept[key]
    untouched = {key: id(value) for key, value in kept.items()}
    assert_same(whole, sim.simulate(match, 90, seed=1, block_deals=20, blocks=kept))
    assert {key: id(kept[key]) for key in untouched} == untouched
