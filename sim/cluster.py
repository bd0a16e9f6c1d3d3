"""Blocks on a Dask cluster: the current client's. Workers that die are replaced by others; nothing waits for ever.

joblib's own "dask" backend is not used: it waits without end for a block that the scheduler cannot read (an agent it
cannot import, another version of the lab) or that was lost with the scheduler.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Protocol

__all__ = ["on_cluster"]


class Block(Protocol):
    """What is sent out. where: its address, in words."""

    @property
    def where(self) -> str: ...

    def __call__(self) -> tuple[str, Any]: ...


def on_cluster(blocks: Sequence[Block]) -> Iterator[tuple[str, Any]]:
    """Play blocks on the workers of the current `distributed.Client`, two in flight for each of their threads.

    Yields results as they come. ValueError without Dask or a client; RuntimeError naming a block whose workers died
    again and again, that no worker can read, or that was lost with the scheduler; an exception inside a block as it is.
    """
    try:
        distributed: Any = import_module("distributed")
        dumps: Callable[[Any], bytes] = import_module("cloudpickle").dumps
        client = distributed.get_client()
    except ImportError as error:
        raise ValueError(f"backend = 'dask': Dask is not installed ({error})") from None
    except ValueError:
        raise ValueError("backend = 'dask': make a distributed.Client first") from None
    waiting = iter(blocks)
    where: dict[str, str] = {}

    def sent(block: Block) -> Any:
        future = client.submit(_play, dumps(block), block.where, pure=False)
        where[future.key] = block.where
        return future

    threads = max(1, sum(client.nthreads().values()))
    futures = distributed.as_completed([sent(block) for block in islice(waiting, 2 * threads)])
    try:
        for future in futures:
            if future.status == "finished":
                yield future.result()
            elif future.status == "error":
                failure = future.exception()
                if isinstance(failure, distributed.KilledWorker):
                    raise RuntimeError(f"workers died at every try of the block {where[future.key]}") from failure
                raise failure
            else:
                raise RuntimeError(
                    f"the block {where[future.key]} was lost: the Dask scheduler is gone, or it runs without this "
                    "version of the lab"
                )
            futures.update([sent(block) for block in islice(waiting, 1)])
    finally:
        client.cancel(list(futures.futures))


def _play(block: bytes, where: str) -> tuple[str, Any]:
    """Runs on a worker. The block comes as bytes, so that only the worker needs its modules, not the scheduler."""
    try:
        play: Block = pickle.loads(block)
    except Exception as error:
        raise RuntimeError(
            f"a worker cannot read the block {where}: {error!r}; start workers where its modules can be imported"
        ) from error
    return play()
