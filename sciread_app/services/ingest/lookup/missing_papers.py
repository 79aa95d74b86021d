"""The papers that the library cites most and does not have."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.citations import MissingPaper
from sciread_app.domain.paper import Identifier, PaperId, Skipped
from sciread_app.language import tr
from sciread_app.services.ingest.lookup.identifier_import import IdentifierImport
from sciread_app.sources import semantic_scholar
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

SHOWN = 12
LEAST = 2  # a paper that only one other cites says more about that one


class MissingPapers:
    """Every method blocks and may be called from any thread."""

    def __init__(self, library: Library, client: Client, identifiers: IdentifierImport) -> None:
        self._library = library
        self._client = client
        self._identifiers = identifiers

    def most_cited(self, most: int = SHOWN) -> list[MissingPaper]:
        """The papers that most papers of the library cite, by the citations fetched so far; makes
        no request."""
        found = self._library.citations.missing(most, LEAST)
        mentions = self._library.citations.mentions(name for name, _ in found)
        return [MissingPaper(name, citing, mentions.get(name)) for name, citing in found]

    def look_up_titles(self, task: Task, most: int = SHOWN) -> list[MissingPaper]:
        """The same papers, after requesting the titles that are not known yet.

        Raises SourceError, Cancelled.
        """
        names = [one.name for one in self.most_cited(most) if one.mention is None]
        for mentions in semantic_scholar.describe(names, self._client, task) if names else ():
            self._library.citations.store_mentions(one for one in mentions if one.title)
        return self.most_cited(most)

    def add(self, names: Sequence[Identifier], task: Task) -> tuple[list[PaperId], list[Skipped]]:
        """Look these papers up and add them. Returns the added ones, and those that were not found.

        Raises Cancelled; papers added so far are kept.
        """
        task.step(0, len(names), tr("Looking up papers"))
        added, failed = [], []
        for entry, paper in self._identifiers.add_all([f"{k}:{v}" for k, v in names], task):
            if paper is not None:
                added.append(paper)
            elif entry.reason:
                failed.append(Skipped("", entry.text, entry.reason))
        return added, failed
