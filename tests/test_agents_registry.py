"""Specs: what they make, and what is said of those that make nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agents.registry import describe, make, names, register
from agents.stella.random import Random
from experiments.replay import main as replay


@pytest.mark.parametrize(
    ("game", "spec", "messages"),
    [
        ("stella", "avoidr:risk=0.2", ["unknown stella agent 'avoidr'", "avoider, counting, greedy", "'avoider'?"]),
        ("stella", "", ["unknown stella agent ''"]),
        ("stella", "avoider:rsk=0.2", ["avoider has no parameter 'rsk'", "risk = 0.2 (0..1)", "'risk'?"]),
        ("stella", "avoider:risk=2", ["avoider: risk = 2 is not allowed; allowed: 0..1"]),
        ("stella", "avoider:risk=nan", ["risk = nan is not allowed"]),
        ("stella", "avoider:risk=a", ["risk = 'a' is not allowed; allowed: 0..1"]),
        ("stella", "avoider:risk", ["expected parameter=value, got 'risk'"]),
        ("stella", "avoider:risk=", ["expected parameter=value"]),
        ("stella", "avoider:risk=0.1,risk=0.2", ["'risk' is given twice"]),
        ("stella", "top:k=2.5", ["k = '2.5' is not allowed; allowed: whole numbers 1..40"]),
        ("stella", "avoider:order=safe", ["order = 'safe' is not allowed; allowed: safest, boldest or random"]),
        ("stella", "storyteller", ["'storyteller' plays odyssey, not stella", "stella has avoider"]),
        ("odyssey", "avoider:risk=0.2", ["'avoider' plays stella, not odyssey"]),
        ("chess", "random", ["unknown game 'chess'"]),
        ("stella", "nowhere:Class", ["no module 'nowhere'", "nor a stella agent of that name"]),
        ("odyssey", "nowhere:Class", ["nor an odyssey agent of that name; odyssey has adaptive"]),
        ("stella", "agents.stella.top:Tops", ["has StellaAgent, Top", "'Top'?"]),
        ("stella", "agents.choice:best", ["not an agent class"]),
        ("stella", "agents.odyssey.greedy:Greedy", ["plays odyssey, not stella"]),
        ("stella", "noisy:rate=0.1", ["noisy needs agent", "noisy:agent=[spec],rate=0.1"]),
        ("stella", "noisy:agent=[people,rate=0.1", ["brackets do not match"]),
        ("stella", "noisy:agent=[peple],rate=0.1", ["unknown stella agent 'peple'", "'people'?"]),
        ("stella", "mixed:agents=[people;top],weights=[1;x]", ["weights=[1;x]"]),
        ("stella", "mixed:agent=[people]", ["mixed has no parameter 'agent'"]),
    ],
)
def test_errors_say_what_there_is(game: str, spec: str, messages: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        make(game, spec)  # type: ignore[arg-type]
    for message in messages:
        assert message in str(caught.value)


def test_nothing_is_evaluated() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        make("stella", "avoider:risk=__import__('os').getpid()")


@pytest.mark.parametrize("spec", ["nomod", "nomod:X", "randoms:X", "avoidr:0.2"])
def test_no_suggestion_without_likeness_nor_for_modules(spec: str) -> None:
    with pytest.raises(ValueError) as caught:
        make("odyssey", spec)
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:", "cannot import module 'broken': SyntaxError: invalid syntax (broken.py, line 1)"),
        ("import not_there", "cannot import module 'broken': ModuleNotFoundError: No module named 'not_there'"),
        ("from agents import Nobody", "cannot import module 'broken': ImportError: cannot import name 'Nobody'"),
        ("1 / 0", "cannot import module 'broken': ZeroDivisionError: division by zero"),
        ("raise KeyError('a\\nb')", "cannot import module 'broken': KeyError"),
        ("raise SystemExit(3)", "cannot import module 'broken': SystemExit: 3"),
        ("Agent = 3", "module 'broken' has no agent class"),
        (
            "from agents import StellaAgent\nclass Mine(StellaAgent):\n    level: float = 1",
            "broken:Mine has parameters: put @dataclass(frozen=True) above its class",
        ),
        (
            "from agents import StellaAgent\nclass Mine(StellaAgent):\n  mark = None\n  def __post_init__(self): 1 / 0",
            "broken:Mine cannot be made: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_modules_that_fail_are_one_message(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    assert replay(["--game", "stella", "--agents", "broken:Mine"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("error: broken:Mine")
    assert message in err


def test_ctrl_c_while_a_module_is_imported_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("raise KeyboardInterrupt")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    with pytest.raises(KeyboardInterrupt):
        make("stella", "broken:Mine")


def test_nested_specs() -> None:
    spec = "noisy:agent=[mixed:agents=[people;avoider:risk=0.5,order=random],weights=[1;3]],rate=0.25"
    assert str(make("stella", spec)) == spec


def test_a_name_belongs_to_one_class() -> None:
    with pytest.raises(ValueError, match="stella has an agent 'people' already"):
        register("people")(type("Other", (Random,), {}))


def test_descriptions_cover_every_agent() -> None:
    found = describe()
    assert {(d.game, d.name) for d in found} == {(g, n) for g in ("odyssey", "stella") for n in names(g)}
    assert all(d.line.endswith(".") for d in found)
    assert "risk = 0.2 (0..1)" in next(d for d in found if d.name == "avoider").parameters


def test_the_command_lists_agents_and_refuses_unknown_games() -> None:
    shown = subprocess.run([sys.executable, "-m", "agents"], capture_output=True, text=True, check=True).stdout
    for word in ("odyssey", "stella", "avoider", "risk = 0.2 (0..1)", "storyteller"):
        assert word in shown
    usage = subprocess.run(
        [sys.executable, "-m", "agents", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert usage.startswith("usage: python -m agents [odyssey] [stella]")
    wrong = subprocess.run([sys.executable, "-m", "agents", "chess"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def test_modules_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass\n"
        "from agents import StellaAgent\n"
        "@dataclass(frozen=True)\n"
        "class Mine(StellaAgent):\n"
        "    level: float = 0.5\n"
        "    def mark(self, view):\n"
        "        return view.fit > self.level\n"
    )
    code = "from agents.registry import make; print(make('stella', 'mine:Mine:level=0.25'))"
    shown = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "mine:Mine:level=0.25"
