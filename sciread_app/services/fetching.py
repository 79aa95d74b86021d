"""Bringing in what a query finds at a source: whole, in pages, and later again what is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from sciread_app.domain.fetches import (
    Fetch,
    Fetched,
    Page,
    Preview,
    QueryField,
    SourceQuery,
    State,
)
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import BadQuery, Cancelled, SciReadError
from sciread_app.language import tr
from sciread_app.sources import SOURCES
from sciread_app.sources.http import Client
from sciread_app.storage.fetches import Step
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# What a source dates before this may appear there after we have looked: over a long weekend,
# arXiv announces on Tuesday what was sent in on Friday. What comes twice is recognised.
_LATE = timedelta(days=7)


class Source(Protocol):
    """A module of `sources`: a place that papers are fetched from."""

    KEY: str
    TITLE: str
    HELP: str

    @property
    def FIELDS(self) -> tuple[QueryField, ...]: ...

    def fetch(
        self, query: SourceQuery, cursor: str, client: Client, task: Task
    ) -> Iterator[Page]: ...

    def preview(self, query: SourceQuery, client: Client, task: Task) -> Preview: ...

    def check(self, query: SourceQuery) -> str: ...

    def why_nothing(self, now: datetime) -> str: ...


class Fetching:
    """Fetches, each of which is remembered with the place where it stands.

    A page and that place are stored in one transaction, so that a fetch that was stopped, failed
    or was killed goes on with the next page: nothing is lost, and nothing counted twice.
    """

    def __init__(
        self, library: Library, client: Client, sources: Sequence[Source] = SOURCES
    ) -> None:
        self._library = library
        self._client = client
        self._sources = {source.KEY: source for source in sources}

    @property
    def sources(self) -> Sequence[Source]:
        return tuple(self._sources.values())

    def check(self, query: SourceQuery) -> str:
        """What is wrong with a query, as a sentence; empty if nothing is. Asks nobody."""
        return self._source(query).check(query)

    def preview(self, query: SourceQuery, task: Task) -> Preview:
        return self._source(query).preview(query, self._client, task)

    def start(self, query: SourceQuery) -> Fetch:
        """The fetch of this query, new or known from before. Nothing is fetched yet.

        Raises BadQuery if the source cannot understand it.
        """
        if problem := self._source(query).check(query):
            raise BadQuery(problem)
        return self.get(self._library.fetches.keep(query))

    def get(self, id: int) -> Fetch:
        return self._library.fetches.get(id)

    def all(self) -> list[Fetch]:
        """The one that ran last comes first."""
        return self._library.fetches.all()

    def forget(self, id: int) -> None:
        """Drop a fetch; the papers it has brought stay."""
        self._library.fetches.forget(id)

    def run(self, id: int, task: Task) -> Fetched:
        """Go on with a fetch; one that was done brings what is new or has changed since.

        Raises SourceError when the source does not answer, and Cancelled; what came until then is
        kept, and the next run goes on from there.
        """
        fetch = self._begun(id)
        try:
            note = self._bring(fetch, task)
        except Cancelled:
            raise
        except SciReadError as error:
            self._library.fetches.fail(id, f"{error} {error.hint}".strip())
            raise
        assert fetch.ledger is not None
        self._library.ledger.close(fetch.ledger)
        fetched = self.last(id)
        return replace(fetched, remark=" ".join(filter(None, (note, fetched.remark))))

    def last(self, id: int) -> Fetched:
        """What the last run of a fetch has brought so far."""
        fetch, ledger = self.get(id), self._library.ledger
        if fetch.ledger is None:
            return Fetched(fetch, (), ())
        news = ledger.news(fetch.ledger)
        quiet = fetch.state == State.done and fetch.query.changed_since and not news
        remark = self._source(fetch.query).why_nothing(datetime.now(UTC)) if quiet else ""
        return Fetched(fetch, news, ledger.failures(fetch.ledger), remark)

    def _begun(self, id: int) -> Fetch:
        """The fetch at the place where it goes on, with an import that its papers belong to."""
        fetch, fetches = self.get(id), self._library.fetches
        self._source(fetch.query)
        if fetch.state == State.done:
            assert fetch.started is not None
            since = datetime.fromtimestamp(fetch.started, UTC) - _LATE
            fetches.begin(id, changed_since=since.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if fetch.ledger is None or fetch.state == State.done:
            self._library.ledger.open(self._name(fetch.query), fetch=id)
        return self.get(id)

    def _bring(self, fetch: Fetch, task: Task) -> str:
        """Store page after page; returns what the source had to say about the way they came."""
        query, cursor, read, note = fetch.query, fetch.cursor, fetch.read, ""
        if query.most:
            query = replace(query, most=max(query.most - read, 1))
        task.step(read, fetch.total, tr("Asking {source}", source=self._shown(fetch.query)))
        pages = self._source(query).fetch(query, cursor, self._client, task)
        while not (fetch.query.most and read >= fetch.query.most):
            page = next(pages, None)
            if page is None:
                break
            records = page.records[: fetch.query.most - read if fetch.query.most else None]
            self._library.put(
                [record for record in records if isinstance(record, Paper)],
                ledger=fetch.ledger,
                skips=[record for record in records if isinstance(record, Skipped)],
                step=Step(fetch.id, cursor, page.cursor, page.total),
            )
            cursor, read, note = page.cursor, read + len(records), page.note
            task.step(read, self._expected(fetch.query, page.total, read), note or tr("Fetching"))
        return note

    @staticmethod
    def _expected(query: SourceQuery, total: int, read: int) -> int:
        bounded = min(total, query.most) if query.most else total
        return max(bounded, read) if bounded else 0

    def _source(self, query: SourceQuery) -> Source:
        if query.source not in self._sources:
            known = ", ".join(self._sources)
            raise BadQuery(
                tr(
                    "There is no source {source}; there are {known}.",
                    source=query.source,
                    known=known,
                )
            )
        return self._sources[query.source]

    def _shown(self, query: SourceQuery) -> str:
        since = tr("since {day}", day=query.since) if query.since else ""
        until = tr("until {day}", day=query.until) if query.until else ""
        named = f"{self._source(query).TITLE}: {query.text}"
        return " ".join(filter(None, (named, since, until)))

    def _name(self, query: SourceQuery) -> str:
        """What the library calls it, in English."""
        dates = " ".join(
            f"{word} {date}"
            for word, date in (("since", query.since), ("until", query.until))
            if date
        )
        return f"{self._source(query).TITLE}: {query.text} {dates}".strip()
