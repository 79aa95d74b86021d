"""A fake of the paper panel's services, without a database, files or a network."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sciread_app.domain.citations import CitationDirection, CitationList, LinkedPaper
from sciread_app.domain.clipboard_formats import Copied, CopyAs, CopyWhat
from sciread_app.domain.metadata.guesses import accepted
from sciread_app.domain.metadata.identifiers import pasted_identifier
from sciread_app.domain.paper import Edit, Identifier, PaperFile, PaperId, Skipped
from sciread_app.domain.query.parser import Query
from sciread_app.errors import LibraryError, SourceError
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.library.note_drafts import Drafts
from sciread_app.tasks import Task
from sciread_app.ui.view_models import Card, CitationReport, Details, Names, PaperNote, SimilarPaper
from tests.support.ui.fakes.search import FakeSearch

NEVER = CitationList((), (), 0, 0, None, True)


class FakePaperPanel:
    """Record the calls in `asked`; the details of papers can be set."""

    def __init__(self, gateway: FakeSearch) -> None:
        self._gateway = gateway
        self._folder = tempfile.TemporaryDirectory()
        self.drafts = Drafts(Path(self._folder.name))
        self.editor = FakeNotes(gateway)
        self.calls: list[str] = []
        self.rings: dict[CitationDirection, CitationList] = dict.fromkeys(CitationDirection, NEVER)
        self.rings_after: dict[CitationDirection, CitationList] = {}  # after a request to a source
        self.files: list[PaperFile] = []
        self.styles = CitationStyles(Path(self._folder.name) / "styles")
        self.default_style = ""
        self.extra: dict[str, Any] = {}  # more details of every paper
        self.refuse = ""  # if set, the message of the error that sources return
        self.gone: set[int] = set()

    def details(self, paper: PaperId, query: Query, task: Task) -> Details | None:
        if paper in self.gone:
            return None
        known, editor = self._gateway.paper(paper), self._gateway.editor
        own = {name for name, ids in editor.tags.items() if paper in ids}
        held = [path for path, ids in editor.collections.items() if paper in ids]
        return Details(
            Card(known, paper in editor.read, tuple(sorted(own)), editor.stars.get(paper, 0)),
            collections=tuple(sorted(held)),
            notes=tuple(self.editor.notes.get(paper, {}).values()),
            drafts=self.drafts.of(paper),
            files=tuple(self.files),
            added="2026-11-21",
            words=tuple(query.text.split()),
            sentence=known.abstract.split(". ")[0] if query.text else "",
            whole=True,
            **self.extra,
        )

    def names(self) -> Names:
        return Names(["maths", "to read"], ["thesis", "thesis/methods"])

    def copied(self, papers: Sequence[PaperId], what: CopyWhat, task: Task) -> Copied:
        if what is CopyAs.bibtex:
            return Copied("\n".join(f"@article{{paper{n}}}" for n in papers))
        if what is CopyAs.doi:
            return Copied("", without=len(papers))
        return Copied(f"{what.value} of {list(papers)}", f"<i>{what.value}</i>")

    def quoted(self, paper: PaperId, passage: str, pages: str, style: str, task: Task) -> str:
        return f"“{passage}” ({style} of {paper}, {pages})"

    def similar(self, paper: PaperId, task: Task) -> Sequence[SimilarPaper]:
        self.calls.append(f"alike {paper}")
        others = [n for n in range(1, self._gateway.count + 1) if n != paper][:3]
        return [SimilarPaper(self._gateway.paper(n), ("radium", "decay"), 99.0) for n in others]

    def citations(self, paper: PaperId, side: CitationDirection) -> CitationList:
        self.calls.append(f"{side.value} {paper}")
        return self.rings[side]

    def ask(self, paper: PaperId, task: Task) -> CitationReport:
        self.calls.append(f"ask {paper}")
        if self.refuse:
            return CitationReport([], [Skipped("Semantic Scholar", "1 paper", self.refuse)])
        self.rings |= self.rings_after
        return CitationReport([])

    def look_up(self, paper: PaperId, side: CitationDirection, task: Task) -> int:
        self.calls.append(f"look up {paper} {side.value}")
        self.rings |= self.rings_after
        return 1

    def fetch(self, text: str, task: Task) -> PaperId:
        self.calls.append(f"fetch {text}")
        if self.refuse:
            raise SourceError(self.refuse)
        name = pasted_identifier(text) or Identifier("doi", text)
        found = LinkedPaper(name, self._gateway.paper(5))
        self.rings[CitationDirection.references] = CitationList(
            (found,), (PaperId(5),), 1, 0, 1.0, True
        )
        return PaperId(5)

    def attach(self, paper: PaperId, path: Path, task: Task) -> None:
        if self.refuse:
            raise LibraryError(self.refuse)
        self.files.append(PaperFile(path, 2048, 3))

    def detach(self, paper: PaperId, path: Path) -> None:
        self.files = [file for file in self.files if file.path != path]

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None:
        self.files = [PaperFile(new, 2048) if f.path == old else f for f in self.files]

    def undo_lookup(self, paper: PaperId, field: str) -> Edit | None:
        self.calls.append(f"undo {field} of {paper}")
        self.extra["looked_up"] = ()
        return Edit(1, 0.0, "Undid the look-up of fields of 1 paper")

    def accept_guess(self, paper: PaperId, field: str) -> Edit | None:
        before = self._gateway.paper(paper)
        self._gateway.papers[paper] = replace(before, **accepted(before, field))
        return Edit(1, 0.0, "Changed the authors of 1 paper")


class FakeNotes:
    """The editor of the fake gateway, with notes."""

    def __init__(self, gateway: FakeSearch) -> None:
        self._gateway = gateway
        self.notes: dict[int, dict[int, PaperNote]] = {}
        self.refuse = ""  # if set, the message of the error that saving a note raises

    def __getattr__(self, verb: str) -> Any:
        return getattr(self._gateway.editor, verb)

    def add_note(self, id: int, text: str) -> int:
        self._check()
        number = 1 + sum(map(len, self.notes.values()))
        self.notes.setdefault(id, {})[number] = PaperNote(number, text, 1.0)
        return number

    def change_note(self, note: int, text: str) -> None:
        self._check()
        for notes in self.notes.values():
            if note in notes:
                if text:
                    notes[note] = PaperNote(note, text, 2.0)
                else:
                    del notes[note]

    def _check(self) -> None:
        if self.refuse:
            raise LibraryError(self.refuse)
