"""Searches in an open workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.paper import Order, PaperId
from sciread_app.domain.query.facets import FacetCount, FacetCounts
from sciread_app.domain.query.parser import Query
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.services.search.facets import FacetService
from sciread_app.services.search.query_by_document import QueryByDocument, QueryDocument
from sciread_app.services.search.results import SearchResults
from sciread_app.services.search.search import SearchService
from sciread_app.tasks import Task
from sciread_app.ui.result_mapping import BEST, listing_of
from sciread_app.ui.view_models import ResultList
from sciread_app.workspace import Workspace

NAMED = 12  # authors, tags and so on that are offered while one types
STARTING = tr("Keyword results only: the model is loading")


@dataclass(frozen=True, slots=True)
class _PreparedSearch:
    """A query with the service that runs it. `note`: why the words alone are searched."""

    service: SearchService
    model: str
    query: Query
    mode: SearchMode
    note: str = ""

    @property
    def key(self) -> tuple[Query, SearchMode, str]:
        """Equal keys have equal results."""
        return self.query, self.mode, self.model

    def run(self, order: Order, task: Task) -> SearchResults:
        """All papers that meet the conditions of an unranked query, or the best of a ranked one."""
        return self.service.find(self.query, limit=BEST, mode=self.mode, order=order, task=task)


class SearchGateway:
    """The services of the search page. Every method blocks, and may be called from any thread.

    Until the model has started, which takes seconds, searches use words only and report it.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._library = workspace.library
        self._by_words = SearchService(workspace.library, None)
        self._active_model = workspace.active_model
        self._facets = FacetService(workspace.library)

    def find(
        self, query: Query, mode: SearchMode, task: Task, order: Order = Order.relevance
    ) -> ResultList:
        """Run a query; the empty one lists the whole library. Raises BadQuery if an example is not
        in the library."""
        with self._prepared(query, mode) as search:
            results = search.run(order, task)
            self._facets.remember(search.key, results.ids)
        return listing_of(results, search.note)

    def without_trash(self, papers: Sequence[PaperId]) -> list[PaperId]:
        """Those of these papers that are in the library and not in its Trash, in this order."""
        listed = set(self._library.ids().tolist())
        return [paper for paper in papers if paper in listed]

    def names(self, field: str, written: str, task: Task) -> list[FacetCount]:
        """Authors, venues, tags and so on whose name matches, with counts."""
        found = self._library.facets.names(field, written, NAMED)
        return [FacetCount(name, papers) for name, papers in found]

    def likeness(self, source: Sequence[Path] | str, task: Task) -> QueryDocument:
        """The query built from papers in files, or from a pasted entry. Raises BadQuery if there is
        no paper."""
        seconds = self._workspace.settings.pdf_seconds
        documents = QueryByDocument(self._library, pdf_seconds=seconds)
        if isinstance(source, str):
            return documents.of_text(source, task)
        return documents.of_files(source, task)

    def facets(self, query: Query, mode: SearchMode, task: Task) -> FacetCounts:
        """The counts of values among all papers that match a query, not only the best. Raises
        BadQuery."""
        with self._prepared(query, mode) as search:
            ids = self._facets.remembered(search.key)
            if ids is None:
                ids = search.run(Order.relevance, task).ids
                self._facets.remember(search.key, ids)
        return self._facets.of(ids, task)

    @contextmanager
    def _prepared(self, query: Query, mode: SearchMode) -> Iterator[_PreparedSearch]:
        note = "" if mode is SearchMode.text or not query.terms else self._words_only_reason()
        by = SearchMode.text if note else mode
        if note or not (query.terms or query.has_examples):
            yield _PreparedSearch(self._by_words, "", query, by, note)
            return
        with self._active_model.use() as now:
            yield _PreparedSearch(now.search, now.name, query, by)

    def _words_only_reason(self) -> str:
        """Why there is no search by meaning at the moment; empty if there is."""
        if self._active_model.is_loaded:
            return ""
        trouble = self._active_model.error
        return tr("Keyword results only. {failure}", failure=trouble) if trouble else STARTING
