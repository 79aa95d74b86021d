"""A fake of the intake page's services: sources, fetches and imports without a network."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sciread_app.domain.citations import Mention, MissingPaper
from sciread_app.domain.fetch import Fetch, FetchState, Preview, QueryField, SourceQuery
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Identifier, Paper, PaperId, Skipped
from sciread_app.errors import SourceError
from sciread_app.services.ingest.lookup.identifier_import import Entry, EntryState, split_texts
from sciread_app.storage.history.import_log import Import
from sciread_app.tasks import Task
from sciread_app.ui.view_models import (
    Change,
    CitationReport,
    FetchResults,
    ImportSummary,
    SourceForm,
)
from tests.support.generate.papers import paper

ARXIV = SourceForm(
    "arxiv",
    "arXiv",
    'Words in fields, joined by AND, OR and ANDNOT: cat:cs.CL AND ti:"language model".',
    (
        QueryField("Author", 'au:"{}"', "Hinton"),
        QueryField("Title", 'ti:"{}"', "attention"),
        QueryField("Abstract", 'abs:"{}"', "graph network"),
        QueryField("Category", "cat:{}", "cs.CL"),
        QueryField("Comment", 'co:"{}"', "withdrawn"),
        QueryField("Journal", 'jr:"{}"', "Nature"),
        QueryField("Anywhere", 'all:"{}"', "transformer"),
    ),
)
HARVEST = SourceForm(
    "arxiv_oai",
    "arXiv harvest",
    "Whole subjects of arXiv, for many thousands of papers: cs, or physics:hep-ex.",
    (QueryField("Subject", "{}", "cs"),),
    (),
)
PUBMED = SourceForm(
    "pubmed",
    "PubMed",
    "As on the PubMed site: malaria[mh] AND vaccine[tiab] NOT review[pt].",
    (
        QueryField("Title or abstract", "{}[tiab]", "vaccine"),
        QueryField("MeSH term", '"{}"[mh]', "malaria"),
        QueryField("Author", "{}[au]", "Doudna JA"),
        QueryField("Journal", '"{}"[ta]', "Nature"),
        QueryField("Type", "{}[pt]", "review"),
    ),
)
DONE_AT = 1_795_200_000.0


class FakeAddPapers:
    """Record the calls in `asked`; runs, previews and citations wait until `go_on` is set."""

    def __init__(self, fetches: Sequence[Fetch] = ()) -> None:
        self.rows = {fetch.id: fetch for fetch in fetches}
        self.calls: list[str] = []
        self.own_library: Path | None = None
        self.go_on = threading.Event()
        self.go_on.set()
        self.note = ""  # shown while a run waits
        self.at_once: list[str] = []
        self.most_at_once = 0
        self.trouble: Exception | None = None
        self.news: tuple[Change, ...] = ()
        self.remark = ""
        self.failures: tuple[Skipped, ...] = ()
        self.brings = 40
        self.preview_of = Preview(12_345, tuple(paper(f"Found {n}") for n in range(10)))
        self.past: list[Import] = []
        self.entries: dict[str, Entry] = {}  # by text; others are found
        self.looked_up: list[str] = []
        self.added: list[Paper] = []
        self.cited: Sequence[MissingPaper] = ()

    def sources(self) -> Sequence[SourceForm]:
        return (ARXIV, HARVEST, PUBMED)

    def check(self, query: SourceQuery) -> str:
        self.calls.append(f"check {query.text}")
        if query.text.count('"') % 2:
            return "A quotation mark is never closed."
        return "" if query.text else "The query is empty: write what to look for."

    def preview(self, query: SourceQuery, task: Task) -> Preview:
        self.calls.append(f"preview {query.text}")
        self._work(task, 0, 0)
        if self.trouble:
            raise self.trouble
        return self.preview_of

    def keep(self, query: SourceQuery) -> Fetch:
        for row in self.rows.values():
            if row.query == query:
                return row
        id = len(self.rows) + 1
        self.rows[id] = fetch_of(query, id=id)
        return self.rows[id]

    def run(self, fetch: int, task: Task) -> FetchResults:
        row = self.rows[fetch]
        self.calls.append(f"run {row.query.text}")
        self.at_once.append(row.query.source)
        self.most_at_once = max(self.most_at_once, self.at_once.count(row.query.source))
        try:
            self._work(task, 10, self.brings)
        finally:
            self.at_once.remove(row.query.source)
            now = time.time()
            stopped = replace(row, started=now, read=10, added=10, papers=10, total=self.brings)
            self.rows[fetch] = stopped
        if self.trouble:
            self.rows[fetch] = replace(stopped, state=FetchState.failed, message=str(self.trouble))
            raise self.trouble
        self.rows[fetch] = replace(
            row, state=FetchState.done, read=self.brings, added=self.brings - 1, merged=1,
            papers=self.brings - 1, started=now, finished=now, total=self.brings, last_import=1,
        )  # fmt: skip
        return self.results(fetch)

    def fetches(self) -> list[Fetch]:
        return sorted(self.rows.values(), key=lambda row: -(row.started or 0))

    def results(self, fetch: int) -> FetchResults:
        row = self.rows[fetch]
        added = tuple(PaperId(n) for n in range(1, row.added + 1))
        summary = ImportSummary(row.read, row.added, row.merged, self.failures)
        return FetchResults(f"arXiv: {row.query.text}", summary, added, self.news, self.remark)

    def find_papers(self, text: str, task: Task) -> list[Entry]:
        self.looked_up.append(text)
        self._work(task, 0, 1)
        if self.trouble:
            raise self.trouble
        return [self.entries.get(line) or _found(line) for line in split_texts(text)]

    def add_found(self, papers: Sequence[Paper], name: str) -> list[PaperId]:
        self.added += papers
        return [PaperId(1 + n) for n in range(len(papers))]

    def cite(self, task: Task) -> CitationReport:
        self.calls.append("cite")
        self._work(task, 5, 20)
        if self.trouble:
            raise self.trouble
        return CitationReport(("20 papers were asked for.", "900 citations are new."))

    def missing(self, task: Task) -> Sequence[MissingPaper]:
        return self.cited

    def look_up_missing(self, task: Task) -> Sequence[MissingPaper]:
        self.calls.append("titles")
        if self.trouble:
            raise self.trouble
        named = ((one, Mention(one.name, f"Title of {one.name.value}")) for one in self.cited)
        self.cited = [one._replace(mention=mention) for one, mention in named]
        return self.cited

    def add_missing(self, names: Sequence[Identifier], task: Task) -> ImportSummary:
        self.calls.append(f"add {' '.join(name.value for name in names)}")
        self.cited = [one for one in self.cited if one.name not in names]
        return ImportSummary(len(names), len(names), 0, self.failures)

    def imports(self) -> list[Import]:
        return self.past

    def import_summary(self, past: Import) -> ImportSummary:
        papers = tuple(PaperId(n) for n in range(1, past.added + 1))
        return ImportSummary(past.read, past.added, past.merged, self.failures, papers=papers)

    def _work(self, task: Task, done: int, total: int) -> None:
        task.step(done, total, self.note)
        while not self.go_on.wait(0.01):
            task.step(done, total, self.note)


def _found(text: str) -> Entry:
    return Entry(text, EntryState.found, paper(f"Paper {text}", doi="10.1000/found"))


def fetch_of(query: SourceQuery, *, id: int = 1, **values: object) -> Fetch:
    """Return a fetch that has not started, with these values."""
    row: dict[str, object] = {
        "state": FetchState.unfinished, "message": "", "cursor": "", "total": 0,
        "last_import": None,
        "read": 0, "added": 0, "merged": 0, "failed": 0, "started": None, "finished": None,
    }  # fmt: skip
    return Fetch(id=id, query=query, **(row | values))  # type: ignore[arg-type]


def done(text: str, *, id: int = 1, source: str = "arxiv", **values: object) -> Fetch:
    """Return a fetch that read a thousand papers."""
    counts: dict[str, object] = {
        "state": FetchState.done, "last_import": id,
        "read": 1000, "added": 990, "merged": 8, "failed": 2,
        "started": DONE_AT, "finished": DONE_AT, "papers": 990, "total": 1000,
    }  # fmt: skip
    return fetch_of(SourceQuery(source, text), id=id, **(counts | values))


BUSY = SourceError("arXiv does not answer: it says 503 Service Unavailable.", "Try again later.")
CHANGES = (
    Change(PaperId(3), "Attention Is Not All You Need", UpdateKind.version, "v3"),
    Change(PaperId(5), "On the Flight of Bees", UpdateKind.published, "in Nature, doi 10.1000/5"),
    Change(PaperId(7), "Cells That Never Were", UpdateKind.retracted, "PubMed 31978945"),
)
