"""Searches in an open workspace, and the cards of papers."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.paper import Order, PaperId
from sciread_app.domain.paper_updates import retraction_status
from sciread_app.domain.query.facets import FacetCount, FacetCounts
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.services.search.facets import FacetService
from sciread_app.services.search.query_by_document import QueryByDocument
from sciread_app.services.search.search import SearchResults, SearchService
from sciread_app.tasks import Task
from sciread_app.ui.result_mapping import BEST, listing_of
from sciread_app.ui.view_models import Card, DocumentQuery, ResultList
from sciread_app.workspace import Workspace

NAMED = 12  # authors, tags and so on that are offered while one types
STARTING = tr("Searching by words only: the model is starting")


@dataclass(frozen=True, slots=True)
class _Asking:
    """A query with the service that runs it. `note`: why the words alone are searched."""

    search: SearchService
    model: str
    query: str
    mode: SearchMode
    note: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Equal keys have equal results."""
        return self.query, self.mode, self.model

    def find(self, order: Order, task: Task) -> SearchResults:
        """All papers that meet the conditions of an unranked query, or the best of a ranked one."""
        return self.search.find(self.query, limit=BEST, mode=self.mode, order=order, task=task)


class SearchGateway:
    """Every method blocks, and may be called from any thread.

    Until the model has started, which takes seconds, searches use words only and report it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._by_words = SearchService(workspace.library, None)
        self._answering = workspace.active_model
        self._facets = FacetService(workspace.library)

    def find(
        self, query: str, mode: SearchMode, task: Task, order: Order = Order.relevance
    ) -> ResultList:
        with self._asking(query, mode) as asking:
            found = asking.find(order, task)
            self._facets.remember(asking.key, found.ids)
        return listing_of(found, asking.note)

    def names(self, field: str, written: str, task: Task) -> list[FacetCount]:
        found = self._library.facets.names(field, written, NAMED)
        return [FacetCount(name, papers) for name, papers in found]

    def likeness(self, source: Sequence[Path] | str, task: Task) -> DocumentQuery:
        seconds = self._workspace.settings.pdf_seconds
        outside = QueryByDocument(self._library, pdf_seconds=seconds)
        if isinstance(source, str):
            found = outside.of_text(source, task)
        else:
            found = outside.of_files(source, task)
        return DocumentQuery(found.title, found.known, found.text)

    def facets(self, query: str, mode: SearchMode, task: Task) -> FacetCounts:
        """The counts among all papers that match a query, not only the best."""
        with self._asking(query, mode) as asking:
            ids = self._facets.remembered(asking.key)
            if ids is None:
                ids = asking.find(Order.relevance, task).ids
                self._facets.remember(asking.key, ids)
        return self._facets.of(ids, task)

    def similar(self, like: Sequence[PaperId], unlike: Sequence[PaperId], task: Task) -> ResultList:
        with self._best() as search:
            return listing_of(search.similar(like, unlike, limit=BEST))

    def browse(self, order: Order, task: Task) -> ResultList:
        ids = self._library.ids(order)
        # An array finds a number by C, and holds 150,000 in a megabyte.
        return ResultList(array("q", ids.tobytes()), len(ids))

    def cards(self, ids: Sequence[int]) -> list[Card]:
        marks = self._library.organisation.of(ids)
        colours = self._library.tags.colours() if any(m.tags for m in marks.values()) else {}
        versions = self._library.version_counts(ids)
        return [
            Card(
                paper,
                mark.read,
                mark.tags,
                mark.rating,
                retraction_status(paper),
                colours,
                versions.get(paper.id, 1),
            )
            for paper in self._library.get(ids)
            if paper.id is not None and (mark := marks.get(paper.id)) is not None
        ]

    @contextmanager
    def _asking(self, query: str, mode: SearchMode) -> Iterator[_Asking]:
        asked = parse(query)
        note = "" if mode is SearchMode.text or not asked.terms else self._why_by_words()
        by = SearchMode.text if note else mode
        if note or not (asked.terms or asked.has_examples):
            yield _Asking(self._by_words, "", query, by, note)
            return
        with self._answering.use() as now:
            yield _Asking(now.search, now.name, query, by)

    def _why_by_words(self) -> str:
        """Why there is no search by meaning at the moment; empty if there is."""
        if self._answering.is_loaded:
            return ""
        trouble = self._answering.error
        return tr("Searching by words only. {failure}", failure=trouble) if trouble else STARTING

    @contextmanager
    def _best(self) -> Iterator[SearchService]:
        """The search by meaning if there is a model, otherwise by words."""
        with self._answering.use() as now:
            yield now.search

    @contextmanager
    def _quickest(self) -> Iterator[SearchService]:
        """The search that is available without waiting for the model."""
        with nullcontext(self._by_words) if self._why_by_words() else self._best() as search:
            yield search
