"""What the panel about a paper needs of a library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from sciread_app.domain.around import Ring, Side
from sciread_app.domain.copying import Copied, CopyWhat, Style
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.services.drafts import Drafts
from sciread_app.tasks import Task
from sciread_app.ui.values import Alike, CitationReport, Details, Names


class Organiser(Protocol):
    """Every verb blocks, and can be taken back."""

    def mark_read(self, ids: Iterable[int], read: bool) -> Any: ...

    def rate(self, ids: Iterable[int], stars: int) -> Any: ...

    def tag(self, ids: Iterable[int], name: str) -> Any: ...

    def untag(self, ids: Iterable[int], name: str) -> Any: ...

    def collect(self, ids: Iterable[int], path: str) -> Any: ...

    def uncollect(self, ids: Iterable[int], path: str) -> Any: ...

    def add_note(self, id: int, text: str) -> int: ...

    def change_note(self, note: int, text: str) -> Any: ...


class About(Protocol):
    """Each verb may take a while, but those of `drafts`; none is called on the window's thread.
    Only `ask`, `look_up` and `fetch` use the network."""

    @property
    def organise(self) -> Organiser: ...

    @property
    def drafts(self) -> Drafts: ...

    def details(self, paper: PaperId, query: str, task: Task) -> Details | None:
        """None: there is no such paper any more."""
        ...

    def names(self) -> Names:
        """The tags and collections that there are, to choose from."""
        ...

    def copied(self, papers: Sequence[PaperId], what: CopyWhat, task: Task) -> Copied: ...

    def styles(self) -> Sequence[Style]:
        """All citation styles; quick."""
        ...

    def add_style(self, file: Path) -> Style:
        """Raises StyleRefused."""
        ...

    def alike(self, paper: PaperId, task: Task) -> Sequence[Alike]: ...

    def ring(self, paper: PaperId, side: Side) -> Ring: ...

    def ask(self, paper: PaperId, task: Task) -> CitationReport: ...

    def look_up(self, paper: PaperId, side: Side, task: Task) -> int: ...

    def fetch(self, name: Identifier, task: Task) -> PaperId: ...

    def attach(self, paper: PaperId, path: Path, task: Task) -> None: ...

    def detach(self, paper: PaperId, path: Path) -> None: ...

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None: ...
