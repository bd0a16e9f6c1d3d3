"""Runs larger than one sitting: interrupted, resumed, killed, on a cluster, with flat memory; always the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

import sim
from agents.registry import make
from experiments.lab.cluster import connected
from experiments.lab.command import main
from experiments.lab.experiment import Running
from experiments.tournament import EXPERIMENT
from sim.stella import StellaRules

ROOT = Path(__file__).parent.parent
ARGUMENTS = ["--agents", "people", "greedy", "avoider:risk=0.3", "--n-deals", "1024"]
"""Three pairs, twelve kinds of table, 24 blocks of 512 deals and more on fresh ones: some seconds."""
MATCH = sim.Match([make("stella", "people"), *[make("stella", "threshold")] * 3], StellaRules())


def started(arguments: list[str], out: Path, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "experiments.tournament", *arguments, "--out", str(out)]
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options
    )  # type: ignore[call-overload]


def finished(arguments: list[str], out: Path) -> str:
    """Run to the end; what it said on standard error."""
    run = started(arguments, out)
    _, said = run.communicate(timeout=300)
    assert run.returncode == 0, said
    return said


def blocks(folder: Path) -> list[Path]:
    return sorted((folder / ".blocks").glob("*.block"))


def wait_for_blocks(run: subprocess.Popen[str], folder: Path, n: int) -> int:
    """Wait until that many blocks are finished: how many there are."""
    for _ in range(10_000):
        if len(blocks(folder)) >= n:
            return len(blocks(folder))
        assert run.poll() is None, "the run was over before it could be interrupted"
        time.sleep(0.01)
    raise AssertionError("no blocks")


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file() and path.name != "run.json"
    }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], bytes]:
    """The files of the run, on one core, and the games it saved."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    finished([*ARGUMENTS, "--n-jobs", "1", "--save-games", str(folder / "games.parquet")], folder / "out")
    return content(folder / "out"), (folder / "games.parquet").read_bytes()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    how: signal.Signals, uninterrupted: tuple[dict[str, bytes], bytes], tmp_path: Path
) -> None:
    out, games = tmp_path / "out", tmp_path / "games.parquet"
    arguments = [*ARGUMENTS, "--n-jobs", "2", "--save-games", str(games)]
    run = started(arguments, out)
    seen = wait_for_blocks(run, out, 4)
    run.send_signal(how)
    _, said = run.communicate(timeout=60)
    assert run.returncode == (130 if how == signal.SIGINT else -how)
    if how == signal.SIGINT:
        assert "Go on with:" in said
        assert "--resume" in said
        assert "Traceback" not in said
    kept = len(blocks(out))
    assert kept >= seen
    assert not games.exists()
    said = finished([*arguments, "--resume"], out)
    assert f"{kept} finished blocks kept" in said
    assert content(out) == uninterrupted[0]
    assert games.read_bytes() == uninterrupted[1]
    assert not (out / ".blocks").exists()


def test_resuming_with_other_settings_is_refused_and_says_what_differs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = started([*ARGUMENTS, "--n-jobs", "1"], out)
    wait_for_blocks(run, out, 1)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    kept = len(blocks(out))
    for changed, differs in (
        (["--n-deals", "1000"], "settings.n_deals: 1024 there, 1000 here"),
        (["--seed", "8"], "settings.seed: 7 there, 8 here"),
        (["--set", "darkness=off"], "rules_given.stella"),
    ):
        again = started([*ARGUMENTS, *changed, "--resume"], out)
        _, said = again.communicate(timeout=60)
        assert again.returncode == 2
        assert differs in said
        assert len(blocks(out)) == kept


@pytest.mark.slow
def test_other_jobs_and_backend_may_resume(tmp_path: Path, uninterrupted: tuple[dict[str, bytes], bytes]) -> None:
    out = tmp_path / "out"
    run = started([*ARGUMENTS, "--n-jobs", "1"], out)
    wait_for_blocks(run, out, 3)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    finished([*ARGUMENTS, "--n-jobs", "2", "--backend", "threading", "--resume"], out)
    assert content(out) == uninterrupted[0]


@dataclass(frozen=True)
class DiesOnce:
    """A reducer that takes its worker with it the first time the block of one deal is reduced (always: every time)."""

    marker: str
    deal: int
    always: bool = False

    def __call__(self, games: sim.Games) -> sim.games.Games:
        if self.deal in games.deal and (self.always or not os.path.exists(self.marker)):
            Path(self.marker).touch()
            os._exit(3)
        return games


