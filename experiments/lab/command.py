"""From a shell to results: parse settings, compute, store, print. Errors are one readable message and exit code 2."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Any, NoReturn

import tyro

from experiments.lab import tables
from experiments.lab.cluster import connected
from experiments.lab.context import Context
from experiments.lab.experiment import Experiment, Result, Running, Settings
from experiments.lab.formats import plain
from experiments.lab.given import Given, load_given
from experiments.lab.outputs import result_files, run_record
from experiments.lab.saved_games import saving
from experiments.lab.storage import BLOCKS, RunFolder, default_folder

TRACEBACK = "DIXIT_LAB_TRACEBACK"
"""Environment variable for developers: when set, errors keep their traceback (as with --traceback)."""
FORMAT = 1
"""Version of the manifest's form."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """A stored run: what was found, where it is, and whether the folder's settings were the defaults."""

    result: Result
    folder: Path


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. folder: its results folder; kept: number of finished blocks there."""

    def __init__(self, folder: Path, kept: int) -> None:
        super().__init__()
        self.folder, self.kept = folder, kept


def run(experiment: Experiment[Any], args: Sequence[str] | None = None) -> NoReturn:
    """The last line of an experiment's module: parse the command line, run, and exit."""
    sys.exit(main(experiment, args))


def main(experiment: Experiment[Any], args: Sequence[str] | None = None) -> int:
    """What `run` does, as a function: 0 done, 1 a block failed, 2 bad input, 130 interrupted."""
    experiment = _importable(experiment)
    given_args = list(sys.argv[1:] if args is None else args)

    def action(arguments: list[str]) -> None:
        settings, running = parse(experiment, arguments)
        outcome = execute(experiment, settings, running)
        report(experiment, outcome)

    return guarded(action, given_args, program(experiment))


def guarded(action: Callable[[list[str]], None], args: Sequence[str], prog: str) -> int:
    """Call action(args) and turn what goes wrong into a message on standard error and an exit code.

    Bad input (ValueError, which AgentError is, and OSError) gives 2, a block that failed 1, Ctrl-C 130. With the hidden
    option --traceback, or DIXIT_LAB_TRACEBACK set, errors keep their traceback.
    """
    arguments = [arg for arg in args if arg != "--traceback"]
    developer = len(arguments) < len(args) or bool(os.environ.get(TRACEBACK))
    try:
        _refuse_empty(arguments)
        action(arguments)
    except SystemExit as stop:  # tyro: --help, or a message already on standard error
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except KeyboardInterrupt as stop:
        _say(_interruption(stop, arguments, prog))
        return 130
    except (ValueError, OSError) as error:
        if developer:
            raise
        _say(f"error: {error}")
        return 2
    except RuntimeError as error:
        if developer:
            raise
        _say(f"error: {error}\n(run again with --traceback to see where)")
        return 1
    return 0


def parse(experiment: Experiment[Any], args: Sequence[str]) -> tuple[Settings, Running]:
    """Settings from command-line arguments. SystemExit (tyro) for --help and wrong options, ValueError for values."""
    prog = program(experiment)
    examples = [f"{prog} --quick", f"{prog} --n-deals 500 --n-jobs 2 --out try"]
    examples += [f"{prog} {example}".rstrip() for example in experiment.examples]
    examples = list(dict.fromkeys(examples))
    description = "\n".join([experiment.question, "", "examples:", *(f"  {line}" for line in examples)])
    line = make_dataclass("Line", [("settings", experiment.settings), ("running", Running)], frozen=True)
    preset = experiment.settings(**(experiment.settings.quick_values if "--quick" in args else {}))
    parsed = tyro.cli(
        line, prog=prog, description=description, args=list(args), default=line(preset, Running()),
        config=(tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff),
    )  # fmt: skip
    return parsed.settings, parsed.running


def inputs_of(experiment: Experiment[Any], settings: Settings, given: Given) -> dict[str, Any]:
    """All that the user decided, in plain values: the start of the manifest, and what `--resume` compares."""
    return {
        "experiment": experiment.name,
        "settings": plain(settings.plain()),
        "rules_given": {game: plain(fields) for game, fields in sorted(given.rules.items()) if fields},
        "world": plain(given.world),
    }


