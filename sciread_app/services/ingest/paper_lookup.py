"""Online lookup of one paper: its citations, their titles, and the paper itself."""

from __future__ import annotations

from sciread_app.domain.citations import CitationDirection
from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.identifiers import identifier
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.services.ingest.citation_fetcher import CitationFetcher, CitationFetchReport
from sciread_app.services.ingest.citation_links import citation_list
from sciread_app.sources import crossref, semantic_scholar
from sciread_app.sources.arxiv import api as arxiv
from sciread_app.sources.http.client import Client
from sciread_app.sources.pubmed import fetch as pubmed
from sciread_app.storage.library import Library
from sciread_app.tasks import Task


class OnlineLookup:
    """Every method blocks and may be called from any thread."""

    def __init__(self, library: Library, citing: CitationFetcher, client: Client) -> None:
        self._library = library
        self._citing = citing
        self._client = client

    def ask(self, paper: PaperId, task: Task) -> CitationFetchReport:
        """Fetch the citations of this paper in both directions, and then their titles."""
        report = self._citing.fetch(task, [paper])
        for side in CitationDirection:
            self.look_up(paper, side, task)
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

    def add(self, name: Identifier, task: Task) -> PaperId:
        """Fetch the paper with this identifier and add it to the library, as an import of its own.

        Raises SourceError if no source has it.
        """
        task.step(0, 1, tr("Looking up {name}", name=f"{name.kind}:{name.value}"))
        paper = _fetch(name, self._client, task)
        ledger = self._library.import_log
        number = ledger.open(f"{name.kind}:{name.value}")
        stored = self._library.put([paper], import_id=number)
        ledger.close(number)
        return stored.ids[0]

    def add_title(self, title: str, task: Task) -> PaperId:
        """Fetch the paper with exactly this title and add it to the library.

        Raises SourceError if Crossref has no paper of this title.
        """
        task.step(0, 1, tr("Looking up {name}", name=title))
        doi = crossref.doi_of(title, self._client, task)
        return self.add(identifier("doi", doi) or Identifier("doi", doi), task)


def _fetch(name: Identifier, client: Client, task: Task) -> Paper:
    if name.kind == "doi":
        return crossref.work(name.value, client, task)
    if name.kind == "arxiv":
        found = arxiv.preview(SourceQuery(arxiv.KEY, name.value), client, task)
    else:
        field = "[uid]" if name.kind == "pmid" else ""
        found = pubmed.preview(SourceQuery(pubmed.KEY, name.value + field), client, task)
    paper = next((one for one in found.papers if name in one.identifiers), None)
    if paper is None:
        raise SourceError(
            tr("No online source lists the paper {name}.", name=f"{name.kind}:{name.value}"),
            tr("Open the paper's web page, download the PDF or citation file, and add that file."),
        )
    return paper
