"""Commands that compare reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering

if TYPE_CHECKING:
    from trainer.reports.compare import ReportComparison

Folder = Annotated[
    Path, typer.Argument(help="Report folder, as written by `evaluate`.", show_default=False)
]


def compare(
    first: Folder,
    second: Folder,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for an HTML page with both reports.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Compare two evaluated models and report which differences are significant.

    Both models must have been evaluated with the same suite, data and seed. Tasks for which this is
    not the case are not compared, and the reason is given. Models may differ in precision, which is
    reported. A difference is significant if its p-value is below 0.05 in a paired bootstrap over
    items, corrected for the number of comparisons (Holm).
    """
    # Imported here: scikit-learn takes seconds.
    from trainer.reports.compare import compare as compare_reports
    from trainer.reports.report import save_together

    with answering(as_json), ProgressDisplay(as_json, as_lines=progress) as shown:
        found = compare_reports(
            first, second, lambda title, share: shown.at("Comparing", title, share)
        )
        made = save_together([first, second], output, found) if output else None
    if as_json:
        print(json.dumps(_described(found)))
        return
    _show(found)
    if made:
        print(f"Comparison page: {made}")


def page(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER...", help="Report folders, as written by `evaluate`."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Output folder for the page.")],
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Combine several reports in one self-contained HTML page.

    Only comparable scores share a row.
    """
    from trainer.reports.report import save_together

    with answering(as_json), ProgressDisplay(as_json, as_lines=progress) as shown:
        shown.at("Writing the page", f"{len(folders):,} reports", 0.0)
        made = save_together(folders, output)
    print(json.dumps({"page": str(made)}) if as_json else f"Report page: {made}")


def _show(found: ReportComparison) -> None:
    from trainer.reports import comparison_text

    console = Console(highlight=False)
    for letter, report in zip("AB", (found.first, found.second), strict=True):
        subject = report.subject
        console.print(f"{letter}: {escape(subject.title)} ({escape(subject.id)})")
    console.print(comparison_text.terminal(found))
    console.print(escape(comparison_text.summary(found)))
    for note in comparison_text.notes(found):
        console.print(escape(note), style="dim")


def _described(found: ReportComparison) -> dict[str, Any]:
    return {
        "suite": found.first.suite,
        "first": found.first.subject.id,
        "second": found.second.subject.id,
        "notes": list(found.notes),
        "compared": [
            {
                "task": each.result.task,
                "evaluation": each.result.evaluation,
                "metric": each.metric.name,
                "first": each.difference.first,
                "second": each.difference.second,
                "low": each.difference.low,
                "high": each.difference.high,
                "chance": each.difference.p_value,
                "n": each.difference.n,
                "difference": each.difference.value,
                "adjusted": each.adjusted_p_value,
                "real": each.is_significant,
                "second_is_better": each.second_is_better,
                "unpaired": each.unpaired,
            }
            for each in found.compared
        ],
        "refused": [{"what": each.what, "why": each.reason} for each in found.refused],
    }
