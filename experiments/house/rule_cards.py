"""Rule cards: what a rule set does to the game, in plain words, each number against the printed rules."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.house.comparison import RETUNED, UNCHANGED, Cell, Compared, Entry, Play
from experiments.house.measures import CLOSE, LEAD, AnyRules, Measure
from experiments.house.rule_sets import value_words
from experiments.lab.estimate import Estimate, decimals, format_number
from sim.stella import StellaRules

WIDTH = 100
SLIGHT = 0.03
"""A difference that stands out but is smaller than this part of the printed rules' value is called slight."""
HEADINGS: Mapping[str, Sequence[str]] = {
    "Length": ("turns", "marks"),
    "Points": ("points",),
    "Empty turns": ("zero_turns",),
    "Darkness": ("darkness", "falls", "erased"),
    "Close finish": ("close_finish", "ties", "spread"),
    "Runaway": ("runaway", "half_time_leader", "lead_changes"),
    "Who profits": ("storyteller_share", "first_seat", "boldest", "skill_random", "skill_people"),
}
SENTENCES: Mapping[str, str] = {
    "turns": "A game takes {} turns",
    "marks": "A player marks {} cards in a round",
    "points": "A player ends with {} points",
    "zero_turns": "The storyteller gets nothing in {} turns",
    "darkness": "A player is in the dark in {} rounds",
    "falls": "A player falls in {} rounds",
    "erased": "Darkness takes {} stars from a player in a round",
    "close_finish": f"The winner is at most {CLOSE} points ahead in {{}} games",
    "ties": "The victory is shared in {} games",
    "spread": "From first to last it is {} points at the end",
    "runaway": f"Who is first to lead by {LEAD} points wins {{}} games",
    "half_time_leader": "Who leads at half time wins {} games",
    "lead_changes": "The lead changes {} times in a game",
    "storyteller_share": "Storytellers get {} points",
    "first_seat": "The player who goes first wins {} games",
    "boldest": "The player with the most marks wins {} games",
    "skill_random": "One sensible player among players who choose at random wins {} games",
    "skill_people": "One sensible player among ordinary people wins {} games",
}
"""One sentence a measure; shares are said as '31 of 100'."""


def cards(compared: Compared, n_deals: int) -> str:
    """The cards of all rule sets, one below the other."""
    return ("\n" + "=" * WIDTH + "\n\n").join(card(compared, entry, n_deals) for entry in compared.entries)


def card(compared: Compared, entry: Entry, n_deals: int) -> str:
    """The card of one rule set."""
    reference = next(other for other in compared.entries if other.name == entry.reference)
    lines = [entry.name.upper()]
    lines += _wrapped(entry.comment) if entry.comment else []
    if not entry.is_reference:
        lines += _wrapped("What changes: " + ("; ".join(changes(entry.rules, reference.rules)) or "nothing") + ".")
    lines += ["", *_wrapped(_measured(compared, entry, n_deals)), ""]
    play: Play = compared.plays[0]
    lines += _facts(compared, play, entry, reference)
    if play == UNCHANGED and RETUNED in compared.plays and not entry.is_reference:
        lines += _line("Adapting", _adapting(compared, entry, reference))
    return "\n".join(lines) + "\n"


def changes(rules: AnyRules, reference: AnyRules) -> list[str]:
    """In words, every field that differs: 'target score 21 instead of 30 (the turn in which ...)'."""
    found = []
    for doc in type(rules).fields():
        new, old = getattr(rules, doc.name), getattr(reference, doc.name) if type(rules) is type(reference) else None
        if new != old:
            words = f"{doc.name.replace('_', ' ')} {value_words(new)} instead of {value_words(old)}"
            found.append(f"{words} ({doc.meaning})")
    return found


def in_short(compared: Compared, play: Play, entry: Entry) -> str:
    """The main measures in which the rule set clearly differs from its reference, in words."""
    words = []
    for measure in compared.main:
        cell = compared.cell(play, entry, measure)
        if cell.told:
            before = compared.cells[play, entry.reference, measure.name].value.value
            slightly = " (slightly)" if abs(cell.difference.value) < SLIGHT * abs(before) else ""
            words.append((measure.more if cell.difference.value > 0 else measure.fewer) + slightly)
    return "; ".join(words) or "no clear difference"


