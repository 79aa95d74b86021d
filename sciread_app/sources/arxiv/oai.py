"""Harvests from arXiv's OAI-PMH interface: whole sets, a thousand or more papers per request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from sciread_app.domain.fetch import FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.formats.arxiv import oai_raw
from sciread_app.formats.arxiv.oai_raw import Harvest, Item
from sciread_app.language import tr
from sciread_app.sources import date_bounds
from sciread_app.sources.arxiv import submission_dates
from sciread_app.sources.arxiv.sets import holds, set_named
from sciread_app.sources.http.client import Client
from sciread_app.sources.progress_guard import ProgressGuard
from sciread_app.tasks import Task

KEY = "arxiv-oai"
TITLE = tr("arXiv archives")
FIELDS = (QueryField(tr("Archive or category"), "{}", "cs.CL"),)
OPERATORS: tuple[str, ...] = ()
HELP = tr(
    "Enter archives or categories: cs.CL math.AG hep-th. All their papers are "
    "fetched, which is faster than a query if you want tens of thousands of papers."
)

nothing_found_reason = submission_dates.nothing_found_reason

_EXPIRED = "badResumptionToken"
_NONE = "noRecordsMatch"


class HarvestCursor(NamedTuple):
    """The position of a harvest."""

    set: int = 0  # index of the set
    token: str = ""  # resumption token, which expires at midnight
    stamp: str = ""  # the last datestamp seen in this set, for resuming without a token


class Harvested(NamedTuple):
    """The records of one response that are new in this run, and the position after it."""

    items: list[Item]
    place: HarvestCursor
    total: int


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    place = HarvestCursor(*json.loads(cursor)) if cursor else HarvestCursor()
    names = _sets(query.text)
    for answer in harvest(names, first_stamp(query), place, client, task):
        records = [item.record for item in answer.items if _wanted(item.record, query)]
        total = answer.total if len(names) == 1 else 0
        yield FetchPage(records, json.dumps(answer.place), total)


def harvest(
    names: list[str], since: str, place: HarvestCursor, client: Client, task: Task
) -> Iterator[Harvested]:
    """The records changed on or after the day `since` in these sets, from `place` on.

    Records in several sets come with the first. A record is repeated if arXiv has changed it in the
    meantime.
    """
    guard, came = ProgressGuard("arXiv"), _Came()
    expired, again = ("", ""), False
    while place.set < len(names):
        guard.ask()
        answer = _ask(names[place.set], since, place, client, task, came, fresh=again)
        if answer.error == _EXPIRED:
            name = names[place.set]
            if not place.token or expired == (name, place.stamp):
                hint = tr("Try again later; the fetch resumes where it stopped.")
                raise SourceError(_refusal(answer), hint)
            expired = (name, place.stamp)
            place = place._replace(token="")
            continue
        doubt = came.doubt(answer, place)
        if not guard.believes((answer.token, tuple(map(_key, answer.items))), doubt):
            again = True
            continue
        again = False
        earlier = names[: place.set]
        if came.is_new_place(answer):
            guard.moved()
        place = _after(place, answer)
        fresh = came.take(answer, place, doubt)
        yield Harvested(
            [item for item in fresh if not _came(item.record, earlier)],
            place,
            max(answer.total, 0),
        )


class _Came:
    """The records received that a harvest may receive again."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()  # those with the last datestamp
        self._tokens: set[str] = set()
        self._in_order = True  # by datestamp, unless arXiv uses another order

    def doubt(self, answer: Harvest, place: HarvestCursor) -> str:
        """The reason why a response may not be the requested page; empty if it is consistent."""
        if not answer.items or not place.token:
            return ""  # a request without a token repeats the last day
        old = all(item.datestamp < place.stamp for item in answer.items)
        known = all(_key(item) in self._known for item in answer.items)
        if known or (old and self._in_order) or answer.token == place.token:
            return tr("arXiv repeated an earlier page")
        return ""

    def is_new_place(self, answer: Harvest) -> bool:
        return not answer.token or answer.token not in self._tokens

    def take(self, answer: Harvest, place: HarvestCursor, doubt: str) -> list[Item]:
        """The new items; records all of them. `place` is the position after the response."""
        fresh = [item for item in answer.items if _key(item) not in self._known]
        self._in_order = self._in_order and not doubt
        self._tokens.add(answer.token)
        known = self._known.union(map(_key, answer.items))
        self._known = {key for key in known if key[1] >= place.stamp}
        return fresh


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    """The first papers of a harvest. Their total is known only if one response contains all of
    them. Raises SourceError and Cancelled."""
    answer = _ask(_sets(query.text)[0], first_stamp(query), HarvestCursor(), client, task, _Came())
    wanted = [item.record for item in answer.items if _wanted(item.record, query)]
    papers = [record for record in wanted if isinstance(record, Paper)]
    known = not answer.token and len(_sets(query.text)) == 1
    return Preview(
        len(wanted) if known else -1,
        papers[:10],
        "" if known else tr("arXiv does not report the number of papers in advance."),
    )


