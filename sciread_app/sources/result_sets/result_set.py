"""Reading of whole result sets that a service returns page by page.

A page that is missing or repeated cannot be recognized by itself, since cursors are opaque. So a
large result set is read in slices by date, of which two halves must have as many papers as the
whole, and each slice must contain as many papers as the service counts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple, Protocol

from sciread_app.domain.fetch import FetchPage, Preview
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.sources.progress_guard import MOST_IN_VAIN, ProgressGuard

_SHOWN = 10  # papers of a preview
# An answer that cannot be right is used if the service insists on it, so that a single inconsistent
# record cannot stop a fetch forever.
_INSISTS = MOST_IN_VAIN - 1


class DateSlice(NamedTuple):
    """The papers with a date in this range, in days or seconds; both bounds are inclusive."""

    low: int
    high: int

    def halves(self) -> tuple[DateSlice, DateSlice]:
        """The older half and the newer one."""
        middle = (self.low + self.high) // 2
        return DateSlice(self.low, middle), DateSlice(middle + 1, self.high)


class ResultPage(NamedTuple):
    """One response of a service."""

    total: int  # papers in the slice
    names: Sequence[str]  # of the records, at the service
    records: Sequence[Paper | Skipped]
    dates: Sequence[int]  # of the records, in the unit of the slices; 0: unknown
    following: str  # token of the next page; empty if this is the last one


class ResultSet(Protocol):
    """The results of one query."""

    title: str  # of the source
    page: int  # maximum number of records in a response
    reach: int  # maximum size of a slice
    ranked: int  # maximum number of papers that can be read in order of relevance; 0: no limit
    dates: DateSlice  # contains the dates of all papers

    def ask(self, part: DateSlice | None, token: str, size: int, *, keep: bool) -> ResultPage:
        """A page of `size` papers of a slice, or of the whole set in order of relevance.

        `token` is that of the page before, empty for the first page. With `keep`, the response may
        be one of the same day.
        """


Todo = tuple[DateSlice | None, int]  # None: the whole set. The number of papers; -1 if unknown


@dataclass(frozen=True, slots=True)
class _ResultSetCursor:
    """The position of a fetch."""

    todo: tuple[Todo, ...] = ((None, -1),)  # the last one is read now
    token: str = ""
    read: int = 0  # records of the current slice received so far,
    came: int = 0  # different ones,
    pages: tuple[int, ...] = ()  # and a hash of each page
    total: int = 0  # of the whole set
    again: bool = False  # the slice is read a second time

    def cursor(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def of(cls, cursor: str, source: str) -> _ResultSetCursor:
        """The position stored as `cursor`, or the beginning if that is empty. Raises SourceError if
        it cannot be read; `source` is the title for the message."""
        if not cursor:
            return cls()
        try:
            values = json.loads(cursor)
            todo = tuple((part and DateSlice(*part), int(size)) for part, size in values["todo"])
            return cls(**(values | {"todo": todo, "pages": tuple(values["pages"])}))
        except (ValueError, TypeError, KeyError) as error:
            raise SourceError(
                tr("The saved position of this {source} fetch could not be read.", source=source),
                tr("Start the fetch again from the beginning."),
            ) from error

    @property
    def part(self) -> DateSlice | None:
        return self.todo[-1][0]

    @property
    def size(self) -> int:
        return self.todo[-1][1]

    def sized(self, size: int) -> _ResultSetCursor:
        total = size if self.part is None else self.total
        return replace(self, todo=(*self.todo[:-1], (self.part, size)), total=total)

    def with_slices(self, *slices: Todo) -> _ResultSetCursor:
        """Replace the current slice by these."""
        return _ResultSetCursor(todo=(*self.todo[:-1], *slices), total=self.total)


def fetch(results: ResultSet, cursor: str, most: int) -> Iterator[FetchPage]:
    """All papers; or at most `most`, if that is not 0, in order of relevance as far as possible.

    Each paper is given once in a run. Raises SourceError if the service contradicts itself.
    """
    return _ResultSetFetch(results, _ResultSetCursor.of(cursor, results.title), most).pages()


def preview(results: ResultSet, remark: Callable[[int], str]) -> Preview:
    """The number of papers, the first few, and the remark on that number."""
    page = results.ask(None, "", _SHOWN, keep=True)
    papers = [record for record in page.records if isinstance(record, Paper)]
    return Preview(page.total, papers, remark(page.total))


class _ResultSetFetch:
    def __init__(self, results: ResultSet, place: _ResultSetCursor, most: int) -> None:
        self._results = results
        self._place = place
        self._limited = most > 0
        self._left = most
        # Whether the papers are read in order of relevance, until there are enough.
        self._ranked = self._limited and (not results.ranked or most <= results.ranked)
        self._given: set[str] = set()  # in this run
        self._came: set[str] = set()  # of the current slice, in this run
        self._guard = ProgressGuard(results.title)
        self._impossible: Hashable = None  # the last impossible answer,
        self._alike = 0  # and how often it came in a row

    def pages(self) -> Iterator[FetchPage]:
        """Read slice after slice. Each page has the position after it, from which a later run
        continues."""
        while self._place.todo and (self._left > 0 or not self._limited):
            if self._place.size < 0 and not self._ranked:
                self._place = self._place.sized(self._count(self._place.part))
            if self._is_too_large():
                self._split()
                continue
            number = min(self._results.page, self._left) if self._limited else self._results.page
            page = self._next(number)
            if page is not None:
                records = self._pass(page, number)
                self._left -= len(records)
                yield FetchPage(records, self._place.cursor(), self._place.total)

    # ---- one page -------------------------------------------------------------------------------

    def _next(self, number: int) -> ResultPage | None:
        """The next page, of `number` papers; None if it must be requested again."""
        place = self._place
        self._guard.ask()
        try:
            page = self._results.ask(place.part, place.token, number, keep=False)
        except RequestRejected:
            if not place.token or self._given:
                raise
            # The token of an earlier run has expired. The slice is read again: repeated papers are
            # recognized, skipped ones would be lost.
            self._place = replace(place, token="", read=0, came=0, pages=())
            return None
        answer = (page.total, *page.names, page.following)
        believed = self._guard.believes(answer, self._doubt(page, number))
        if self._is_impossible(page):
            self._alike = self._alike + 1 if answer == self._impossible else 1
            self._impossible = answer
            believed = self._alike >= _INSISTS and not self._is_repeated(page)
        elif not self._ranked and not place.token and page.total != place.size:
            # Either number may be wrong: the next two answers must agree.
            self._place = place.sized(self._count(place.part))
            believed = False
        if not believed:
            return None
        self._place = place.sized(page.total)
        return page

    def _is_impossible(self, page: ResultPage) -> bool:
        """Whether a page cannot be right, or would end a slice of one page too early."""
        place, count = self._place, len(page.names)
        short = not page.following and not place.token and count < page.total
        return (
            short
            or count > page.total
            or self._is_repeated(page)
            or _is_elsewhere(place.part, page)
        )

    def _is_repeated(self, page: ResultPage) -> bool:
        earlier = self._came.issuperset(page.names) or _hash(page) in self._place.pages
        return bool(page.names) and earlier

    def _doubt(self, page: ResultPage, number: int) -> str:
        """The reason to doubt a page; empty if it is consistent."""
        place, part, count = self._place, self._place.part, len(page.names)
        source = self._results.title
        if place.read + count > page.total:
            return tr("{source} reports fewer papers than it has sent", source=source)
        if (place.token or not self._ranked) and page.total != place.size:
            return tr("{source} reports a different number of papers than before", source=source)
        if count > number or count < min(number, page.total - place.read):
            return tr("the page does not have the expected number of papers")
        if part and any(date and not part.low <= date <= part.high for date in page.dates):
            return tr("the page has papers of other dates than requested")
        if self._is_repeated(page):
            return tr("{source} repeated an earlier page", source=source)
        if not page.following and place.read + count < page.total:
            return tr("the results end too early")
        return ""

    def _pass(self, page: ResultPage, number: int) -> list[Paper | Skipped]:
        """Advance past a page; returns its records that are new in this run."""
        place, before = self._place, len(self._came)
        fresh = []
        for name, record in zip(page.names, page.records, strict=True):
            if name not in self._given:
                fresh.append(record)
            self._given.add(name)
            self._came.add(name)
        new = len(self._came) - before
        if new:
            self._guard.moved()
        read, came = place.read + len(page.names), place.came + new
        ended = not page.following or (len(page.names) < number and read >= page.total)
        if not ended:
            pages = (*place.pages, _hash(page))
            self._place = replace(place, token=page.following, read=read, came=came, pages=pages)
        elif came < page.total and place.pages and not self._limited and not place.again:
            self._split()
        else:
            self._next_slice(place.with_slices())
        return fresh

    # ---- slices ---------------------------------------------------------------------------------

    def _is_too_large(self) -> bool:
        place = self._place
        if self._ranked or place.token:
            return False
        return place.size > self._results.reach and (
            place.part is None or not _is_point(place.part)
        )

    def _count(self, part: DateSlice | None) -> int:
        """The number of papers in a slice."""
        for _ in range(_INSISTS):
            page = self._results.ask(part, "", 1, keep=False)
            if len(page.names) <= page.total and not _is_elsewhere(part, page):
                break
        return page.total

    def _split(self) -> None:
        """Read the current slice in halves, or again if it cannot be halved.

        After a slice that has fewer papers than the service counts, only those halves and quarters
        that are incomplete as well are read once more.
        """
        place, part = self._place, self._place.part or self._results.dates
        if _is_point(part):
            self._next_slice(replace(place.with_slices((part, place.size)), again=True))
            return
        whole, sizes = place.size, [-1]
        while abs(whole - sum(sizes)) > whole // 100:  # it may change while it is counted
            self._guard.ask()
            if sizes != [-1]:
                whole = self._count(place.part)
            sizes = [self._count(half) for half in part.halves()]
            self._guard.believes((whole, *sizes), tr("its counts contradict each other"))
        halves = zip(part.halves(), sizes, strict=True)
        self._next_slice(place.sized(whole).with_slices(*(half for half in halves if half[1])))

    def _next_slice(self, place: _ResultSetCursor) -> None:
        self._place = place
        self._came.clear()
        self._guard.moved()


def _is_point(part: DateSlice) -> bool:
    return part.low >= part.high


def _is_elsewhere(part: DateSlice | None, page: ResultPage) -> bool:
    """Whether a page has only papers that are not of this slice."""
    dates = [date for date in page.dates if date]
    if part is None or not dates:
        return False
    return not any(part.low <= date <= part.high for date in dates)


def _hash(page: ResultPage) -> int:
    return zlib.crc32(" ".join(sorted(page.names)).encode())
