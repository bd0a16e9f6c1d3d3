"""One game told in words, from its address: a match, a seed, a deal and a seating play the very same game again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from sim.match import Match, whole
from sim.odyssey.rules import OdysseyRules
from sim.randomness import MAX_SEED
from sim.stella.rules import StellaRules

__all__ = ["Replay", "Trace", "replay", "trace"]


@dataclass(frozen=True)
class Trace:
    """Everything that happened in one game, by seat, in plain lists.

    rounds (Stella): dicts with grid, fits, marks, counts, dark, reveals (scout, card position, owners), fallen,
    sparks, super_sparks, erased, points. turns (Odyssey): dicts with storyteller, hands, slot, vagueness, images,
    owners, votes, trap, points, found, voters, scores. scores and winners are per side.
    """

    match: Match
    seed: int
    deal: int
    seating: int
    steps: list[dict[str, Any]]
    scores: list[int]
    winners: list[bool]
    finished: bool

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The steps of a game of Odyssey."""
        return self.steps

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The steps of a game of Stella."""
        return self.steps


class Replay(str):
    """A game in words: prints as text; in a notebook every turn or round folds away, the first one open."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *blocks = self.rstrip("\n").split("\n\n")
        pages = [_page(head)]
        for number, block in enumerate(blocks[:-1]):
            title, _, text = block.partition("\n")
            shown = "" if number else " open"
            pages.append(f"<details{shown}><summary>{escape(title)}</summary>{_page(text)}</details>")
        return "".join(pages + [_page(block) for block in blocks[-1:]])


def _page(text: str) -> str:
    """Lines that wrap with their indent kept."""
    return f"<pre style='white-space: pre-wrap; margin: 0.3em 0'>{escape(text)}</pre>"


def trace(match: Match, seed: int = 0, deal: int = 0, seating: int = 0) -> Trace:
    """Play one game and keep every event. Arguments as in `replay`."""
    seed, deal = whole("seed", seed, 0, MAX_SEED), whole("deal", deal, 0, 2**62 - 1)
    seating = whole("seating", seating, 0, match.seatings - 1)
    steps: list[dict[str, Any]] = []
    deals = np.array([deal], np.int64)
    if isinstance(match.rules, StellaRules):
        from sim.stella.play import play
    else:
        from sim.odyssey.play import play
    played = play(match, seating, deals, seed, steps)
    scores, winners = played.scores[0].tolist(), played.winners[0].tolist()
    return Trace(match, seed, deal, seating, steps, scores, winners, bool(played.finished[0]))


def replay(match: Match, seed: int = 0, deal: int = 0, seating: int = 0) -> Replay:
    """Tell one game in words: the game at this address of any simulation of the match with this seed.

    seed: 0..2**64-1; deal: 0 or more; seating: 0..match.seatings-1. Raises ValueError for values out of range.
    """
    told = trace(match, seed, deal, seating)
    lines = list(_head(told))
    lines += _stella(told, match.rules) if isinstance(match.rules, StellaRules) else _odyssey(told, match.rules)
    return Replay("\n".join([*lines, "", *_result(told)]) + "\n")


def _head(told: Trace) -> Iterable[str]:
    match, players = told.match, told.match.rules.players
    game = "Stella" if match.game == "stella" else f"Odyssey ({match.rules.variant})"  # type: ignore[union-attr]
    yield f"{game}, {players} players, seed {told.seed}, deal {told.deal}, seating {told.seating}"
    changed = match.rules.changed()
    yield "Rules: " + (", ".join(f"{name} = {getattr(match.rules, name)}" for name in changed) or "as printed")
    for seat in range(players):
        member = (seat - told.seating) % players
        team = f", team {seat % match.n_sides}" if match.n_sides < players else ""
        yield f"  seat {seat}: {match.agents[member]} (member {member} of the lineup{team})"


def _result(told: Trace) -> Iterable[str]:
    name = _side_name(told.match)
    order = sorted(range(len(told.scores)), key=lambda side: (-told.scores[side], side))
    yield "Result: " + ", ".join(f"{name(side)} {told.scores[side]}" for side in order)
    won = [name(side) for side, wins in enumerate(told.winners) if wins]
    stopped = "" if told.finished else " (the game was stopped unfinished)"
    yield (f"{won[0]} wins" if len(won) == 1 else f"{_all_of(won)} share the victory") + stopped + "."


def _side_name(match: Match) -> Callable[[int], str]:
    return (lambda side: f"team {side}") if match.n_sides < match.rules.players else (lambda side: f"seat {side}")


def _all_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _seats(seats: Iterable[int]) -> str:
    listed = [str(seat) for seat in seats]
    return ("seat " if len(listed) == 1 else "seats ") + _all_of(listed)


# Stella ---------------------------------------------------------------------------------------------------------------


