"""Online lookup of one paper: its citations, their titles, and the paper itself."""

from __future__ import annotations

from sciread_app.domain.citations import CitationDirection
from sciread_app.domain.paper import PaperId
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetcher, CitationFetchReport
from sciread_app.services.ingest.lookup.citation_links import citation_list
from sciread_app.services.ingest.lookup.identifier_import import EntryState, IdentifierImport
from sciread_app.sources import semantic_scholar
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task


class OnlineLookup:
    """Every method blocks and may be called from any thread."""

    def __init__(self, library: Library, citing: CitationFetcher, client: Client) -> None:
        self._library = library
        self._citing = citing
        self._client = client
        self._import = IdentifierImport(library, client)

    def ask(self, paper: PaperId, task: Task) -> CitationFetchReport:
        """Fetch the citations of this paper in both directions, and then their titles.

        Citations from PubMed are stored also if Semantic Scholar, which has the titles, fails.
        Raises Cancelled.
        """
        report = self._citing.fetch(task, [paper])
        try:
            for side in CitationDirection:
                self.look_up(paper, side, task)
        except SourceError as error:
            why = f"{error.message} {error.hint}".strip()
            report.remarks.append(tr("Titles could not be looked up: {why}", why=why))
        return report

    def look_up(self, paper: PaperId, side: CitationDirection, task: Task) -> int:
        """Fetch the titles of papers known by identifier alone; returns how many are known
        afterwards.

        Raises SourceError, Cancelled.
        """
        shown = citation_list(self._library, paper, side).nearby
        names = [one.name for one in shown if one.paper is None and one.mention is None]
        known = 0
        if names:
            for mentions in semantic_scholar.describe(names, self._client, task):
                titled = [mention for mention in mentions if mention.title]
                self._library.citations.store_mentions(titled)
                known += len(titled)
        return known

    def add(self, text: str, task: Task) -> PaperId:
        """The paper that an identifier, an address or a title names, which is added to the library
        if it is not there.

        Raises SourceError if no source has it, or several papers may be meant.
        """
        task.step(0, 1, tr("Looking up {name}", name=text))
        [(entry, added)] = list(self._import.add_all([text], task))
        if added:
            return added
        if entry.paper and entry.paper.id:
            return entry.paper.id
        titles = "; ".join(f"“{one.title}”" for one in entry.candidates)
        why = f"{entry.reason} {titles}".strip()
        hint = tr(
            "Open the paper's web page, download the PDF or citation file, and add that file."
        )
        if entry.state is EntryState.failed:
            hint = ""  # the reason says what to do
        raise SourceError(tr("“{text}” could not be added: {why}", text=text, why=why), hint)
