"""Answers and rule cards as paragraphs, lists and headed lines, for a page that wraps them itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LEAST_ITEMS = 3
"""A sentence with so many parts between semicolons becomes a list."""
_BETWEEN_CARDS = re.compile(r"\n={20,}\n")
_FACT = re.compile(r"^(\S.{0,12}?) {2,}(\S.*)$")
_CHANGES = " What changes: "


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two: text, then items where it lists several things."""

    text: str
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """A rule card. intro: paragraphs; facts: heading and sentences; plain: a card of another form, whole."""

    title: str
    intro: tuple[str, ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    plain: str = ""


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Sentences, those that list three things or more between semicolons as lists. Brackets are never cut."""
    found: list[Paragraph] = []
    for sentence in _split(text.strip(), ". "):
        parts = _split(sentence, "; ")
        if len(parts) < LEAST_ITEMS:
            joined = found.pop().text + " " if found and not found[-1].items else ""
            found.append(Paragraph(joined + sentence))
            continue
        head, *rest = _split(parts[0], ": ")
        items = [": ".join(rest), *parts[1:]] if rest else parts
        found.append(Paragraph(f"{head}:" if rest else "", tuple(item.rstrip(";.") for item in items)))
    return tuple(found)


def _split(text: str, mark: str) -> list[str]:
    """Cut after every `mark` outside brackets; a full stop stays, other marks go."""
    parts, start, depth = [], 0, 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        begins = text[i + 2 : i + 3]
        sentence_goes_on = mark == ". " and not (begins.isupper() or begins.isdigit())
        if depth == 0 and text.startswith(mark, i) and not sentence_goes_on:
            parts.append(text[start:i] + ("." if mark == ". " else ""))
            start = i + len(mark)
    return [*parts, text[start:]]


def rule_cards(text: str) -> tuple[Card, ...]:
    """The cards of a file of `experiments.house_rules`, one below the other between double rules."""
    return tuple(_card(part.strip("\n")) for part in _BETWEEN_CARDS.split(text) if part.strip())


def _card(text: str) -> Card:
    title, _, body = text.partition("\n")
    *intro, facts = body.strip("\n").split("\n\n")
    told = tuple(_facts(facts))
    if not told:
        return Card(title.capitalize(), (), (), plain=body.strip("\n"))
    return Card(title.capitalize(), tuple(part for block in intro for part in _sentences(block)), told)


def _sentences(block: str) -> Iterator[str]:
    """A wrapped paragraph on one line; what changes stands apart."""
    comment, changes, rest = (" " + " ".join(block.split())).partition(_CHANGES)
    yield from (part.strip() for part in (comment, (changes + rest)) if part.strip())


def _facts(block: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    heading, sentences = "", [""]
    for line in block.split("\n"):
        fact = _FACT.match(line)
        if fact:
            if heading:
                yield heading, tuple(sentences)
            heading, sentences = fact[1], [fact[2]]
        elif heading and sentences[-1].endswith(".") and line.strip()[:1].isupper():
            sentences.append(line.strip())
        elif heading:
            sentences[-1] += " " + line.strip()
        else:
            return
    if heading:
        yield heading, tuple(sentences)
