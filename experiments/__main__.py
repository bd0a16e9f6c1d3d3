"""List the experiments with their questions."""

from __future__ import annotations

import sys
import textwrap

from experiments.lab.discovery import Listed, listed


def main() -> int:
    """Print every experiment with its question, and the other commands. Exit code 2 for any argument but --help."""
    wrong = [arg for arg in sys.argv[1:] if arg not in ("-h", "--help")]
    if wrong:
        print(f"error: unexpected {' '.join(wrong)}; write python -m experiments.NAME to run one", file=sys.stderr)
        return 2
    entries = listed()
    _print("Experiments: one file, one question.", [entry for entry in entries if entry.is_experiment])
    _print("Other commands:", [entry for entry in entries if not entry.is_experiment])
    print("Run one with python -m experiments.NAME; --help shows its options and examples, --quick gives a first look.")
    return 0


def _print(title: str, entries: list[Listed]) -> None:
    if not entries:
        return
    print(title + "\n")
    width = max(len(entry.name) for entry in entries) + 2
    for entry in entries:
        lines = textwrap.wrap(entry.question, 100 - width) or [""]
        print(f"  {entry.name:<{width}}{lines[0]}")
        for line in lines[1:]:
            print(" " * (width + 2) + line)
    print()


if __name__ == "__main__":
    sys.exit(main())
