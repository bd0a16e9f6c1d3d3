"""The notebooks run, their stored output is what they give today, and it reads well."""

from __future__ import annotations

import importlib.util
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONG = ("03", "05")
MACHINE = re.compile(r"/(?:work|tmp|root|home|Users|usr|opt)/|[A-Z]:\\|Warning|Traceback")
nbformat = pytest.importorskip("nbformat", reason="the notebooks need pip install 'dixit-lab[notebooks]'")
pytest.importorskip("nbclient", reason="the notebooks need pip install 'dixit-lab[notebooks]'")


def by_length(paths: list[Path]) -> list[Any]:
    """Each notebook, the long ones marked slow."""
    slow = [pytest.mark.slow]
    return [pytest.param(path, id=path.stem, marks=slow if path.name[:2] in LONG else []) for path in paths]


def executing() -> Any:
    """The module notebooks/execute.py."""
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(notebook: Any) -> list[list[str]]:
    """The words and numbers of every cell's output, without markup and spacing; pictures are left out."""
    return [[" ".join(words(output)) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def words(output: Any) -> Iterator[str]:
    text = output.text if output.output_type == "stream" else output.data.get("text/html", output.data["text/plain"])
    yield from re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.S).split()


def cpu_seconds() -> float:
    """Of all processes that this one has waited for: what others do on the machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_there_are_five() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("path", by_length(NOTEBOOKS))
def test_a_notebook_runs_and_says_what_it_said(path: Path) -> None:
    before = cpu_seconds()
    fresh = executing().execute(path)
    assert cpu_seconds() - before < 60
    assert said(fresh) == said(nbformat.read(path, as_version=4)), f"run: python notebooks/execute.py {path.name}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stored_output_reads_well(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(cell.metadata == {} for cell in notebook.cells)
    assert sum("image/png" in output.get("data", {}) for cell in code for output in cell.outputs) >= 1
    for cell in code:
        assert max(map(len, cell.source.splitlines())) <= 110, cell.source
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output
            text = " ".join(words(output))
            assert not MACHINE.search(text), text[:300]


def test_the_agent_in_the_file_is_the_one_in_the_notebook() -> None:
    notebook = nbformat.read(FOLDER / "03_write_your_own_agent.ipynb", as_version=4)
    shown = next(cell.source for cell in notebook.cells if "class Follower" in cell.source)
    packed = (FOLDER / "my_agents.py").read_text(encoding="utf-8")
    assert shown.strip() == packed[packed.index("@dataclass") :].strip()
    assert len(shown.splitlines()) <= 20


@pytest.mark.slow
def test_nbmake_runs_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--nbmake", str(FOLDER)],
        capture_output=True,
        text=True,
        cwd=FOLDER.parent,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
