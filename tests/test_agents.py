"""Every registered agent keeps the contract, and `check` finds those that do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pytest
from annotated_types import Ge, Le

from agent_contract import AgentContract
from agents import Mixed, Noisy, OdysseyAgent, StellaAgent, check
from agents.checking import ContractError
from agents.odyssey.random import Random as RandomOdyssey
from agents.registry import make, names
from agents.stella.random import Random as RandomStella
from sim import Match, simulate
from sim.stella import StellaRules

EXTRA = {
    "stella": [
        "greedy:order=boldest", "greedy:order=random", "avoider:risk=0", "avoider:risk=1,order=random", "top:k=40",
        "noisy:agent=[people],rate=0.5", "noisy:agent=[counting],rate=0.5",
        "mixed:agents=[counting;people;greedy],weights=[1;2;0]",
    ],
    "odyssey": [
        "storyteller:vagueness=0.25", "storyteller:like=vague", "bayes:vagueness=1", "two_votes:margin=20",
        "softmax:temperature=0", "noisy:agent=[adaptive],rate=0.5", "mixed:agents=[greedy;random]",
    ],
}  # fmt: skip
SPECS = [(game, spec) for game in ("odyssey", "stella") for spec in [*names(game), *EXTRA[game]]]


@pytest.mark.parametrize(("game", "spec"), SPECS)
class TestRegistered(AgentContract):
    @pytest.fixture(autouse=True)
    def _made(self, game: Any, spec: str) -> None:
        type(self).agent = make(game, spec)


def test_all_agents_of_the_design_exist() -> None:
    assert {"random", "greedy", "people", "storyteller", "adaptive", "tuned"} <= set(names("odyssey"))
    assert {"softmax", "bayes", "two_votes", "party", "bluff"} <= set(names("odyssey"))
    assert {"random", "people", "greedy", "top", "threshold", "avoider", "counting"} <= set(names("stella"))


def test_the_report_prints() -> None:
    text = str(check(make("stella", "counting")))
    assert "counting:risk=0.2 keeps the contract of stella agents" in text
    assert "scout" in text


@dataclass(frozen=True)
class _Marks(RandomStella):
    how: str = "fair"

    def mark(self, view: Any) -> Any:
        fair = super().mark(view)
        return {
            "fair": lambda: fair,
            "global generator": lambda: _shuffled(fair),
            "batch": lambda: np.roll(fair, 1, axis=0),
            "seats": lambda: np.roll(fair, 1, axis=1),
            "hidden": lambda: fair & (len(view.random._keys) > 0),
            "writes": lambda: _written(view, fair),
            "no marks": lambda: np.zeros_like(fair),
            "shape": lambda: fair[:, 0],
            "raises": lambda: [][1],
        }[self.how]()


def _shuffled(marks: Any) -> Any:
    return np.random.default_rng().permuted(marks, axis=-1)


def _written(view: Any, marks: Any) -> Any:
    if view.fit.base is None:
        view.fit.flags.writeable = True
        view.fit[:] = 0
    else:
        view.fit[:] = 0
    return marks


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("global generator", "asked twice"),
        ("batch", "other games of the batch"),
        ("seats", "other seats"),
        ("hidden", "more of its view than is documented"),
        ("writes", "wrote to its view|read-only"),
        ("no marks", "mark"),
        ("shape", "shape"),
        ("raises", "IndexError"),
    ],
)
def test_check_finds_what_is_wrong(how: str, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check(_Marks(how=how))


def test_a_fair_one_passes() -> None:
    check(_Marks(), "stella")


def test_check_refuses_what_is_no_agent_and_the_other_game() -> None:
    with pytest.raises(ValueError, match="expected an agent"):
        check(RandomStella)
    with pytest.raises(ValueError, match="plays stella, not odyssey"):
        check(RandomStella(), "odyssey")


@dataclass(frozen=True, eq=False)
class _ByIdentity(RandomStella):
    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = RandomStella.__hash__


@dataclass(frozen=True)
class _WithFunction(RandomStella):
    action: Callable[[], None] = field(default=lambda: None)


@dataclass(frozen=True)
class _WithList(RandomStella):
    values: list[int] = field(default_factory=list)


@pytest.mark.parametrize(
    ("agent", "message"),
    [(_ByIdentity(), "not equal"), (_WithFunction(), "pickled"), (_WithList(), "hashed")],
)
def test_check_wants_values(agent: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check(agent)


# Parameters ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bounded(RandomStella):
    share: Annotated[float, Ge(0), Le(1)] = 0.5
    number: Annotated[int, Ge(1)] | None = None


def test_parameters_are_checked_and_normalised() -> None:
    assert Bounded(1).share == 1.0
    assert type(Bounded(1).share) is float
    assert Bounded(np.float64(0.25)) == Bounded(0.25)
    assert Bounded(np.float32(0.5), np.int64(3)) == Bounded(0.5, 3)
    for wrong in (-0.1, 1.1, float("nan"), float("inf"), "0.5", True, None):
        with pytest.raises(ValueError, match=r"test_agents:Bounded: share = .* is not allowed; allowed: 0\.\.1"):
            Bounded(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="number = 0 is not allowed; allowed: whole numbers 1 or more or none"):
        Bounded(number=0)
    with pytest.raises(ValueError, match="order = 'best' is not allowed; allowed: safest, boldest or random"):
        Bounded(order="best")  # type: ignore[arg-type]


def test_text_of_a_class_of_ones_own() -> None:
    module = Bounded.__module__
    assert str(Bounded()) == f"{module}:Bounded:share=0.5"
    assert str(Bounded(1, 3, order="safest")) == f"{module}:Bounded:share=1,number=3,order=safest"
    assert make("stella", str(Bounded(0.1 + 0.2, 2))) == Bounded(0.1 + 0.2, 2)


def test_parameters_without_a_dataclass_are_refused() -> None:
    class Plain(RandomStella):
        level: float = 0.5

    with pytest.raises(TypeError, match="put @dataclass"):
        Plain()


def test_text_of_registered_agents() -> None:
    for game, spec, text in [
        ("stella", "avoider", "avoider:risk=0.2"),
        ("stella", "avoider:risk=1,order=boldest", "avoider:risk=1,order=boldest"),
        ("stella", "avoider:order=safest", "avoider:risk=0.2"),
        ("stella", "random", "random"),
        ("stella", "top:k=5", "top:k=5"),
        ("odyssey", "storyteller", "storyteller:like=people"),
        ("odyssey", "storyteller:vagueness=0", "storyteller:vagueness=0"),
        ("odyssey", "bayes", "bayes"),
    ]:
        assert str(make(game, spec)) == text  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="give only one"):
        make("odyssey", "storyteller:vagueness=0.3,like=people")


# Wrappers -------------------------------------------------------------------------------------------------------------


def test_wrappers_have_scout_only_with_a_scout_inside() -> None:
    people, counting = make("stella", "people"), make("stella", "counting")
    assert not hasattr(Noisy(people, 0.1), "scout")
    assert hasattr(Noisy(counting, 0.1), "scout")
    assert not hasattr(Mixed((people, people)), "scout")
    assert hasattr(Mixed((people, counting)), "scout")
    assert not hasattr(Noisy(people, 0.1), "tell")
    assert hasattr(Noisy(make("odyssey", "greedy"), 0.1), "tell")


def test_wrappers_are_values() -> None:
    people, greedy = make("stella", "people"), make("stella", "greedy")
    assert Noisy(people, 0.1) == Noisy(people, 0.1) != Noisy(greedy, 0.1)
    assert Mixed([people, greedy]) == Mixed((people, greedy), (1, 1)) != Mixed((greedy, people))
    assert len({str(Noisy(Noisy(people, 0.1), 0.2)), str(Noisy(Noisy(people, 0.2), 0.1))}) == 2


def test_wrappers_refuse_bad_input() -> None:
    people, teller = make("stella", "people"), make("odyssey", "people")
    for make_one, message in [
        (lambda: Noisy(people, 1.5), r"noisy: rate = 1.5 is not allowed; allowed: 0\.\.1"),
        (lambda: Noisy("people", 0.5), "expected an agent"),
        (lambda: Mixed(()), "empty"),
        (lambda: Mixed((people, teller)), "one game"),
        (lambda: Mixed((people,), (1, 2)), "2 numbers; allowed: 1"),
        (lambda: Mixed((people, people), (0, 0)), "not all 0"),
        (lambda: Mixed((people,), (-1,)), "0 or more"),
    ]:
        with pytest.raises(ValueError, match=message):
            make_one()


def test_noise_of_rate_0_and_1() -> None:
    rules, top = StellaRules(), make("stella", "top:k=5")
    still = simulate(Match([Noisy(top, 0)] * 4, rules), 20).scores
    assert (still == simulate(Match([top] * 4, rules), 20).scores).all()
    marks = simulate(Match([Noisy(top, 1)] * 4, rules), 500).rounds.marks
    counts = np.bincount(marks.ravel(), minlength=11)[1:]
    assert abs(counts / counts.sum() - 0.1).max() < 0.02


def test_noise_comes_at_its_rate() -> None:
    marks = simulate(Match([Noisy(make("stella", "top:k=5"), 0.3)] * 4, StellaRules()), 1000).rounds.marks
    assert abs((marks != 5).mean() - 0.3 * 0.9) < 0.02


def test_a_mixture_stays_what_it_is_for_the_game() -> None:
    mixed = Mixed([make("stella", "top:k=2"), make("stella", "top:k=7")], [3, 1])
    marks = simulate(Match([mixed] * 4, StellaRules()), 1000).rounds.marks
    assert set(np.unique(marks)) == {2, 7}
    assert (marks == marks[:, :1]).all()
    assert abs((marks == 7).mean() - 0.25) < 0.04


def test_base_classes_are_abstract() -> None:
    with pytest.raises(TypeError):
        StellaAgent()  # type: ignore[abstract]
    with pytest.raises(TypeError):
        OdysseyAgent()  # type: ignore[abstract]
    assert isinstance(RandomOdyssey(), OdysseyAgent)
