"""The command line of experiments: settings, messages and exit codes, interruption and resuming, rerun and the list."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Len

from experiments import __main__ as listing
from experiments import rerun
from experiments.lab import command, discovery, storage
from experiments.lab.blocks import BlockStore
from experiments.lab.command import main, parse
from experiments.lab.experiment import Running
from experiments.lab.experiment import Settings as LabSettings
from experiments.lab.given import parse_value
from test_lab_dummy import EXPERIMENT, Settings

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """main(...) of the dummy experiment -> exit code, standard output, standard error."""

    def call(*args: object, of: Callable[[list[str]], int] | None = None) -> tuple[int, str, str]:
        arguments = [str(arg) for arg in args]
        code = main(EXPERIMENT, arguments) if of is None else of(arguments)
        return code, *capsys.readouterr()

    return call


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


def test_a_run_writes_prints_and_answers(run: Run, tmp_path: Path) -> None:
    code, out, err = run("--quick", "--n-jobs", 1, "--out", tmp_path / "o")
    assert code == 0
    assert out.startswith(EXPERIMENT.question)
    assert "win share" in out
    assert out.rstrip().split("\n")[-1].startswith("Best: ")
    assert str(tmp_path / "o") in err
    assert set(files(tmp_path / "o")) == {"summary.csv", "figure.png", "figure.svg", "manifest.json", "answer.txt"}
    manifest = json.loads((tmp_path / "o" / "manifest.json").read_text())
    assert manifest["settings"] == {"n_deals": 64, "seed": 7, "quick": True, "marks": [2, 8]}
    assert manifest["agents"] == ["random", "top:k=2", "top:k=8"]
    assert manifest["rules"]["stella"]["common"]["players"] == 3
    assert not {"n_jobs", "backend", "host", "out"} & set(str(manifest).replace("'", " ").split())
    assert json.loads((tmp_path / "o" / "run.json").read_text())["n_jobs"] == 1


def test_jobs_and_backend_change_no_byte(run: Run, tmp_path: Path) -> None:
    for name, options in (("a", ["--n-jobs", 1]), ("b", ["--n-jobs", 2, "--backend", "threading"])):
        assert run("--quick", "--out", tmp_path / name, *options)[0] == 0
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_default_settings_write_to_the_committed_folder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "results_root", lambda: tmp_path)
    assert run()[0] == 0
    assert run("--n-jobs", 1)[0] == 0
    assert run("--n-jobs", 1, "--seed", 8)[0] == 0
    assert run("--n-jobs", 1, "--set", "darkness=off")[0] == 0
    assert (tmp_path / "test_lab_dummy" / "summary.csv").exists()
    assert len(list((tmp_path / "runs").glob("test_lab_dummy-*"))) == 2


def test_quick_is_a_preset_that_named_options_override() -> None:
    assert parse(EXPERIMENT, ["--quick"])[0] == Settings.preset(quick=True)
    assert parse(EXPERIMENT, ["--quick", "--n-deals", "130"])[0] == Settings(quick=True, n_deals=130, marks=(2, 8))
    assert parse(EXPERIMENT, []) == (Settings(), Running())


def test_help_has_question_options_and_examples(run: Run) -> None:
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert EXPERIMENT.question in out
    assert "--marks 1 10" in out
    options = "--n-deals --seed --quick --n-jobs --backend --scheduler --out --resume --rules --set --world"
    assert all(option in out for option in options.split())


def test_help_tells_every_example_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(replace(EXPERIMENT, examples=("--quick", "--marks 1 10", "--marks 1 10")), ["--help"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    for arguments in ("--quick", "--marks 1 10"):
        assert lines.count(f"python -m test_lab_dummy {arguments}") == 1


@dataclass(frozen=True, kw_only=True)
class Several(LabSettings):
    pair: Annotated[tuple[int, ...], Len(2, 3)] = (1, 2)
    one: Annotated[tuple[float, ...], Len(1, 1)] = (1,)
    game: Literal["odyssey", "stella"] = "stella"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pair": [1]}, "pair = [1]: needs at least 2 values; got 1"),
        ({"pair": [1, 2, 3, 4]}, "pair = [1, 2, 3, 4]: takes at most 3 values; got 4"),
        ({"one": []}, "one = []: needs at least 1 value; got 0"),
        ({"pair": [1, "x"]}, "pair = [1, 'x'], item 2: must be a whole number"),
        ({"pair": [1, 2.5]}, "item 2: must be a whole number"),
        ({"pair": 3}, "pair = 3: must be a list"),
        ({"one": ["x"]}, "item 1: must be a number"),
        ({"quick": "perhaps"}, "quick = 'perhaps': must be true or false"),
        ({"world": 3}, "world = 3: must be a text"),
        ({"rules": 3}, "rules = 3: must be a path"),
        ({"game": "chess"}, "game = 'chess': must be 'odyssey' or 'stella'"),
    ],
)
def test_settings_that_cannot_be_are_told_in_plain_words(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        Several(**changes)
    assert str(caught.value).endswith(message)


BAD = [
    (["--n-deals", "0"], "n_deals = 0: must be at least 1"),
    (["--n-deals", "-3"], "n_deals = -3"),
    (["--n-deals", "many"], "--n-deals"),
    (["--n-jobs", "0"], "n_jobs = 0: must be at least 1"),
    (["--n-jobs", "-1"], "n_jobs = -1"),
    (["--seed", "-1"], "seed = -1"),
    (["--marks", "3", "11"], "item 2: must be at most 10"),
    (["--colour", "red"], "--colour"),
    (["--backend", "carrier-pigeon"], "carrier-pigeon"),
    (["--scheduler", "tcp://127.0.0.1:1"], "needs --backend dask"),
    (["--set", "players=4"], "this experiment sets players itself"),
    (["--set", "player=4"], "did you mean players?"),
    (["--set", "rounds"], "expected FIELD=VALUE"),
    (["--set", "rounds=0"], "rounds = 0"),
    (["--set", "minimum_marks=9", "--set", "maximum_marks=3"], "minimum_marks"),
    (["--set", "rounds=2", "--set", "rounds=3"], "--set rounds=3: rounds is set twice"),
    (["--out", ""], '--out "": must not be empty'),
    (["--out="], '--out "": must not be empty'),
    (["--rules", ""], '--rules "": must not be empty'),
    (["--rules", "no-such.toml"], "no-such.toml"),
    (["--world", "mars"], "mars"),
    (["--world", "no-such.toml"], "no-such.toml"),
    (["--out", "/dev/null/x"], "cannot write results to /dev/null/x"),
]


@pytest.mark.parametrize(("args", "message"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_bad_input_is_one_message_and_exit_code_2(args: list[str], message: str, run: Run, tmp_path: Path) -> None:
    out_option = [] if args[0].startswith("--out") else ["--out", tmp_path / "o"]
    code, out, err = run("--quick", *args, *out_option)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rounds = = 3", "line 1"),
        ("rows = 3\ncolour = 2", "line 2"),
        ('game = "odyssey"', "odyssey"),
        ("rounds = 'x'", "rounds"),
    ],
)
def test_bad_rules_files_are_explained(text: str, message: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(text)
    code, _, err = run("--quick", "--rules", tmp_path / "rules.toml", "--out", tmp_path / "o")
    assert code == 2
    assert message in err
    assert "rules.toml" in err


def test_rules_files_and_set_are_kept_by_content(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('game = "stella"\nplayers = 6\nrounds = 2\n')
    options = ["--rules", tmp_path / "rules.toml", "--set", "rounds=3", "--set", "tie_break=sparks"]
    assert run("--quick", "--n-jobs", 1, *options, "--out", tmp_path / "o")[0] == 0
    manifest = json.loads((tmp_path / "o" / "manifest.json").read_text())
    assert manifest["rules_given"] == {"stella": {"players": 6, "rounds": 3, "tie_break": ["sparks"]}}
    assert manifest["rules"]["stella"]["common"]["players"] == 3
    assert manifest["rules"]["stella"]["common"]["rounds"] == 3


def test_values_of_set_are_read_as_toml_without_quotes() -> None:
    texts = {"3": 3, "true": True, "none": "none", "off": "off", "[sparks]": ["sparks"], "()": [], '"off"': "off"}
    assert {text: parse_value(text) for text in texts} == texts
    assert parse_value("sparks,lit_lanterns", as_list=True) == ["sparks", "lit_lanterns"]
    assert parse_value("sparks", as_list=True) == ["sparks"]


class StopsAfter:
    """A block store that a user interrupts after some blocks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, blocks: int, error: BaseException) -> None:
        self.left = blocks
        real = BlockStore.__setitem__

        def write(store: BlockStore, key: str, value: Any) -> None:
            if self.left == 0:
                raise error
            self.left -= 1
            real(store, key, value)

        monkeypatch.setattr(BlockStore, "__setitem__", write)


