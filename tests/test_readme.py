"""README does what it says: its commands run, its code runs, its answers are those of the committed results."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from agents.registry import names
from experiments.lab.discovery import listed

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST = "pip install -e . && python -m experiments.darkness_risk"
SECOND = 'pip install -e ".[test]" && python -m pytest'
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.S)
COMMANDS = [
    line.strip().split("  #")[0].strip() for line in re.findall(r"^    ((?:python|dask|pip) .*)$", README, re.M)
]
ELSEWHERE = {
    FIRST: "by .ci/run",
    SECOND: "by .ci/run",
    "dask": "by tests/test_large_runs.py",
    "--scheduler": "by tests/test_large_runs.py",
}


def runs_here(command: str) -> bool:
    return not any(part in command for part in ELSEWHERE)


def test_the_two_commands_stand_word_for_word() -> None:
    assert f"    {FIRST}\n" in README
    assert f"    {SECOND}\n" in README


def test_every_agent_and_experiment_is_named() -> None:
    for game in ("odyssey", "stella"):
        for name in names(game):
            assert f"`{name}" in README, name
    for entry in listed():
        assert f"experiments.{entry.name}" in README or f"`{entry.name}`" in README, entry.name


def test_answers_are_those_of_the_committed_results() -> None:
    answers = re.findall(r"<!-- answer: (\w+) -->\n((?:> .*\n)+)", README)
    assert len(answers) >= 3
    for name, text in answers:
        committed = (ROOT / "results" / name / "answer.txt").read_text(encoding="utf-8").splitlines()[-1]
        quoted = " ".join(line.lstrip("> ").strip() for line in text.splitlines())
        assert quoted == committed, name


def test_measures_are_those_of_the_code() -> None:
    from experiments.house.measures import table

    assert table().strip() in README


def test_speed_is_that_of_the_committed_benchmark() -> None:
    rates = pd.read_csv(ROOT / "results" / "benchmark" / "rates.csv")
    best = rates.loc[rates.groupby("table")["games_per_second"].idxmax()]
    for row in best.itertuples():
        assert f"| {row.table} | {round(row.games_per_second, -3):,.0f} |" in README, row.table


def test_pictures_are_there() -> None:
    for path in re.findall(r"!\[.*?\]\((.*?)\)", README):
        assert (ROOT / path).is_file(), path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with the files that README tells a reader to write."""
    path = tmp_path_factory.mktemp("reader")
    for kind, text in BLOCKS:
        if kind == "python" and text.startswith("# my_agents.py"):
            (path / "my_agents.py").write_text(text)
        if kind == "toml" and text.startswith("# house.toml"):
            (path / "house.toml").write_text(text)
        if kind == "toml" and text.startswith("# world.toml"):
            (path / "world.toml").write_text(text)
    return path


def call(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("command", [command for command in COMMANDS if runs_here(command)])
def test_command(command: str, folder: Path) -> None:
    arguments = [sys.executable, *shlex.split(command)[1:]]
    arguments = [str(ROOT / part) if part.startswith("results/") else part for part in arguments]
    done = call(arguments, folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.slow
def test_python_block(folder: Path) -> None:
    block = next(text for kind, text in BLOCKS if kind == "python" and "sim.simulate" in text)
    done = call([sys.executable, "-c", block], folder)
    assert done.returncode == 0, done.stderr
    assert "avoider:risk=0.2" in done.stdout and "Round 1" in done.stdout


def test_most_commands_are_run_by_tests() -> None:
    assert len([command for command in COMMANDS if runs_here(command)]) >= 8
