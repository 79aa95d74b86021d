"""The services that the details panel needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from sciread_app.domain.citation_list import CitationDirection, CitationList
from sciread_app.domain.clipboard_formats import Copied, CopyWhat, Style
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.services.library.note_drafts import Drafts
from sciread_app.tasks import Task
from sciread_app.ui.view_models import CitationReport, Details, Names, SimilarPaper


class PaperOrganiser(Protocol):
    """Edits of papers. Every method blocks, and can be undone."""

    def mark_read(self, ids: Iterable[int], read: bool) -> Any: ...

    def rate(self, ids: Iterable[int], stars: int) -> Any: ...

    def tag(self, ids: Iterable[int], name: str) -> Any: ...

    def untag(self, ids: Iterable[int], name: str) -> Any: ...

    def collect(self, ids: Iterable[int], path: str) -> Any: ...

    def uncollect(self, ids: Iterable[int], path: str) -> Any: ...

    def add_note(self, id: int, text: str) -> int: ...

    def change_note(self, note: int, text: str) -> Any: ...


class PaperServices(Protocol):
    """Queries and actions on one paper. Every method may block, except those of `drafts`, and none
    is called on the window's thread. Only `ask`, `look_up` and `fetch` use the network."""

    @property
    def organise(self) -> PaperOrganiser: ...

    @property
    def drafts(self) -> Drafts: ...

    def details(self, paper: PaperId, query: Query, task: Task) -> Details | None:
        """Returns None if the paper no longer exists."""
        ...

    def names(self) -> Names:
        """The existing tags and collections, to choose from."""
        ...

    def copied(self, papers: Sequence[PaperId], what: CopyWhat, task: Task) -> Copied: ...

    def styles(self) -> Sequence[Style]:
        """All citation styles; fast."""
        ...

    def add_style(self, file: Path) -> Style:
        """Raises StyleRefused."""
        ...

    def similar(self, paper: PaperId, task: Task) -> Sequence[SimilarPaper]: ...

    def citations(self, paper: PaperId, side: CitationDirection) -> CitationList: ...

    def ask(self, paper: PaperId, task: Task) -> CitationReport: ...

    def look_up(self, paper: PaperId, side: CitationDirection, task: Task) -> int: ...

    def fetch(self, name: Identifier, task: Task) -> PaperId: ...

    def attach(self, paper: PaperId, path: Path, task: Task) -> None: ...

    def detach(self, paper: PaperId, path: Path) -> None: ...

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None: ...
