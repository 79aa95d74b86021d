"""Fetches from Crossref: the works of all publishers that register their DOIs there.

For the limits and the license of Crossref see sources/crossref.py.

Its cursors are not used. They stay the same while the server moves on with each request, so that
a request that failed could not be repeated, and they expire within minutes. Crossref advises to
divide large result sets by date instead, which makes each request independent of the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sciread_app.domain.fetch import FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.language import tr
from sciread_app.sources import crossref, date_bounds, query_syntax
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.result_sets import result_set
from sciread_app.sources.result_sets.result_set import DateSlice, ResultPage
from sciread_app.tasks import Task

KEY, TITLE = crossref.KEY, crossref.TITLE
FIELDS = (
    QueryField(tr("Title"), 'title:"{}"', "gut microbiome"),
    QueryField(tr("Author"), 'author:"{}"', "Grace Hopper"),
    QueryField(tr("Journal"), 'journal:"{}"', "Nature"),
    QueryField(tr("Affiliation"), 'affiliation:"{}"', "karolinska"),
    QueryField(tr("Type"), "type:{}", "journal-article"),
    QueryField("ISSN", "issn:{}", "0028-0836"),
    QueryField("ORCID", "orcid:{}", "0000-0002-1825-0097"),
)
OPERATORS: tuple[str, ...] = ()
HELP = tr(
    "Enter words or fields. Crossref finds the papers that contain any of the words, the best "
    'matches first, so set a maximum. For example: title:"gut microbiome" author:doudna '
    "type:journal-article. The dates are those of publication."
)

_QUERIES = {
    "title": "query.title",
    "author": "query.author",
    "editor": "query.editor",
    "journal": "query.container-title",
    "publisher": "query.publisher-name",
    "affiliation": "query.affiliation",
}
_FILTERS = (
    "type", "issn", "isbn", "orcid", "doi", "prefix", "member", "funder", "has-abstract",
    "has-references", "has-orcid", "is-update",
)  # fmt: skip
_SELECT = (
    "DOI,type,title,subtitle,author,editor,container-title,short-container-title,volume,issue,"
    "page,publisher,publisher-location,issued,published,created,ISSN,ISBN,abstract,updated-by"
)
_LONGEST_REPLY = 64 * MIB
_MANY = 10_000
# DOIs have been registered since 2000; the range is in seconds since 1970.
_FIRST, _LAST = datetime(1995, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_OPERATOR = re.compile(r"\b(?:AND|OR|NOT)\b")


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    return result_set.fetch(CrossrefResults(query, client, task), cursor, query.most)


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    """The best matches and the number of all papers. Crossref finds papers with any of the words,
    so a remark suggests a maximum if there are many. Raises SourceError and Cancelled."""

    def remark(total: int) -> str:
        if min(total, query.most or total) <= _MANY:
            return ""
        return tr(
            "These papers contain any of the words of the query. Set a maximum to fetch only the "
            "best matches."
        )

    return result_set.preview(CrossrefResults(query, client, task), remark)


def check(query: SourceQuery) -> str:
    """The error in the query, as far as it can be detected offline."""
    text = query.text
    if not text.strip():
        return tr("Enter a query.")
    if text.count('"') % 2:
        return tr("A quotation mark is not closed.")
    if match := _OPERATOR.search(query_syntax.split_fields(text).words):
        return tr("{source} does not support {word}.", source=TITLE, word=match[0])
    known = (*_QUERIES, *_FILTERS)
    return query_syntax.check_fields(text, known, TITLE) or date_bounds.check(query)


def nothing_found_reason(now: datetime) -> str:
    return ""


class CrossrefResults:
    """The results of a query. Slices are in seconds of the first registration of the DOI."""

    title = TITLE
    page = 1_000
    reach = 1_000
    ranked = 10_000  # the limit of `offset`
    dates = DateSlice(int(_FIRST.timestamp()), int(_LAST.timestamp()))

    def __init__(self, query: SourceQuery, client: Client, task: Task) -> None:
        self._query = query
        self._client = client
        self._task = task

    def ask(self, part: DateSlice | None, token: str, size: int, *, keep: bool) -> ResultPage:
        start = int(token or 0)
        found: ResultPage = self._client.ask(
            KEY,
            "works",
            params=(
                *self._params(part),
                ("rows", str(size)),
                *([("offset", token)] if token else []),
                ("select", _SELECT),
            ),
            accept=("json",),
            most=_LONGEST_REPLY,
            task=self._task,
            parse=lambda body: _page(body, start),
            check=lambda found: "" if found else tr("it is not a list of papers"),
            keep=keep,
        )
        return found

    def _params(self, part: DateSlice | None) -> list[tuple[str, str]]:
        words, fields = query_syntax.split_fields(self._query.text)
        params = [("query", words)] if words else []
        params += [(_QUERIES[name], value) for name, value in fields if name in _QUERIES]
        filters = [f"{name}:{value}" for name, value in fields if name not in _QUERIES]
        if self._query.since:
            filters.append(f"from-pub-date:{self._query.since}")
        if self._query.until:
            filters.append(f"until-pub-date:{self._query.until}")
        if self._query.changed_since:
            # A paper that was registered since then was updated as well.
            filters.append(f"from-update-date:{self._query.changed_since[:10]}")
        if part:
            low, high = (f"{_time(second):%Y-%m-%dT%H:%M:%S}" for second in part)
            filters += [f"from-created-date:{low}", f"until-created-date:{high}"]
        return params + ([("filter", ",".join(filters))] if filters else [])


def _page(body: bytes, start: int) -> ResultPage | None:
    """The page of a response that begins with paper `start`; None if it is none."""
    try:
        message = json.loads(body)["message"]
        total = int(message["total-results"])
        found = [one for one in message["items"] if isinstance(one, dict)]
    except (ValueError, RecursionError, TypeError, KeyError):
        return None
    end = start + len(found)
    return ResultPage(
        total,
        [str(one.get("DOI", "")) for one in found],
        [_record(one) for one in found],
        [_created(one) for one in found],
        str(end) if found and end < total else "",
    )


def _record(work: dict[str, Any]) -> Paper | Skipped:
    doi = str(work.get("DOI", ""))
    paper = crossref.paper_of(work)
    if paper is None:
        return Skipped(TITLE, doi, tr("This record has no title."))
    return replace(paper, source=KEY, source_id=doi.lower())


def _created(work: dict[str, Any]) -> int:
    """The second in which the DOI was registered; 0 if it is unknown."""
    try:
        return int(datetime.fromisoformat(work["created"]["date-time"]).timestamp())
    except (KeyError, TypeError, ValueError):
        return 0


def _time(second: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
