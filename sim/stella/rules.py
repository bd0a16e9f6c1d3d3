"""The rules of Stella: Dixit Universe and its house rules: one frozen object, every decision a field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sim.rules import Problem, Rules, rule

__all__ = ["StellaRules"]

LEAST_CARDS, MOST_CARDS = 2, 40  # of the grid
MOST = 10_000  # cards in a deck: card numbers take 16 bits


class StellaRules(Rules):
    """Rules of one game of Stella. Source: RULES.md, section Stella; the defaults are the published game.

    Raises:
        RulesError (a ValueError): names every wrong field, its value and what is allowed.
    """

    game: ClassVar[str] = "stella"
    version: ClassVar[int] = 1

    players: int = rule(4, "players at the table; 3-6 are printed on the box", ge=2, le=12)
    rows: int = rule(3, "rows of the grid, which has 2 to 40 cards", ge=1, le=MOST_CARDS)
    columns: int = rule(5, "columns of the grid, which has 2 to 40 cards", ge=1, le=MOST_CARDS)
    deck_size: int = rule(84, "cards; at least what the grid and grid_refresh will use", ge=2, le=MOST)
    rounds: int = rule(4, "rounds, one word card each", ge=1, le=50)
    minimum_marks: int = rule(1, "fewest cards that a player may mark in a round", ge=1, le=MOST_CARDS)
    maximum_marks: int = rule(10, "most cards that a player may mark; cut to the grid's size", ge=1)
    spark_points: int = rule(2, "stars of a spark", ge=0, le=100)
    super_spark_bonus: int = rule(1, "stars that a super spark has on top", ge=0, le=100)
    darkness: Literal["sole_most", "all_most", "off"] = rule(
        "sole_most", "who is in the dark: the one player with the most marks, all with the most, or nobody"
    )
    darkness_needs_fall: bool = rule(True, "darkness costs only who has also fallen")
    darkness_erases: int = rule(
        1,
        "stars erased per spark and super spark; at most spark_points",
        ge=0,
        le=100,
        default_words="1 (0 where spark_points is 0)",
    )
    scout_passes: Literal["each_card", "on_fall"] = rule(
        "each_card", "the scout's role passes after each card, or after a fall or the last own mark"
    )
    grid_refresh: Literal["row", "none", "all"] = rule("row", "what is replaced after a round: one row, nothing, all")
    tie_break: tuple[Literal["lit_lanterns", "sparks"], ...] = rule(
        ("lit_lanterns", "sparks"), "what decides between equal points, in this order, before the victory is shared"
    )

    @property
    def sides(self) -> int:
        """How many sides have a score: every player."""
        return self.players

    @property
    def cards(self) -> int:
        """How many cards the grid has; position = row x columns + column."""
        return self.rows * self.columns

    @property
    def cards_replaced(self) -> int:
        """How many cards of the grid are replaced after a round."""
        return {"row": self.columns, "none": 0, "all": self.cards}[self.grid_refresh]

    @classmethod
    def _resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super()._resolve(given)
        if "darkness_erases" not in given and values["spark_points"] == 0:
            values["darkness_erases"] = 0
        numbers = [values[name] for name in ("maximum_marks", "rows", "columns")]
        if all(type(number) is int and number >= 1 for number in numbers):
            values["maximum_marks"] = min(numbers[0], numbers[1] * numbers[2])
        return values

    def _conflicts(self) -> list[Problem]:
        problems = []
        if not LEAST_CARDS <= self.cards <= MOST_CARDS:
            reason = f"rows x columns = {self.rows} x {self.columns} = {self.cards} cards; must be from 2 to 40"
            problems.append(self._conflict("rows", reason, "columns"))
        if self.deck_size < (least := self.cards + (self.rounds - 1) * self.cards_replaced):
            need = f"{self.cards} cards + {self.cards_replaced} after each of {self.rounds - 1} rounds"
            reason = f'must be from {least:,} ({need}, grid_refresh "{self.grid_refresh}") to {MOST:,}'
            problems.append(self._conflict("deck_size", reason, "rounds", "rows", "columns", "grid_refresh"))
        if self.minimum_marks > self.maximum_marks:
            reason = f"must be from 1 to maximum_marks ({self.maximum_marks}, of a grid of {self.cards} cards)"
            problems.append(self._conflict("minimum_marks", reason, "maximum_marks", "rows", "columns"))
        if self.darkness_erases > self.spark_points:
            reason = f"must be from 0 to spark_points ({self.spark_points})"
            problems.append(self._conflict("darkness_erases", reason, "spark_points"))
        if len(set(self.tie_break)) < len(self.tie_break):
            problems.append(self._conflict("tie_break", "each name may stand only once"))
        return problems
