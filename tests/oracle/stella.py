"""One whole game of Stella: Dixit Universe, told as the rulebook tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from . import keys
from .world import Clue


@dataclass
class Game:
    """The event log of a game. `rounds`: one dict per round; everything by seat."""

    rounds: list[dict[str, Any]] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    lit_rounds: list[int] = field(default_factory=list)
    sparks: list[int] = field(default_factory=list)
    winners: list[bool] = field(default_factory=list)
    finished: bool = True


@dataclass
class Revelation:
    """What everybody sees while a round is revealed."""

    marks: list[list[bool]]
    revealed: list[int] = field(default_factory=list)
    fallen: list[bool] = field(default_factory=list)
    sparks: list[int] = field(default_factory=list)
    super_sparks: list[int] = field(default_factory=list)
    reveals: list[tuple[int, int, list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        players = len(self.marks)
        self.fallen = [False] * players
        self.sparks = [0] * players
        self.super_sparks = [0] * players

    def hidden_marks(self, seat: int) -> list[int]:
        return [card for card, marked in enumerate(self.marks[seat]) if marked and card not in self.revealed]

    def owners(self, card: int) -> list[int]:
        return [seat for seat in range(len(self.marks)) if self.marks[seat][card]]

    def reveal(self, scout: int, card: int) -> None:
        assert card in self.hidden_marks(scout) and not self.fallen[scout]
        owners = self.owners(card)
        self.revealed.append(card)
        self.reveals.append((scout, card, owners))
        if len(owners) == 1:
            self.fallen[scout] = True
            return
        for seat in owners:
            if not self.fallen[seat]:
                if len(owners) == 2:
                    self.super_sparks[seat] += 1
                else:
                    self.sparks[seat] += 1


def in_the_dark(rules: Any, counts: Sequence[int]) -> list[bool]:
    most = max(counts)
    if rules.darkness == "off":
        return [False] * len(counts)
    if rules.darkness == "sole_most" and list(counts).count(most) > 1:
        return [False] * len(counts)
    return [count == most for count in counts]


def resolve_round(
    rules: Any, marks: Sequence[Sequence[bool]], first_scout: int, choose: Callable[[int, Revelation], int]
) -> dict[str, Any]:
    """Announcement, revelation and scoring. `choose(scout, revelation)` names the card to reveal."""
    players = len(marks)
    counts = [sum(map(bool, row)) for row in marks]
    dark = in_the_dark(rules, counts)
    state = Revelation([[bool(mark) for mark in row] for row in marks])

    def able(seat: int) -> bool:
        return not state.fallen[seat] and bool(state.hidden_marks(seat))

    def next_scout(start: int) -> int | None:
        for step in range(players):
            if able((start + step) % players):
                return (start + step) % players
        return None

    scout = next_scout(first_scout)
    while scout is not None:
        state.reveal(scout, choose(scout, state))
        if not (rules.scout_passes == "on_fall" and able(scout)):
            scout = next_scout(scout + 1)

    erased, points = [], []
    for seat in range(players):
        stars = state.sparks[seat] + state.super_sparks[seat]
        penalty = dark[seat] and (state.fallen[seat] or not rules.darkness_needs_fall)
        erased.append(rules.darkness_erases * stars if penalty else 0)
        earned = rules.spark_points * stars + rules.super_spark_bonus * state.super_sparks[seat]
        points.append(earned - erased[seat])
    return {
        "marks": state.marks,
        "counts": counts,
        "dark": dark,
        "reveals": state.reveals,
        "fallen": state.fallen,
        "sparks": state.sparks,
        "super_sparks": state.super_sparks,
        "erased": erased,
        "points": points,
    }


def highest(values: Sequence[Any], allowed: Sequence[int]) -> int:
    """The allowed index of highest value; the lowest of equals."""
    best = allowed[0]
    for index in allowed:
        if values[index] > values[best]:
            best = index
    return best


def winners(rules: Any, points: Sequence[int], lit_rounds: Sequence[int], sparks: Sequence[int]) -> list[bool]:
    in_front = [seat for seat in range(len(points)) if points[seat] == max(points)]
    for name in rules.tie_break:
        values = {"lit_lanterns": lit_rounds, "sparks": sparks}[name]
        most = max(values[seat] for seat in in_front)
        in_front = [seat for seat in in_front if values[seat] == most]
    return [seat in in_front for seat in range(len(points))]


def _play_round(
    rules: Any, world: Any, players: Sequence[Any], deal_key: int, number: int, grid: list[int], scores: list[int]
) -> dict[str, Any]:
    seats, cards = range(rules.players), range(len(grid))
    clue = Clue(world, deal_key, number, broad=True)
    fits = [[clue.fit(seat, card) for card in grid] for seat in seats]

    def view(seat: int, step: int, decision: int, legal: list[bool], **more: Any) -> SimpleNamespace:
        numbers = keys.Numbers(deal_key, step, decision, seat)
        common = {"rules": rules, "world": world, "seat": seat, "round": number, "scores": list(scores)}
        return SimpleNamespace(**common, random=numbers, images=list(grid), fit=list(fits[seat]), legal=legal, **more)

    marks = []
    for seat in seats:
        own = [bool(mark) for mark in players[seat].mark(view(seat, number, keys.MARK, [True] * len(grid)))]
        assert len(own) == len(grid) and rules.minimum_marks <= sum(own) <= rules.maximum_marks
        marks.append(own)
    counts = [sum(own) for own in marks]
    priority = []
    for seat in seats:
        own = list(marks[seat])
        asked = view(seat, number, keys.REVEAL_ORDER, list(own), marks=own, counts=list(counts))
        priority.append(players[seat].reveal_order(asked))

    def choose(scout: int, state: Revelation) -> int:
        hidden = state.hidden_marks(scout)
        if not hasattr(players[scout], "scout"):
            return highest(priority[scout], hidden)
        asked = view(
            scout,
            number * 64 + len(state.revealed),
            keys.SCOUT,
            [card in hidden for card in cards],
            marks=list(marks[scout]),
            counts=list(counts),
            priority=list(priority[scout]),
            revealed=[card in state.revealed for card in cards],
            owners=[[card in state.revealed and marks[seat][card] for card in cards] for seat in seats],
            fallen=list(state.fallen),
        )
        return int(players[scout].scout(asked))

    result = resolve_round(rules, marks, number % rules.players, choose)
    return {
        "grid": list(grid),
        "fits": [[float(fit) for fit in row] for row in fits],
        "agreement": float(clue.agreement),
        "breadth": float(clue.breadth),
        **result,
    }


def play_stella(rules: Any, world: Any, players: Sequence[Any], seed: int, deal: int) -> Game:
    """Play one game. `players`: a scalar decision maker per seat."""
    deal_key = keys.deal_key(seed, deal)
    deck = keys.permutation(keys.purpose_key(deal_key, 0, keys.DEAL), list(range(rules.deck_size)))
    size = rules.rows * rules.columns
    grid, deck = deck[:size], deck[size:]
    nobody = [0] * rules.players
    game = Game(scores=list(nobody), lit_rounds=list(nobody), sparks=list(nobody))
    for number in range(rules.rounds):
        event = _play_round(rules, world, players, deal_key, number, grid, game.scores)
        game.rounds.append(event)
        for seat in range(rules.players):
            game.scores[seat] += event["points"][seat]
            game.lit_rounds[seat] += not event["dark"][seat]
            game.sparks[seat] += event["sparks"][seat] + event["super_sparks"][seat]
        if number + 1 < rules.rounds:
            replaced: Sequence[int] = ()
            if rules.grid_refresh == "row":
                row = number % rules.rows
                replaced = range(row * rules.columns, (row + 1) * rules.columns)
            elif rules.grid_refresh == "all":
                replaced = range(size)
            for position in replaced:
                grid[position] = deck.pop(0)
    game.winners = winners(rules, game.scores, game.lit_rounds, game.sparks)
    return game
