"""Results folders as what a page shows of them; a folder that is no finished result is named with the reason."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.lab.storage import BLOCKS, MANIFEST, StorageError, read_manifest
from experiments.page.tables import Table, read_table
from experiments.page.texts import Card, Paragraph, paragraphs, rule_cards

RULE_CARDS = "rule_cards.txt"
BASELINE = "baseline.json"
"""What the benchmark leaves: ratios of speed, which README tells; no answer to a question."""
ANSWER = "answer.txt"
LARGEST_SVG = 1_500_000
"""Bytes; a larger figure goes into the page as PNG."""
LAST = ("calibration", "robustness")
"""How far to trust the answers stands after the answers."""
_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class Entry:
    """One finished result.

    name: of the folder; question and answer: of answer.txt; figure: a data URI, or None; tables: summary first; cards:
    rule cards; texts: further text files, name and content; commands: how to repeat it; settings: name and value of
    all that was decided, in words.
    """

    name: str
    question: str
    answer: tuple[Paragraph, ...]
    figure: str | None
    tables: tuple[Table, ...]
    cards: tuple[Card, ...]
    texts: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Skipped:
    """A folder that is left out, and why."""

    name: str
    reason: str


def gather(results: Path) -> tuple[tuple[Entry, ...], tuple[Skipped, ...]]:
    """All results in the folders of `results` in the order of the page, and the folders left out.

    Folders stand by name, those of LAST at the end. `runs` is no result: it holds the runs with other settings.

    Raises StorageError where `results` is no folder.
    """
    if not results.is_dir():
        raise StorageError(f"there is no folder {results}: run an experiment first, or name another with --results")
    entries, skipped = [], []
    for folder in sorted(path for path in results.iterdir() if path.is_dir() and path.name != "runs"):
        if folder.name.startswith(".") or (folder / BASELINE).is_file():
            continue
        try:
            entries.append(_entry(folder))
        except (OSError, ValueError) as error:
            skipped.append(Skipped(folder.name, str(error).replace(f"{folder}/", "").replace(str(folder), folder.name)))
    entries.sort(key=lambda entry: (LAST.index(entry.name) if entry.name in LAST else -1, entry.name))
    return tuple(entries), tuple(skipped)


def _entry(folder: Path) -> Entry:
    """ValueError says why a folder is no finished result."""
    if not (folder / MANIFEST).is_file():
        unfinished = (folder / BLOCKS).is_dir()
        raise ValueError(f"{'an unfinished run' if unfinished else 'no result'}: it has no {MANIFEST}")
    manifest = read_manifest(folder / MANIFEST)
    files = [str(name) for name in manifest.get("files", [])]
    missing = [name for name in files if not (folder / name).is_file()]
    if missing or ANSWER not in files:
        raise ValueError(f"half-written: {', '.join(missing or [ANSWER])} is missing")
    question, _, sentence = (folder / ANSWER).read_text(encoding="utf-8").strip().partition("\n")
    tables = [name for name in files if name.endswith(".csv")]
    tables.sort(key=lambda name: (name != "summary.csv", name))
    texts = [name for name in files if name.endswith(".txt") and name not in (ANSWER, RULE_CARDS)]
    return Entry(
        name=folder.name,
        question=question,
        answer=paragraphs(sentence),
        figure=_figure(folder, files),
        tables=tuple(read_table(folder / name) for name in tables),
        cards=rule_cards((folder / RULE_CARDS).read_text(encoding="utf-8")) if RULE_CARDS in files else (),
        texts=tuple((name, (folder / name).read_text(encoding="utf-8").strip()) for name in texts),
        commands=_commands(folder, manifest),
        settings=tuple(_settings(manifest)),
    )


def _figure(folder: Path, files: list[str]) -> str | None:
    for name in ("figure.svg", "figure.png"):
        if name in files:
            content = (folder / name).read_bytes()
            if name.endswith(".png") or len(content) <= LARGEST_SVG or "figure.png" not in files:
                return data_uri(content, Path(name).suffix)
    return None


def data_uri(content: bytes, suffix: str) -> str:
    """A picture's content as an address that holds it. suffix: .svg or .png."""
    return f"data:{_TYPES[suffix]};base64,{base64.b64encode(content).decode('ascii')}"


def _commands(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    module = str(manifest.get("module") or f"experiments.{manifest['experiment']}")
    again = f"python -m experiments.rerun {folder.parent.name}/{folder.name}/{MANIFEST}"
    return (f"python -m {module}", again) if folder.name == manifest["experiment"] else (again,)


def _settings(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = [(name.replace("_", " "), _words(value)) for name, value in manifest["settings"].items()]
    found += [(f"rules of {game}", _words(fields)) for game, fields in manifest["rules_given"].items() if fields]
    return [*found, ("world", _words(manifest["world"])), ("agents", _words(manifest.get("agents", [])))]


def _words(value: Any) -> str:
    """A plain value for people: lists by commas, nothing as a dash."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_words(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value)) or "-"
    if value is None or value == "":
        return "-"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value if isinstance(value, str) else json.dumps(value)
