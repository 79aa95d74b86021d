"""Open PDF files of papers: text, search, highlights and reading positions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sciread_app.domain.annotations.annotations import (
    Box,
    Colour,
    FileShape,
    Highlight,
    Link,
    PageRegion,
    ReadingPosition,
    TextMatch,
    in_order,
)
from sciread_app.domain.paper import Edit, Paper, PaperId
from sciread_app.errors import SciReadError
from sciread_app.formats.markdown import notes_of
from sciread_app.formats.pdf import SUFFIXES
from sciread_app.formats.pdf.metadata.text_cleanup import clean, join_hyphens
from sciread_app.formats.pdf.rendering.document import PdfDocument, SpareProcess
from sciread_app.formats.pdf.rendering.responses import (
    CannotShow,
    FailureReason,
    PageFailed,
    RenderedPageText,
)
from sciread_app.language import tr
from sciread_app.services.library.annotated_copy import (
    AnnotatedCopy,
    annotations_of,
    write_annotated,
)
from sciread_app.services.library.cited_papers import CitedPaper, cited_paper, cited_reference
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.run import write_atomically

__all__ = [
    "AnnotatedCopy",
    "CannotShow",
    "CitedPaper",
    "FailureReason",
    "FileHighlights",
    "OpenFile",
    "PageFailed",
    "ReaderService",
    "RecentPaper",
    "RenderedPageText",
    "SearchOfFile",
]

MOST_FOUND = 10_000
_COPY_SECONDS = 120.0  # per request: a file of a gigabyte is written in one
_BIBLIOGRAPHY = 40  # pages, at most, before the target of a citation
_AT_ONCE = 8  # pages searched at a time, so that pages can be rendered in between
_SHORTEST = 4  # characters: shorter highlights are not searched for in another version of the file


@dataclass(frozen=True)
class FileHighlights:
    """The highlights of a paper: those in the open file, and those whose text it lacks."""

    here: tuple[Highlight, ...] = ()
    lost: tuple[Highlight, ...] = ()
    moved: int = 0  # number of those in `here` that have just been moved to a new version


@dataclass(frozen=True)
class SearchOfFile:
    """Results of a search; `unread` counts the pages that could not be searched."""

    found: tuple[TextMatch, ...]
    unread: int = 0
    cut_off: bool = False


@dataclass(frozen=True)
class RecentPaper:
    """A paper, its file that was read last, the page (from 0) at which reading stopped, and when,
    in seconds since 1970. `pages` is 0 if the pages were not counted."""

    paper: Paper
    path: Path
    page: int
    pages: int
    at: float
    missing: bool = False  # the file does not exist


class OpenFile:
    """A file of a paper, open in a separate process until it is closed."""

    def __init__(
        self, paper: PaperId, path: Path, pages: PdfDocument, shape: FileShape, password: str
    ) -> None:
        self.paper, self.path, self.shape, self.password = paper, path, shape, password
        self._pages = pages
        self._not_here: set[int] = set()  # ids of highlights whose text was not found

    def draw(self, part: PageRegion, task: Task) -> bytearray:
        return self._pages.draw(part, task.raise_if_cancelled)

    def page_text(self, page: int, task: Task) -> RenderedPageText:
        return self._pages.page_text(page, task.raise_if_cancelled)

    def texts(self, first: int, end: int, task: Task) -> list[str]:
        """The texts of the pages from `first` up to `end`, exclusive, without positions."""
        parts = []
        for start in range(first, end, _AT_ONCE):
            task.step(start - first, end - first)
            stop = min(start + _AT_ONCE, end)
            parts += self._pages.texts(start, stop, task.raise_if_cancelled)
        return parts

    def search(
        self, words: str, task: Task, report: Callable[[list[TextMatch]], None] = lambda found: None
    ) -> SearchOfFile:
        """All occurrences of these words, also passed to `report` as they are found."""
        found: list[TextMatch] = []
        unread, count = 0, len(self.shape.sizes)
        for first in range(0, count, _AT_ONCE):
            task.step(first, count)
            batch, failed = self._find(words, first, min(first + _AT_ONCE, count), task)
            unread += failed
            found += batch
            report(batch)
            if len(found) >= MOST_FOUND:
                return SearchOfFile(tuple(found[:MOST_FOUND]), unread, cut_off=True)
        return SearchOfFile(tuple(found), unread)

    def text(self, start: tuple[int, int], end: tuple[int, int], task: Task) -> str:
        """The text from one character (page, index) up to but not including another."""
        if start[0] == end[0]:
            return readable(self.page_text(start[0], task).letters.text[start[1] : end[1]])
        parts = [self.page_text(start[0], task).letters.text[start[1] :]]
        parts += self.texts(start[0] + 1, end[0], task)
        parts.append(self.page_text(end[0], task).letters.text[: end[1]])
        return readable(" \n".join(parts))

    def _locate(self, old: Highlight, task: Task) -> Highlight | None:
        """A highlight of an earlier version, moved to its text in this one; None if missing.

        An area remains where it was, if the page is still there.
        """
        here = replace(old, sha256=self.shape.sha256, path=str(self.path))
        if old.is_area:
            return here if self._has(old.page, old.boxes) else None
        if len(old.text) < _SHORTEST or old.id in self._not_here:
            return None
        found = self.search(old.text, task).found
        if not found:
            self._not_here.add(old.id)
            return None
        new = min(found, key=lambda one: (abs(one.page - old.page), one.start))
        return replace(here, page=new.page, boxes=new.boxes)

    def _has(self, page: int, boxes: Sequence[Box]) -> bool:
        """Whether these boxes are on a page of the file."""
        if page >= len(self.shape.sizes):
            return False
        width, height = self.shape.sizes[page]
        return all(box.right <= width + 1 and box.bottom <= height + 1 for box in boxes)

    def rest(self) -> None:
        """Free the memory of the process until the next request."""
        self._pages.rest()

    def is_changed(self) -> bool:
        return self._pages.is_changed()

    def close(self) -> None:
        self._pages.close()

    def _find(self, words: str, first: int, end: int, task: Task) -> tuple[list[TextMatch], int]:
        """Search some pages; a page that cannot be read must not hide matches on the others."""
        try:
            return self._pages.find(words, first, end, task.raise_if_cancelled), 0
        except PageFailed:
            if end - first == 1:
                return [], 1
        halves = [self._find(words, page, page + 1, task) for page in range(first, end)]
        return [one for found, _ in halves for one in found], sum(n for _, n in halves)


class ReaderService:
    """Opens files and edits their highlights. Every method blocks; edits can be undone."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._open: set[PdfDocument] = set()
        self._changing = threading.Lock()
        self._spare = SpareProcess()

    def prepare(self) -> None:
        """Start a spare process, so that the next file opens faster."""
        self._spare.prepare()

    def open(self, paper: PaperId, path: Path, password: str, task: Task) -> OpenFile:
        """Open a file, also if it has moved and is the paper's only one. Raises CannotShow with
        the reason."""
        if not path.is_file():
            existing = [one for one in self.files(paper) if one.is_file()]
            path = existing[0] if len(existing) == 1 else path
        file = self._opened(PdfDocument(path, self._spare), paper, password, task)
        self._spare.prepare()
        return file

    def save_annotated(
        self, paper: PaperId, path: Path, target: Path, task: Task, password: str = ""
    ) -> AnnotatedCopy:
        """Write a copy of a file with its highlights and the notes on the paper as annotations.

        The file itself is not changed. Raises CannotShow and SciReadError.
        """
        pages = PdfDocument(path, seconds=_COPY_SECONDS)
        try:
            file = self._opened(pages, paper, password, task)
        except CannotShow as why:
            if why.reason is not FailureReason.locked:
                raise
            hint = tr("Open the file in the reader with its password, and save the copy there.")
            raise CannotShow(why.reason, why.message, hint) from why
        try:
            marked = self.marked(file, task)
            annotations = annotations_of(marked.here, self._library.notes.of(paper))
            if not annotations:
                raise _nothing_to_export()
            write_annotated(file._pages, annotations, target, task)
        finally:
            file.close()
        return AnnotatedCopy(len(annotations), len(marked.lost))

    def _opened(self, pages: PdfDocument, paper: PaperId, password: str, task: Task) -> OpenFile:
        if not self._library.get([paper]):
            raise CannotShow(
                FailureReason.removed,
                tr("This paper is no longer in your library."),
                tr("To open the file, add it to the library again."),
            )
        with self._changing:
            self._open = {one for one in self._open if not one.closed} | {pages}
        try:
            shape = pages.open(password, task.raise_if_cancelled)
        except BaseException:
            pages.close()
            raise
        return OpenFile(paper, pages.path, pages, shape, password)

    def position(self, sha256: str) -> ReadingPosition | None:
        return self._library.annotations.position(sha256)

    def cited(self, file: OpenFile, page: int, link: Link, task: Task) -> CitedPaper | None:
        """The paper that a link on this page cites; None if the link is no citation."""
        if link.spot is None:
            return None
        target = file.page_text(link.spot.page, task)
        before = file.texts(max(link.spot.page - _BIBLIOGRAPHY, 0), link.spot.page, task)
        reference = cited_reference(link, file.page_text(page, task), target, before)
        if reference is None:
            return None
        cited = cited_paper(self._library, reference, target.links)
        if cited.paper and cited.paper.id is not None:
            path = next((one for one in self.files(cited.paper.id) if one.is_file()), None)
            return replace(cited, path=path)
        return cited

    def remember(self, sha256: str, place: ReadingPosition) -> None:
        self._library.annotations.remember(sha256, place)

    def recently_read(self, limit: int) -> list[RecentPaper]:
        """The papers read last, latest first."""
        read = {place.paper: place for place in self._library.annotations.recently_read(limit)}
        found = []
        for paper in self._library.get(read):
            if paper.id is not None:
                place = read[paper.id]
                path = Path(place.path)
                where = (place.page, place.pages, place.at)
                found.append(RecentPaper(paper, path, *where, missing=not path.is_file()))
        return found

    def marked(self, file: OpenFile, task: Task) -> FileHighlights:
        """The highlights of this file.

        Those made in an earlier version of it are searched for by their text and moved to its
        present place.
        """
        every = self._library.annotations.highlights([file.paper])
        here = [one for one in every if one.sha256 == file.shape.sha256]
        lost, moved = [], 0
        for old in self._of_earlier_versions(file, every):
            new = file._locate(old, task)
            if new:
                self._library.annotations.move(new)
                here.append(new)
                moved += 1
            else:
                lost.append(old)
        return FileHighlights(tuple(in_order(here)), tuple(lost), moved)

    def of_paper(self, paper: PaperId) -> list[Highlight]:
        return self._library.annotations.highlights([paper])

    def highlight(self, highlights: Sequence[Highlight]) -> list[Highlight]:
        """Store these highlights as one edit. Returns them with their ids."""
        text = _short(" ".join(one.text for one in highlights))
        what = tr("Highlighted “{text}”", text=text)
        if highlights and highlights[0].is_area:
            what = tr("Highlighted an area on page {page}", page=highlights[0].page + 1)
        with self._library.edits.recording(what):
            return [replace(one, id=self._library.annotations.add(one)) for one in highlights]

    def recolour(self, highlight: Highlight, colour: Colour) -> None:
        what = tr("Changed the color of {passage}", passage=_named(highlight))
        with self._library.edits.recording(what):
            self._library.annotations.change(highlight.id, colour=colour)

    def annotate(self, highlight: Highlight, note: str) -> None:
        what = tr("Changed the note on {passage}", passage=_named(highlight))
        with self._library.edits.recording(what):
            self._library.annotations.change(highlight.id, note=note)

    def resize(self, highlight: Highlight, box: Box) -> None:
        """Change the size of an area."""
        now = next((one for one in self.of_paper(highlight.paper) if one.id == highlight.id), None)
        if now:
            with self._library.edits.recording(tr("Resized {area}", area=_named(now))):
                self._library.annotations.replace(replace(now, boxes=(box,)))

    def remove(self, highlight: Highlight) -> Edit | None:
        what = tr("Deleted the highlight “{text}”", text=_short(highlight.text))
        if highlight.is_area:
            what = tr("Deleted {area}", area=_named(highlight))
        with self._library.edits.recording(what) as made:
            self._library.annotations.remove(highlight.id)
        return made.edit

    def title(self, paper: PaperId) -> str:
        found = self._library.get([paper])
        return found[0].title if found else ""

    def files(self, paper: PaperId) -> list[Path]:
        """The attached files that can be opened here, existing files first."""
        attached = [Path(one.path) for one in self._library.attachments.of([paper])]
        readable = [path for path in attached if path.suffix.lower() in SUFFIXES]
        return sorted(readable, key=lambda path: not path.is_file())

    def as_markdown(self, papers: Sequence[PaperId]) -> str:
        """Highlights and notes of these papers; empty if there are none."""
        marks = self._library.organisation.of(papers)
        by_paper: dict[int, list[Highlight]] = {paper: [] for paper in papers}
        for highlight in self._library.annotations.highlights(papers):
            by_paper[highlight.paper].append(highlight)
        texts = (
            notes_of(paper, marks[paper.id].notes, by_paper[paper.id])
            for paper in self._library.get(papers)
            if paper.id is not None
        )
        return "\n".join(filter(None, texts))

    def close(self) -> None:
        """End all processes at once."""
        with self._changing:
            for pages in self._open:
                pages.close()
        self._spare.close()

    def save_markdown(self, papers: Sequence[PaperId], path: Path) -> None:
        """Write highlights and notes of these papers to a file, completely or not at all."""
        text = self.as_markdown(papers)
        if not text:
            raise _nothing_to_export()
        try:
            write_atomically(path, text)
        except OSError as error:
            raise SciReadError(
                tr(
                    "Could not write the notes to {file}: {why}.",
                    file=path,
                    why=error.strerror,
                ),
                tr("Select another folder."),
            ) from error

    def _of_earlier_versions(
        self, file: OpenFile, every: Sequence[Highlight]
    ) -> Iterator[Highlight]:
        """Highlights made in the previous content of this file, or in a file no longer attached."""
        attached = self._library.attachments.of([file.paper])
        others = {one.sha256 for one in attached if one.path != str(file.path)}
        for one in every:
            if one.sha256 != file.shape.sha256 and (
                one.path == str(file.path) or one.sha256 not in others
            ):
                yield one


def readable(text: str) -> str:
    """The text as it is copied: words hyphenated at a line end are joined."""
    return join_hyphens(clean(text)).strip()


def _nothing_to_export() -> SciReadError:
    return SciReadError(
        tr("The selected papers have no highlights or notes."),
        tr("Open a paper, select text, and press 1 to highlight it."),
    )


def _named(highlight: Highlight) -> str:
    if highlight.is_area:
        return tr("the area on page {page}", page=highlight.page + 1)
    return tr("“{text}”", text=_short(highlight.text))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"
