"""The connection to a Dask cluster, for `--backend dask`."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from experiments.lab.experiment import Running

PATIENCE = 6
"""Seconds that a scheduler and its workers have to answer."""


@contextmanager
def connected(running: Running) -> Iterator[None]:
    """While open, joblib's "dask" backend plays on `running.scheduler`, or on a cluster of this machine.

    Nothing happens for other backends. Raises ValueError if Dask is not installed, or the scheduler does not
    answer within PATIENCE seconds or has no worker.
    """
    if running.backend != "dask":
        yield
        return
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise ValueError('--backend dask needs Dask: pip install "dixit-lab[cluster]"') from None
    with _cluster(distributed, running) as client:
        client.register_plugin(_plugin(distributed, Prepare(tuple(map(os.path.abspath, sys.path)))))
        yield


@contextmanager
def _cluster(distributed: Any, running: Running) -> Iterator[Any]:
    """A client of the scheduler, with at least one worker."""
    if running.scheduler is None:
        with (
            distributed.LocalCluster(n_workers=running.jobs, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    deadline = time.monotonic() + PATIENCE
    client = _client(distributed, running.scheduler)
    with client:
        try:
            client.wait_for_workers(1, timeout=max(1.0, deadline - time.monotonic()))
        except TimeoutError:
            raise ValueError(
                f"--scheduler {running.scheduler}: the scheduler has no worker. "
                f"Start one with: dask worker {running.scheduler} --nthreads 1"
            ) from None
        yield client


def _client(distributed: Any, scheduler: str) -> Any:
    """A client of the scheduler at that address, or a ValueError after PATIENCE / 2 seconds."""
    found: list[Any] = []

    def connect() -> None:
        try:
            found.append(distributed.Client(scheduler, timeout=PATIENCE / 2))
        except (OSError, TimeoutError, ValueError) as error:
            found.append(error)

    # in a thread: the client's timeout leaves out the handshake, which a port that accepts and says nothing never ends
    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(PATIENCE / 2 + 1)
    client = found[0] if found else TimeoutError("it accepts connections but says nothing")
    if isinstance(client, Exception):
        reason = str(client).split("\n")[0]
        raise ValueError(
            f"--scheduler {scheduler}: no Dask scheduler answers there ({reason}). Start one with: dask scheduler"
        )
    return client


@dataclass(frozen=True)
class Prepare:
    """What every worker does once, also one that joins later: import from where the client does (agents of the user's
    own, from the current folder) as far as the folders are there, and use one Numba thread."""

    paths: tuple[str, ...]

    def setup(self, worker: Any) -> None:
        """Called by Dask on each worker when it joins."""
        import numba

        sys.path += [path for path in self.paths if path not in sys.path and os.path.isdir(path)]
        numba.set_num_threads(1)


def _plugin(distributed: Any, prepare: Prepare) -> Any:
    return type("Prepared", (distributed.WorkerPlugin,), {"name": "dixit-lab", "setup": staticmethod(prepare.setup)})()
