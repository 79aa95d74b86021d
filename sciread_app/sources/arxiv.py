"""arXiv's query API: everything that a query finds, 2,000 papers a request, oldest first."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sciread_app.domain.fetches import Page, Preview, QueryField, SourceQuery
from sciread_app.domain.identifiers import arxiv_id
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import Busy, SourceError
from sciread_app.formats import arxiv_atom
from sciread_app.formats.arxiv_atom import Entry, Feed
from sciread_app.language import tr, trn
from sciread_app.sources import arxiv_days, arxiv_oai, arxiv_query, days
from sciread_app.sources.answers import Answer
from sciread_app.sources.arxiv_oai import Place as HarvestPlace
from sciread_app.sources.arxiv_sets import sets_of
from sciread_app.sources.http import Client
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
HELP = tr(
    "Words, or fields joined by AND, OR and ANDNOT: cat:cs.CL AND all:transformer. "
    "The fields are all, ti, au, abs, cat, co and jr; cat:cs.* is all of computer science. "
    "A list of arXiv ids will do, too."
)

log = logging.getLogger(__name__)

_OTHER_WAY = tr(
    "arXiv's query service is overloaded; its harvest service (OAI-PMH) is asked instead."
)
_PAGE = 2000
_PAGE_OF_CHANGES = 500  # a refresh mostly finds few
# arXiv promises 30,000 to a query, but has failed beyond 10,000. A new window costs nothing.
_REACH = 10_000
_REACH_OF_CHANGES = 30_000  # changes have no windows
_FIRST = 10
_MOST_IDS = 300  # since they all stand in one address


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a fetch stands. Minutes are written like 202401312359."""

    begin: str = ""  # the minute that the window begins with; empty for the first window
    start: int = 0  # how many papers of the window were passed
    total: int = -1  # how many it has, as arXiv said last
    before: int = 0  # how many papers came before the window
    minute: str = ""  # of the last paper, and which papers of this minute came already
    known: tuple[str, ...] = ()
    sweep: bool = False  # a refresh that must read all, since its changes are too many
    harvest: HarvestPlace | None = None  # where we are, once gone on by OAI-PMH

    @classmethod
    def read(cls, cursor: str) -> _Place:
        values: dict[str, Any] = json.loads(cursor) if cursor else {}
        for name, kind in (("known", tuple), ("harvest", HarvestPlace._make)):
            if name in values:
                values[name] = kind(values[name])
        return cls(**values)

    def cursor(self) -> str:
        default = asdict(_Place())
        return json.dumps({k: v for k, v in asdict(self).items() if v != default[k]})


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[Page]:
    run = _Run(query, _Place.read(cursor), client, task)
    if run.place.harvest is None:
        try:
            yield from run.pages()
            return
        except Busy as busy:
            run.turn_to_harvest(busy)
    yield from run.harvested()


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    found = _Run(query, _Place(), client, task).ask("submittedDate", "descending", 0, _FIRST)
    papers = [entry.record for entry in found.entries if isinstance(entry.record, Paper)]
    minutes = round(found.total / _PAGE * 10 / 60)  # of some ten seconds each
    long = trn(
        "Fetching all of them takes {n} minute or more.",
        "Fetching all of them takes {n} minutes or more.",
        minutes,
    )
    return Preview(found.total, papers, long if minutes > 1 else "")


def check(query: SourceQuery) -> str:
    if not query.text.strip() and not query.since:
        return tr("Say what to look for, such as cat:cs.CL AND all:transformer.")
    if count := len(_named_ids(query.text)):
        many = trn(
            "This is {n} arXiv id; ask for at most {most} at once.",
            "These are {n} arXiv ids; ask for at most {most} at once.",
            count,
            most=_MOST_IDS,
        )
        return many if count > _MOST_IDS else ""
    return arxiv_query.check(query.text) or days.check(query)


def why_nothing(now: datetime) -> str:
    return arxiv_days.why_nothing(now)