def test_the_blocks_of_a_worker_that_dies_are_played_again(tmp_path: Path) -> None:
    dies = DiesOnce(str(tmp_path / "died"), 700)
    found = sim.simulate(MATCH, 1_200, seed=4, n_jobs=2, keep=dies, block_deals=100)
    assert Path(dies.marker).exists()
    alone = sim.simulate(MATCH, 1_200, seed=4)
    assert (found.scores == alone.scores).all()
    assert (found.deal == alone.deal).all()


def test_a_block_whose_workers_always_die_is_named(tmp_path: Path) -> None:
    dies = DiesOnce(str(tmp_path / "died"), 130, always=True)
    with pytest.raises(RuntimeError, match=r"workers died 4 times; first block not played: seed=4, deals 1?00 to"):
        sim.simulate(MATCH, 200, seed=4, n_jobs=2, keep=dies, block_deals=100)


@dataclass(frozen=True)
class Fails:
    deal: int

    def __call__(self, games: sim.Games) -> sim.Games:
        if self.deal in games.deal:
            raise ZeroDivisionError("of the reducer's own")
        return games


@pytest.mark.parametrize(("jobs", "backend"), [(1, "loky"), (2, "loky"), (2, "threading")])
def test_a_block_that_fails_is_named(jobs: int, backend: str) -> None:
    with pytest.raises(
        RuntimeError, match=r"the block seed=4, deals 100 to 199 of \['people', .* failed: ZeroDivisionError"
    ):
        sim.simulate(MATCH, 200, seed=4, n_jobs=jobs, backend=backend, keep=Fails(130), block_deals=100)


def threads(games: sim.Games) -> tuple[tuple[object, ...], ...]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return ((*(os.environ.get(name) for name in names), numba.get_num_threads()),)


def test_workers_have_one_thread_for_blas_and_numba() -> None:
    assert set(sim.simulate(MATCH, 200, n_jobs=2, keep=threads, block_deals=50)) == {("1", "1", "1", 1)}


