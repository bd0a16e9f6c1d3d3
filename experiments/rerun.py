"""Repeat any run from its manifest: python -m experiments.rerun results/x/manifest.json"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments.lab.command import execute, guarded, report
from experiments.lab.discovery import load
from experiments.lab.experiment import GIVEN_ELSEWHERE, Experiment, Running, Settings
from experiments.lab.given import RULES, Given
from experiments.lab.storage import StorageError, read_manifest
from sim.world import World

PROG = "python -m experiments.rerun"
DESCRIPTION = f"""Repeat a run from its manifest, and say whether the files come out with the same bytes.

examples:
  {PROG} results/darkness_risk/manifest.json
  {PROG} results/darkness_risk/manifest.json --out again --n-jobs 2"""


def rerun(path: Path, running: Running) -> None:
    """Run the experiment of a manifest again, store and print its results, and compare the files beside the manifest.

    ValueError for a file that is no manifest, an unknown experiment, or settings that it no longer has.
    """
    manifest = read_manifest(path)
    experiment = find(manifest)
    before = {name: _bytes(path.parent / name) for name in [*manifest.get("files", []), path.name]}
    settings, given = restored(experiment, manifest)
    outcome = execute(experiment, settings, running, given)
    report(experiment, outcome)
    changed = [
        name for name, content in before.items() if content is not None and _bytes(outcome.folder / name) != content
    ]
    missing = [name for name, content in before.items() if content is None]
    print(
        f"Other bytes than before: {', '.join(changed)}" if changed else "Every file has the same bytes as before.",
        end="",
    )
    print(f" (not there to compare: {', '.join(missing)})" if missing else "")


def find(manifest: Mapping[str, Any]) -> Experiment[Any]:
    """The experiment of a manifest: one of this package, or that of the module it names."""
    module = manifest.get("module")
    if module and not str(module).startswith("experiments."):
        try:
            found = importlib.import_module(str(module)).EXPERIMENT
        except (ImportError, AttributeError) as error:
            raise StorageError(
                f"the manifest's experiment is in module {module!r}, which cannot be used: {error}"
            ) from None
        return _checked(found, str(module))
    return _checked(load(manifest["experiment"]), str(module))


def restored(experiment: Experiment[Any], manifest: Mapping[str, Any]) -> tuple[Settings, Given]:
    """Settings, rules and world as the manifest holds them. ValueError for settings that are no longer there."""
    stored = manifest["settings"]
    known = {field.name for field in fields(experiment.settings)} - set(GIVEN_ELSEWHERE)
    unknown = sorted(set(stored) - known)
    if unknown:
        raise StorageError(f"the manifest has settings that {experiment.name} no longer has: {', '.join(unknown)}")
    rules = {game: manifest["rules_given"].get(game, {}) for game in RULES}
    given = Given({game: fields for game, fields in rules.items() if fields}, World(**manifest["world"]))
    return experiment.settings(**stored), given


def _checked(found: object, where: str) -> Experiment[Any]:
    if not isinstance(found, Experiment):
        raise StorageError(f"EXPERIMENT of {where} is not an Experiment")
    return found


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def command(
    manifest: Annotated[Path, tyro.conf.Positional], running: Annotated[Running, tyro.conf.OmitArgPrefixes]
) -> None:
    """Parsed by tyro.

    Args:
        manifest: The manifest.json of a run.
        running: How to carry it out.
    """
    rerun(manifest, running)


def main(args: list[str] | None = None) -> int:
    """0 done, 1 a block failed, 2 bad input, 130 interrupted."""

    def action(arguments: list[str]) -> None:
        config = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)
        tyro.cli(command, prog=PROG, description=DESCRIPTION, args=arguments, config=config)

    return guarded(action, sys.argv[1:] if args is None else args, PROG)


if __name__ == "__main__":
    sys.exit(main())