def _measured(compared: Compared, entry: Entry, n_deals: int) -> str:
    how = "as is best under these rules"
    if compared.plays[0] == UNCHANGED:
        how = f"like `{compared.agent}`" if compared.agent else f"as is best under the {compared.standard}"
    return (
        f"{entry.rules.players} players, {n_deals:,} deals of the cards. The players play {how}. In brackets: where "
        'the true number lies, with 95 % confidence. "Fair share" is what everybody would win if only luck decided.'
    )


def _facts(compared: Compared, play: Play, entry: Entry, reference: Entry) -> list[str]:
    there = {measure.name: measure for measure in compared.measures}
    lines: list[str] = []
    for heading, names in HEADINGS.items():
        for i, measure in enumerate(there[name] for name in names if name in there):
            lines += _line(heading if i == 0 else "", _fact(compared, play, entry, reference, measure))
    return lines


def _fact(compared: Compared, play: Play, entry: Entry, reference: Entry, measure: Measure) -> str:
    cell = compared.cell(play, entry, measure)
    said = SENTENCES[measure.name].format(_number(cell.value, measure))
    if measure.counts_wins:
        said += _fair(entry.rules, measure)
    if entry.is_reference:
        return said + "."
    printed = compared.cell(play, reference, measure)
    return f"{said}; {compared.before} {_bare(printed.value, measure)}{_against(cell)}."


def _fair(rules: AnyRules, measure: Measure) -> str:
    return f" (fair share: {100 / rules.sides:.3g})" if measure.name not in ("runaway", "half_time_leader") else ""


def _against(cell: Cell) -> str:
    """': 2.5 (2.4 to 2.6) more'."""
    apart, measure = cell.difference, cell.measure
    if apart.value == 0 and not apart.has_interval:
        return ", the same in every game"
    scaled = apart.scaled(100) if measure.is_share else apart
    size = f"{_absolute(scaled)} {'more' if apart.value > 0 else 'fewer'}"
    if cell.told:
        return f": {size}"
    if apart.has_interval and apart.low * apart.high > 0:
        return f": perhaps {size}"
    return ": no clear difference"


def _absolute(apart: Estimate) -> str:
    """A difference without its sign, with its interval."""
    return (apart if apart.value > 0 else apart.scaled(-1)).short()


def _number(value: Estimate, measure: Measure) -> str:
    """'11.4 (11.3 to 11.5)', '31 of 100 (30 to 32)'."""
    if not measure.is_share:
        return value.short()
    scaled = value.scaled(100)
    interval = f" ({scaled.interval()})" if scaled.has_interval else ""
    return f"{scaled.number()} of 100{interval}"


def _bare(value: Estimate, measure: Measure) -> str:
    scaled = value.scaled(100) if measure.is_share else value
    return format_number(scaled.value, decimals(scaled.value, scaled.half_width))


def _adapting(compared: Compared, entry: Entry, reference: Entry) -> str:
    """What becomes of the rule set when the players play as is best under it."""
    measure = compared.measures[0]
    before = compared.cells[RETUNED, reference.name, measure.name].agent
    after = compared.cells[RETUNED, entry.name, measure.name].agent
    if before == after and not compared.agent:
        return "Players who adapt to the rule play as before, so nothing changes."
    how = f"Players who adapt {style(entry.rules, after)}"
    how += ". Then: " if before == after else f" instead of {style(reference.rules, before, short=True)}. Then: "
    told = [
        _fact(compared, RETUNED, entry, reference, measure).rstrip(".")
        for measure in compared.main
        if compared.cell(RETUNED, entry, measure).told
    ]
    return how + (". ".join(told) or "no clear difference in the main numbers") + "."


def style(rules: AnyRules, spec: str, short: bool = False) -> str:
    """How a sensible agent plays, in words."""
    value = spec.rpartition("=")[2]
    if isinstance(rules, StellaRules):
        number = f"{100 * float(value):g} %" if "risk=" in spec else spec
        return number if short else f"mark as many cards as keep the danger of darkness within {number}"
    if "vagueness=" not in spec:
        return f"{spec}" if short else f"play like `{spec}`"
    return value if short else f"give clues of vagueness {value} (0: word for word, 1: as vague as can be)"


def _line(heading: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"{heading:<14}", subsequent_indent=" " * 14, break_on_hyphens=False
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


def card_rows(compared: Compared) -> list[dict[str, Any]]:
    """The cards as a table: one row per rule set and kind of play, what differs in short."""
    return [
        {"play": play, "rules": entry.name, "in_short": "" if entry.is_reference else in_short(compared, play, entry)}
        for play, entry in compared.rows()
    ]
