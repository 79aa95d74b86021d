"""Fetches from arXiv's query API: all results of a query, 2,000 papers per request, oldest
first."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from typing import Any

from sciread_app.domain.fetch import BOOLEAN, FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.metadata.identifiers import arxiv_id
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import Busy, SourceError
from sciread_app.formats.arxiv import atom
from sciread_app.formats.arxiv.atom import AtomEntry, AtomFeed
from sciread_app.language import tr, trn
from sciread_app.sources import date_bounds
from sciread_app.sources.arxiv import oai as arxiv_oai
from sciread_app.sources.arxiv import query as arxiv_query
from sciread_app.sources.arxiv import submission_dates
from sciread_app.sources.arxiv.oai import HarvestCursor
from sciread_app.sources.arxiv.sets import sets_of
from sciread_app.sources.http.client import Client
from sciread_app.sources.progress_guard import ProgressGuard
from sciread_app.tasks import Task

KEY = "arxiv"
TITLE = "arXiv"
FIELDS = (
    QueryField(tr("All fields"), 'all:"{}"', "sparse attention"),
    QueryField(tr("Title"), 'ti:"{}"', "attention is all you need"),
    QueryField(tr("Author"), 'au:"{}"', "Geoffrey Hinton"),
    QueryField(tr("Abstract"), 'abs:"{}"', "contrastive learning"),
    QueryField(tr("Category"), "cat:{}", "cs.CL"),
    QueryField(tr("Comment"), 'co:"{}"', "NeurIPS 2024"),
    QueryField(tr("Journal"), 'jr:"{}"', "Phys. Rev. D"),
)
OPERATORS = BOOLEAN
HELP = tr(
    "Enter words, or fields joined by AND, OR, and ANDNOT: cat:cs.CL AND all:transformer. The "
    "fields are all, ti, au, abs, cat, co, and jr; cat:cs.* finds all of computer science. You "
    "can also enter a list of arXiv IDs."
)

nothing_found_reason = submission_dates.nothing_found_reason

log = logging.getLogger(__name__)

_OTHER_WAY = tr(
    "arXiv's query service is overloaded; its harvest service (OAI-PMH) is used instead."
)
# A page begins with the last paper of the one before, which proves that none was lost between them.
_OVERLAP = 1
_PAGE = 2000 - _OVERLAP
_PAGE_OF_CHANGES = 500  # a refresh mostly finds few papers
# arXiv promises 30,000 results per query, but has failed beyond 10,000. A new window costs nothing.
_REACH = 10_000
_REACH_OF_CHANGES = 30_000  # changes have no windows
_FIRST = 10
_MOST_IDS = 300  # limited by the length of the address


@dataclass(frozen=True, slots=True)
class FetchCursor:
    """The position of a fetch. Minutes are written like 202401312359."""

    begin: str = ""  # the first minute of the window; empty for the first window
    start: int = 0  # number of papers of the window before the next page
    last: str = ""  # the last paper of the previous page, with which the next page begins
    total: int = -1  # number of papers in the window, as last reported by arXiv
    count: int = 0  # number of different papers read in the window, at least
    repeated: bool = False  # the window is read a second time, since papers were missing
    before: int = 0  # number of papers before the window
    minute: str = ""  # the minute of the last paper, and the papers of this minute already fetched
    known: tuple[str, ...] = ()
    sweep: bool = False  # a refresh with too many changes, which reads all papers
    harvest: HarvestCursor | None = None  # the position in OAI-PMH, if that is used

    @classmethod
    def read(cls, cursor: str) -> FetchCursor:
        values: dict[str, Any] = json.loads(cursor) if cursor else {}
        for name, kind in (("known", tuple), ("harvest", HarvestCursor._make)):
            if name in values:
                values[name] = kind(values[name])
        return cls(**values)

    def cursor(self) -> str:
        default = asdict(FetchCursor())
        return json.dumps({k: v for k, v in asdict(self).items() if v != default[k]})


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    run = _ArxivFetch(query, FetchCursor.read(cursor), client, task)
    if run.place.harvest is None:
        try:
            yield from run.pages()
            return
        except Busy as busy:
            run.turn_to_harvest(busy)
    yield from run.harvested()


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    """The newest papers of a query, with a remark if fetching all of them takes minutes. Raises
    SourceError and Cancelled."""
    run = _ArxivFetch(query, FetchCursor(), client, task)
    named = bool(_named_ids(query.text))
    found = run.ask("submittedDate", "descending", 0, _MOST_IDS if named else _FIRST)
    entries = [entry for entry in found.entries if run.wants(entry)]
    total = len(entries) if named else found.total
    papers = [entry.record for entry in entries[:_FIRST] if isinstance(entry.record, Paper)]
    minutes = round(total / _PAGE * 10 / 60)  # about ten seconds per page
    long = trn(
        "Fetching all papers takes at least {n} minute.",
        "Fetching all papers takes at least {n} minutes.",
        minutes,
    )
    return Preview(total, papers, long if minutes > 1 else "")


def check(query: SourceQuery) -> str:
    """Return what is wrong with a query, without asking arXiv; empty if nothing is."""
    if not query.text.strip() and not query.since:
        return tr("Enter a query, such as cat:cs.CL AND all:transformer.")
    if count := len(_named_ids(query.text)):
        many = trn(
            "The query lists {n} arXiv ID; the limit is {most}.",
            "The query lists {n} arXiv IDs; the limit is {most}.",
            count,
            most=_MOST_IDS,
        )
        return many if count > _MOST_IDS else date_bounds.check(query)
    return arxiv_query.check(query.text) or date_bounds.check(query)


class _ArxivFetch:
    """One run of a fetch."""

    def __init__(self, query: SourceQuery, place: FetchCursor, client: Client, task: Task) -> None:
        self._query = query
        self._named = _named_ids(query.text)
        self._client = client
        self._task = task
        self._guard = ProgressGuard(TITLE)
        self._seen = {*place.known, *filter(None, [place.last])}
        self._came = set(self._seen)  # in this window; _seen includes those of the previous one
        self._earlier = max(place.count - len(self._came), 0)  # read in this window by earlier runs
        self._furthest = place.start + 1  # a lower bound of the window's size
        self._changes_seen: set[str] = set()
        self._changed = submission_dates.utc(query.changed_since) if query.changed_since else ""
        self.place = place

    def pages(self) -> Iterator[FetchPage]:
        if self._changed and not self.place.sweep:
            yield from self._changes()
        if not self._changed or self.place.sweep:
            yield from self._windows()

    def ask(
        self,
        sort: str,
        order: str,
        start: int,
        size: int,
        *,
        doubted: Callable[[AtomFeed], bool] = lambda found: False,
        fresh: bool = False,
    ) -> AtomFeed:
        """One page. Raises Busy, and SourceError if arXiv does not respond."""
        named = ",".join(self._named)
        params = [
            ("id_list", named) if named else ("search_query", self._text()),
            ("sortBy", sort),
            ("sortOrder", order),
            ("start", str(start)),
            ("max_results", str(size)),
        ]
        oldest_first, last = order == "ascending", self.place.last
        found: AtomFeed = self._client.ask(
            "arxiv",
            params=params,
            task=self._task,
            parse=atom.feed,
            check=lambda found: _complaint(found, start, oldest_first, last),
            doubted=doubted,
            fresh=fresh,
        )
        if found.error:
            raise SourceError(found.error, tr("Check the query; arXiv cannot process it."))
        return found

    def wants(self, entry: AtomEntry) -> bool:
        """Whether a paper that arXiv sent is in the range of dates.

        arXiv itself selects the results of a query by date, but not the papers of a list of IDs.
        """
        day = entry.published[:10]
        return not self._named or submission_dates.contains(self._query, day)

    def _next(self, sort: str, order: str, size: int) -> AtomFeed:
        """The page after the present position, which moves back if papers before it were
        removed."""
        back = _PAGE
        fresh = self.place.repeated or (bool(self._changed) and self.place.start == 0)
        while True:
            place = self.place
            self._guard.ask()
            found = self.ask(
                sort,
                order,
                place.start,
                size,
                doubted=lambda found: bool(self._doubt(found, size, order)),
                fresh=fresh,
            )
            answer = (found.total, names_of(found.entries))
            believed = self._guard.believes(answer, self._doubt(found, size, order))
            if believed and place.start and not self._continues(found, size):
                # Removed papers have moved the rest up by as many. Else an earlier page was wrong.
                step = max(place.total - found.total, 0) or back
                start = max(place.start - step, 0)
                self.place = replace(place, start=start, total=found.total)
                self._earlier = min(self._earlier, start)
                back *= 2
            elif believed:
                self._note_progress(found)
                return found
            fresh = True

    def _doubt(self, found: AtomFeed, size: int, order: str) -> str:
        """The reason to doubt a page; empty if it is consistent."""
        if not follows(found, self.place, self._came):
            return tr("the page does not continue the previous page")
        if not (is_rising if order == "ascending" else is_falling)(found.entries):
            return tr("the page is not sorted by date")
        if not self._continues(found, size):
            return tr("arXiv repeated an earlier page")
        return contradiction(found, self.place.start, size)

    def _continues(self, found: AtomFeed, size: int) -> bool:
        """Whether a page follows on those before it, and contains papers where it should."""
        place, names = self.place, names_of(found.entries)
        if not follows(found, place, self._came):
            return False
        if is_end(found, place.start, size) or not self._seen.issuperset(names):
            return True
        appeared = found.total - place.total if place.total >= 0 else 0
        return place.start + len(names) <= self._furthest or appeared >= len(names)

    def _note_progress(self, found: AtomFeed) -> None:
        end = self.place.start + len(found.entries)
        came = self._came.union(filter(None, names_of(found.entries)))
        if end > self._furthest or len(came) > len(self._came):
            self._guard.moved()
        self._furthest = max(self._furthest, end, len(came))

    def _passed(self, found: AtomFeed, size: int) -> FetchCursor:
        """The position after a page."""
        place, count = self.place, len(found.entries)
        if is_end(found, place.start, size):
            return replace(place, start=place.start + count, total=found.total, last="")
        overlap = _OVERLAP if count > _OVERLAP else 0
        last = name_of(found.entries[-1]) if overlap else ""
        return replace(place, start=place.start + count - overlap, total=found.total, last=last)

    # ---- by windows of submission dates, oldest first ------------------------------------------

    def _windows(self) -> Iterator[FetchPage]:
        size = self._size()
        while True:
            found = self._next("submittedDate", "ascending", size)
            place = self.place
            records = self._fresh(found.entries)
            ended = self._advance(found, size)
            yield FetchPage(records, self.place.cursor(), place.before + found.total)
            if ended:
                return

    def _size(self) -> int:
        most = self._query.most
        return min(_PAGE + _OVERLAP, most) if most else _PAGE + _OVERLAP

    def _fresh(self, entries: Sequence[AtomEntry]) -> list[Paper | Skipped]:
        """The papers wanted that are new in this run and, in a refresh, have changed."""
        fresh = []
        for position, entry in enumerate(entries, self.place.start):
            name = name_of(entry)
            new = name not in self._seen and entry.updated >= self._changed
            if new and self.wants(entry):
                fresh.append(entry.record)
            if name:
                self._seen.add(name)
            self._came.add(name or str(position))
        return fresh

    def _advance(self, found: AtomFeed, size: int) -> bool:
        """Move the cursor to the next page. Call `_fresh` first.

        The next page is in this window, in the next one if this one gets too long, or once more at
        this one's beginning if it gave fewer papers than announced: an earlier run may have missed
        some. Returns whether the fetch is complete.
        """
        passed, repeated = self.place.start + len(found.entries), self.place.repeated
        ended = is_end(found, self.place.start, size)
        minute, known = self.place.minute, list(self.place.known)
        for entry in found.entries:
            published = submission_dates.minute(entry.published)
            if published > minute:
                minute, known = published, []
            if published == minute:
                known.append(name_of(entry))
        known = list(filter(None, dict.fromkeys(known)))
        count = self._earlier + len(self._came)
        place = replace(self._passed(found, size), count=count, minute=minute, known=tuple(known))
        self.place = place
        if not ended and place.start + size <= _REACH:
            return False
        if count < passed and not repeated:
            self._came, self._earlier, self._furthest = set(), 0, passed
            self.place = replace(place, start=0, last="", total=-1, count=0, repeated=True)
            return False
        if not ended:
            self._next_window(found.entries, passed)
        return ended

    def _next_window(self, entries: Sequence[AtomEntry], passed: int) -> None:
        place = self.place
        times = [entry.published for entry in entries]
        # arXiv sorts by a slightly different date, so windows overlap by a day.
        begin = (
            place.minute if times == sorted(times) else submission_dates.day_before(place.minute)
        )
        if begin <= place.begin:
            raise SourceError(
                trn(
                    "arXiv has {n:,} paper with the same date, which is more than arXiv returns "
                    "for a query.",
                    "arXiv has {n:,} papers with the same date, which is more than arXiv returns "
                    "for a query.",
                    place.total,
                ),
                tr("Narrow the query, for example to one category."),
            )
        before = place.before + passed - len(place.known)
        self._seen = self._came | self._changes_seen
        self._furthest = len(place.known if begin == place.minute else self._came)
        self._came, self._earlier = set(place.known), 0
        self.place = replace(
            place, begin=begin, start=0, total=-1, count=0, repeated=False, before=before
        )

    # ---- a refresh: latest changes first --------------------------------------------------------

    def _changes(self) -> Iterator[FetchPage]:
        size = _PAGE_OF_CHANGES + _OVERLAP
        while self.place.start + size <= _REACH_OF_CHANGES:
            found = self._next("lastUpdatedDate", "descending", size)
            if not is_falling(found.entries):
                break
            ended = is_end(found, self.place.start, size)
            self.place = self._passed(found, size)
            self._changes_seen |= set(names_of(found.entries))
            yield FetchPage(self._fresh(found.entries), self.place.cursor(), 0)
            if ended or found.entries[-1].updated < self._changed:
                return
        log.info("arXiv cannot list the changes; fetching all results of the query")
        self.place = FetchCursor(sweep=True)
        self._came, self._furthest = set(), 0

    # ---- by OAI-PMH, when the query API is too busy ---------------------------------------------

    def turn_to_harvest(self, busy: Busy) -> None:
        """Continue by OAI-PMH. Raises SourceError if the query names no category to harvest."""
        if not self._sets():
            raise SourceError(
                busy.message,
                tr(
                    "Try again later; the fetch resumes where it stopped. A query with a category, "
                    "such as cat:cs.CL AND ..., can use arXiv's OAI-PMH service in the meantime."
                ),
            ) from busy
        log.warning("%s Continuing with OAI-PMH: %s", busy.message, ", ".join(self._sets()))
        self.place = replace(self.place, harvest=HarvestCursor())

    def harvested(self) -> Iterator[FetchPage]:
        """Continue the fetch by OAI-PMH: whole sets are read, and the papers of the query kept."""
        assert self.place.harvest is not None
        place = self.place.harvest
        wanted = arxiv_query.parse(self._query.text)
        # No paper has an earlier datestamp than its day of submission.
        since = max(self._since(), arxiv_oai.first_stamp(self._query))
        for answer in arxiv_oai.harvest(self._sets(), since, place, self._client, self._task):
            records = [item.record for item in answer.items if not item.deleted]
            found = [r for r in records if isinstance(r, Skipped) or self._wants(r, wanted)]
            self.place = replace(self.place, harvest=answer.place)
            total = max(self.place.before + self.place.total, 0)
            yield FetchPage(found, self.place.cursor(), total, _OTHER_WAY)

    def _wants(self, paper: Paper, wanted: arxiv_query.ArxivQuery) -> bool:
        return (
            paper.published >= self._since()
            and paper.source_id not in self._seen
            and submission_dates.contains(self._query, paper.published)
            and wanted.matches(paper)
        )

    def _since(self) -> str:
        """The day up to which the query API has answered."""
        minute = self.place.minute
        return f"{minute[:4]}-{minute[4:6]}-{minute[6:8]}" if minute else ""

    def _sets(self) -> list[str]:
        """The sets that contain all papers of the query; empty if it could find any paper."""
        if self._named:
            return []
        categories = arxiv_query.parse(self._query.text).categories() or []
        found = [sets_of(category) for category in categories]
        return list(dict.fromkeys(name for names in found for name in names)) if all(found) else []

    def _text(self) -> str:
        window = submission_dates.window(self._query, self.place.begin)
        text = " ".join(self._query.text.split())
        return f"({text}) AND {window}" if text and window else text or window


def _complaint(found: AtomFeed, start: int, oldest_first: bool, last: str) -> str:
    """The reason why a well-formed response is wrong. It should begin with the paper `last`."""
    if found.error:
        return ""
    if found.total < 0:
        return tr("it does not contain the number of papers")
    if found.total == 0 and start > 0:
        return tr("arXiv no longer reports any results")
    only_last = bool(last) and names_of(found.entries) == (last,)
    if (not found.entries or only_last) and start + len(found.entries) < found.total:
        return trn(
            "the page is empty, although arXiv reports {n:,} paper",
            "the page is empty, although arXiv reports {n:,} papers",
            found.total,
        )
    if oldest_first and found.total > _REACH and not is_rising(found.entries):
        return tr("the page is not sorted by date, so later pages cannot be requested")
    return ""


def _named_ids(text: str) -> list[str]:
    """The arXiv ids that the text lists; none if it is a query."""
    words = re.split(r"[\s,;]+", text.strip(" \t\n,;"))
    found = [arxiv_id(word)[0] for word in words]
    return list(dict.fromkeys(found)) if all(found) else []


def name_of(entry: AtomEntry) -> str:
    """The arXiv id of an entry; empty if it could not be read."""
    return entry.record.source_id if isinstance(entry.record, Paper) else ""


def names_of(entries: Sequence[AtomEntry]) -> tuple[str, ...]:
    return tuple(map(name_of, entries))


def is_end(found: AtomFeed, start: int, size: int) -> bool:
    """Whether this response to a request of `size` papers from `start` on is the last page."""
    return len(found.entries) < size and start + len(found.entries) >= found.total


def follows(found: AtomFeed, place: FetchCursor, seen: AbstractSet[str]) -> bool:
    """Whether no paper is missing between a page and those before it.

    A page is requested so that it begins with the last paper of the previous one. After papers were
    removed or added it begins with some other paper that was fetched before.
    """
    continued = place.start > 0 or (place.begin and place.begin == place.minute)
    if not continued or not place.last or not found.entries:
        return True
    names = names_of(found.entries)
    return place.last in names or not names[0] or names[0] in seen


def contradiction(found: AtomFeed, start: int, size: int) -> str:
    """A contradiction of the page's counts with the request or with each other; mostly empty."""
    end = start + len(found.entries)
    if found.start not in (-1, start):
        return tr("arXiv sent a different page than requested")
    if found.entries and found.total < end:
        return tr("arXiv reports fewer papers than it has sent")
    if end < found.total and len(found.entries) < size:
        return tr("the page has fewer papers than expected")
    return ""


def is_rising(entries: Sequence[AtomEntry]) -> bool:
    """Whether no entry is more than a day earlier than an entry before it."""
    latest = ""
    for published in (submission_dates.minute(entry.published) for entry in entries):
        if published and published < latest and published < submission_dates.day_before(latest):
            return False
        latest = max(latest, published)
    return True


def is_falling(entries: Sequence[AtomEntry]) -> bool:
    """Whether the latest day comes first."""
    days = [entry.updated[:10] for entry in entries]
    return all(later >= earlier for earlier, later in zip(days[1:], days, strict=False))
