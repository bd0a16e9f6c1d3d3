"""Replays are what they were: golden playthroughs in words (see `golden_games.py`)."""

from __future__ import annotations

import pytest

import sim
from agents.registry import make
from golden_games import FOLDER, GAMES, told


@pytest.mark.parametrize("name", GAMES)
def test_golden_game(name: str) -> None:
    assert told(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_the_words_agree_with_the_columns(name: str) -> None:
    specs, rules = GAMES[name]
    match = sim.Match([make(rules.game, spec) for spec in specs], rules)
    games = sim.simulate(match, 1, first_deal=3, seed=7)
    side = "team" if match.n_sides < rules.players else "seat"
    result = next(line for line in told(name).splitlines() if line.startswith("Result: "))
    for number, score in enumerate(games.scores[0]):
        assert f"{side} {number} {score}" in result


def test_a_replay_prints_and_shows() -> None:
    specs, rules = GAMES["stella_4_players"]
    text = sim.replay(sim.Match([make("stella", spec) for spec in specs], rules), seed=7, deal=3)
    assert repr(text) == str(text)
    assert text._repr_html_().startswith("<pre") and "avoider:risk=0.2" in text._repr_html_()
