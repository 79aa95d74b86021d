"""What the reader needs of the library, as small protocols: so that it can be tried without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.domain.reading import Colour, FileShape, Found, Highlight, Part, ReadingPlace
from sciread_app.language import tr
from sciread_app.services.reading import Marked, PageText, SearchOfFile
from sciread_app.tasks import Task

# Blue, green, red, alpha of 255 are mixed with the page: letters stay as black as they are.
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
WORDS = {  # the same, where they do not begin a line
    Colour.yellow: tr("yellow"),
    Colour.green: tr("green"),
    Colour.blue: tr("blue"),
    Colour.pink: tr("pink"),
    Colour.purple: tr("purple"),
}


class OpenedFile(Protocol):
    """A file that is open. All verbs block."""

    @property
    def paper(self) -> PaperId: ...

    @property
    def path(self) -> Path: ...

    @property
    def shape(self) -> FileShape: ...

    def draw(self, part: Part, task: Task) -> bytearray: ...

    def page_text(self, page: int, task: Task) -> PageText: ...

    def search(
        self, words: str, task: Task, report: Callable[[list[Found]], None]
    ) -> SearchOfFile: ...

    def text(self, start: tuple[int, int], end: tuple[int, int], task: Task) -> str: ...

    def rest(self) -> None: ...

    def is_changed(self) -> bool: ...

    def close(self) -> None: ...


class Files(Protocol):
    """Files of papers, and what people do in them. All verbs block."""

    def open(self, paper: PaperId, path: Path, password: str, task: Task) -> OpenedFile: ...

    def prepare(self) -> None:
        """Somebody may soon open a file."""
        ...

    def files(self, paper: PaperId) -> Sequence[Path]:
        """Those of its files that can be read here."""
        ...

    def title(self, paper: PaperId) -> str: ...

    def place(self, sha256: str) -> ReadingPlace | None: ...

    def remember(self, sha256: str, place: ReadingPlace) -> None: ...

    def marked(self, file: Any, task: Task) -> Marked:
        """`file`: one that `open` has given."""
        ...

    def highlight(self, wanted: Sequence[Highlight]) -> list[Highlight]: ...

    def recolour(self, highlight: Highlight, colour: Colour) -> None: ...

    def annotate(self, highlight: Highlight, note: str) -> None: ...

    def remove(self, highlight: Highlight) -> None: ...

    def save_markdown(self, papers: Sequence[PaperId], path: Path) -> None: ...
