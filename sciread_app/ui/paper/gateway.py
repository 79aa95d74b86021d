"""The services of the details panel, from an open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sciread_app.domain.citations import CitationDirection, CitationList
from sciread_app.domain.clipboard_formats import Copied, CopyWhat
from sciread_app.domain.metadata.changes import FIELD_TITLES
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.query.parser import Query
from sciread_app.domain.text.tex import readable
from sciread_app.errors import LibraryError
from sciread_app.language import format_day, tr
from sciread_app.services.export import clipboard
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.ingest.lookup import citation_links
from sciread_app.services.library.attachments import AttachmentService
from sciread_app.services.library.note_drafts import Drafts
from sciread_app.services.search.results import shared_words
from sciread_app.tasks import Task
from sciread_app.ui.paper_list.card_loader import CardLoader
from sciread_app.ui.view_models import (
    CitationReport,
    Details,
    LookedUpText,
    Names,
    PaperNote,
    SimilarPaper,
)
from sciread_app.workspace import Workspace

MOST_ALIKE = 8


class PaperGateway:
    """Every method blocks, except those of `drafts`, and may be called from any thread. Only `ask`,
    `look_up` and `fetch` use the network, whose clients are created when first needed."""

    def __init__(self, workspace: Workspace, cards: CardLoader) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._cards = cards
        self._files = AttachmentService(workspace.library)
        self.styles = CitationStyles(workspace.home.styles)
        self.editor = workspace.editor
        self.drafts = Drafts(workspace.home.folder / "drafts")

    def details(self, paper: PaperId, query: Query, task: Task) -> Details | None:
        """Returns None if the paper no longer exists."""
        library = self._library
        cards = self._cards.cards([paper])
        marks = library.organisation.of([paper]).get(paper)
        if not cards or marks is None:
            return None
        words: tuple[str, ...] = ()
        sentence = ""
        if query.terms:
            with self._workspace.active_model.use_without_waiting() as search:
                why = search.explain(query, [paper])[paper]
            words, sentence = why.words, why.sentence
        return Details(
            cards[0],
            marks.collections,
            tuple(PaperNote(n.id, n.text, n.changed) for n in library.notes.of(paper)),
            self.drafts.of(paper),
            tuple(self._files.of(paper)),
            _day(marks.added),
            self._noticed(paper),
            marks.trashed is not None,
            True,
            words,
            sentence,
            self._versions(paper),
            self._looked_up(paper),
        )

    def names(self) -> Names:
        """The existing tags and collections, to choose from."""
        library = self._library
        return Names(library.tags.names(), library.collections.paths())

    def copied(self, papers: Sequence[PaperId], what: CopyWhat, task: Task) -> Copied:
        return clipboard.copy(self._library, papers, what, self.styles, task)

    def quoted(self, paper: PaperId, passage: str, pages: str, style: str, task: Task) -> str:
        return clipboard.quote(self._library, paper, passage, pages, style, self.styles, task)

    @property
    def default_style(self) -> str:
        """The key of the default citation style; empty for the one used last."""
        preferred = self._workspace.settings.citation_style
        return preferred if preferred == self.styles.default(preferred) else ""

    def similar(self, paper: PaperId, task: Task) -> Sequence[SimilarPaper]:
        with self._workspace.active_model.use() as now:
            found = now.search.similar([paper], limit=MOST_ALIKE)
        hits = [*found.hits, *found.weaker]
        ids = [hit.paper for hit in hits]
        words = shared_words(self._library, paper, ids) if ids else {}
        near = {hit.paper: hit.percentile for hit in hits}
        return [
            SimilarPaper(other, words[other.id], near[other.id])
            for other in self._library.get(ids)
            if other.id is not None
        ]

    def citations(self, paper: PaperId, side: CitationDirection) -> CitationList:
        return citation_links.citation_list(self._library, paper, side)

    def ask(self, paper: PaperId, task: Task) -> CitationReport:
        return CitationReport.of(self._workspace.lookup.ask(paper, task))

    def look_up(self, paper: PaperId, side: CitationDirection, task: Task) -> int:
        return self._workspace.lookup.look_up(paper, side, task)

    def fetch(self, text: str, task: Task) -> PaperId:
        """Add the paper that an identifier, an address or a title names. Raises SourceError."""
        self._workspace.require_own_library()
        return self._workspace.lookup.add(text, task)

    def attach(self, paper: PaperId, path: Path, task: Task) -> None:
        """Attach a file. Raises LibraryError, also if it then stays where it is, although the
        settings say otherwise."""
        self._files.attach(paper, path, task)
        for skipped in self._workspace.file_pdfs([path.absolute()], task):
            raise LibraryError(
                tr("“{file}” was attached, but stays where it is.", file=path.name), skipped.reason
            )

    def detach(self, paper: PaperId, path: Path) -> None:
        self._files.detach(paper, path)

    def locate(self, paper: PaperId, old: Path, new: Path, task: Task) -> None:
        self._files.locate(paper, old, new, task)

    def accept_guess(self, paper: PaperId, field: str) -> Edit | None:
        """Take over the value of a field that the paper's PDF may have; None if there is none."""
        return self.editor.accept_guesses([paper], field)

    def undo_lookup(self, paper: PaperId, field: str) -> Edit | None:
        """Give a field the value that it had before its look-up."""
        return self.editor.undo_lookup({paper: [field]})

    def _looked_up(self, paper: PaperId) -> tuple[LookedUpText, ...]:
        fields = self.editor.looked_up_fields([paper]).get(paper)
        if not fields:
            return ()
        # Loads the clients.
        from sciread_app.services.ingest.lookup.record_requests import source_title

        return tuple(
            LookedUpText(
                one.field,
                FIELD_TITLES[one.field],
                source_title(one.source),
                _day(one.at),
            )
            for one in fields
        )

    def _noticed(self, paper: PaperId) -> str:
        """The day on which an import reported that the paper was retracted or withdrawn."""
        news = self._library.import_log.updates_of(paper)
        days = [at for what, at in news if what in (UpdateKind.retracted, UpdateKind.withdrawn)]
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
    return format_day(date.fromtimestamp(seconds))
