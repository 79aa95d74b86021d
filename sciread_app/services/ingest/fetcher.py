"""Fetching of the papers that match a query at a source, and later of new and changed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from sciread_app.domain.fetch import (
    Fetch,
    Fetched,
    FetchPage,
    FetchState,
    Preview,
    QueryField,
    SourceQuery,
)
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import BadQuery, Cancelled, SciReadError
from sciread_app.language import tr
from sciread_app.sources import SOURCES
from sciread_app.sources.http.client import Client
from sciread_app.storage.history.fetches import Step
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# Overlap of two runs: papers dated before a run may appear after it. Over a long weekend, arXiv
# announces on Tuesday what was submitted on Friday. Papers fetched twice are recognized.
_LATE = timedelta(days=7)


class PaperSource(Protocol):
    """A module of `sources` that papers can be fetched from."""

    KEY: str
    TITLE: str
    HELP: str

    @property
    def FIELDS(self) -> tuple[QueryField, ...]: ...

    @property
    def OPERATORS(self) -> tuple[str, ...]: ...

    def fetch(
        self, query: SourceQuery, cursor: str, client: Client, task: Task
    ) -> Iterator[FetchPage]: ...

    def preview(self, query: SourceQuery, client: Client, task: Task) -> Preview: ...

    def check(self, query: SourceQuery) -> str: ...

    def nothing_found_reason(self, now: datetime) -> str: ...


class Fetcher:
    """Runs fetches, each of which is stored with its position.

    A page and the new position are stored in one transaction, so that a fetch that was stopped,
    failed or was killed resumes with the next page: nothing is lost, and nothing counted twice.
    """

    def __init__(
        self, library: Library, client: Client, sources: Sequence[PaperSource] = SOURCES
    ) -> None:
        self._library = library
        self._client = client
        self._sources = {source.KEY: source for source in sources}

    @property
    def sources(self) -> Sequence[PaperSource]:
        return tuple(self._sources.values())

    def check(self, query: SourceQuery) -> str:
        """The error in a query, as a sentence; empty if there is none. Makes no request."""
        return self._source(query).check(query)

    def preview(self, query: SourceQuery, task: Task) -> Preview:
        return self._source(query).preview(query, self._client, task)

    def start(self, query: SourceQuery) -> Fetch:
        """The id of the fetch of this query, new or existing. Nothing is fetched yet.

        Raises BadQuery if the source does not support the query.
        """
        if problem := self._source(query).check(query):
            raise BadQuery(problem)
        return self._library.fetches.get(self._library.fetches.keep(query))

    def run(self, id: int, task: Task) -> Fetched:
        """Resume a fetch, or refresh a completed one with new and changed papers.

        Raises SourceError if the source fails, and Cancelled; papers so far are kept, and the next
        run resumes from there.
        """
        fetch = self._begun(id)
        try:
            note = self._bring(fetch, task)
        except Cancelled:
            raise
        except SciReadError as error:
            self._library.fetches.fail(id, f"{error} {error.hint}".strip())
            raise
        assert fetch.last_import is not None
        self._library.import_log.close(fetch.last_import)
        fetched = self.last(id)
        return replace(fetched, remark=" ".join(filter(None, (note, fetched.remark))))

    def last(self, id: int) -> Fetched:
        """The results of the last run of a fetch so far."""
        fetch, log = self._library.fetches.get(id), self._library.import_log
        if fetch.last_import is None:
            return Fetched(fetch, (), ())
        news = log.updates(fetch.last_import)
        quiet = fetch.state == FetchState.done and fetch.query.changed_since and not news
        remark = self._source(fetch.query).nothing_found_reason(datetime.now(UTC)) if quiet else ""
        return Fetched(fetch, news, log.failures(fetch.last_import), remark)

    def _begun(self, id: int) -> Fetch:
        """The fetch at its position, with an open import for its papers."""
        fetch, fetches = self._library.fetches.get(id), self._library.fetches
        self._source(fetch.query)
        if fetch.state == FetchState.done:
            assert fetch.started is not None
            since = datetime.fromtimestamp(fetch.started, UTC) - _LATE
            fetches.begin(id, changed_since=since.strftime("%Y-%m-%dT%H:%M:%SZ"))
        if fetch.last_import is None or fetch.state == FetchState.done:
            self._library.import_log.open(self._name(fetch.query), fetch=id)
        return self._library.fetches.get(id)

    def _bring(self, fetch: Fetch, task: Task) -> str:
        """Store page after page; returns the warnings of the source."""
        query, cursor, read, note = fetch.query, fetch.cursor, fetch.read, ""
        if query.most:
            query = replace(query, most=max(query.most - read, 1))
        task.step(read, fetch.total, tr("Querying {source}", source=self._shown(fetch.query)))
        pages = self._source(query).fetch(query, cursor, self._client, task)
        while not (fetch.query.most and read >= fetch.query.most):
            page = next(pages, None)
            if page is None:
                break
            records = page.records[: fetch.query.most - read if fetch.query.most else None]
            self._library.put(
                [record for record in records if isinstance(record, Paper)],
                import_id=fetch.last_import,
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

    def _source(self, query: SourceQuery) -> PaperSource:
        if query.source not in self._sources:
            known = ", ".join(self._sources)
            raise BadQuery(
                tr(
                    "Unknown source {source}. Available sources: {known}.",
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
        """The name of the import in the log, in English."""
        dates = " ".join(
            f"{word} {date}"
            for word, date in (("since", query.since), ("until", query.until))
            if date
        )
        return f"{self._source(query).TITLE}: {query.text} {dates}".strip()
