"""What is asked of a source of papers, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sciread_app.domain.news import News
from sciread_app.domain.paper import Paper, Skipped


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """What to fetch from a source. `text` is in the source's own language.

    `since` and `until` are ISO dates, both inclusive, of when a paper first appeared there.
    `most` bounds the number of papers; 0 means all. `changed_since`, an ISO time in UTC, asks only
    for what is new or has changed since then.
    """

    source: str
    text: str
    since: str = ""
    until: str = ""
    most: int = 0
    changed_since: str = ""


class Page(NamedTuple):
    """One answer of many."""

    records: Sequence[Paper | Skipped]
    cursor: str  # what the source must be told to go on after this page, in whichever process
    total: int  # how many papers the query finds, as far as the source has said; 0: unknown
    note: str = ""  # a sentence, where it came by another way than it should


class Preview(NamedTuple):
    """What a query would bring."""

    total: int  # 0 is none, -1 unknown
    papers: Sequence[Paper]  # the first few
    remark: str = ""  # what somebody should know before fetching all of it


class QueryField(NamedTuple):
    """A part of a source's language that a form can offer."""

    name: str  # "Author"
    pattern: str  # 'au:"{}"'
    example: str  # "Hinton, Geoffrey"


class State(StrEnum):
    unfinished = "unfinished"  # going on just now, or stopped or cut off: running it goes on
    failed = "failed"  # running it goes on
    done = "done"  # running it brings what is new


@dataclass(frozen=True, slots=True)
class Fetch:
    """A query that was fetched once, and can be gone on with or refreshed.

    The counts are those of its last run, finished or not: read = added + merged + failed. Times
    are seconds since 1970.
    """

    id: int
    query: SourceQuery
    state: State
    message: str  # why it failed
    cursor: str
    total: int  # what the last run expects to read; 0: unknown
    ledger: int | None  # the import that the last run is; None before the first
    read: int
    added: int
    merged: int
    failed: int
    started: float | None  # the last run
    finished: float | None
    papers: int = 0  # that all runs together have brought


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one run of a fetch has brought."""

    fetch: Fetch
    news: Sequence[News]
    skips: Sequence[Skipped]
    remark: str = ""  # why there was nothing, or by which other way it came
