"""What an experiment gets to work with: rules, world, and a way to play matches that keeps blocks and records."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any, Literal, overload

import sim
from experiments.lab import progress
from experiments.lab.blocks import BlockStore
from experiments.lab.experiment import Experiment, Game, Running, Settings
from experiments.lab.formats import fingerprint, plain
from experiments.lab.given import RULES, Given
from experiments.lab.saved_games import SavedGames, WithFrames, describe
from sim.match import Match, simulate_all
from sim.odyssey import OdysseyRules
from sim.stella import StellaRules
from sim.world import World

Keep = Literal["games", "summary"] | Callable[[sim.Games], Any]


class Context:
    """One run of an experiment.

    world: the world that was given; `rules(game, ...)` the rules; `play` and `play_all` simulate with the run's seed,
    jobs and backend, keep finished blocks, and record which agents and rules took part, for the manifest.
    """

    def __init__(
        self,
        experiment: Experiment[Any],
        settings: Settings,
        given: Given,
        running: Running,
        blocks: BlockStore | None = None,
        say: Callable[[str], None] | None = None,
        saved: SavedGames | None = None,
    ) -> None:
        self.experiment, self.settings, self.given, self.running = experiment, settings, given, running
        self.blocks = blocks
        self.saved = saved
        self.games_played = 0
        self._agents: set[str] = set()
        self._rules: dict[Any, None] = {}
        self._bars = 0
        self._say = say

    @property
    def world(self) -> World:
        """The world that the run was given."""
        return self.given.world

    @overload
    def rules(self, game: Literal["odyssey"], **swept: Any) -> OdysseyRules: ...
    @overload
    def rules(self, game: Literal["stella"], **swept: Any) -> StellaRules: ...
    @overload
    def rules(self, game: Game, **swept: Any) -> OdysseyRules | StellaRules: ...
    def rules(self, game: Game, **swept: Any) -> OdysseyRules | StellaRules:
        """Rules of a game: what was given by file and `--set`, with the swept fields on top.

        ValueError for rules that cannot be, and for a swept field that `--set` gave too.
        """
        return self.given.resolve(game, swept)

    def play(self, match: Match, keep: Keep, n_deals: int | None = None, first_deal: int = 0) -> Any:
        """Simulate one match. keep: "games", "summary" or a reducer of blocks; n_deals: default as in settings."""
        return self.play_all({"": match}, keep, n_deals, first_deal)[""]

    def play_all(
        self, matches: Mapping[str, Match], keep: Keep, n_deals: int | None = None, first_deal: int = 0
    ) -> dict[str, Any]:
        """Simulate several matches on the same deals, side by side; the result of each under its name."""
        deals = self.settings.n_deals if n_deals is None else n_deals
        seed = self.settings.seed
        described = {name: describe(match) for name, match in matches.items()}
        for match in matches.values():
            self._agents.update(match.specs())
            self._rules[match.rules] = None
        kept = keep if isinstance(keep, str) else repr(getattr(keep, "__qualname__", keep))
        section = fingerprint({"matches": described, "seed": seed, "keep": kept}, 12)
        blocks: MutableMapping[str, Any] | None = None if self.blocks is None else self.blocks.section(section)
        if self.saved is not None:
            blocks = self.saved.blocks(matches, section, {} if blocks is None else blocks)
        results = simulate_all(
            matches, deals, first_deal, seed, self.running.jobs, self.running.backend,
            keep if self.saved is None else WithFrames(keep),
            progress=self._bars == 0 and progress.interactive(), blocks=blocks,
        )  # fmt: skip
        self.games_played += deals * sum(match.seatings for match in matches.values())
        return results

    @contextmanager
    def bar(self, description: str, total: int) -> Iterator[Callable[[int], None]]:
        """A progress bar over `total` steps of the experiment's own; yields advance(steps). Matches then show none."""
        self._bars += 1
        try:
            with progress.bar(description, total) as advance:
                yield advance
        finally:
            self._bars -= 1

    def say(self, text: str) -> None:
        """A line for whoever waits, on standard error."""
        if self._say is None:
            print(text, file=sys.stderr)
        else:
            self._say(text)

    def record(self) -> dict[str, Any]:
        """Who played under which rules, for the manifest: agents' specs, resolved rules, versions of the rules."""
        played: dict[Game, list[dict[str, Any]]] = {}
        for rules in self._rules:
            game: Game = "odyssey" if isinstance(rules, OdysseyRules) else "stella"
            played.setdefault(game, []).append(plain(rules))
        return {
            "rules": {game: _common_and_varied(played[game]) for game in sorted(played)},
            "rules_versions": {game: RULES[game].version for game in sorted(played)},
            "agents": sorted(self._agents),
        }


def _common_and_varied(rules: list[dict[str, Any]]) -> dict[str, Any]:
    """The fields that all rule sets share, and those that vary, one entry per rule set in the order of play."""
    first = rules[0]
    varied = [name for name in first if any(other[name] != first[name] for other in rules)]
    common = {name: value for name, value in first.items() if name not in varied}
    return {"common": common, "varied": [{name: other[name] for name in varied} for other in rules] if varied else []}
