"""Every public name says what it is; what takes or gives arrays says their shapes."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import agents
import experiments.lab
import sim

PACKAGES = (sim, agents, experiments.lab)
ARRAYS = re.compile(r"NDArray|ArrayLike|Floats|Ints")
SHAPE = re.compile(r"\((?:\.\.\.|[\w ]+),[^()]*\)|\bshape|\bax[ei]s\b|[Aa]s (?:in )?`|(?:one|each|[Pp]er)[ -]\w+")
"""'(games, seats)', '(n,)', '(deals, ...)', or words for it: along an axis, as in another function, one per deal."""


def modules() -> Iterator[ModuleType]:
    for package in PACKAGES:
        yield package
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def public() -> Iterator[tuple[str, Any]]:
    """Public classes and functions under the module that defines them, and the public methods of the classes."""
    for module in modules():
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            value = getattr(module, name)
            if not (inspect.isclass(value) or callable(value)) or getattr(value, "__module__", None) != module.__name__:
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value):
                for method in vars(value):
                    if not method.startswith("_") and is_method(inspect.getattr_static(value, method)):
                        yield f"{module.__name__}.{name}.{method}", getattr_of(value, method)


def is_method(value: Any) -> bool:
    kinds = property | functools.cached_property | classmethod | staticmethod
    return isinstance(value, kinds) or inspect.isfunction(value)


def getattr_of(owner: type, name: str) -> Any:
    """A property as its getter, anything else as it is reached by the class."""
    static = inspect.getattr_static(owner, name)
    if isinstance(static, property):
        return static.fget
    return static.func if isinstance(static, functools.cached_property) else getattr(owner, name)


def told(value: Any) -> str:
    """The docstring, or that of the method it overrides; a dataclass's automatic one is none."""
    text = inspect.getdoc(value) or ""
    owner, _, method = getattr(value, "__qualname__", "").rpartition(".")
    if not text and owner and "<locals>" not in owner:
        bases = functools.reduce(getattr, owner.split("."), importlib.import_module(value.__module__)).__mro__
        text = next((inspect.getdoc(vars(base)[method]) or "" for base in bases[1:] if method in vars(base)), "")
    return "" if inspect.isclass(value) and text.startswith(f"{value.__name__}(") else text


def test_modules_say_what_they_are_for() -> None:
    assert [module.__name__ for module in modules() if not (module.__doc__ or "").strip()] == []


def test_every_public_name_has_a_docstring() -> None:
    assert sorted(name for name, value in public() if not told(value).strip()) == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_arrays_are_told_with_their_shapes(package: ModuleType) -> None:
    """Public functions and methods with arrays in their signature; a class may say it for its methods."""
    silent = []
    for name, value in public():
        if not name.startswith(package.__name__ + ".") or not inspect.isroutine(value):
            continue
        hints = " ".join(map(str, getattr(value, "__annotations__", {}).values()))
        if ARRAYS.search(hints) and not SHAPE.search(told(value)):
            silent.append(name)
    assert silent == []
