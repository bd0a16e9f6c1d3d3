"""How the lab compiles: Numba with a cache on disk, the same bits on every machine, and a word to whoever waits.

`kernel` is `numba.njit` as every kernel of the lab uses it: cached, without the interpreter lock, and without
`fastmath`, so that sums keep their order and results their bits.

Two things are mended in how Numba's cache goes about files. It looks only at the file that a function stands in, and so
would keep an old copy of an inlined function from another file: a kernel's stamp here covers what it calls, too. And it
lets processes that compile at the same time overwrite each other's data: here every process writes files of its own.
(Compiled ufuncs have that second fault inside, numba issue 10128, and are not used.)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of plain loops over arrays; the first call compiles, later runs load it from the cache."""
    compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    compiled.lab_stamp = _stamp(function)
    file = getattr(compiled._cache, "_cache_file", None)
    if file is not None:  # None where caching is switched off
        file._source_stamp = (file._source_stamp, compiled.lab_stamp)
        file._data_name_pattern = file._data_name_pattern.replace(".{number", f".{os.getpid()}-{{number")
    return cast(F, compiled)


def _stamp(function: Any) -> str:
    """A fingerprint of a function's file, of the kernels that it calls, and of the constants that it reads."""
    parts = [Path(function.__code__.co_filename).read_bytes()]
    for name in sorted(function.__code__.co_names):
        value = function.__globals__.get(name)
        if isinstance(value, Dispatcher):
            parts.append(getattr(value, "lab_stamp", name).encode())
        elif value is not None and not callable(value) and not hasattr(value, "__dict__"):
            parts.append(repr(value).encode())
    return sha256(b"\0".join(parts)).hexdigest()


class _Notice(event.Listener):
    """Says once, on standard error, that a first run compiles; silent when everything comes from the cache."""

    said = False

    def on_start(self, event: Any) -> None:
        if not self.said and event.data["dispatcher"].__module__.split(".")[0] in ("sim", "agents", "experiments"):
            self.said = True
            print("Compiling the kernels for this machine (once; later runs load them) ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Notice())  # type: ignore[no-untyped-call]  # Numba ships no types
