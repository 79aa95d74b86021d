"""Annotations made in Zotero's PDF reader, as highlights of the same files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from sciread_app.domain.annotations.annotations import Highlight
from sciread_app.domain.paper import Skipped
from sciread_app.errors import Cancelled, SciReadError
from sciread_app.formats.pdf.rendering.document import PdfDocument
from sciread_app.formats.zotero.items import ZoteroAnnotation
from sciread_app.language import tr
from sciread_app.services.ingest.importer import ImportReport
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.storage.organisation.sync.zotero_imports import ImportedItem
from sciread_app.tasks import Task
from trainer.contract.files import sha256_of


def add_marks(
    library: Library,
    marks: Mapping[str, Sequence[ZoteroAnnotation]],
    contents: Mapping[str, str],
    report: ImportReport,
    task: Task,
) -> None:
    """Add the marks of files, named by path, as one edit, but none twice: removed ones stay
    removed. `contents` are the SHA-256 sums of files that may have been moved since. Files that
    cannot be opened are reported as remarks. Raises Cancelled; the marks of the files so far
    stay."""
    found: list[tuple[ImportedItem, Highlight]] = []
    attached = _attached(library, marks, contents)
    before = library.imported_items.of({file.paper for file, _ in attached})
    try:
        for done, (file, its) in enumerate(attached):
            task.step(done, len(attached), tr("Reading annotations"))
            new = [mark for mark in its if _item(file, mark) not in before]
            if not new or not Path(file.path).is_file():
                continue
            try:
                found += list(_highlights(file, new, task))
            except Cancelled:
                raise
            except SciReadError as error:
                why = tr("Its annotations were not imported. {why}", why=error.message)
                report.remarks.append(Skipped(file.path, "", why))
    finally:
        if found:
            with library.edits.recording(tr("Imported annotations from Zotero")):
                for _, highlight in found:
                    library.annotations.add(highlight)
                library.imported_items.remember({item for item, _ in found})


def content_sum(path: str) -> str:
    """The SHA-256 sum of a file; empty if it cannot be read."""
    try:
        return sha256_of(Path(path))
    except OSError:  # then the import has reported it
        return ""


def _attached(
    library: Library, marks: Mapping[str, Sequence[ZoteroAnnotation]], contents: Mapping[str, str]
) -> list[tuple[Attachment, Sequence[ZoteroAnnotation]]]:
    """The files of papers with their marks: those at a path, else those of the same content, such
    as a copy in the PDF folder."""
    attached = [(one, marks[one.path]) for one in library.attachments.with_path(list(marks))]
    found = {file.path for file, _ in attached}
    for path in marks.keys() - found:
        if content := contents.get(path) or content_sum(path):
            papers = {one.paper: one for one in library.attachments.with_content([content])}
            attached += [(one, marks[path]) for one in papers.values()]
    return attached


def _highlights(
    file: Attachment, marks: Sequence[ZoteroAnnotation], task: Task
) -> Iterator[tuple[ImportedItem, Highlight]]:
    """The marks as highlights of the file as it is now. Raises SciReadError."""
    with closing(PdfDocument(Path(file.path))) as pages:
        shape = pages.open(check=task.raise_if_cancelled)
        for mark in marks:
            if mark.page < len(shape.sizes):
                boxes = pages.boxes(mark.page, mark.rects, task.raise_if_cancelled)
                yield (
                    _item(file, mark),
                    Highlight(
                        file.paper, shape.sha256, file.path, mark.page, boxes, mark.text,
                        mark.colour, mark.comment, added=mark.added, changed=mark.changed,
                    ),
                )  # fmt: skip


def _item(file: Attachment, mark: ZoteroAnnotation) -> ImportedItem:
    return ImportedItem(file.paper, "annotation", mark.key)
