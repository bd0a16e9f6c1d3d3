"""A progress bar on standard error for whatever takes longer than a second, in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

DELAY = 1.0
"""Seconds before a bar appears: what is done sooner shows none."""


def interactive() -> bool:
    """Somebody can see a bar: standard error is a terminal, or a notebook shows it."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """The code runs in a Jupyter kernel."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return type(found).__name__ == "ZMQInteractiveShell"


@contextmanager
def bar(description: str, total: int, wanted: bool | None = None) -> Iterator[Callable[[int], None]]:
    """A bar over `total` steps; yields advance(steps). wanted: None shows it where somebody can see it.

    It appears with the first step after a second, leaves standard output alone, and is gone at the end.
    """
    if not (interactive() if wanted is None else wanted):
        yield lambda steps: None
        return
    state = _Delayed(description, total)
    try:
        yield state.advance
    finally:
        state.stop()


class _Delayed:
    """A rich bar that starts late."""

    def __init__(self, description: str, total: int) -> None:
        self.description, self.total = description, total
        self.done = 0
        self.started = time.monotonic()
        self.progress: Any = None
        self.task: Any = None

    def advance(self, steps: int) -> None:
        self.done += steps
        if self.progress is None and time.monotonic() - self.started >= DELAY:
            self.progress = _rich_bar()
            self.task = self.progress.add_task(self.description, total=self.total)
            self.progress.start()
        if self.progress is not None:
            self.progress.update(self.task, completed=self.done)

    def stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
