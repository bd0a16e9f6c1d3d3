"""What an experiment is: a question, typed settings, and a function that answers with table, figure and sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar, get_type_hints

import numpy as np
import tyro
from annotated_types import Ge, Le
from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from experiments.lab.context import Context

Game = Literal["odyssey", "stella"]
_OUT_HINT = "(default: results/NAME, or results/runs/NAME-HASH with other than default settings)"
GIVEN_ELSEWHERE = ("rules", "set", "world")
"""Settings whose content, not whose text, decides the result; manifests hold the content (see `Given`)."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What decides an experiment's result: its command line and, in plain values, its manifest.

    Experiments subclass it with `@dataclass(frozen=True, kw_only=True)`, one field a setting, bounds in the annotation
    (`Annotated[float, Ge(0), Le(1)]`, also inside tuples) and help in the docstring below the field. Values are checked
    when the object is made: ValueError names field, value and what is allowed. Lists become tuples.
    """

    quick_values: ClassVar[Mapping[str, Any]] = {"n_deals": 200}
    """The defaults that `--quick` replaces; an option that is given by name wins."""

    n_deals: Annotated[int, Ge(1)] = 2_000
    """Deals for every table; each is played once per seating."""
    seed: Annotated[int, Ge(0), Le(2**64 - 1)] = 7
    """Seed of all randomness: the same seed gives the same games."""
    quick: bool = False
    """A first look with fewer deals."""
    rules: Annotated[Path | None, tyro.conf.arg(metavar="FILE.toml", help_behavior_hint="(default: as printed)")] = None
    """Rules file to start from; fields that the experiment sweeps override it."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="FIELD=VALUE")] = ()
    """One rules field, over the rules file."""
    world: Annotated[str, tyro.conf.arg(metavar="NAME|FILE.toml")] = "default"
    """What clues mean to people: a name (default, people) or a TOML file."""

    def __post_init__(self) -> None:
        _check_fields(self)

    @classmethod
    def preset(cls, quick: bool = False) -> Self:
        """The default settings, or those of `--quick`."""
        return cls(**cls.quick_values, quick=True) if quick else cls()

    def replace(self, **changes: Any) -> Self:
        """The same settings with some changed, checked again."""
        return replace(self, **changes)

    def plain(self) -> dict[str, Any]:
        """Name and value of every setting but those in GIVEN_ELSEWHERE."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in GIVEN_ELSEWHERE}


@dataclass(frozen=True, kw_only=True)
class Running:
    """How a run is carried out; nothing here changes a byte of the result."""

    n_jobs: Annotated[int | None, Ge(1), tyro.conf.arg(metavar="INT", help_behavior_hint="(default: one per core)")] = (
        None
    )
    """Blocks of games played at the same time."""
    backend: Literal["loky", "threading", "dask"] = "loky"
    """Where they are played: processes, threads, or a Dask cluster."""
    scheduler: Annotated[str | None, tyro.conf.arg(metavar="tcp://HOST:PORT", help_behavior_hint="")] = None
    """Scheduler of a Dask cluster that runs already (with --backend dask)."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint=_OUT_HINT)] = None
    """Folder for the results."""
    resume: bool = False
    """Go on with an interrupted run of the same settings; without it a run starts anew."""
    save_games: Annotated[Path | None, tyro.conf.arg(metavar="FILE.parquet", help_behavior_hint="")] = None
    """Write every game to this file (and rounds or turns beside it)."""

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.scheduler is not None and self.backend != "dask":
            raise ValueError(f"scheduler = {self.scheduler!r}: needs --backend dask, not {self.backend}")

    @property
    def jobs(self) -> int:
        """n_jobs, or the number of cores that this process may use."""
        from sim.match import cpu_count

        return cpu_count() if self.n_jobs is None else self.n_jobs


@dataclass(frozen=True, eq=False)
class Result:
    """What an experiment found.

    summary: the table that is stored as summary.csv, with columns x, x_low, x_high and the numbers of deals and games;
    sentence: the answer to the question, with interval; figure: stored as figure.png and figure.svg; table: what is
    printed, if not the summary; tables: further tables, stored as <name>.csv; files: further files, text or bytes;
    notes: further lines to print.
    """

    summary: pd.DataFrame
    sentence: str
    figure: Figure | None = None
    table: pd.DataFrame | None = None
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    notes: Sequence[str] = ()


S = TypeVar("S", bound=Settings)
_KINDS = {
    "int": "a whole number", "float": "a number", "bool": "true or false", "string": "a text", "path": "a path",
    "tuple": "a list",
}  # fmt: skip
"""What is said for pydantic's kinds of problems: `int_parsing`, `int_type`, ..."""


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """One question and how it is answered. A module of the package `experiments` that assigns `EXPERIMENT` is found.

    name: that of the module; question: one sentence, a plain string literal (lists read it without importing);
    settings: a subclass of Settings; run(settings, context) -> Result; games: whose rules it uses (both, if it may be
    either); swept: rules fields that it sets itself, which `--set` may not; examples: further arguments for the help.
    """

    name: str
    question: str
    settings: type[S]
    run: Callable[[S, Context], Result]
    games: tuple[Game, ...]
    swept: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def _check_fields(settings: Any) -> None:
    """Check every field of a frozen dataclass and put it into the type of its annotation."""
    cls: Any = type(settings)
    for name, hint in _hints(cls).items():
        object.__setattr__(settings, name, _checked(name, hint, getattr(settings, name)))


@cache
def _hints(cls: Any) -> dict[str, Any]:
    """Annotations of the fields, bounds included."""
    hints = get_type_hints(cls, include_extras=True)
    return {f.name: hints[f.name] for f in fields(cls)}


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _checked(name: str, hint: Any, value: Any) -> Any:
    """The value in the type of the annotation; ValueError naming field, value and what is allowed."""
    plain = value.item() if isinstance(value, np.generic) else value
    plain = tuple(plain.tolist()) if isinstance(plain, np.ndarray) else plain
    try:
        return _adapter(hint).validate_python(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f", item {part + 1}" for part in first["loc"] if isinstance(part, int))
        raise ValueError(f"{name} = {plain!r}{place}: {_in_words(first)}") from None


def _in_words(problem: Mapping[str, Any]) -> str:
    """One of pydantic's problems in the lab's words."""
    kind, context = problem["type"], problem.get("ctx", {})
    if isinstance(problem["input"], float) and math.isnan(problem["input"]):
        return "must be a number"
    if kind == "too_short":
        return f"needs at least {_values(context['min_length'])}; got {context['actual_length']}"
    if kind == "too_long":
        return f"takes at most {_values(context['max_length'])}; got {context['actual_length']}"
    wanted = _KINDS.get(kind.partition("_")[0])
    if wanted is not None:
        return f"must be {wanted}"
    said = str(problem["msg"]).replace("Input should be", "must be").replace("greater than or equal to", "at least")
    return said.replace("less than or equal to", "at most").removeprefix("Value error, ")


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"
