"""Results on disk: folders, refusals, whole files or none, blocks, and the same bytes every time."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.lab import formats, plots, storage, tables
from experiments.lab.blocks import BlockStore, write_atomically
from experiments.lab.storage import RunFolder, StorageError, default_folder, read_manifest


def inputs(name: str = "darkness_risk", **settings: object) -> dict[str, object]:
    return {"experiment": name, "settings": {"n_deals": 100, **settings}, "rules_given": {}, "world": {}}


def silent(text: str) -> None:
    pass


def finished(path: Path, **settings: object) -> RunFolder:
    run = RunFolder(path, inputs(**settings), chosen=True)
    run.open(say=silent)
    run.write({"summary.csv": b"a,b\n", "extra.csv": b"1\n", "run.json": b"{}"}, run.inputs)
    return run


def test_default_settings_have_their_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(storage, "results_root", lambda: tmp_path)
    assert default_folder(inputs(), default=True) == tmp_path / "darkness_risk"
    other = default_folder(inputs(n_deals=5), default=False)
    assert other.parent == tmp_path / "runs"
    assert other.name.startswith("darkness_risk-")
    assert other != default_folder(inputs(n_deals=6), default=False)


def test_results_live_beside_the_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert storage.results_root() == Path(storage.__file__).parents[2] / "results"
    monkeypatch.setattr(storage.experiments, "__path__", [str(tmp_path / "site-packages" / "experiments")])
    monkeypatch.chdir(tmp_path)
    assert storage.results_root() == tmp_path / "results"


def test_a_run_writes_all_files_and_leaves_nothing_else(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "out", inputs())
    run.open(say=silent)
    run.blocks["m:0+64"] = 1
    run.write({"summary.csv": b"x\n", "run.json": b"{}"}, {"format": 1, **run.inputs})
    assert sorted(os.listdir(run.path)) == ["manifest.json", "run.json", "summary.csv"]
    assert read_manifest(run.path / "manifest.json")["files"] == ["summary.csv"]


def test_a_later_run_removes_files_that_it_no_longer_has(tmp_path: Path) -> None:
    finished(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    run = RunFolder(tmp_path, inputs(), chosen=True)
    run.open(say=silent)
    run.write({"summary.csv": b"new\n"}, run.inputs)
    assert {"summary.csv", "manifest.json", "notes.txt"} <= set(os.listdir(tmp_path))
    assert "extra.csv" not in os.listdir(tmp_path)


def test_a_failure_while_writing_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {p.name: p.read_bytes() for p in finished(tmp_path).path.iterdir()}
    run = RunFolder(tmp_path, inputs(), chosen=True)
    run.open(say=silent)
    real = Path.write_bytes

    def full_disk(path: Path, content: bytes) -> int:
        if path.name == "figure.png":
            raise OSError(28, "No space left on device")
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(StorageError, match="No space left"):
        run.write({"summary.csv": b"half", "figure.png": b"half"}, run.inputs)
    run.abandon()
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_unwritable_folders_are_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageError, match="cannot write results to"):
            RunFolder(path, inputs()).open(say=silent)


def test_another_experiments_folder_is_refused(tmp_path: Path) -> None:
    finished(tmp_path)
    with pytest.raises(StorageError, match="results of the experiment 'darkness_risk', not of 'tournament'"):
        RunFolder(tmp_path, inputs("tournament")).open(say=silent)
    (tmp_path / "manifest.json").write_text("not json")
    with pytest.raises(StorageError, match="something else"):
        RunFolder(tmp_path, inputs()).open(say=silent)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(StorageError, match=r"summary\.csv without a manifest"):
        RunFolder(tmp_path, inputs()).open(say=silent)


def test_an_interrupted_run_goes_on_with_resume_only(tmp_path: Path) -> None:
    run = RunFolder(tmp_path, inputs(), chosen=True)
    run.open(say=silent)
    run.blocks["m:0+64"] = "kept"
    again, said = RunFolder(tmp_path, inputs(), chosen=True), []
    again.open(resume=True, say=said.append)
    assert again.blocks["m:0+64"] == "kept"
    assert "1 finished block kept" in said[0]
    anew = RunFolder(tmp_path, inputs(), chosen=True)
    anew.open(say=said.append)
    assert len(anew.blocks) == 0
    assert "--resume would have gone on" in said[1]


@pytest.mark.parametrize("complete", [False, True])
def test_resume_with_other_settings_says_what_differs(tmp_path: Path, complete: bool) -> None:
    run = RunFolder(tmp_path, inputs(risk=0.1), chosen=True)
    run.open(say=silent)
    run.blocks["m:0+64"] = 1
    if complete:
        run.write({}, run.inputs)
    message = r"settings\.n_deals: 100 there, 50 here; settings\.risk: 0\.1 there, not given here"
    with pytest.raises(StorageError, match=message):
        RunFolder(tmp_path, inputs(n_deals=50), chosen=True).open(resume=True, say=silent)
    assert complete or len(run.blocks) == 1


def test_resume_looks_for_interrupted_runs_in_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "results_root", lambda: tmp_path)
    run = RunFolder(tmp_path / "runs" / "darkness_risk-1234", inputs(seed=1))
    run.open(say=silent)
    run.blocks["m:0+64"] = 1
    other = RunFolder(tmp_path / "runs" / "darkness_risk-5678", inputs(seed=2))
    with pytest.raises(StorageError, match=r"darkness_risk-1234 has other settings.*seed: 1 there, 2 here"):
        other.open(resume=True, say=silent)
    assert not other.path.exists()


def test_resume_with_nothing_to_resume_starts(tmp_path: Path) -> None:
    said: list[str] = []
    RunFolder(tmp_path / "new", inputs(), chosen=True).open(resume=True, say=said.append)
    assert "Nothing to resume" in said[0]


def test_blocks_survive_and_damaged_ones_count_as_absent(tmp_path: Path) -> None:
    store = BlockStore(tmp_path)
    store["avoider:risk=0.1/x:0+64"] = np.arange(3)
    store["a"], store["b"] = 1, 2
    again = BlockStore(tmp_path)
    assert again["avoider:risk=0.1/x:0+64"].tolist() == [0, 1, 2]
    assert sorted(again) == ["a", "avoider:risk=0.1/x:0+64", "b"]
    section = again.section("avoider:risk=0.1")
    assert list(section) == ["x:0+64"]
    assert "x:0+64" in section
    assert len(section) == 1
    del again["a"]
    next(tmp_path.glob("b-*")).write_bytes(pickle.dumps(("b", 2))[:-4])
    assert "a" not in again
    assert "b" not in again
    with pytest.raises(KeyError, match="damaged"):
        again["b"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_atomically(tmp_path / "x", b"old")
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "x", b"new")
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"old"


def test_csv_has_six_digits_and_no_negative_zero() -> None:
    frame = pd.DataFrame({"risk": [0.1, -0.0], "share": [1 / 3, np.nan], "n": [10**7, 2], "best": [True, False]})
    assert formats.to_csv(frame) == "risk,share,n,best\n0.1,0.333333,10000000,True\n0,,2,False\n"


def test_json_is_exact_and_rounds_only_on_request() -> None:
    value = {"a": (1 / 3, np.int64(2)), "path": Path("x/y"), "none": float("nan"), "set": {"b", "a"}}
    read = json.loads(formats.to_json(value))
    assert read == {"a": [1 / 3, 2], "path": "x/y", "none": None, "set": ["a", "b"]}
    assert formats.rounded(read)["a"] == [0.333333, 2]
    assert formats.fingerprint({"a": 1, "b": 2}) == formats.fingerprint({"b": 2, "a": 1})
    with pytest.raises(TypeError, match="cannot be written"):
        formats.to_json({"f": print})


def test_manifests_are_recognised(tmp_path: Path) -> None:
    for text, message in (("[1]", "not a manifest of"), ("{", "not a manifest:"), (None, "cannot read")):
        if text is not None:
            (tmp_path / "m.json").write_text(text)
        else:
            (tmp_path / "m.json").unlink()
        with pytest.raises(StorageError, match=message):
            read_manifest(tmp_path / "m.json")


def example_figure() -> plots.Figure:
    from experiments.lab.best import best_settings
    from experiments.lab.statistics import mean

    values = np.random.default_rng(0).normal(size=(50, 5)) + np.array([0, 1, 2, 2, 0])
    figure, axes = plots.player_panels([3, 4], rows=2, title="How much risk?")
    for i, axis in enumerate(axes.ravel()):
        plots.best_band(axis, range(5), best_settings(values))
        plots.line(axis, range(5), mean(values), i, label=f"series {i}", band=i == 3)
        plots.reference(axis, 0.25, "fair share")
    plots.bars(axes[1, 1], ["a", "b", "c", "d", "e"], mean(values), 2)
    plots.legend(figure, axes)
    return figure


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_equal_figures_have_equal_bytes(kind: str) -> None:
    first, second = (plots.figure_bytes(example_figure(), kind) for _ in range(2))
    assert first == second
    assert b"matplotlib" not in first.lower().replace(b"matplotlib.org", b"") or kind == "svg"
    assert b"<dc:date>" not in first


def test_series_differ_without_colour() -> None:
    looks = [plots.style(i) for i in range(6)]
    assert len({(look["marker"], str(look["linestyle"])) for look in looks}) == 6
    assert len({plots.bar_style(i)["hatch"] for i in range(6)}) == 6


def test_tables_fold_intervals_and_stay_whole_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame(
        {
            "agent": ["people"],
            "win_share": [0.3125],
            "win_share_low": [0.29],
            "win_share_high": [0.335],
            "n_deals": [12000],
        }
    )
    assert tables.folded(frame).to_dict("list") == {
        "agent": ["people"], "win share": ["0.31 (0.29 to 0.34)"], "n deals": ["12,000"],
    }  # fmt: skip
    tables.show(pd.concat([frame] * 3, axis=1).T.drop_duplicates().T.assign(note="x" * 200), title="Table")
    out = capsys.readouterr().out
    assert out.startswith("Table\n")
    assert "x" * 200 in out
    assert tables.plain(pd.DataFrame()) == ""