def test_an_interrupted_run_resumes_to_the_same_bytes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--n-jobs", 1, "--n-deals", 1_600]
    assert run(*options, "--out", tmp_path / "whole")[0] == 0
    with monkeypatch.context() as patched:
        StopsAfter(patched, 5, KeyboardInterrupt())
        code, out, err = run(*options, "--out", tmp_path / "cut")
    assert (code, out) == (130, "")
    assert "5 finished blocks of games kept" in err
    assert f"--n-deals 1600 --out {tmp_path / 'cut'} --resume" in err
    assert os.listdir(tmp_path / "cut") == [".blocks"]

    code, _, err = run("--n-jobs", 1, "--n-deals", 100, "--out", tmp_path / "cut", "--resume")
    assert code == 2
    assert "settings.n_deals: 1600 there, 100 here" in err

    code, _, err = run("--n-jobs", 2, "--backend", "threading", *options[2:], "--out", tmp_path / "cut", "--resume")
    assert code == 0
    assert "5 finished blocks kept" in err
    assert files(tmp_path / "cut") == files(tmp_path / "whole")


def test_interrupted_before_anything_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StopsAfter(monkeypatch, 0, KeyboardInterrupt())
    code, _, err = run("--quick", "--n-jobs", 1, "--out", tmp_path / "o")
    assert code == 130
    assert "nothing was written" in err
    assert not (tmp_path / "o").exists()


