"""What the rules objects of both games share: they know their game, and are read from either game's files."""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

import tomli_w

from sim.parameters import ParameterError, Parameters, Problem, parameter

__all__ = ["Problem", "Rules", "RulesError", "rule"]

rule = parameter


class RulesError(ParameterError):
    """Rules that cannot be: the message has a line for every problem, with class, field, value and what is allowed."""


class Rules(Parameters):
    """Base of `OdysseyRules` and `StellaRules`; itself only loads either of them from a file.

    Raises:
        RulesError (a ValueError): an unknown field, a wrong type, a value out of range or an impossible combination.
    """

    _error: ClassVar[type[ParameterError]] = RulesError
    _file: ClassVar[str] = "rules file"

    game: ClassVar[str]
    version: ClassVar[int]

    def __init__(self, /, **given: Any) -> None:
        if type(self) is Rules:
            raise TypeError("Rules is a base class: make OdysseyRules or StellaRules, or Rules.from_toml(path)")
        super().__init__(**given)

    @property
    def sides(self) -> int:
        """How many sides have a score."""
        raise NotImplementedError

    def to_toml(self) -> str:
        """All resolved fields, and the game, as TOML; `from_toml` reads it."""
        return tomli_w.dumps({"game": self.game}) + super().to_toml()

    @classmethod
    def _from_file(cls, given: dict[str, Any]) -> Self:
        """`Rules.from_toml` goes by the file's `game`; on a game's own class `game` may be absent."""
        game = given.pop("game", cls.__dict__.get("game"))
        return cls._of_game(game)(**given)

    @classmethod
    def _of_game(cls, game: object) -> type[Self]:
        """The class for a file's `game`: this one, or one of both games for the base class."""
        from sim.odyssey.rules import OdysseyRules  # here, for these modules import this one
        from sim.stella.rules import StellaRules

        for candidate in (OdysseyRules, StellaRules):
            if candidate.game == game and issubclass(candidate, cls):
                return cast(type[Self], candidate)
        expected = f'must be "{cls.game}" for {cls.__name__}' if cls is not Rules else 'must be "odyssey" or "stella"'
        text = f"game is missing: it {expected}" if game is None else f"game = {game!r}: {expected}"
        raise RulesError(text, [Problem(("game",), text)])
