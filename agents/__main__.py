"""`python -m agents [odyssey|stella]`: the agents of both games, with parameters and what they may be."""

from __future__ import annotations

import sys
from textwrap import wrap

from agents.registry import GAMES, Game, describe

USAGE = "List the agents of both games, or of the one named, with parameters and ranges, and how to write a spec."


def listing(games: tuple[Game, ...] = GAMES) -> str:
    """The text that `python -m agents` prints."""
    lines = []
    for game in games:
        lines += [f"{game}", "-" * len(game)]
        for agent in describe((game,)):
            lines.append(agent.name)
            lines += wrap(agent.line, 108, initial_indent="    ", subsequent_indent="    ")
            lines += [f"      {parameter}" for parameter in agent.parameters]
        lines.append("")
    lines += [
        "Spec: name, name:parameter=value,parameter=value, or, for a class of your own, module:Class[:parameter=...].",
        "For any of them: noisy:agent=[spec],rate=0.1 and mixed:agents=[spec;spec],weights=[3;1].",
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Print the listing, or how to call it; exit code 2 with a message for an unknown game."""
    if {"-h", "--help"} & set(arguments):
        print(f"usage: python -m agents [odyssey] [stella]\n\n{USAGE}")
        return 0
    unknown = [argument for argument in arguments if argument not in GAMES]
    if unknown:
        print(f"python -m agents: unknown game {unknown[0]!r}; there is odyssey and stella", file=sys.stderr)
        return 2
    print(listing(tuple(game for game in GAMES if game in arguments) or GAMES))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
