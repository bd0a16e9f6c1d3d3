"""How the lab compiles: Numba with a cache on disk, the same bits on every machine, and a word to whoever waits.

`kernel` is `numba.njit` as every kernel of the lab uses it: cached, without the interpreter lock, and without
`fastmath`, so that sums keep their order and results their bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of plain loops over arrays; the first call compiles, later runs load it from the cache."""
    return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


class _Notice(event.Listener):  # type: ignore[misc]  # Numba ships no types
    """Says once, on standard error, that a first run compiles; silent when everything comes from the cache."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].__module__.split(".")[0] in ("sim", "agents", "experiments"):
            self.said = True
            print("Compiling the kernels for this machine (once; later runs load them) ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Notice())
