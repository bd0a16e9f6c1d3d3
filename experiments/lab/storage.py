"""Where results go: settings decide the folder, files appear whole or not at all, unfinished runs can go on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import experiments
from experiments.lab.blocks import BlockStore, write_atomically
from experiments.lab.formats import differences, fingerprint, to_json

MANIFEST = "manifest.json"
BLOCKS = ".blocks"
_INPUTS = "inputs.json"
_OURS = ("summary.csv", "figure.png", "figure.svg", "run.json")
INPUTS = ("experiment", "settings", "rules_given", "world")
"""What a manifest has from the start of a run: all that the user decides. Runs that agree here give the same bytes."""


class StorageError(ValueError):
    """Results cannot be written there, or not by this run; the message says why and what to do."""


def results_root() -> Path:
    """`results/` of the repository when the lab runs from it, else of the current folder."""
    home = Path(experiments.__path__[0]).resolve().parent
    return (home if (home / "pyproject.toml").is_file() else Path.cwd()) / "results"


def default_folder(inputs: Mapping[str, Any], default: bool) -> Path:
    """results/<name> for default settings, results/runs/<name>-<hash> for others. inputs: see INPUTS."""
    name = inputs["experiment"]
    return results_root() / name if default else results_root() / "runs" / f"{name}-{fingerprint(inputs)}"


class RunFolder:
    """The folder of one run.

    path: the folder; inputs: see INPUTS, in plain JSON values; chosen: the user named the folder (`--out`).
    `open`, then `write`; between them finished blocks are kept under `.blocks`, which `write` removes.
    """

    def __init__(self, path: Path, inputs: Mapping[str, Any], chosen: bool = False) -> None:
        self.path = path
        self.inputs = dict(inputs)
        self.chosen = chosen
        self.blocks = BlockStore(path / BLOCKS)
        self._made = False

    def open(self, resume: bool = False, say: Callable[[str], None] = print) -> None:
        """Make the folder and see that it can be written, before anything is computed.

        An unfinished run that is in the folder goes on with `resume`, if it has the same inputs; without `resume` it is
        dropped, after saying so. Raises StorageError for a folder that cannot be written, that holds the results of
        another experiment, or whose unfinished run has other inputs (naming those that differ).
        """
        self._make()
        kept = self._check_owner()
        if resume:
            self._check_resumable(kept, say)
        elif len(self.blocks):
            say(
                f"{self.path} holds {_count(len(self.blocks), 'finished block')} of an interrupted run: starting anew "
                "without them (--resume would have gone on)."
            )
        if not resume or kept is None:
            shutil.rmtree(self.path / BLOCKS, ignore_errors=True)
        for stale in self.path.glob(".writing-*"):
            shutil.rmtree(stale, ignore_errors=True)
        (self.path / BLOCKS).mkdir(exist_ok=True)
        write_atomically(self.path / BLOCKS / ".gitignore", b"*\n")
        write_atomically(self.path / BLOCKS / _INPUTS, to_json(self.inputs).encode())

    def write(self, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
        """Write all files and the manifest, which lists them; then remove the blocks and files of an earlier run.

        Files are written to the side first and renamed when all are there, the manifest last.
        """
        earlier = _read_json(self.path / MANIFEST) or {}
        listed = [*files, MANIFEST]
        complete = {**manifest, "files": sorted(name for name in files if name != "run.json")}
        aside = self.path / f".writing-{os.getpid()}"
        try:
            aside.mkdir(exist_ok=True)
            for name, content in {**files, MANIFEST: to_json(complete).encode()}.items():
                (aside / name).write_bytes(content)
            for name in listed:
                os.replace(aside / name, self.path / name)
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {error.strerror or error}") from error
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        for name in earlier.get("files", []):
            if isinstance(name, str) and name not in listed and Path(name).name == name:
                (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / BLOCKS, ignore_errors=True)

    def abandon(self) -> None:
        """After a failure: remove the traces of a run of which no block is kept."""
        if len(self.blocks) == 0:
            shutil.rmtree(self.path / BLOCKS, ignore_errors=True)
            if self._made and not any(self.path.iterdir()):
                self.path.rmdir()

    def _make(self) -> None:
        try:
            self._made = not self.path.exists()
            self.path.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path / ".writable", b"")
            (self.path / ".writable").unlink()
        except OSError as error:
            raise StorageError(f"cannot write results to {self.path}: {error.strerror or error}") from error

    def _check_owner(self) -> dict[str, Any] | None:
        """Inputs of the unfinished run in the folder, if any. StorageError if the folder is another's."""
        finished = _read_json(self.path / MANIFEST)
        kept = _read_json(self.path / BLOCKS / _INPUTS)
        for found in (finished, kept):
            owner = found.get("experiment") if found else None
            if found is not None and owner != self.inputs["experiment"]:
                whose = f"the results of the experiment {owner!r}" if owner else "a manifest.json of something else"
                raise StorageError(
                    f"{self.path} holds {whose}, not of {self.inputs['experiment']!r}: choose another folder with --out"
                )
        if finished is None and kept is None:
            foreign = [name for name in _OURS if (self.path / name).exists()]
            if foreign:
                raise StorageError(
                    f"{self.path} holds {foreign[0]} without a {MANIFEST}: choose another folder with --out"
                )
        return kept

    def _check_resumable(self, kept: dict[str, Any] | None, say: Callable[[str], None]) -> None:
        other = kept if kept is not None else self._finished_inputs()
        if other is not None:
            self._refuse_other(self.path, other)
        if kept is not None:
            say(f"Resuming {self.path}: {_count(len(self.blocks), 'finished block')} kept.")
            return
        if other is None and not self.chosen:
            for folder, inputs in unfinished_runs(self.inputs["experiment"]):
                self._refuse_other(folder, inputs)
        say(f"Nothing to resume in {self.path}: starting from the beginning.")

    def _finished_inputs(self) -> dict[str, Any] | None:
        manifest = _read_json(self.path / MANIFEST)
        return None if manifest is None else {name: manifest.get(name) for name in INPUTS}

    def _refuse_other(self, folder: Path, inputs: Mapping[str, Any]) -> None:
        differ = differences(inputs, json.loads(to_json(self.inputs)))
        if differ:
            if self._made:
                self.path.rmdir()
            raise StorageError(
                f"--resume: the run in {folder} has other settings. {'; '.join(differ)}. "
                "Give the same settings (jobs and backend may differ), or leave out --resume"
            )


def unfinished_runs(experiment: str) -> list[tuple[Path, dict[str, Any]]]:
    """Interrupted runs of an experiment in the usual places, with their inputs."""
    root = results_root()
    found = []
    for folder in [root / experiment, *sorted((root / "runs").glob(f"{experiment}-*"))]:
        inputs = _read_json(folder / BLOCKS / _INPUTS)
        if inputs is not None and inputs.get("experiment") == experiment and len(BlockStore(folder / BLOCKS)):
            found.append((folder, inputs))
    return found


def read_manifest(path: Path) -> dict[str, Any]:
    """A manifest.json. StorageError if there is none, or if it is not one of the lab's."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise StorageError(f"{path} is not a manifest: {error}") from None
    missing = [name for name in INPUTS if not isinstance(manifest, dict) or name not in manifest]
    if missing:
        raise StorageError(f"{path} is not a manifest of an experiment: it has no {', '.join(missing)}")
    return dict(manifest)


def _read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file; None if there is no file; an empty one if it is something else."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