class _Run:
    """A fetch in this process."""

    def __init__(self, query: SourceQuery, place: _Place, client: Client, task: Task) -> None:
        self._query = query
        self._client = client
        self._task = task
        self._seen = set(place.known)
        self._changes_seen: set[str] = set()
        self._changed = arxiv_days.utc(query.changed_since) if query.changed_since else ""
        self.place = place

    def pages(self) -> Iterator[Page]:
        if self._changed and not self.place.sweep:
            yield from self._changes()
        if not self._changed or self.place.sweep:
            yield from self._windows()

    def ask(self, sort: str, order: str, start: int, size: int, *, fresh: bool = False) -> Feed:
        """One page. Raises Busy, and SourceError if arXiv cannot answer."""
        named = _named_ids(self._query.text)
        params = [
            ("id_list", ",".join(named)) if named else ("search_query", self._text()),
            ("sortBy", sort),
            ("sortOrder", order),
            ("start", str(start)),
            ("max_results", str(size)),
        ]
        oldest_first = order == "ascending"
        answer = Answer(arxiv_atom.feed, lambda found: _complaint(found, start, oldest_first))
        body = self._client.ask(
            "arxiv", params=params, task=self._task, check=answer.check, fresh=fresh
        )
        found = answer.read(body)
        if found.error:
            raise SourceError(found.error, tr("Look the query over; arXiv cannot answer it."))
        return found

    def _next(self, sort: str, order: str, size: int) -> Feed:
        """The page behind our place, which moves back where papers before it were dropped."""
        fresh = bool(self._changed) and self.place.start == 0
        while True:
            place = self.place
            found = self.ask(sort, order, place.start, size, fresh=fresh)
            if place.start == 0 or found.total >= place.total:
                return found
            # What was dropped has moved the rest up by as much.
            back = place.total - found.total
            self.place = replace(place, start=max(place.start - back, 0), total=found.total)
            fresh = True

    # ---- by windows of submission dates, oldest first ------------------------------------------

    def _windows(self) -> Iterator[Page]:
        while True:
            found = self._next("submittedDate", "ascending", self._size())
            place = self.place
            records = self._fresh(found.entries)
            self._pass(found)
            yield Page(records, self.place.cursor(), place.before + found.total)
            if place.start + len(found.entries) >= found.total:
                return

    def _size(self) -> int:
        most = self._query.most
        return min(_PAGE, most) if most else _PAGE

    def _fresh(self, entries: Sequence[Entry]) -> list[Paper | Skipped]:
        """What did not come before in this run and, of a refresh, has changed."""
        fresh = []
        for entry in entries:
            name = _name(entry)
            if name not in self._seen and entry.updated >= self._changed:
                fresh.append(entry.record)
            if name:
                self._seen.add(name)
        return fresh

    def _pass(self, found: Feed) -> None:
        """Move on behind a page: in this window, or to the next when this one gets too long."""
        place = self.place
        start = place.start + len(found.entries)
        minute, known = place.minute, list(place.known)
        for entry in found.entries:
            published = arxiv_days.minute(entry.published)
            if published > minute:
                minute, known = published, []
            if published == minute:
                known.append(_name(entry))
        known = list(filter(None, dict.fromkeys(known)))
        self.place = replace(
            place, start=start, total=found.total, minute=minute, known=tuple(known)
        )
        if start < found.total and start + _PAGE > _REACH:
            self._next_window(found.entries)

    def _next_window(self, entries: Sequence[Entry]) -> None:
        place = self.place
        times = [entry.published for entry in entries]
        # Where arXiv sorts by something a little different, a day is seen twice.
        begin = place.minute if times == sorted(times) else arxiv_days.day_before(place.minute)
        if begin <= place.begin:
            raise SourceError(
                trn(
                    "arXiv has {n:,} paper of one date, which is more than it answers.",
                    "arXiv has {n:,} papers of one date, which is more than it answers.",
                    place.total,
                ),
                tr("Ask for less, such as one category."),
            )
        passed = place.before + place.start - len(place.known)
        self._seen = {*place.known, *map(_name, entries), *self._changes_seen}
        self.place = replace(place, begin=begin, start=0, total=-1, before=passed)

    # ---- a refresh: what changed last comes first -----------------------------------------------

    def _changes(self) -> Iterator[Page]:
        while self.place.start + _PAGE_OF_CHANGES <= _REACH_OF_CHANGES:
            found = self._next("lastUpdatedDate", "descending", _PAGE_OF_CHANGES)
            times = [entry.updated for entry in found.entries]
            if not _falling(times):
                break
            start = self.place.start + len(found.entries)
            self.place = replace(self.place, start=start, total=found.total)
            self._changes_seen |= set(map(_name, found.entries))
            yield Page(self._fresh(found.entries), self.place.cursor(), 0)
            if start >= found.total or times[-1] < self._changed:
                return
        log.info("arXiv cannot tell what has changed; reading all that the query finds")
        self.place = _Place(sweep=True)

    # ---- by OAI-PMH, when the query API is too busy ---------------------------------------------

    def turn_to_harvest(self, busy: Busy) -> None:
        """Go on by OAI-PMH. Raises SourceError if the query names no category to harvest."""
        if not self._sets():
            raise SourceError(
                busy.message,
                tr(
                    "Try again later; the fetch goes on where it is. A query that names a "
                    "category, such as cat:cs.CL AND ..., could be answered by arXiv's OAI-PMH "
                    "meanwhile."
                ),
            ) from busy
        log.warning("%s Going on by OAI-PMH: %s", busy.message, ", ".join(self._sets()))
        self.place = replace(self.place, harvest=HarvestPlace())

    def harvested(self) -> Iterator[Page]:
        assert self.place.harvest is not None
        place = self.place.harvest
        wanted = arxiv_query.parse(self._query.text)
        # A paper bears no earlier datestamp than the day on which it was sent in.
        since = max(self._since(), arxiv_oai.first_stamp(self._query))
        for answer in arxiv_oai.harvest(self._sets(), since, place, self._client, self._task):
            records = [item.record for item in answer.items if not item.deleted]
            found = [r for r in records if isinstance(r, Skipped) or self._wants(r, wanted)]
            self.place = replace(self.place, harvest=answer.place)
            total = max(self.place.before + self.place.total, 0)
            yield Page(found, self.place.cursor(), total, _OTHER_WAY)

    def _wants(self, paper: Paper, wanted: arxiv_query.Query) -> bool:
        return (
            paper.published >= self._since()
            and paper.source_id not in self._seen
            and arxiv_days.contains(self._query, paper.published)
            and wanted.matches(paper)
        )

    def _since(self) -> str:
        """The day up to which the query API has answered."""
        minute = self.place.minute
        return f"{minute[:4]}-{minute[4:6]}-{minute[6:8]}" if minute else ""

    def _sets(self) -> list[str]:
        """The sets in which all papers of the query are; empty if it could find any paper."""
        if _named_ids(self._query.text):
            return []
        categories = arxiv_query.parse(self._query.text).categories() or []
        found = [sets_of(category) for category in categories]
        return list(dict.fromkeys(name for names in found for name in names)) if all(found) else []

    def _text(self) -> str:
        window = arxiv_days.window(self._query, self.place.begin)
        text = " ".join(self._query.text.split())
        return f"({text}) AND {window}" if text and window else text or window


