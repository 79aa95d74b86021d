"""Fetches resume where they stopped and count nothing twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from sciread_app.domain.fetch import FetchPage, FetchState, Preview, SourceQuery
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Skipped
from sciread_app.errors import BadQuery, Cancelled, LibraryError, SourceError
from sciread_app.services.ingest.fetcher import Fetcher
from sciread_app.tasks import Task
from tests.support.generate.papers import paper

ALL = SourceQuery("shelf", "everything")


def numbered_paper(number, **values):
    values = {"source": "shelf", "source_id": str(number), "pmid": str(number)} | values
    return paper(f"Paper number {number} about bees", **values)


@dataclass
class Shelf:
    """A source with papers in pages of ten; `break_at` makes one page unreadable once."""

    papers: list = field(default_factory=lambda: [numbered_paper(n) for n in range(1, 36)])
    break_at: int = -1
    calls: list = field(default_factory=list)
    note: str = ""
    KEY: str = "shelf"
    TITLE: str = "The shelf"

    def fetch(self, query, cursor, client, task):
        self.calls.append((cursor, query))
        for start in range(int(cursor or 0), len(self.papers), 10):
            task.raise_if_cancelled()
            if start == self.break_at:
                self.break_at = -1
                raise SourceError("The shelf does not answer: it fell.", "Put it up again.")
            records = self.papers[start : start + 10]
            yield FetchPage(records, str(start + 10), len(self.papers), self.note)

    def preview(self, query, client, task):
        return Preview(len(self.papers), self.papers[:3])

    def check(self, query):
        return "This is not a word." if query.text == "?" else ""

    def nothing_found_reason(self, now):
        return "The shelf is closed on Sundays."


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def fetching(library, shelf):
    return Fetcher(library, None, [shelf])


def counts(fetch):
    return fetch.read, fetch.added, fetch.merged, fetch.failed


def test_fetch_stores_whole_result_set(fetching, library):
    done = fetching.run(fetching.start(ALL).id, Task())
    assert done.fetch.state == FetchState.done
    assert counts(done.fetch) == (35, 35, 0, 0) and library.count() == 35
    assert done.fetch.papers == 35 and {one.what for one in done.news} == {UpdateKind.added}


def test_failed_fetch_gives_reason_and_resumes_at_failed_page(fetching, shelf, library):
    shelf.break_at = 20
    id = fetching.start(ALL).id
    with pytest.raises(SourceError):
        fetching.run(id, Task())
    failed = library.fetches.get(id)
    assert failed.state == FetchState.failed and "fell" in failed.message
    assert library.count() == 20
    done = fetching.run(id, Task())
    assert [cursor for cursor, _ in shelf.calls] == ["", "20"]
    assert counts(done.fetch) == (35, 35, 0, 0) and done.fetch.message == ""


def test_cancelled_fetch_resumes_in_another_process(fetching, library, shelf):
    id = fetching.start(ALL).id
    task = Task(lambda done, total, note: done >= 10 and task.cancel())
    with pytest.raises(Cancelled):
        fetching.run(id, task)
    stopped = library.fetches.get(id)
    assert stopped.state == FetchState.unfinished and stopped.read in (10, 20)
    later = Fetcher(library, None, [shelf])
    assert later.start(ALL).id == id
    assert counts(later.run(id, Task()).fetch) == (35, 35, 0, 0)
    assert len(library.import_log.imports()) == 1


def test_page_is_counted_once_when_two_processes_run_a_fetch(fetching, library, shelf):
    id = fetching.start(ALL).id
    other = Fetcher(library, None, [replace(shelf)])
    started = []

    def meanwhile(done, total, note):
        if not started and done == 10:
            started.append(True)
            other.run(id, Task())

    with pytest.raises(LibraryError, match="already running"):
        fetching.run(id, Task(meanwhile))
    assert library.count() == 35
    assert counts(library.import_log.imports()[0])[0] == 35


def test_fetch_stops_at_requested_number_of_papers(fetching, library):
    asked = replace(ALL, most=13)
    assert counts(fetching.run(fetching.start(asked).id, Task()).fetch) == (13, 13, 0, 0)
    assert library.count() == 13


def test_repeated_fetch_requests_changes_and_reports_updates(fetching, shelf, library):
    id = fetching.run(fetching.start(ALL).id, Task()).fetch.id
    before = shelf.papers[1]
    shelf.papers = [
        numbered_paper(99),
        replace(before, extra={"publication_types": "Retracted Publication"}),
    ]
    again = fetching.run(id, Task())
    cursor, query = shelf.calls[-1]
    assert cursor == "" and query.changed_since < datetime.now(UTC).isoformat()
    assert counts(again.fetch) == (2, 1, 1, 0) and again.fetch.papers == 36
    assert {(one.what, library.get([one.paper])[0].source_id) for one in again.news} == {
        (UpdateKind.added, "99"),
        (UpdateKind.retracted, "2"),
    }


def test_new_version_and_journal_article_are_updates(fetching, shelf, library):
    arxiv = {"source": "arxiv", "source_id": "2101.00001", "arxiv": "2101.00001"}
    first = paper("The honey of bees", authors="Maeterlinck, M.", extra={"version": "1"}, **arxiv)
    shelf.papers = [first]
    id = fetching.run(fetching.start(ALL).id, Task()).fetch.id
    second = replace(
        first, venue="Nature", extra={"version": "2", "journal_ref": "Nature 1, 2 (2022)"}
    )
    article = paper(
        "The honey of bees",
        authors="Maeterlinck, M.",
        kind="article-journal",
        venue="Nature",
        pmid="77",
    )
    shelf.papers = [second, article]
    output = {(one.paper, one.what, one.detail) for one in fetching.run(id, Task()).news}
    assert (1, UpdateKind.version, "v2") in output
    assert (1, UpdateKind.published, "in Nature 1, 2 (2022)") in output
    assert (2, UpdateKind.added, "") in output


def test_empty_repeated_fetch_has_a_reason(fetching, shelf):
    id = fetching.run(fetching.start(ALL).id, Task()).fetch.id
    again = fetching.run(id, Task())
    assert not again.news and again.remark == "The shelf is closed on Sundays."


def test_fallback_of_source_is_shown_in_progress_and_remark(fetching, shelf):
    shelf.note = "The shelf is full; the cellar is asked instead."
    messages = []
    done = fetching.run(
        fetching.start(ALL).id, Task(lambda done, total, note: messages.append(note))
    )
    assert done.remark == shelf.note and shelf.note in messages


def test_broken_records_are_logged_and_others_stored(fetching, shelf):
    shelf.papers[3] = Skipped("The shelf", "4", "It has no title.")
    done = fetching.run(fetching.start(ALL).id, Task())
    assert counts(done.fetch) == (35, 34, 0, 1)
    assert [skip.entry for skip in done.skips] == ["4"]


def test_invalid_query_is_refused_before_it_is_stored(fetching, library):
    with pytest.raises(BadQuery, match="not a word"):
        fetching.start(replace(ALL, text="?"))
    with pytest.raises(BadQuery, match="Unknown source"):
        fetching.start(replace(ALL, source="cellar"))
    assert library.fetches.all() == []


def test_forgotten_fetch_keeps_its_papers_and_log(fetching, library):
    id = fetching.run(fetching.start(ALL).id, Task()).fetch.id
    library.fetches.forget(id)
    assert library.fetches.all() == [] and library.count() == 35
    assert library.import_log.imports()[0].read == 35
