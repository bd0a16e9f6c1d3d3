"""Committed results are what a default run gives today, byte for byte, on this machine as on the one that made them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from experiments.lab.command import main
from experiments.lab.discovery import listed, load

ROOT = Path(__file__).parent.parent
NAMES = [entry.name for entry in listed() if entry.is_experiment]


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_has_committed_results(name: str) -> None:
    folder = ROOT / "results" / name
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["experiment"] == name
    assert (folder / "answer.txt").read_text(encoding="utf-8").splitlines()[0] == load(name).question
    for file in ("figure.png", "figure.svg"):
        assert (folder / file).stat().st_size > 10_000
    frame = pd.read_csv(folder / "summary.csv")
    assert any(column.startswith("n_") or column.endswith("_n") or column == "n" for column in frame.columns)
    for low in (column for column in frame.columns if column.endswith("_low")):
        value = low.removesuffix("_low")
        high = f"{value}_high"
        known = frame[[low, high, value]].dropna()
        assert (known[low] <= known[value]).all() and (known[value] <= known[high]).all(), value


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_default_run_gives_the_committed_bytes(name: str, tmp_path: Path) -> None:
    assert main(load(name), ["--out", str(tmp_path / "again")]) == 0
    committed = ROOT / "results" / name
    stored = sorted(path.name for path in committed.iterdir() if path.suffix in (".csv", ".json", ".txt"))
    assert "summary.csv" in stored and "manifest.json" in stored
    for file in stored:
        if file != "run.json":
            assert (tmp_path / "again" / file).read_bytes() == (committed / file).read_bytes(), file