def check(query: SourceQuery) -> str:
    """Return what is wrong with a list of archives and categories; empty if nothing is."""
    words = _words(query.text)
    if not words:
        return tr("Enter an archive or a category, such as cs or cs.CL.")
    unknown = next((word for word in words if not set_named(word)), "")
    if unknown:
        return tr(
            "arXiv has no archive or category {name}. Examples: cs, cs.CL, hep-th, math.AG.",
            name=unknown,
        )
    return date_bounds.check(query)


def first_stamp(query: SourceQuery) -> str:
    """The earliest datestamp of a paper that matches the query; "" for any.

    No paper has an earlier datestamp than its day of submission.
    """
    if query.changed_since:
        return submission_dates.utc(query.changed_since)[:10]
    return date_bounds.first_day(query.since)


def _ask(
    name: str,
    since: str,
    place: HarvestCursor,
    client: Client,
    task: Task,
    came: _Came,
    *,
    fresh: bool = False,
) -> Harvest:
    params = [("verb", "ListRecords")]
    if place.token:
        params.append(("resumptionToken", place.token))
    else:
        params += [("metadataPrefix", "arXivRaw"), ("set", name)]
        if begin := place.stamp or since:
            params.append(("from", begin))
    found: Harvest = client.ask(
        "arxiv_oai",
        params=params,
        task=task,
        parse=oai_raw.harvest,
        check=_complaint,
        doubted=lambda found: bool(came.doubt(found, place)),
        fresh=fresh,
    )
    if found.error not in ("", _NONE, _EXPIRED):
        raise SourceError(_refusal(found), tr("Check the names of the archives and categories."))
    return found


def _complaint(found: Harvest) -> str:
    if found.error or found.items:
        return ""
    return tr("it contains neither records nor an error message")


def _refusal(found: Harvest) -> str:
    if not found.message:
        return tr(
            "arXiv rejected the request without giving a reason ({error}).", error=found.error
        )
    return tr("arXiv rejected the request: {why} ({error}).", why=found.message, error=found.error)


def _after(place: HarvestCursor, answer: Harvest) -> HarvestCursor:
    if not answer.token:
        return HarvestCursor(place.set + 1)
    stamps = (item.datestamp for item in answer.items)
    return HarvestCursor(place.set, answer.token, max((place.stamp, *stamps)))


def _key(item: Item) -> tuple[str, str]:
    record = item.record
    return record.source_id if isinstance(record, Paper) else record.entry, item.datestamp


def _came(record: Paper | Skipped, earlier: list[str]) -> bool:
    return isinstance(record, Paper) and any(holds(name, record.fields) for name in earlier)


def _wanted(record: Paper | Skipped, query: SourceQuery) -> bool:
    return isinstance(record, Skipped) or submission_dates.contains(query, record.published)


def _words(text: str) -> list[str]:
    return re.split(r"[\s,;]+", text.strip(" \t\n,;")) if text.strip(" \t\n,;") else []


def _sets(text: str) -> list[str]:
    """The distinct sets named in the text."""
    return list(dict.fromkeys(filter(None, map(set_named, _words(text)))))
