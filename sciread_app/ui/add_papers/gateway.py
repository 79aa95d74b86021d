"""The services of the page for adding papers, from an open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.citations import MissingPaper
from sciread_app.domain.fetch import Fetch, Fetched, Preview, SourceQuery
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.view_models import (
    Change,
    CitationReport,
    FetchResults,
    ImportSummary,
    SourceForm,
)
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetchReport
    from sciread_app.services.ingest.lookup.identifier_import import Entry
    from sciread_app.storage.history.import_log import Import

NOTHING = tr("No papers match the query.")


class AddPapersGateway:
    """Every method blocks, and may be called from any thread.

    What fetches is built by the first method that needs it: a window that only searches should not
    wait for what speaks with the network.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def sources(self) -> Sequence[SourceForm]:
        return [
            SourceForm(source.KEY, source.TITLE, source.HELP, source.FIELDS, source.OPERATORS)
            for source in self._workspace.fetcher.sources
        ]

    def check(self, query: SourceQuery) -> str:
        """The error of a query, as a sentence; empty if it is valid."""
        return self._workspace.fetcher.check(query)

    def preview(self, query: SourceQuery, task: Task) -> Preview:
        return self._workspace.fetcher.preview(query, task)

    @property
    def own_library(self) -> Path | None:
        """The folder of the user's own library, if the sample library is open."""
        home = self._workspace.home
        return home.owner.folder if home.is_sample else None

    def keep(self, query: SourceQuery) -> Fetch:
        """The stored fetch of this query, new or existing. Raises BadQuery."""
        self._workspace.require_own_library()
        return self._workspace.fetcher.start(query)

    def run(self, fetch: int, task: Task) -> FetchResults:
        """Resume a fetch, or refresh a completed one. Raises SourceError."""
        return self._results_of(self._workspace.fetcher.run(fetch, task))

    def fetches(self) -> list[Fetch]:
        return self._workspace.library.fetches.all()

    def results(self, fetch: int) -> FetchResults:
        """The results of the last run so far."""
        return self._results_of(self._workspace.fetcher.last(fetch))

    def find_papers(self, text: str, task: Task) -> list[Entry]:
        """Look up the paper of each identifier, address or title in a text."""
        from sciread_app.services.ingest.lookup.identifier_import import split_texts

        return self._workspace.identifiers.find(split_texts(text), task)

    def add_found(self, papers: Sequence[Paper], name: str) -> list[PaperId]:
        """Add these records to the library, as an import of this name."""
        self._workspace.require_own_library()
        return list(dict.fromkeys(self._workspace.identifiers.add(papers, name)))

    def cite(self, task: Task) -> CitationReport:
        """Fetch the citations of all papers that have not been looked up yet. Raises
        SourceError."""
        report = self._workspace.citation_fetcher.fetch(task)
        return CitationReport.of(report, _citation_lines(report))

    def missing(self, task: Task) -> Sequence[MissingPaper]:
        """The papers outside the library that its papers cite most."""
        return self._workspace.missing.most_cited()

    def look_up_missing(self, task: Task) -> Sequence[MissingPaper]:
        """The same papers, with titles that were not known. Raises SourceError."""
        return self._workspace.missing.look_up_titles(task)

    def add_missing(self, names: Sequence[Identifier], task: Task) -> ImportSummary:
        """Add these papers to the library. Raises LibraryError for the sample library."""
        self._workspace.require_own_library()
        added, failed = self._workspace.missing.add(names, task)
        return ImportSummary(len(names), len(added), 0, failed)

    def imports(self) -> list[Import]:
        """All imports of files, newest first."""
        return [one for one in self._workspace.library.import_log.imports() if one.fetch is None]

    def import_summary(self, past: Import) -> ImportSummary:
        """The report of an import."""
        log = self._workspace.library.import_log
        failures, papers = log.failures(past.id), log.added_by(past.id)
        return ImportSummary(past.read, past.added, past.merged, failures, papers=papers)

    def _results_of(self, fetched: Fetched) -> FetchResults:
        """The results with the titles of changed papers, which are few compared with new ones."""
        fetch, news = fetched.fetch, fetched.news
        changed = [one for one in news if one.what != UpdateKind.added]
        titles = {
            paper.id: paper.title
            for paper in self._workspace.library.get([one.paper for one in changed])
        }
        return FetchResults(
            f"{self._title(fetch.query.source)}: {fetch.query.text}",
            ImportSummary(fetch.read, fetch.added, fetch.merged, fetched.skips),
            tuple(PaperId(one.paper) for one in news if one.what == UpdateKind.added),
            [Change(one.paper, titles.get(one.paper, ""), one.what, one.detail) for one in changed],
            fetched.remark if fetch.query.changed_since or fetch.read else NOTHING,
        )

    def _title(self, source: str) -> str:
        return next((form.title for form in self.sources() if form.key == source), source)


def _citation_lines(report: CitationFetchReport) -> list[str]:
    if not report.looked_up and not report.unanswered:
        return [tr("All papers were already looked up within the last 90 days.")]
    lines = [
        # Translators: {references} is "9,800 references", {citations} "4,200 citations"
        trn(
            "{n:,} paper looked up: {references} and {citations}.",
            "{n:,} papers looked up: {references} and {citations}.",
            report.looked_up,
            references=trn("{n:,} reference", "{n:,} references", report.references),
            citations=trn("{n:,} citation", "{n:,} citations", report.citations),
        )
    ]
    if report.unknown:
        lines.append(
            trn(
                "{n:,} of them was not found in any source.",
                "{n:,} of them were not found in any source.",
                report.unknown,
            )
        )
    if report.unanswered:
        lines.append(
            trn(
                "{n:,} paper could not be looked up; the next run tries the paper again.",
                "{n:,} papers could not be looked up; the next run tries the papers again.",
                report.unanswered,
            )
        )
    return lines
