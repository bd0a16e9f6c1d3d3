"""The connection to a Dask cluster, for `--backend dask`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from experiments.lab.experiment import Running

PATIENCE = 8
"""Seconds that a scheduler, and then its workers, have to answer."""


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
    if running.scheduler is None:
        with (
            distributed.LocalCluster(n_workers=running.jobs, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster),
        ):
            yield
        return
    try:
        client = distributed.Client(running.scheduler, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).split("\n")[0]
        raise ValueError(
            f"--scheduler {running.scheduler}: no Dask scheduler answers there within {PATIENCE} s ({reason}). "
            "Start one with: dask scheduler"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise ValueError(
                f"--scheduler {running.scheduler}: the scheduler has no worker. "
                f"Start one with: dask worker {running.scheduler}"
            ) from None
        yield
