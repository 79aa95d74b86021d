"""Asking the world about one paper: who cites it, what those are called, and the paper itself."""

from __future__ import annotations

from sciread_app.domain.fetches import SourceQuery
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.services.around import Side, ring
from sciread_app.services.citing import Citing, Report
from sciread_app.sources import arxiv, crossref, pubmed, semantic_scholar
from sciread_app.sources.http import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task


class Asking:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, library: Library, citing: Citing, client: Client) -> None:
        self._library = library
        self._citing = citing
        self._client = client

    def ask(self, paper: PaperId, task: Task) -> Report:
        """Ask who cites this paper and what it cites, and then what those are called."""
        report = self._citing.fetch(task, [paper])
        for side in Side:
            self.look_up(paper, side, task)
        return report

    def look_up(self, paper: PaperId, side: Side, task: Task) -> int:
        """Ask what the papers that are shown by name alone are called; returns how many are known
        then. Raises SourceError, Cancelled."""
        shown = ring(self._library, paper, side).nearby
        names = [one.name for one in shown if one.paper is None and one.mention is None]
        known = 0
        if names:
            for mentions in semantic_scholar.describe(names, self._client, task):
                titled = [mention for mention in mentions if mention.title]
                self._library.citations.put_mentions(titled)
                known += len(titled)
        return known

    def add(self, name: Identifier, task: Task) -> PaperId:
        """Fetch the paper with this name and put it into the library, as an import of its own.

        Raises SourceError if nobody has it.
        """
        task.step(0, 1, tr("Asking for {name}", name=f"{name.kind}:{name.value}"))
        paper = _fetch(name, self._client, task)
        ledger = self._library.ledger
        number = ledger.open(f"{name.kind}:{name.value}")
        stored = self._library.put([paper], ledger=number)
        ledger.close(number)
        return stored.ids[0]


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
            tr("Nobody we ask has the paper {name}.", name=f"{name.kind}:{name.value}"),
            tr("Open its page, and add what you find there."),
        )
    return paper