def _stella(told: Trace, rules: StellaRules) -> Iterable[str]:
    totals = [0] * rules.players
    for number, step in enumerate(told.rounds):
        yield ""
        yield f"Round {number + 1}. First scout: seat {number % rules.players}."
        yield "  Grid: " + "; ".join(
            " ".join(f"{card:>3}" for card in step["grid"][row * rules.columns : (row + 1) * rules.columns])
            for row in range(rules.rows)
        )
        for seat in range(rules.players):
            yield f"  Seat {seat} marks {_marked(step, seat)}."
        dark = [seat for seat in range(rules.players) if step["dark"][seat]]
        yield "  " + (f"In the dark: {_seats(dark)}." if dark else "Nobody stands in the dark.")
        yield from _reveals(step)
        for seat in range(rules.players):
            totals[seat] += step["points"][seat]
            yield f"  Seat {seat}: {_earned(step, seat)}; total {totals[seat]}."


def _marked(step: dict[str, Any], seat: int) -> str:
    cards = [
        (card, fit) for card, fit, on in zip(step["grid"], step["fits"][seat], step["marks"][seat], strict=True) if on
    ]
    cards.sort(key=lambda pair: -pair[1])
    listed = ", ".join(f"{card} ({fit:+.2f})" for card, fit in cards)
    return f"{len(cards)} card{'s' if len(cards) != 1 else ''} (fit to the word): {listed}"


def _reveals(step: dict[str, Any]) -> Iterable[str]:
    down: set[int] = set()
    for scout, position, owners in step["reveals"]:
        card = step["grid"][position]
        others = [seat for seat in owners if seat != scout]
        if not others:
            down.add(scout)
            yield f"  Seat {scout} reveals {card}: nobody else marked it. Seat {scout} falls."
            continue
        kind = "a super spark" if len(owners) == 2 else "a spark"
        late = [seat for seat in others if seat in down]
        each = " each" if len(owners) - len(late) > 1 else ""
        fallen = f" ({_seats(late)} had fallen and gain{'s' if len(late) == 1 else ''} nothing)" if late else ""
        yield f"  Seat {scout} reveals {card}: {_seats(others)} marked it too; {kind}{each}{fallen}."


def _earned(step: dict[str, Any], seat: int) -> str:
    sparks, supers, erased = step["sparks"][seat], step["super_sparks"][seat], step["erased"][seat]
    parts = [_count(sparks, "spark"), _count(supers, "super spark")]
    if erased:
        parts.append(f"{_count(erased, 'star')} erased in the dark")
    fell = "fell, " if step["fallen"][seat] else ""
    return f"{fell}{', '.join(parts)}: {_count(step['points'][seat], 'point')}"


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


# Odyssey --------------------------------------------------------------------------------------------------------------


def _odyssey(told: Trace, rules: OdysseyRules) -> Iterable[str]:
    side = _side_name(told.match)
    for number, step in enumerate(told.turns):
        teller = step["storyteller"]
        yield ""
        yield f"Turn {number + 1}. Storyteller: seat {teller}."
        for seat in range(rules.players):
            yield f"  Seat {seat} holds {' '.join(str(card) for card in step['hands'][seat])}"
        if rules.variant == "party":
            yield "  A clue is said before anybody looks; everybody hands in an image."
        else:
            card = step["hands"][teller][step["slot"]]
            yield f"  Seat {teller} tells a clue of vagueness {step['vagueness']:.2f} for image {card}."
        listed = [f"{card} (seat {owner})" for card, owner in zip(step["images"], step["owners"], strict=True)]
        yield f"  On the table: {', '.join(listed)}"
        for seat in range(rules.players):
            chosen = [step["images"][image] for image in step["votes"][seat] if image >= 0]
            if chosen:
                yield f"  Seat {seat} votes for {_all_of([str(card) for card in chosen])}{_found(step, rules, seat)}"
        if step["trap"] >= 0:
            yield f"  Seat {teller} puts the red token on {step['images'][step['trap']]}."
        if rules.variant != "party":
            yield f"  {_verdict(step)}"
        yield "  Points: " + ", ".join(f"{side(s)} {points:+d}" for s, points in enumerate(step["points"]))
        yield "  Standing: " + ", ".join(f"{side(s)} {score}" for s, score in enumerate(step["scores"]))


def _found(step: dict[str, Any], rules: OdysseyRules, seat: int) -> str:
    if rules.variant == "party":
        return "."
    right = any(image >= 0 and step["owners"][image] == step["storyteller"] for image in step["votes"][seat])
    return ": found." if right else "."


def _verdict(step: dict[str, Any]) -> str:
    found, voters = step["found"], step["voters"]
    if found == 0:
        return f"Nobody of {voters} found the storyteller's image."
    if found == voters:
        return f"All {voters} found the storyteller's image."
    return f"{found} of {voters} found the storyteller's image."
