"""A designer's goals as they are written on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from experiments.house.measures import measures
from experiments.house.search import Goal
from experiments.lab.experiment import Game
from experiments.lab.given import RULES

OTHER_NAMES = {"skill": "skill_random"}


def read_goals(texts: Sequence[str], game: Game) -> tuple[Goal, ...]:
    """'turns=12', 'storyteller_share=0.2', 'skill=high'. ValueError: an unknown measure, a bad value, or a repeat."""
    goals = tuple(_goal(text, game) for text in texts)
    names = [goal.measure.name for goal in goals]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"--goal {twice}: there are two goals for it; one measure can have one goal")
    return goals


def _goal(text: str, game: Game) -> Goal:
    name, equals, wanted = (part.strip() for part in text.partition("="))
    said = f"--goal {text}"
    if not equals or not wanted:
        raise ValueError(f"{said}: expected MEASURE=VALUE, MEASURE=high or MEASURE=low, like --goal turns=12")
    known = {measure.name: measure for measure in measures(game)}
    measure = known.get(OTHER_NAMES.get(name, name))
    if measure is None:
        there = ", ".join([*known, *(f"{short} (for {long})" for short, long in OTHER_NAMES.items())])
        if name in RULES[game].model_fields:
            raise ValueError(f"{said}: {name} is a rules field, which --tune varies; a goal is for a measure: {there}")
        near = difflib.get_close_matches(name, [*known, *OTHER_NAMES], 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"{said}: no measure {name!r} in {game}; {hint}there is {there}")
    if wanted == "high":
        return Goal(measure, "high")
    if wanted == "low":
        return Goal(measure, "low")
    top = 1.0 if measure.is_share else float("inf")
    allowed = "a number from 0 to 1" if measure.is_share else "a number, 0 or more"
    try:
        value = float(wanted)
    except ValueError:
        raise ValueError(f"{said}: must be {allowed} ({measure.unit}), high or low") from None
    low = float("-inf") if measure.name in ("points", "storyteller_share") else 0.0  # penalties can make both negative
    if not low <= value <= top or value in (float("inf"), float("-inf")):
        raise ValueError(f"{said}: must be {allowed} ({measure.unit}), high or low")
    return Goal(measure, value)
