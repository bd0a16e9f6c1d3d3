"""Gather results into one web page to read and send: python -m experiments.report"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from experiments.lab.command import guarded
from experiments.lab.plots import figure_bytes
from experiments.lab.storage import StorageError, results_root
from experiments.page.gather import Entry, Skipped, data_uri, gather
from experiments.page.stella_rounds import N_DEALS, dark_round, marks
from experiments.page.tables import table

PROG = "python -m experiments.report"
TEMPLATE = Path(__file__).parent / "page" / "template.html"
DESCRIPTION = f"""Gather results into one self-contained web page: answers, figures, tables that sort, rule cards.

examples:
  {PROG}
  {PROG} --results results/runs --out my_runs.html"""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What to gather, and where to."""

    results: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="(default: results)")] = None
    """Folder with one folder per result."""
    out: Annotated[
        Path | None, tyro.conf.arg(metavar="FILE.html", help_behavior_hint="(default: report.html in that folder)")
    ] = None
    """The page."""


def write(report: Report) -> tuple[Path, tuple[Entry, ...], tuple[Skipped, ...]]:
    """Write the page. -> where it is, what is on it, what was left out.

    Raises StorageError (a ValueError) without any finished result, or without jinja2; OSError where nothing can be
    written.
    """
    template = _template()
    results = results_root() if report.results is None else report.results
    out = results / "report.html" if report.out is None else report.out
    entries, skipped = gather(results)
    if not entries:
        said = "".join(f"\n  {one.name}: {one.reason}" for one in skipped)
        raise StorageError(f"no finished result in {results}: run an experiment first{said}")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(template, entries, skipped), encoding="utf-8", newline="\n")
    return out, entries, skipped


def page(template: Any, entries: tuple[Entry, ...], skipped: tuple[Skipped, ...]) -> str:
    """The page as text: the same results give the same bytes."""
    marked = marks()
    return str(
        template.render(
            entries=entries,
            skipped=skipped,
            decks=[entry for entry in entries if entry.cards],
            marks_figure=data_uri(figure_bytes(marked.figure, "svg"), ".svg"),
            marks_table=table("marks", marked.table),
            dark=dark_round(),
            n_deals=N_DEALS,
        )
    )


def _template() -> Any:
    """StorageError without jinja2."""
    try:
        import jinja2
    except ImportError:
        raise StorageError("the report needs jinja2, which is not installed: pip install 'dixit-lab[lab]'") from None
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _code
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8"))


def _code(text: str) -> Any:
    """Text with `words in backticks` as code."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def main(args: list[str] | None = None) -> int:
    """0 done, 2 bad input or a missing library."""

    def action(arguments: list[str]) -> None:
        config = (tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)
        report = tyro.cli(Report, prog=PROG, description=DESCRIPTION, args=arguments, config=config)
        out, entries, skipped = write(report)
        for one in skipped:
            print(f"left out: {one.name} ({one.reason})", file=sys.stderr)
        noun = "result" if len(entries) == 1 else "results"
        print(f"{out}: {len(entries)} {noun}, {out.stat().st_size / 1e6:.1f} MB")

    return guarded(action, sys.argv[1:] if args is None else args, PROG)


if __name__ == "__main__":
    sys.exit(main())
