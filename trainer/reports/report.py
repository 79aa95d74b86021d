"""Writing of report folders: JSON, items, plots, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainer.contract.plots import Picture, read_pictures, write_pictures
from trainer.contract.report import Report
from trainer.contract.run import write_atomically
from trainer.evaluations.metrics.significance import Items, write_items
from trainer.reports import comparison_text
from trainer.reports.compare import ReportComparison
from trainer.reports.html import RenderedReport, page
from trainer.reports.table import markdown

HTML = "report.html"
MARKDOWN = "report.md"


def save(
    report: Report,
    folder: Path,
    items: Mapping[str, Mapping[str, Items]],
    pictures: Mapping[str, Mapping[str, Picture]],
) -> Path:
    """Write a report's folder and return the path of its page.

    `items` are by task and metric, `pictures` by task and name. The report itself is written last:
    if it exists, the folder is complete.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_items(folder, items)
    write_pictures(folder, pictures)
    write_atomically(folder / MARKDOWN, _clean(markdown([report])))
    write_atomically(folder / HTML, page([RenderedReport(report, pictures)]))
    report.write(folder)
    return folder / HTML


def save_together(
    folders: Sequence[Path], output: Path, comparison: ReportComparison | None = None
) -> Path:
    """Write a page and a Markdown table of several reports to `output`; return the page's path.

    `comparison`, if given, comes first. Raises TrainerError for a folder without report.
    """
    shown = [RenderedReport(Report.read(folder), read_pictures(folder)) for folder in folders]
    output.mkdir(parents=True, exist_ok=True)
    text = "\n## Scores\n\n".join(
        [
            *([comparison_text.markdown(comparison)] if comparison else []),
            markdown([one.report for one in shown]),
        ]
    )
    write_atomically(output / MARKDOWN, _clean(text))
    write_atomically(output / HTML, page(shown, comparison))
    return output / HTML


def _clean(text: str) -> str:
    # File names may contain bytes that are not valid UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")