def _complaint(found: Feed, start: int, oldest_first: bool) -> str:
    """Why an answer is none, though it is a feed."""
    if found.error:
        return ""
    if found.total < 0:
        return tr("the answer does not say how many papers there are")
    if found.total == 0 and start > 0:
        return tr("arXiv suddenly finds nothing")
    if not found.entries and start < found.total:
        return trn(
            "the page is empty, although arXiv announces {n:,} paper",
            "the page is empty, although arXiv announces {n:,} papers",
            found.total,
        )
    if oldest_first and found.total > _REACH and not _rising(found.entries):
        return tr("the page is not sorted by date, so that no later page could be found")
    return ""


def _rising(entries: Sequence[Entry]) -> bool:
    """Whether none is earlier by more than a day than one before it."""
    latest = ""
    for published in (arxiv_days.minute(entry.published) for entry in entries):
        if published and published < latest and published < arxiv_days.day_before(latest):
            return False
        latest = max(latest, published)
    return True


def _named_ids(text: str) -> list[str]:
    """The arXiv ids of which the text is a list; none if it is a query."""
    words = re.split(r"[\s,;]+", text.strip(" \t\n,;"))
    found = [arxiv_id(word)[0] for word in words]
    return list(dict.fromkeys(found)) if all(found) else []


def _falling(times: Sequence[str]) -> bool:
    """Whether the latest day comes first."""
    dates = [time[:10] for time in times]
    return all(later >= earlier for earlier, later in zip(dates[1:], dates, strict=False))


def _name(entry: Entry) -> str:
    return entry.record.source_id if isinstance(entry.record, Paper) else ""
