"""Tell one game in words: python -m experiments.replay --game stella --agents people --seed 7 --deal 3"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

import sim
from agents.registry import make
from experiments.lab.command import guarded
from experiments.lab.experiment import Experiment, Game, Result, Settings
from experiments.lab.given import load_given

PROG = "python -m experiments.replay"
DESCRIPTION = f"""Tell one game in words, from its address: every number follows from seed, deal and seating.

examples:
  {PROG} --game stella --agents avoider:risk=0.2 people people people --seed 7 --deal 123
  {PROG} --game stella --agents people --players 6 --set darkness=all_most
  {PROG} --game odyssey --agents greedy --players 6 --set variant=team"""


@dataclass(frozen=True, kw_only=True)
class Address:
    """Which game to tell."""

    game: Game
    """Which of the two games."""
    agents: tuple[str, ...]
    """Specs of the lineup, one per player; a single one plays all seats."""
    players: int | None = None
    """Number of players (default: as many as agents, or the game's default for a single agent)."""
    seed: int = 7
    """Seed, 0 or more: as in the simulation that the game is from."""
    deal: int = 0
    """Deal, 0 or more."""
    seating: int = 0
    """Seating, 0 to the number of seatings - 1: member j of the lineup sits at seat j + seating."""
    fixed: bool = False
    """The match was played with seating="fixed": the lineup as it is, one seating."""
    rules: Annotated[Path | None, tyro.conf.arg(metavar="FILE.toml")] = None
    """Rules file."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FIELD=VALUE")] = ()
    """One rules field, over the rules file."""
    world: Annotated[str, tyro.conf.arg(metavar="NAME|FILE.toml")] = "default"
    """What clues mean to people: a name (default, people) or a TOML file."""


def tell(address: Address) -> str:
    """The game in words. ValueError for bad input of any kind."""
    if not address.agents:
        raise ValueError("agents: name at least one; python -m agents lists them")
    given = load_given(_reader(address.game), Settings(rules=address.rules, set=address.set, world=address.world))
    players = address.players
    if players is None and len(address.agents) > 1:
        players = len(address.agents)
    rules = given.resolve(address.game, {} if players is None else {"players": players})
    specs = address.agents * rules.players if len(address.agents) == 1 else address.agents
    agents = [make(address.game, spec) for spec in specs]
    match = sim.Match(agents, rules, given.world, "fixed" if address.fixed else "rotate")
    return str(sim.replay(match, seed=address.seed, deal=address.deal, seating=address.seating))


def _reader(game: Game) -> Experiment[Any]:
    """What `load_given` needs to know: rules of one game, from a file and `--set`."""

    def nothing(settings: Settings, context: Any) -> Result:
        raise NotImplementedError

    return Experiment("replay", "", Settings, nothing, games=(game,))


def main(args: list[str] | None = None) -> int:
    """0 done, 2 bad input."""

    def action(arguments: list[str]) -> None:
        config = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)
        print(tell(tyro.cli(Address, prog=PROG, description=DESCRIPTION, args=arguments, config=config)), end="")

    return guarded(action, sys.argv[1:] if args is None else args, PROG)


if __name__ == "__main__":
    sys.exit(main())
