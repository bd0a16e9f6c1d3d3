"""Agents that play each rule set as well as the lab knows how: the sensible agents of the house rules."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import numpy as np

import sim
from agents.odyssey.tuned import best_vagueness
from agents.registry import make
from experiments.house.measures import AnyRules, game_of
from experiments.lab.context import Context
from experiments.lab.deal_sums import DealSums
from experiments.lab.formats import fingerprint, plain
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules

RISKS: Final = tuple(i / 10 for i in range(11))
TUNING_DEALS: Final = 300
TUNING_FIRST: Final = 2**40
"""The first deal that risks are chosen on: far from all deals that anything is measured on."""


@dataclass(eq=False)
class Retuning:
    """Finds the sensible agent for rules, once for rules that differ in nothing that matters to it.

    Odyssey: `tuned`'s vagueness, as `storyteller:vagueness=v`; in party, where nobody is vague, `party`. Stella: the
    `avoider` whose risk has the highest margin, alone among `people` on deals of their own (ties: the lowest risk).
    """

    context: Context
    _known: MutableMapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        blocks = self.context.blocks
        self._known = {} if blocks is None else blocks.section("tuned")

    def sensible(self, rules: AnyRules) -> Any:
        """The agent: one of the registry's, with its parameter set."""
        rules = what_matters(rules)
        key = fingerprint([rules.game, plain(rules), plain(self.context.world)], 16)
        if key not in self._known:
            self._known[key] = self._risk(rules) if isinstance(rules, StellaRules) else self._odyssey(rules)
        return make(game_of(rules), self._known[key])

    def _odyssey(self, rules: OdysseyRules) -> str:
        if rules.variant == "party":
            return "party"
        return f"storyteller:vagueness={best_vagueness(rules, cast(Any, self.context.world)):g}"

    def _risk(self, rules: StellaRules) -> str:
        others = [make("stella", "people")] * (rules.players - 1)
        specs = [f"avoider:risk={risk:g}" for risk in RISKS]
        matches = {spec: sim.Match([make("stella", spec), *others], rules, self.context.world) for spec in specs}
        sums = self.context.play_all(matches, margin_per_deal, TUNING_DEALS, TUNING_FIRST)
        margins = [int(sums[spec]["margin"].sum()) for spec in specs]
        return specs[int(np.argmax(margins))]


def what_matters(rules: AnyRules) -> AnyRules:
    """The rules with all fields at their defaults that do not touch how well a turn or round is played."""
    if isinstance(rules, StellaRules):
        return rules.replace(tie_break=())
    ending = {"storyteller_turns": 1, "max_turns": rules.players, "minimum_score": 0}
    return rules.replace(target_score=None, **ending)


def margin_per_deal(games: sim.Games) -> DealSums:
    """Points of member 0 above the mean of the others, in units of 1 / (players - 1)."""
    scores = games.scores.astype(np.int64)
    return DealSums.collect(games.deal, margin=scores[:, 0] * scores.shape[1] - scores.sum(axis=1))
