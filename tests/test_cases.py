"""The published example turns and rounds, one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.odyssey import OdysseyRules, score_turn
from sim.stella import StellaRules, resolve_round

CASES = Path(__file__).parent / "cases"


def cases(file: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in json.loads((CASES / file).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("case", cases("odyssey_turns.json"))
def test_odyssey_turn(case: dict[str, Any]) -> None:
    rules = OdysseyRules(**case["rules"])
    votes = [seat + [-1] * (rules.votes - len(seat)) for seat in case["votes"]]
    trap = None if case["trap"] is None else [case["trap"]]
    points = score_turn(rules, case["storyteller"], [case["owners"]], [votes], trap)
    assert points.tolist() == [case["points"]]


@pytest.mark.parametrize("case", cases("stella_rounds.json"))
def test_stella_round(case: dict[str, Any]) -> None:
    rules = StellaRules(**case["rules"])
    marks = np.zeros((1, rules.players, rules.cards), dtype=bool)
    for seat, cards in enumerate(case["marks"]):
        marks[0, seat, cards] = True
    result = resolve_round(rules, marks, case["first_scout"], [case["priority"]])
    for seat, expected in enumerate(case["result"]):
        assert {name: getattr(result, name)[0, seat].item() for name in expected} == expected
