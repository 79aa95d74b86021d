"""What the window asks about one paper, answered from a workspace."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from sciread_app.domain.around import Ring, Side
from sciread_app.domain.copying import Copied, CopyWhat, Style
from sciread_app.domain.news import What
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.domain.tex import readable
from sciread_app.services import around, copying
from sciread_app.services.alike import shared_words
from sciread_app.services.citation_styles import CitationStyles
from sciread_app.services.drafts import Drafts
from sciread_app.services.files import Files
from sciread_app.services.search import Search
from sciread_app.tasks import Task
from sciread_app.ui.values import Alike, CitationReport, Details, Names, Note
from sciread_app.workspace import Workspace

MOST_ALIKE = 8


class WorkspaceAbout:
    """Every verb blocks, and may be called from any thread. What asks the network is built by the
    first verb that needs it."""

    def __init__(
        self,
        workspace: Workspace,
        best: Callable[[], AbstractContextManager[Search]],
        quickest: Callable[[], AbstractContextManager[Search]],
    ) -> None:
        """`best` is the search that knows meanings, if any; `quickest` answers at once."""
        self._workspace = workspace
        self._library = workspace.library
        self._best = best
        self._quickest = quickest
        self._files = Files(workspace.library)
        self._styles = CitationStyles(workspace.home.styles)
        self.organise = workspace.organise
        self.drafts = Drafts(workspace.home.folder / "drafts")

    def details(self, paper: PaperId, query: str, task: Task) -> Details | None:
        library = self._library
        found = library.get([paper])
        marks = library.shelves.marks([paper]).get(paper)
        if not found or marks is None:
            return None
        words: tuple[str, ...] = ()
        sentence = ""
        if query:
            with self._quickest() as search:
                why = search.why(query, [paper])[paper]
            words, sentence = why.words, why.sentence
        return Details(
            found[0],
            marks.read,
            marks.rating,
            marks.tags,
            library.shelves.tag_colours() if marks.tags else {},
            marks.collections,
            tuple(Note(n.id, n.text, n.changed) for n in library.shelves.notes(paper)),
            self.drafts.of(paper),
            tuple(self._files.of(paper)),
            _day(marks.added),
            self._noticed(paper),
            marks.trashed is not None,
            True,
            words,
            sentence,
            self._versions(paper),
        )

    def names(self) -> Names:
        shelves = self._library.shelves
        return Names(shelves.tags(), shelves.collections())

    def copied(self, papers: Sequence[PaperId], what: CopyWhat, task: Task) -> Copied:
        return copying.copy(self._library, papers, what, self._styles, task)

    def styles(self) -> Sequence[Style]:
        return self._styles.all()

    def add_style(self, file: Path) -> Style:
        return self._styles.add(file)

    def alike(self, paper: PaperId, task: Task) -> Sequence[Alike]:
        with self._best() as search:
            found = search.similar([paper], limit=MOST_ALIKE)
        hits = [*found.hits, *found.weaker]
        ids = [hit.paper for hit in hits]
        words = shared_words(self._library, paper, ids) if ids else {}
        near = {hit.paper: hit.percentile for hit in hits}
        return [
            Alike(other, words[other.id], near[other.id])
            for other in self._library.get(ids)
            if other.id is not None
        ]

    def ring(self, paper: PaperId, side: Side) -> Ring:
        return around.ring(self._library, paper, side)

    def ask(self, paper: PaperId, task: Task) -> CitationReport:
        report = self._workspace.asking.ask(paper, task)
        return CitationReport([], report.failed)

    def look_up(self, paper: PaperId, side: Side, task: Task) -> int:
        return self._workspace.asking.look_up(paper, side, task)

    def fetch(self, name: Identifier, task: Task) -> PaperId:
        return self._workspace.asking.add(name, task)

    def attach(self, paper: PaperId, path: Path, task: Task) -> None:
        self._files.attach(paper, path, task)

    def detach(self, paper: PaperId, path: Path) -> None:
        self._files.detach(paper, path)

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None:
        self._files.locate(paper, old, new, task)

    def _noticed(self, paper: PaperId) -> str:
        """The day on which an import brought the news that the paper is not to be relied on."""
        news = self._library.ledger.news_of(paper)
        days = [at for what, at in news if what in (What.retracted, What.withdrawn)]
        return _day(days[0]) if days else ""

    def _versions(self, paper: PaperId) -> tuple[tuple[PaperId, str], ...]:
        others = self._library.get(self._library.versions(paper))
        return tuple(
            (
                other.id,
                ", ".join(filter(None, (readable(other.title), other.venue or other.source))),
            )
            for other in others
            if other.id is not None
        )


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