def test_saved_games_are_the_frames(tmp_path: Path) -> None:
    """All matches, every deal once, in order; the rounds beside them; matches and rules in the metadata."""
    path = tmp_path / "games.parquet"
    arguments = ["--agents", "people", "random", "--n-deals", "70", "--out", str(tmp_path / "out")]
    assert main(EXPERIMENT, [*arguments, "--save-games", str(path), "--n-jobs", "1"]) == 0
    frame, rounds = pd.read_parquet(path), pd.read_parquet(tmp_path / "games.rounds.parquet")
    about = json.loads(parquet.read_schema(path).metadata[b"matches"])
    assert [entry["agents"] for entry in about][:2] == [["people", *["random"] * 3], ["random", *["people"] * 3]]
    assert about[0]["rules"]["players"] == 4
    assert list(frame.match.unique()) == list(range(len(about))) == list(range(5))
    lineup = [make("stella", spec) for spec in about[1]["agents"]]
    games = sim.simulate(sim.Match(lineup, StellaRules()), 70, seed=7)
    mine = frame[(frame.match == 1) & (frame.deal < 70)].reset_index(drop=True)
    expected = games.to_frame()
    for column in expected.columns.drop("turns"):
        assert mine[column].astype(str).tolist() == expected[column].astype(str).tolist(), column
    mine = rounds[(rounds.match == 1) & (rounds.deal < 70)]
    assert (mine["points"].to_numpy() == games.rounds_frame()["points"].to_numpy()).all()
    assert not frame.duplicated(["match", "deal", "seating", "member"]).any()
    assert frame.match.is_monotonic_increasing


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("listening", [False, True], ids=["nobody there", "never answers"])
def test_a_scheduler_that_does_not_answer(listening: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        if listening:
            mute.listen()
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        before = time.monotonic()
        code = main(
            EXPERIMENT, ["--quick", "--backend", "dask", "--scheduler", address, "--out", str(tmp_path / "out")]
        )
        assert time.monotonic() - before < 10
    assert code == 2
    assert f"--scheduler {address}: no Dask scheduler answers there" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_scheduler_needs_the_dask_backend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(EXPERIMENT, ["--quick", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "needs --backend dask" in " ".join(capsys.readouterr().err.replace("│", " ").split())


@contextmanager
def dask(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A `dask` command, ended at the end with all its children."""
    program = Path(sys.executable).with_name("dask")
    with (folder / f"{arguments[0]}-{time.monotonic_ns()}.log").open("wb") as log:
        process = subprocess.Popen([program, *arguments], cwd=folder, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The README's scheduler and two workers, on loopback: its address, and the three processes."""
    pytest.importorskip("distributed")
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    worker = ("worker", address, "--nthreads", "1", "--no-dashboard")
    with (
        dask(folder, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard") as scheduler,
        dask(folder, *worker) as first,
        dask(folder, *worker) as second,
    ):
        from distributed import Client

        for _ in range(60):
            try:
                with Client(address, timeout=2) as client:
                    client.wait_for_workers(2, timeout=60)
                break
            except (OSError, TimeoutError):
                time.sleep(0.5)
        yield address, [scheduler, first, second]


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(
    uninterrupted: tuple[dict[str, bytes], bytes], tmp_path: Path
) -> None:
    with cluster(tmp_path) as (address, processes):
        out, games = tmp_path / "out", tmp_path / "games.parquet"
        run = started([*ARGUMENTS, "--backend", "dask", "--scheduler", address, "--save-games", str(games)], out)
        wait_for_blocks(run, out, 4)
        os.killpg(processes[1].pid, signal.SIGKILL)
        _, said = run.communicate(timeout=300)
        assert run.returncode == 0, said
        assert content(out) == uninterrupted[0]
        assert games.read_bytes() == uninterrupted[1]
        assert json.loads((out / "run.json").read_text())["scheduler"] == address


@pytest.mark.slow
def test_a_cluster_names_what_fails_and_never_waits_for_ever(tmp_path: Path) -> None:
    """A failing block, an agent of the user's own folder, workers that always die, a scheduler that goes away."""
    (tmp_path / "own_agents.py").write_text(
        "from dataclasses import dataclass\nfrom agents.stella.top import Top\n\n"
        "@dataclass(frozen=True)\nclass Mine(Top):\n    'Marks k.'\n"
    )
    with cluster(tmp_path) as (address, (scheduler, *_)):
        environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
        agents = ["--agents", "people", "own_agents:Mine:k=4"]
        run = started(
            ["--quick", *agents, "--backend", "dask", "--scheduler", address], tmp_path / "own", env=environment
        )
        _, said = run.communicate(timeout=120)
        assert run.returncode == 0, said

        fails, dies = Fails(130), DiesOnce(str(tmp_path / "died"), 130, always=True)
        with connected(Running(backend="dask", scheduler=address)):
            with pytest.raises(
                RuntimeError, match=r"the block seed=4, deals 100 to 199 of .* failed: ZeroDivisionError"
            ):
                sim.simulate(MATCH, 200, seed=4, backend="dask", keep=fails, block_deals=100)
            with pytest.raises(RuntimeError, match=r"workers died at every try of the block seed=4, deals 100 to 199"):
                sim.simulate(MATCH, 200, seed=4, backend="dask", keep=dies, block_deals=100)

        from distributed import Client

        with Client(address) as client:
            client.wait_for_workers(1, timeout=60)
        out = tmp_path / "lost"
        run = started([*ARGUMENTS, "--backend", "dask", "--scheduler", address], out)
        wait_for_blocks(run, out, 2)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, said = run.communicate(timeout=120)
        assert run.returncode == 1, said
        assert "the Dask scheduler is gone" in said
        assert len(blocks(out)) >= 2


PEAK = """
import resource, sim
from agents.registry import make
from sim.stella import StellaRules
from sim.odyssey import OdysseyRules
rules = StellaRules() if "{game}" == "stella" else OdysseyRules(players=4)
lineup = [make("{game}", "greedy"), *[make("{game}", "people")] * 3]
games = sim.simulate(sim.Match(lineup, rules), {deals}, keep="summary").n_games
print(games, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["stella", "odyssey"])
def test_memory_is_flat_in_the_number_of_games(game: str) -> None:
    """Summaries kept: the peak of 400,000 games is that of 40,000, within 4 %."""
    peaks = []
    for deals in (10_000, 100_000):
        command = [sys.executable, "-c", PEAK.format(game=game, deals=deals)]
        games, peak = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        assert int(games) == 4 * deals
        peaks.append(int(peak))
    assert peaks[1] / peaks[0] == pytest.approx(1, abs=0.04)


@pytest.mark.slow
def test_memory_of_a_tournament_and_of_saved_games_is_flat(tmp_path: Path) -> None:
    """Eight times the deals: within 10 %, games saved or not."""
    peaks = []
    for deals in (5_000, 40_000):
        code = (
            "import resource\nfrom experiments.lab.command import main\nfrom experiments.tournament import EXPERIMENT\n"
            f"main(EXPERIMENT, ['--agents', 'people', 'greedy', '--n-deals', '{deals}', '--n-jobs', '1', '--out', "
            f"r'{tmp_path / str(deals)}', '--save-games', r'{tmp_path / 'games.parquet'}'])\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout.split()[-1]))
        shutil.rmtree(tmp_path / str(deals))
    assert np.ptp(peaks) / peaks[0] < 0.1, peaks
