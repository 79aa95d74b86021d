"""Interfaces of the reader to the library, and names of highlight colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from sciread_app.domain.annotations.annotations import (
    Colour,
    FileShape,
    Highlight,
    PageRegion,
    ReadingPlace,
    TextMatch,
)
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.services.library.annotations import FileHighlights, RenderedPageText, SearchOfFile
from sciread_app.tasks import Task

# Highlights are multiplied with the page, so that letters stay black.
COLOURS = {
    Colour.yellow: "#ffe066",
    Colour.green: "#a8e6a1",
    Colour.blue: "#a5d0ff",
    Colour.pink: "#ffb3c7",
    Colour.purple: "#d9bfff",
}
NAMES = {
    Colour.yellow: tr("Yellow"),
    Colour.green: tr("Green"),
    Colour.blue: tr("Blue"),
    Colour.pink: tr("Pink"),
    Colour.purple: tr("Purple"),
}
WORDS = {  # in lower case, for use within a sentence
    Colour.yellow: tr("yellow"),
    Colour.green: tr("green"),
    Colour.blue: tr("blue"),
    Colour.pink: tr("pink"),
    Colour.purple: tr("purple"),
}


class OpenedFile(Protocol):
    """An open document. All methods block."""

    @property
    def paper(self) -> PaperId: ...

    @property
    def path(self) -> Path: ...

    @property
    def shape(self) -> FileShape: ...

    def draw(self, part: PageRegion, task: Task) -> bytearray: ...

    def page_text(self, page: int, task: Task) -> RenderedPageText: ...

    def search(
        self, words: str, task: Task, report: Callable[[list[TextMatch]], None]
    ) -> SearchOfFile: ...

    def text(self, start: tuple[int, int], end: tuple[int, int], task: Task) -> str: ...

    def rest(self) -> None: ...

    def is_changed(self) -> bool: ...

    def close(self) -> None: ...


class ReaderFiles(Protocol):
    """Files and highlights of papers. All methods block."""

    def open(self, paper: PaperId, path: Path, password: str, task: Task) -> OpenedFile: ...

    def prepare(self) -> None:
        """Start the worker in advance, since a file may be opened soon."""
        ...

    def files(self, paper: PaperId) -> Sequence[Path]:
        """The files of the paper that the reader can show."""
        ...

    def title(self, paper: PaperId) -> str: ...

    def place(self, sha256: str) -> ReadingPlace | None: ...

    def remember(self, sha256: str, place: ReadingPlace) -> None: ...

    def marked(self, file: Any, task: Task) -> FileHighlights:
        """The highlights in `file`, as returned by `open`."""
        ...

    def highlight(self, wanted: Sequence[Highlight]) -> list[Highlight]: ...

    def recolour(self, highlight: Highlight, colour: Colour) -> None: ...

    def annotate(self, highlight: Highlight, note: str) -> None: ...

    def remove(self, highlight: Highlight) -> None: ...

    def save_markdown(self, papers: Sequence[PaperId], path: Path) -> None: ...
