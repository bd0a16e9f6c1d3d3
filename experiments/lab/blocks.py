"""Finished blocks on disk, so that an interrupted run can go on: a file per block, written aside and renamed."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

_PROTOCOL = 5
_SUFFIX = ".block"


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside its place and rename it there: whoever reads finds the old bytes or all of the new ones."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


class BlockStore(MutableMapping[str, Any]):
    """A mapping from keys to picklable values that outlives the process. folder: made when the first block is written.

    A file that cannot be read counts as absent. Blocks are pickles: read only folders that you or the lab wrote.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __setitem__(self, key: str, value: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file(key), pickle.dumps((key, value), protocol=_PROTOCOL))

    def __getitem__(self, key: str) -> Any:
        try:
            stored, value = pickle.loads(self._file(key).read_bytes())
        except FileNotFoundError:
            raise KeyError(key) from None
        except Exception:  # pickle raises anything on a damaged file
            raise KeyError(f"{key}: {self._file(key)} is damaged") from None
        if stored != key:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, str) or not self._file(key).exists():
            return False
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __delitem__(self, key: str) -> None:
        try:
            self._file(key).unlink()
        except FileNotFoundError:
            raise KeyError(key) from None

    def __iter__(self) -> Iterator[str]:
        for path in self._files():
            try:
                key = pickle.loads(path.read_bytes())[0]
            except Exception:  # a damaged file counts as absent
                continue
            yield str(key)

    def __len__(self) -> int:
        return len(self._files())

    def section(self, name: str) -> Section:
        """The part of the store whose keys start with `name` and a slash."""
        return Section(self, f"{name}/")

    def _file(self, key: str) -> Path:
        readable = re.sub(r"[^A-Za-z0-9=.+-]+", "_", key)[-60:].strip("._")
        return self.folder / f"{readable}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{_SUFFIX}"

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))


class Section(MutableMapping[str, Any]):
    """A view of a store under a prefix."""

    def __init__(self, store: BlockStore, prefix: str) -> None:
        self.store, self.prefix = store, prefix

    def __setitem__(self, key: str, value: Any) -> None:
        self.store[self.prefix + key] = value

    def __getitem__(self, key: str) -> Any:
        return self.store[self.prefix + key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.prefix + key in self.store

    def __delitem__(self, key: str) -> None:
        del self.store[self.prefix + key]

    def __iter__(self) -> Iterator[str]:
        return (key.removeprefix(self.prefix) for key in self.store if key.startswith(self.prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)
