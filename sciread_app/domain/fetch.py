"""Queries to a source of papers, their result pages, and stored fetches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sciread_app.domain.metadata.paper_updates import PaperUpdate
from sciread_app.domain.paper import Paper, Skipped


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """A query to a source. `text` is in the source's own language.

    `since` and `until` are ISO dates, both inclusive, of when a paper first appeared there. `most`
    is the maximum number of papers; 0 means all. `changed_since`, an ISO time in UTC, limits the
    query to papers new or changed since then.
    """

    source: str
    text: str
    since: str = ""
    until: str = ""
    most: int = 0
    changed_since: str = ""


class FetchPage(NamedTuple):
    """One page of results."""

    records: Sequence[Paper | Skipped]
    cursor: str  # where to resume after this page, in any process
    total: int  # number of results of the query, as far as the source has reported; 0: unknown
    note: str = ""  # a sentence if the page was obtained by a fallback


class Preview(NamedTuple):
    """The number of results of a query, and the first few."""

    total: int  # 0 is none, -1 unknown
    papers: Sequence[Paper]  # the first few
    remark: str = ""  # a warning before fetching all of it


class QueryField(NamedTuple):
    """A field of a source's query language that a form can offer."""

    name: str  # "Author"
    pattern: str  # 'au:"{}"'
    example: str  # "Hinton, Geoffrey"


# The operators of most query languages that a form can offer.
BOOLEAN = ("AND", "OR")


class FetchState(StrEnum):
    unfinished = "unfinished"  # running, or interrupted: running it again resumes it
    failed = "failed"  # running it again resumes it
    done = "done"  # running it again fetches new papers


@dataclass(frozen=True, slots=True)
class Fetch:
    """A stored query that was fetched once, and can be resumed or refreshed.

    The counts are those of its last run, finished or not: read = added + merged + failed. Times are
    in seconds since 1970.
    """

    id: int
    query: SourceQuery
    state: FetchState
    message: str  # why it failed
    cursor: str
    total: int  # number of papers that the last run expects to read; 0: unknown
    last_import: int | None  # id of the import of the last run; None before the first
    read: int
    added: int
    merged: int
    failed: int
    started: float | None  # of the last run
    finished: float | None
    papers: int = 0  # added by all runs together


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of one run of a fetch."""

    fetch: Fetch
    news: Sequence[PaperUpdate]
    skips: Sequence[Skipped]
    remark: str = ""  # why there were no papers, or by which fallback they were obtained
