"""A result as files."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from typing import Any

from experiments.lab.experiment import Result, Running
from experiments.lab.formats import plain, rounded, to_csv, to_json

_LIBRARIES = ("numpy", "numba", "scipy", "pandas", "matplotlib", "joblib", "pydantic", "distributed")


def result_files(question: str, result: Result) -> dict[str, bytes]:
    """Name -> content of summary.csv, answer.txt, figure.png, figure.svg and the result's further tables and files."""
    files = {"summary.csv": to_csv(result.summary).encode(), "answer.txt": f"{question}\n{result.sentence}\n".encode()}
    files |= {f"{name}.csv": to_csv(frame).encode() for name, frame in result.tables.items()}
    files |= {name: text.encode() if isinstance(text, str) else text for name, text in result.files.items()}
    if result.figure is not None:
        from experiments.lab.plots import figure_bytes

        files["figure.png"], files["figure.svg"] = (figure_bytes(result.figure, kind) for kind in ("png", "svg"))
    return files


def run_record(running: Running, seconds: float, games: int) -> bytes:
    """run.json: how this run went. Nothing in it decides the result. games: played or taken from kept blocks."""
    record: dict[str, Any] = {
        "seconds": seconds,
        "games": games,
        "games_per_second": games / seconds if seconds > 0 else None,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "n_jobs": running.jobs,
        "backend": running.backend,
        "scheduler": running.scheduler,
        "resumed": running.resume,
        "host": platform.node(),
        "machine": platform.machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "libraries": {name: version for name in _LIBRARIES if (version := _version(name))},
    }
    return to_json(rounded(plain(record))).encode()


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None
