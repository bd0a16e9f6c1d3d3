"""Which experiments there are: found by reading the package's modules, without importing them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import experiments
from experiments.lab.storage import StorageError

_NOT_LISTED = ("__main__",)


@dataclass(frozen=True, slots=True)
class Listed:
    """A module of `experiments` that can be run. question: of an experiment; else the first line of the docstring."""

    name: str
    question: str
    is_experiment: bool

    @property
    def command(self) -> str:
        """How to run it from a shell."""
        return f"python -m experiments.{self.name}"


def listed() -> list[Listed]:
    """Every module of the package that assigns EXPERIMENT, and every other one that is a command, by name."""
    found = []
    for module in pkgutil.iter_modules(experiments.__path__):
        if module.ispkg or module.name in _NOT_LISTED:
            continue
        tree = ast.parse((Path(experiments.__path__[0]) / f"{module.name}.py").read_text(encoding="utf-8"))
        assigned = [value for target, value in _assignments(tree) if target == "EXPERIMENT"]
        if assigned:
            found.append(Listed(module.name, _question(assigned[-1], module.name), True))
        elif _is_command(tree):
            found.append(Listed(module.name, (ast.get_docstring(tree) or "").split("\n")[0], False))
    return sorted(found, key=lambda entry: entry.name)


def load(name: str) -> Any:
    """The Experiment of that name. StorageError (a ValueError) lists what there is."""
    known = [entry.name for entry in listed() if entry.is_experiment]
    if name not in known:
        raise StorageError(f"there is no experiment {name!r}; there is {', '.join(known) or 'none'}")
    return importlib.import_module(f"experiments.{name}").EXPERIMENT


def _assignments(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            found += [(target.id, node.value) for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.append((node.target.id, node.value))
    return found


def _question(value: ast.expr, module: str) -> str:
    """The literal `question=` of the call, else that of the imported object."""
    if isinstance(value, ast.Call):
        for keyword in value.keywords:
            if keyword.arg == "question" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return str(importlib.import_module(f"experiments.{module}").EXPERIMENT.question)


def _is_command(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in tree.body)
