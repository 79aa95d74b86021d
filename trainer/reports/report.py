"""A report's folder: written whole for programs and people, and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from trainer.contract.pictures import Picture, read_pictures, write_pictures
from trainer.contract.report import Report
from trainer.contract.run import write_whole
from trainer.evaluations.intervals import Items
from trainer.evaluations.items import write_items
from trainer.reports import differences
from trainer.reports.compare import Comparison
from trainer.reports.html import Shown, page
from trainer.reports.table import markdown

HTML = "report.html"
MARKDOWN = "report.md"


def save(
    report: Report,
    folder: Path,
    items: Mapping[str, Mapping[str, Items]],
    pictures: Mapping[str, Mapping[str, Picture]],
) -> Path:
    """Write everything, and return the page. Items go by task and metric, pictures by task and
    name. The report itself comes last: where it lies, the rest does."""
    folder.mkdir(parents=True, exist_ok=True)
    write_items(folder, items)
    write_pictures(folder, pictures)
    write_whole(folder / MARKDOWN, _clean(markdown([report])))
    write_whole(folder / HTML, page([Shown(report, pictures)]))
    report.write(folder)
    return folder / HTML


def save_together(folders: Sequence[Path], output: Path, found: Comparison | None = None) -> Path:
    """A page and a table of several reports side by side in `output`, before them what was
    `found` in comparing them. Returns the page.

    Raises TrainerError for a folder that holds no report.
    """
    shown = [Shown(Report.read(folder), read_pictures(folder)) for folder in folders]
    output.mkdir(parents=True, exist_ok=True)
    text = "\n## Scores\n\n".join(
        [*([differences.markdown(found)] if found else []), markdown([one.report for one in shown])]
    )
    write_whole(output / MARKDOWN, _clean(text))
    write_whole(output / HTML, page(shown, found))
    return output / HTML


def _clean(text: str) -> str:
    # Names of files may hold bytes that are no letters.
    return text.encode("utf-8", "replace").decode("utf-8")