def test_a_failed_block_is_reported_with_exit_code_1(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StopsAfter(monkeypatch, 1, RuntimeError("the block seed=7, deals 0 to 63 failed"))
    code, out, err = run("--n-jobs", 1, "--out", tmp_path / "o")
    assert (code, out) == (1, "")
    assert "deals 0 to 63 failed" in err
    with pytest.raises(RuntimeError):
        run("--n-jobs", 1, "--out", tmp_path / "o", "--traceback")
    monkeypatch.setenv(command.TRACEBACK, "1")
    with pytest.raises(RuntimeError):
        run("--n-jobs", 1, "--out", tmp_path / "o")


@pytest.mark.slow
def test_ctrl_c_in_a_real_process(tmp_path: Path) -> None:
    """python -m ..., SIGINT in the middle, --resume: the bytes of an uninterrupted run."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    line = [sys.executable, "-m", "test_lab_dummy", "--n-deals", "60000", "--n-jobs", "2", "--marks", "2", "5"]
    process = subprocess.Popen(
        [*line, "--out", str(tmp_path / "o")],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background shell leaves it ignored
    )
    deadline = time.monotonic() + 120
    while len(BlockStore(tmp_path / "o" / ".blocks")) < 3 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "--resume" in err
    assert "Traceback" not in err
    kept = len(BlockStore(tmp_path / "o" / ".blocks"))
    assert kept >= 3
    resumed = subprocess.run(
        [*line, "--out", str(tmp_path / "o"), "--resume"], env=environment, capture_output=True, text=True, check=True
    )
    assert f"{kept} finished blocks kept" in resumed.stderr
    subprocess.run([*line, "--out", str(tmp_path / "p")], env=environment, capture_output=True, check=True)
    assert files(tmp_path / "o") == files(tmp_path / "p")


def test_rerun_repeats_a_run_from_its_manifest(run: Run, tmp_path: Path) -> None:
    first = tmp_path / "first"
    run("--quick", "--n-jobs", 1, "--set", "rounds=2", "--marks", 3, "--out", first)
    again = ["--out", tmp_path / "again", "--n-jobs", 1]
    code, out, _ = run(first / "manifest.json", *again, of=rerun.main)
    assert code == 0
    assert "Every file has the same bytes as before." in out
    assert files(first) == files(tmp_path / "again")
    (first / "summary.csv").write_text("changed")
    assert "Other bytes than before: summary.csv" in run(first / "manifest.json", *again, of=rerun.main)[1]


def test_rerun_refuses_what_it_cannot_repeat(run: Run, tmp_path: Path) -> None:
    base = {"experiment": "nothing", "settings": {}, "rules_given": {}, "world": {}}
    for change, message in [
        ({}, "there is no experiment 'nothing'"),
        ({"module": "test_lab_dummy", "settings": {"colour": 1}}, "no longer has: colour"),
        ({"module": "test_lab_dummy", "settings": {"n_deals": 0}}, "n_deals = 0"),
        ({"module": "no_such_module"}, "cannot be used"),
    ]:
        (tmp_path / "manifest.json").write_text(json.dumps({**base, **change}))
        code, _, err = run(tmp_path / "manifest.json", of=rerun.main)
        assert code == 2
        assert message in err
    assert run(tmp_path / "none.json", of=rerun.main)[0] == 2
    assert run(of=rerun.main)[0] == 2


def test_the_list_shows_every_experiment_without_importing_any(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a_question.py").write_text(
        'EXPERIMENT = Experiment(name="a_question", question="Why?")\nraise OSError\n'
    )
    (tmp_path / "tool.py").write_text('"""A tool.\n\nMore."""\nif __name__ == "__main__":\n    print()\n')
    (tmp_path / "helper.py").write_text("x = 1\n")
    monkeypatch.setattr(discovery.experiments, "__path__", [str(tmp_path)])
    found = [(entry.name, entry.question, entry.is_experiment) for entry in discovery.listed()]
    assert found == [("a_question", "Why?", True), ("tool", "A tool.", False)]
    with pytest.raises(ValueError, match="there is a_question"):
        discovery.load("other")


def test_the_list_as_a_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["experiments"])
    assert listing.main() == 0
    assert "rerun" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["experiments", "darkness"])
    assert listing.main() == 2
    quick = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "experiments"], capture_output=True, text=True, check=True
    )
    assert not any(library in quick.stderr for library in ("numba", "pandas", "scipy.stats"))


def test_listed_questions_are_those_of_the_experiments() -> None:
    for entry in discovery.listed():
        if entry.is_experiment:
            found = discovery.load(entry.name)
            assert (found.name, found.question) == (entry.name, entry.question)
