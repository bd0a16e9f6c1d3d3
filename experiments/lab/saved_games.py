"""Every game of a run in Parquet files (`--save-games`), written block by block so that memory stays flat.

Workers turn each block into frames; they wait as a small file a block beside the run's finished blocks, and become one
file at the end, sorted by match, deal, seating: the same bytes whatever jobs, backend and interruptions there were.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import sim
from experiments.lab.blocks import write_atomically
from experiments.lab.formats import fingerprint, plain
from sim.match import Match

Keep = Literal["games", "summary"] | Callable[[sim.Games], Any]
_ADDRESS = b"dixit-lab block"


@dataclass(frozen=True)
class Framed:
    """What a worker sends back: the block's value, and its frames as Parquet by kind."""

    value: Any
    frames: dict[str, bytes]


@dataclass(frozen=True)
class WithFrames:
    """A reducer that sends a block's frames beside what `keep` makes of it."""

    keep: Keep

    def __call__(self, games: sim.Games) -> Framed:
        if self.keep == "games":
            value: Any = games
        else:
            value = games.summary() if isinstance(self.keep, str) else self.keep(games)
        details = "turns" if games.match.game == "odyssey" else "rounds"
        frames = {
            details: games.turns_frame() if details == "turns" else games.rounds_frame(),
            "games": games.to_frame(),
        }
        address = {
            "match": match_id(games.match), "first": int(games.deal[0]), "stop": int(games.deal[-1]) + 1,
        }  # fmt: skip
        return Framed(value, {kind: _parquet(frame, address) for kind, frame in frames.items()})


@dataclass(eq=False)
class SavedGames:
    """The games of a run on their way into `path`. folder: where the frames of finished blocks wait.

    `path` gets one row per game and member (`Games.to_frame`), and beside it `<name>.rounds.parquet` one per round and
    player (Stella) or `<name>.turns.parquet` one per turn (Odyssey). Columns before those of the frames: match (from 0,
    in the order in which the run first played them) and lineup (the agents' specs); the metadata key "matches" holds
    agents, rules and world of each as JSON, "seed" the seed.
    """

    path: Path
    folder: Path
    seed: int
    matches: dict[str, Match] = field(default_factory=dict)

    def blocks(self, matches: Mapping[str, Match], section: str, base: MutableMapping[str, Any]) -> FrameStore:
        """A mapping for `simulate_all` that keeps frames here and values in `base`."""
        for match in matches.values():
            self.matches.setdefault(match_id(match), match)
        return FrameStore(self.folder, section, base)

    def finish(self) -> None:
        """Put the frames of this run's matches together, in order, each deal once. Files appear whole or not at all."""
        for kind in ("games", "turns", "rounds"):
            parts = self._parts(kind)
            if parts:
                path = self.path if kind == "games" else self.path.with_suffix(f".{kind}.parquet")
                _write(path, self._tables(parts), self._about())

    def _parts(self, kind: str) -> list[tuple[int, int, int, Path]]:
        """(match number, first deal, end, file) of every block, in order."""
        from pyarrow import parquet

        numbers = {name: number for number, name in enumerate(self.matches)}
        found = []
        for path in self.folder.glob(f"*.{kind}.parquet"):
            address = json.loads(parquet.read_schema(path).metadata[_ADDRESS])
            if address["match"] in numbers:
                found.append((numbers[address["match"]], address["first"], address["stop"], path))
        return sorted(found)

    def _tables(self, parts: list[tuple[int, int, int, Path]]) -> Iterator[Any]:
        import pyarrow
        from pyarrow import compute, parquet

        lineups = [" | ".join(match.specs()) for match in self.matches.values()]
        current, upto = -1, 0
        for number, first, stop, path in parts:
            if number != current:
                current, upto = number, 0
            if stop <= upto:
                continue
            table = parquet.read_table(path).replace_schema_metadata(None)
            if first < upto:  # deals that another call of the run has played in other blocks
                table = table.filter(compute.greater_equal(table["deal"], upto))
            upto = stop
            n = len(table)
            table = table.add_column(0, "lineup", pyarrow.array([lineups[number]] * n, pyarrow.string()))
            yield table.add_column(0, "match", pyarrow.array([number] * n, pyarrow.int32()))

    def _about(self) -> dict[str, str]:
        described = [describe(match) for match in self.matches.values()]
        return {"matches": json.dumps(described, ensure_ascii=False), "seed": str(self.seed)}