def compute(
    experiment: Experiment[Any],
    settings: Settings | None = None,
    running: Running | None = None,
    given: Given | None = None,
) -> Result:
    """Run an experiment and store nothing: for notebooks and tests. Defaults: its default settings."""
    settings = experiment.settings.preset() if settings is None else settings
    running = Running() if running is None else running
    given = load_given(experiment, settings) if given is None else given
    with saving(running.save_games, None, settings.seed) as saved, connected(running):
        result = experiment.run(settings, Context(experiment, settings, given, running, saved=saved))
        if saved is not None:
            saved.finish()
        return result


def execute(experiment: Experiment[Any], settings: Settings, running: Running, given: Given | None = None) -> Outcome:
    """Run an experiment and store its results. The folder is made, and tried, before anything is computed.

    given: rules and world as content, instead of what `settings` names. Raises ValueError for bad input and Interrupted
    for Ctrl-C; blocks that are finished are kept for `--resume`.
    """
    given = load_given(experiment, settings) if given is None else given
    inputs = inputs_of(experiment, settings, given)
    default = given.default and settings.plain() == experiment.settings().plain()
    folder = RunFolder(running.out or default_folder(inputs, default), inputs, chosen=running.out is not None)
    folder.open(running.resume, _say)
    started = time.perf_counter()
    try:
        with saving(running.save_games, folder.path / BLOCKS, settings.seed) as saved, connected(running):
            context = Context(experiment, settings, given, running, folder.blocks, saved=saved)
            result = experiment.run(settings, context)
            if saved is not None:
                saved.finish()
        seconds = time.perf_counter() - started
        manifest = {"format": FORMAT, **inputs, "module": _module(experiment), **context.record()}
        files = result_files(experiment.question, result)
        folder.write({**files, "run.json": run_record(running, seconds, context.games_played)}, manifest)
    except KeyboardInterrupt:
        kept = len(folder.blocks)
        folder.abandon()
        raise Interrupted(folder.path, kept) from None
    except BaseException:
        folder.abandon()
        raise
    return Outcome(result, folder.path)


def report(experiment: Experiment[Any], outcome: Outcome) -> None:
    """Print the question, the main table and the answer on standard output, and where the files are."""
    result = outcome.result
    print(experiment.question + "\n")
    tables.show(result.summary if result.table is None else result.table)
    print()
    for note in result.notes:
        print(note)
    print(result.sentence)
    _say(f"Results: {outcome.folder}")


def program(experiment: Experiment[Any]) -> str:
    """How to call the experiment from a shell."""
    module = _module(experiment)
    return f"python -m {module}" if module else f"python {Path(sys.argv[0]).name}"


def _module(experiment: Experiment[Any]) -> str | None:
    """The module that assigns EXPERIMENT; None for a script outside any package."""
    module = experiment.run.__module__
    return None if module == "__main__" else module


def _importable(experiment: Experiment[Any]) -> Experiment[Any]:
    """Under `python -m`, the same experiment from the module by its own name, where workers and blocks find it."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if experiment.run.__module__ == "__main__" and spec is not None:
        found = getattr(importlib.import_module(spec.name), "EXPERIMENT", None)
        return found if isinstance(found, Experiment) else experiment
    return experiment


def _refuse_empty(args: Sequence[str]) -> None:
    """ValueError for an option that is given nothing, as by `--out "$UNSET"`: it would mean the current folder."""
    for option, value in zip(args, [*args[1:], None], strict=False):
        name, equals, rest = option.partition("=")
        if option.startswith("--") and (value == "" if not equals else rest == ""):
            raise ValueError(f'{name} "": must not be empty')


def _interruption(stop: KeyboardInterrupt, args: Sequence[str], prog: str) -> str:
    if not isinstance(stop, Interrupted):
        return "\nInterrupted."
    if stop.kept == 0:
        return "\nInterrupted before the first block of games was finished; nothing was written."
    blocks = f"{stop.kept:,} finished block{'' if stop.kept == 1 else 's'}"
    again = shlex.join([arg for arg in args if arg != "--resume"] + ["--resume"])
    return f"\nInterrupted. {blocks} of games kept in {stop.folder}. Go on with:\n  {prog} {again}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
