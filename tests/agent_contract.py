"""What every agent must keep, as a test class to inherit:

class TestMine(AgentContract):
    agent = Mine(fit=0.3)
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, ClassVar

import pytest

from agents import check
from agents.parameters import parameters_of
from agents.registry import game_of, make


class AgentContract:
    """Inherit, and set `agent`."""

    agent: ClassVar[Any]

    def test_keeps_the_contract_at_real_tables(self) -> None:
        report = check(self.agent)
        assert report.agent == str(self.agent)
        assert report.decisions["mark" if report.game == "stella" else "vote"] > 0

    def test_its_text_makes_it_again(self) -> None:
        again = make(game_of(self.agent), str(self.agent))
        assert again == self.agent
        assert hash(again) == hash(self.agent)
        assert str(again) == str(self.agent)

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises((FrozenInstanceError, AttributeError)):
            self.agent.anything = 1

    def test_has_a_docstring_with_a_first_line(self) -> None:
        assert 10 < len((type(self.agent).__doc__ or "").strip().split("\n")[0]) <= 120

    def test_refuses_not_a_number(self) -> None:
        for name, parameter in parameters_of(type(self.agent)).items():
            if "Any" not in str(parameter.hint) and "tuple" not in str(parameter.hint):
                with pytest.raises(ValueError, match=f"{name} = nan is not allowed; allowed: "):
                    parameter.checked(float("nan"))
