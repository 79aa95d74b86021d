"""A fake of the reader's services: files without PDFs, whose pages all have the same text."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from sciread_app.domain.annotations.annotations import (
    Box,
    Colour,
    FileShape,
    Highlight,
    Link,
    OutlineEntry,
    PagePosition,
    PageRegion,
    PageSize,
    ReadingPosition,
    TextMatch,
)
from sciread_app.domain.annotations.page_text import PageText
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.services.library.reader import (
    AnnotatedCopy,
    CannotShow,
    CitedPaper,
    FailureReason,
    FileHighlights,
    PageFailed,
    RecentPaper,
    RenderedPageText,
    SearchOfFile,
)
from sciread_app.tasks import Task

SIZE = PageSize(300.0, 400.0)
LETTER, LINE = 6.0, 12.0  # points across and down
LEFT, TOP = 20.0, 30.0
WORDS = "Bees fly to\nflowers and\nhome again"


def letters_of(text: str) -> PageText:
    edges, x, y = array("f"), LEFT, TOP
    for letter in text:
        if letter == "\n":
            edges.extend((0, 0, 0, 0))
            x, y = LEFT, y + LINE
        else:
            edges.extend((x, y, x + LETTER, y + LINE))
            x += LETTER
    return PageText(text, edges)


class FakeFile:
    """`links` by page; `broken` pages cannot be drawn."""

    def __init__(
        self,
        paper: PaperId,
        path: Path,
        count: int = 5,
        *,
        outline: Sequence[OutlineEntry] = (
            OutlineEntry("Hives", 0, PagePosition(0)),
            OutlineEntry("Wax", 1, PagePosition(3)),
        ),
        links: dict[int, Link | tuple[Link, ...]] | None = None,
    ) -> None:
        self.paper, self.path = paper, path
        name = sha256(str(path).encode()).hexdigest()
        self.shape = FileShape(name, (SIZE,) * count, tuple(outline))
        self.password = ""
        self.links = links or {}
        self.broken: set[int] = set()
        self.drawn: list[PageRegion] = []
        self.closed = False
        self.resting = False
        self.changed = False

    def draw(self, part: PageRegion, task: Task) -> bytearray:
        if part.page in self.broken:
            raise PageFailed(f"Page {part.page + 1} broke the process.", "Read the others.")
        self.drawn.append(part)
        return bytearray([200]) * (4 * part.width * part.height)

    def page_text(self, page: int, task: Task) -> RenderedPageText:
        links = self.links.get(page, ())
        links = (links,) if isinstance(links, Link) else links
        return RenderedPageText(letters_of(WORDS), links)

    def search(
        self, words: str, task: Task, report: Callable[[list[TextMatch]], None] = lambda found: None
    ) -> SearchOfFile:
        letters, found = letters_of(WORDS), []
        start = WORDS.casefold().find(words.casefold())
        if start >= 0:
            end = start + len(words)
            found = [
                TextMatch(page, start, end, letters.boxes(start, end), WORDS)
                for page in range(len(self.shape.sizes))
            ]
        report(found)
        return SearchOfFile(tuple(found))

    def text(self, start: tuple[int, int], end: tuple[int, int], task: Task) -> str:
        last = end[1] if start[0] == end[0] else len(WORDS)
        return WORDS[start[1] : last]

    def rest(self) -> None:
        self.resting = True

    def is_changed(self) -> bool:
        return self.changed

    def close(self) -> None:
        self.closed = True


class FakeReader:
    def __init__(self) -> None:
        self.paths: dict[int, list[Path]] = {}
        self.titles: dict[int, str] = {}
        self.passwords: dict[Path, str] = {}
        self.unavailable_reason: dict[Path, FailureReason] = {}
        self.opened: list[FakeFile] = []
        self.places: dict[str, ReadingPosition] = {}
        self.recent: list[RecentPaper] = []
        self.kept: dict[int, Highlight] = {}
        self.lost: list[Highlight] = []
        self.cited_papers: dict[Link, CitedPaper] = {}
        self.looked_up: list[Link] = []
        self.saved: list[tuple[list[int], Path]] = []
        self.copies: list[tuple[int, Path, Path]] = []
        self.make = FakeFile
        self._writing = threading.Lock()

    def open(self, paper: PaperId, path: Path, password: str, task: Task) -> FakeFile:
        if why := self.unavailable_reason.get(path):
            raise CannotShow(why, f"The file is {why.value}.", "Do something about it.")
        if self.passwords.get(path, "") != password:
            raise CannotShow(FailureReason.locked, "The file is locked.")
        self.opened.append(self.make(paper, path))
        return self.opened[-1]

    def prepare(self) -> None:
        pass

    def files(self, paper: PaperId) -> Sequence[Path]:
        return self.paths.get(paper, [])

    def title(self, paper: PaperId) -> str:
        return self.titles.get(paper, f"Paper {paper}")

    def position(self, sha256: str) -> ReadingPosition | None:
        return self.places.get(sha256)

    def remember(self, sha256: str, place: ReadingPosition) -> None:
        self.places[sha256] = place

    def recently_read(self, limit: int) -> list[RecentPaper]:
        return self.recent[:limit]

    def marked(self, file: FakeFile, task: Task) -> FileHighlights:
        return FileHighlights(tuple(self.kept.values()), tuple(self.lost))

    def highlight(self, wanted: Sequence[Highlight]) -> list[Highlight]:
        with self._writing:
            first = len(self.kept) + 1
            kept = [replace(one, id=number) for number, one in enumerate(wanted, first)]
            self.kept |= {one.id: one for one in kept}
        return kept

    def recolour(self, highlight: Highlight, colour: Colour) -> None:
        self.kept[highlight.id] = replace(self.kept[highlight.id], colour=colour)

    def annotate(self, highlight: Highlight, note: str) -> None:
        self.kept[highlight.id] = replace(self.kept[highlight.id], note=note)

    def resize(self, highlight: Highlight, box: Box) -> None:
        self.kept[highlight.id] = replace(self.kept[highlight.id], boxes=(box,))

    def remove(self, highlight: Highlight) -> Edit | None:
        del self.kept[highlight.id]
        return Edit(1, 0.0, f"Deleted the highlight “{highlight.text}”")

    def cited(self, file: FakeFile, page: int, link: Link, task: Task) -> CitedPaper | None:
        self.looked_up.append(link)
        return self.cited_papers.get(link)

    def save_markdown(self, papers: Sequence[PaperId], path: Path) -> None:
        self.saved.append((list(papers), path))

    def save_annotated(
        self, paper: PaperId, path: Path, target: Path, task: Task, password: str = ""
    ) -> AnnotatedCopy:
        self.copies.append((paper, path, target))
        return AnnotatedCopy(len(self.kept), len(self.lost))