class FrameStore(MutableMapping[str, Any]):
    """Blocks of a run that saves its games: frames go to files of their own, everything else to `base`.

    A block counts as finished when both are there.
    """

    def __init__(self, folder: Path, section: str, base: MutableMapping[str, Any]) -> None:
        self.folder, self.section, self.base = folder, section, base

    def __setitem__(self, key: str, framed: Framed) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for kind, content in framed.frames.items():  # "games" comes last: where it is, the others are
            write_atomically(self._file(key, kind), content)
        self.base[key] = framed.value

    def __getitem__(self, key: str) -> Any:
        return self.base[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._file(key, "games").is_file() and key in self.base

    def __delitem__(self, key: str) -> None:
        del self.base[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key in self.base if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, key: str, kind: str) -> Path:
        name = hashlib.sha256(f"{self.section}/{key}".encode()).hexdigest()[:20]
        return self.folder / f"{name}.{kind}.parquet"


@contextmanager
def saving(path: Path | None, folder: Path | None, seed: int) -> Iterator[SavedGames | None]:
    """A place for the games of a run, None without a path. folder: of the run's blocks; without one, a temporary one.

    ValueError, before anything is played, for a path that cannot be written or is no .parquet file.
    """
    if path is None:
        yield None
        return
    if path.suffix != ".parquet":
        raise ValueError(f"--save-games {path}: expected the name of a .parquet file")
    try:
        descriptor, probe = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(descriptor)
        os.unlink(probe)
    except OSError as error:
        raise ValueError(f"--save-games {path}: cannot write there: {error.strerror or error}") from None
    if path.is_dir():
        raise ValueError(f"--save-games {path}: is a folder")
    if folder is not None:
        yield SavedGames(path, folder / "frames", seed)
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield SavedGames(path, Path(temporary), seed)


def describe(match: Match) -> dict[str, Any]:
    """All that decides a match, in plain values."""
    world = plain(match.world) if hasattr(match.world, "model_dump") else repr(match.world)
    return {
        "game": match.game,
        "agents": match.specs(),
        "rules": plain(match.rules),
        "world": world,
        "seating": match.seating,
    }


def match_id(match: Match) -> str:
    """A short name for a match: equal for equal matches."""
    return fingerprint(describe(match), 20)


def _parquet(frame: Any, address: Mapping[str, Any]) -> bytes:
    """A frame as Parquet; categories as plain text, so that blocks of other lineups have the same columns."""
    import pyarrow
    from pyarrow import parquet

    for name in frame.columns[frame.dtypes == "category"]:
        frame[name] = frame[name].astype("str")
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    fields = [
        pyarrow.field(f.name, pyarrow.string() if pyarrow.types.is_large_string(f.type) else f.type)
        for f in table.schema
    ]
    table = table.cast(pyarrow.schema(fields, metadata={_ADDRESS: json.dumps(address).encode()}))
    out = io.BytesIO()
    parquet.write_table(table, out)
    return out.getvalue()


def _write(path: Path, tables: Iterator[Any], about: Mapping[str, str]) -> None:
    from pyarrow import parquet

    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    writer = None
    try:
        for table in tables:
            table = table.replace_schema_metadata(dict(about))
            writer = parquet.ParquetWriter(temporary, table.schema) if writer is None else writer
            writer.write_table(table)
        if writer is not None:
            writer.close()
            os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
