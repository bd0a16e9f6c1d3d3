"""The rules of Dixit: Odyssey and its house rules: one frozen object, every decision a field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from sim.rules import Problem, Rules, rule

__all__ = ["OdysseyRules"]

MOST = 1_000_000_000  # of fields without a limit of their own: compiled kernels count in 32 bits

Variant = Literal["standard", "party", "team"]

PLAYERS: dict[Variant, tuple[int, ...]] = {
    "standard": tuple(range(3, 13)),
    "party": tuple(range(6, 13)),
    "team": (6, 8, 10, 12),
}
CLUE_ONLY: tuple[Variant, ...] = ("standard", "team")  # where somebody looks for the storyteller's image
USED_IN: dict[str, tuple[Variant, ...]] = {  # fields that not every variant uses
    "points_storyteller_some": CLUE_ONLY,
    "points_storyteller_all": CLUE_ONLY,
    "points_storyteller_none": CLUE_ONLY,
    "points_finder": CLUE_ONLY,
    "points_others_all": CLUE_ONLY,
    "points_others_none": CLUE_ONLY,
    "points_per_vote": CLUE_ONLY,
    "vote_points_cap": CLUE_ONLY,
    "single_vote_bonus_when_all": ("standard",),
    "party_cap": ("party",),
    "trap": ("party",),
    "trap_may_match_own_vote": ("party",),
    "pass_hands": ("party",),
    "teammate_hands_in": ("team",),
    "teammate_decoy_scores": ("team",),
}


class OdysseyRules(Rules):
    """Rules of one game of Dixit: Odyssey. Source: RULES.md, section Odyssey; the defaults are the published game.

    Raises:
        RulesError (a ValueError): names every wrong field, its value and what is allowed.
    """

    game: ClassVar[str] = "odyssey"
    version: ClassVar[int] = 1

    variant: Variant = rule("standard", "standard (3-12 players), party (6-12) or team (6, 8, 10 or 12, in pairs)")
    players: int = rule(6, "players at the table", ge=3, le=12)
    deck_size: int = rule(84, "cards; at least players x hand_size + the images of one turn", ge=1, le=1000)
    hand_size: int = rule(6, "cards in a hand", ge=1, le=20, default_words="6 (7 with 3 players); party 5; team 4")
    images_handed_in: int = rule(
        1, "images of each giver; in party and team 1", ge=1, le=20, default_words="1 (2 in a standard 3-player game)"
    )
    votes: int = rule(
        1, "most votes per voter; 2 in standard only", ge=1, le=2, default_words="1 (2 in standard with 7+ players)"
    )
    target_score: int | None = rule(
        30, "the turn in which a side reaches it is the last", ge=1, le=MOST, default_words="30 in standard, else none"
    )
    storyteller_turns: int | None = rule(
        None, "times that every player is the storyteller", ge=1, le=MOST, default_words="none in standard, else 1"
    )
    max_turns: int = rule(200, "safety stop; a game that it stops is unfinished", ge=1, le=100_000)
    points_storyteller_some: int = rule(3, "storyteller, when some voters find the image", ge=-100, le=100)
    points_storyteller_all: int = rule(0, "storyteller, when all voters find the image", ge=-100, le=100)
    points_storyteller_none: int = rule(0, "storyteller, when no voter finds the image", ge=-100, le=100)
    points_finder: int = rule(3, "a voter who found it, when some did", ge=0, le=100)
    points_others_all: int = rule(2, "every other side, when all voters found it", ge=0, le=100)
    points_others_none: int = rule(2, "every other side, when no voter found it", ge=0, le=100)
    points_per_vote: int = rule(1, "each vote that a side's images drew", ge=0, le=100)
    vote_points_cap: int | None = rule(3, "most points for votes drawn, per side and turn", ge=0, le=100)
    single_vote_bonus: int = rule(
        0,
        "a voter who used one vote and found it; 0 where votes is 1",
        ge=0,
        le=100,
        default_words="1 where votes is 2, else 0",
    )
    single_vote_bonus_when_all: bool = rule(True, "the single-vote bonus is paid when all found it, too")
    minimum_score: int = rule(0, "a score never falls below it", ge=-MOST, le=0)
    party_cap: int = rule(5, "party: most points for agreeing", ge=0, le=100)
    trap: bool = rule(False, "party: the storyteller has a red token", default_words="true in party")
    trap_may_match_own_vote: bool = rule(False, "party: red and green token on one image are allowed")
    pass_hands: bool = rule(
        False, "party: hands are passed to the left after the refill", default_words="true in party"
    )
    teammate_hands_in: bool = rule(False, "team: the storyteller's teammate adds a decoy", default_words="true in team")
    teammate_decoy_scores: bool = rule(
        False, "team: votes on that decoy count for the storyteller's team", default_words="true in team"
    )

    @property
    def sides(self) -> int:
        """How many sides have a score: players, or pairs of players in team."""
        return self.players // 2 if self.variant == "team" else self.players

    @property
    def images(self) -> int:
        """How many images lie on the table in one turn."""
        if self.variant == "team":
            return self.sides + int(self.teammate_hands_in)
        if self.variant == "party":
            return self.players
        return 1 + (self.players - 1) * self.images_handed_in

    @property
    def voters(self) -> int:
        """How many players vote in one turn."""
        return self.players if self.variant == "party" else self.sides - 1

    @classmethod
    def _resolve(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        values = super()._resolve(given)
        variant = values["variant"] if values["variant"] in ("party", "team") else "standard"
        players = values["players"] if isinstance(values["players"], int) else 6
        standard, party, team = variant == "standard", variant == "party", variant == "team"
        votes = 2 if standard and players >= 7 else 1
        defaults = {
            "hand_size": {"standard": 7 if players == 3 else 6, "party": 5, "team": 4}[variant],
            "images_handed_in": 2 if standard and players == 3 else 1,
            "votes": votes,
            "target_score": 30 if standard else None,
            "storyteller_turns": None if standard else 1,
            "single_vote_bonus": 1 if given.get("votes", votes) == 2 else 0,
            "trap": party,
            "pass_hands": party,
            "teammate_hands_in": team,
            "teammate_decoy_scores": team,
        }
        return values | defaults | dict(given)

    def _conflicts(self) -> list[Problem]:
        return [*self._table_conflicts(), *self._unused_fields(), *self._ending_conflicts()]

    def _table_conflicts(self) -> list[Problem]:
        """Players, cards and votes that cannot be."""
        problems = []
        if self.players not in (allowed := PLAYERS[self.variant]):
            words = "6, 8, 10 or 12" if self.variant == "team" else f"from {allowed[0]} to {allowed[-1]}"
            problems.append(self._conflict("players", f'must be {words} in variant "{self.variant}"', "variant"))
        if self.variant != "standard":
            for name in ("images_handed_in", "votes"):
                if getattr(self, name) != 1:
                    problems.append(self._conflict(name, f'must be 1 in variant "{self.variant}"', "variant"))
        elif self.images_handed_in > self.hand_size:
            reason = f"must be from 1 to hand_size ({self.hand_size})"
            problems.append(self._conflict("images_handed_in", reason, "hand_size"))
        if self.votes == 1 and self.single_vote_bonus != 0:
            problems.append(self._conflict("single_vote_bonus", "must be 0 where votes is 1", "votes", "players"))
        if self.deck_size < (least := self.players * self.hand_size + self.images):
            need = f"players x hand_size + the images of one turn = {self.players} x {self.hand_size} + {self.images}"
            reason = f"must be from {least} ({need}) to 1,000"
            problems.append(self._conflict("deck_size", reason, "hand_size", "players", "images_handed_in"))
        return problems

    def _unused_fields(self) -> list[Problem]:
        problems = []
        for name, variants in USED_IN.items():
            default = type(self).model_fields[name].default
            if self.variant not in variants and getattr(self, name) != default:
                users = " and ".join(f'"{variant}"' for variant in variants)
                reason = f'variant "{self.variant}" does not use it ({users} only): leave it out, or at {default}'
                problems.append(self._conflict(name, reason, "variant"))
        return problems

    def _ending_conflicts(self) -> list[Problem]:
        """Games that would not end."""
        if self.storyteller_turns is not None:
            turns = self.players * self.storyteller_turns
            if turns <= self.max_turns:
                return []
            reason = f"must be at most max_turns / players = {self.max_turns // self.players}, or max_turns {turns}"
            return [self._conflict("storyteller_turns", reason, "max_turns", "players")]
        if self.target_score is None:
            return [self._conflict("target_score", "the game needs an end: a target_score or storyteller_turns")]
        if self._may_pay():
            return []
        reason = "nobody can reach it, as no points field pays above 0; set one, or storyteller_turns"
        return [self._conflict("target_score", reason, "party_cap" if self.variant == "party" else "points_finder")]

    def _may_pay(self) -> bool:
        """Whether any points field can pay above 0."""
        if self.variant == "party":
            return self.party_cap > 0
        storyteller = (self.points_storyteller_some, self.points_storyteller_all, self.points_storyteller_none)
        others = (self.points_finder, self.points_others_all, self.points_others_none, self.single_vote_bonus)
        return max(*storyteller, *others) > 0 or (self.points_per_vote > 0 and self.vote_points_cap != 0)
