"""Copies of PDFs that contain highlights and notes as annotations for other programs."""

from __future__ import annotations

import getpass
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.annotations.annotations import COLOURS, Box, Colour, Highlight
from sciread_app.errors import SciReadError
from sciread_app.formats.pdf.rendering.annotation import AnnotationKind, PdfAnnotation
from sciread_app.formats.pdf.rendering.document import PdfDocument
from sciread_app.formats.pdf.rendering.responses import PageFailed
from sciread_app.language import tr
from sciread_app.storage.organisation.notes import Note
from sciread_app.tasks import Task

_HALF = ".sciread-new"  # suffix of the hidden file that is written beside the target
_ICON, _EDGE, _APART = 20.0, 12.0, 6.0  # points: size of a note's icon, and distances


@dataclass(frozen=True)
class AnnotatedCopy:
    """Numbers of the annotations of a copy, and of highlights whose text the file lacks."""

    written: int
    lost: int = 0


def annotations_of(highlights: Iterable[Highlight], notes: Sequence[Note]) -> list[PdfAnnotation]:
    """The highlights and areas with their notes, and the notes on the paper as icons on its first
    page."""
    author = _user()
    made = [
        PdfAnnotation(
            AnnotationKind.note,
            0,
            (_icon_box(number),),
            COLOURS[Colour.yellow],
            note.text,
            f"sciread-note-{note.id}",
            author,
            note.added,
            note.changed,
        )
        for number, note in enumerate(notes)
    ]
    return made + [
        PdfAnnotation(
            AnnotationKind.area if one.is_area else AnnotationKind.highlight,
            one.page,
            one.boxes,
            COLOURS[one.colour],
            one.note,
            f"sciread-highlight-{one.id}",
            author,
            one.added,
            one.changed,
        )
        for one in highlights
    ]


def write_annotated(
    pages: PdfDocument, annotations: Sequence[PdfAnnotation], target: Path, task: Task
) -> None:
    """Write a copy of an open document with these annotations, completely or not at all.

    Raises SciReadError.
    """
    source = pages.path
    if target.exists() and target.samefile(source):
        raise SciReadError(
            tr("The copy cannot replace the original file {name}.", name=source.name),
            tr("Select another name or folder."),
        )
    try:
        _annotate(pages, annotations, task)
        _write(pages, target, task)
    except PageFailed as failure:
        raise SciReadError(
            tr("Could not save a copy of {name}. {why}", name=source.name, why=failure.message),
            tr("Export the highlights and notes as Markdown instead."),
        ) from failure
    except OSError as error:
        raise SciReadError(
            tr("Could not write {file}: {why}.", file=target, why=error.strerror or error),
            tr("Free up disk space, or select another folder."),
        ) from error


def _annotate(pages: PdfDocument, annotations: Sequence[PdfAnnotation], task: Task) -> None:
    by_page: dict[int, list[PdfAnnotation]] = defaultdict(list)
    for one in annotations:
        by_page[one.page].append(one)
    for done, page in enumerate(sorted(by_page)):
        task.step(done, len(by_page), tr("Adding annotations"))
        if not pages.annotate(by_page[page], task.raise_if_cancelled):
            raise SciReadError(
                tr("The protection of {name} does not allow annotations.", name=pages.path.name),
                tr("Export the highlights and notes as Markdown instead."),
            )


def _write(pages: PdfDocument, target: Path, task: Task) -> None:
    target = target.resolve()  # write to the target of a link and keep the link
    half = target.with_name(f".{target.name}{_HALF}")
    task.step(0, 0, tr("Writing"))
    try:
        with half.open("wb") as file:
            for part in pages.saved(task.raise_if_cancelled):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, half)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def _icon_box(number: int) -> Box:
    top = _EDGE + number * (_ICON + _APART)
    return Box(_EDGE, top, _EDGE + _ICON, top + _ICON)


def _user() -> str:
    """The name of the user of the computer; empty if it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
