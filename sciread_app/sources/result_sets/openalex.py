"""Fetches from OpenAlex: works of all fields, with and without a DOI.

Whole result sets need an API key, which is free:
https://developers.openalex.org/api-reference/authentication. A free key allows a thousand requests
with search words a day, of at most 100 papers:
https://developers.openalex.org/guides/page-through-results. The data are in the public domain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from sciread_app.domain.fetch import FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.sources import date_bounds, openalex, query_syntax
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.sources.result_sets import result_set
from sciread_app.sources.result_sets.result_set import DateSlice, ResultPage
from sciread_app.tasks import Task

KEY, TITLE = openalex.KEY, openalex.TITLE
FIELDS = (
    QueryField(tr("Title or abstract"), 'abstract:"{}"', "gut microbiome"),
    QueryField(tr("Title"), 'title:"{}"', "machine learning"),
    QueryField(tr("Author"), 'author:"{}"', "Grace Hopper"),
    QueryField(tr("Affiliation"), 'affiliation:"{}"', "karolinska"),
    QueryField(tr("Type"), "type:{}", "article"),
    QueryField("ISSN", "issn:{}", "0028-0836"),
    QueryField("ORCID", "orcid:{}", "0000-0002-1825-0097"),
    QueryField(tr("Citing the work"), "cites:{}", "W2741809807"),
)
OPERATORS: tuple[str, ...] = ()
HELP = tr(
    "Enter words, joined by AND, OR, and NOT in capitals, then fields without operators. For "
    'example: microbiome AND obesity author:"Grace Hopper" type:article. The dates are those of '
    "publication. Fetching needs a free API key, which you can enter in Settings."
)

_FILTERS = {
    "title": "title.search",
    "abstract": "title_and_abstract.search",
    "author": "raw_author_name.search",
    "affiliation": "raw_affiliation_strings.search",
    "type": "type",
    "issn": "primary_location.source.issn",
    "orcid": "authorships.author.orcid",
    "cites": "cites",
    "language": "language",
    "open-access": "is_oa",
}
_LONGEST_REPLY = 64 * MIB
_FIRST_DAY, _LAST_DAY = date(1500, 1, 1), date(2100, 12, 31)
_MANY = 50_000
# Only a paid plan can ask for recently added papers. Those added late were mostly published within
# a year before.
_LATE = timedelta(days=365)


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    return result_set.fetch(OpenAlexResults(query, client, task), cursor, query.most)


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    def remark(total: int) -> str:
        if min(total, query.most or total) <= _MANY:
            return ""
        return tr("This is more than OpenAlex sends in a day. Narrow the query, or set a maximum.")

    return result_set.preview(OpenAlexResults(query, client, task), remark)


def check(query: SourceQuery) -> str:
    """The error in the query, as far as it can be detected offline."""
    return (
        query_syntax.check(query.text)
        or query_syntax.check_fields(query.text, _FILTERS, TITLE)
        or query_syntax.check_joins(query.text, TITLE)
        or date_bounds.check(query)
    )


def nothing_found_reason(now: datetime) -> str:
    return ""


class OpenAlexResults:
    """The results of a query. Slices are in days of publication."""

    title = TITLE
    page = 100
    reach = 2_000
    ranked = 0

    def __init__(self, query: SourceQuery, client: Client, task: Task) -> None:
        self._query = query
        self._client = client
        self._task = task
        since, until = date_bounds.first_day(query.since), date_bounds.last_day(query.until)
        if query.changed_since:
            changed = date.fromisoformat(query.changed_since[:10]) - _LATE
            since = max(since, changed.isoformat())
        self._bounded = bool(since or until)
        first = date.fromisoformat(since) if since else _FIRST_DAY
        last = date.fromisoformat(until) if until else _LAST_DAY
        self.dates = DateSlice(first.toordinal(), last.toordinal())

    def ask(self, part: DateSlice | None, token: str, size: int, *, keep: bool) -> ResultPage:
        """See ResultSet.ask. Raises SourceError if the service demands a valid API key."""
        # Only the preview, which is kept, can do without a cursor, and so without a key.
        cursor = [] if keep else [("cursor", token or "*")]
        try:
            found: ResultPage = self._client.ask(
                KEY,
                "works",
                params=(
                    *self._params(part),
                    ("per_page", str(size)),
                    *cursor,
                    ("select", openalex.SELECT),
                ),
                accept=("json",),
                most=_LONGEST_REPLY,
                task=self._task,
                parse=_page,
                check=lambda found: "" if found else tr("it is not a list of papers"),
                keep=keep,
            )
        except RequestRejected as error:
            if error.status not in (401, 403):
                raise
            raise SourceError(
                tr("{source} sends whole result sets only with a valid API key.", source=TITLE),
                tr(
                    "Create a free key at openalex.org/settings/api and enter it in Settings, or "
                    "run: sciread key openalex"
                ),
            ) from error
        return found

    def _params(self, part: DateSlice | None) -> list[tuple[str, str]]:
        words, fields = query_syntax.split_fields(self._query.text)
        # A comma would begin another filter.
        filters = [f"{_FILTERS[name]}:{value.replace(',', ' ')}" for name, value in fields]
        if part or self._bounded:
            first, last = (date.fromordinal(day) for day in part or self.dates)
            filters += [f"from_publication_date:{first}", f"to_publication_date:{last}"]
        params = [("search", words)] if words else []
        return params + ([("filter", ",".join(filters))] if filters else [])


def _page(body: bytes) -> ResultPage | None:
    """The page of a response; None if it is none."""
    try:
        answer = json.loads(body)
        meta = answer["meta"]
        total = int(meta["count"])
        found = [one for one in answer["results"] if isinstance(one, dict)]
        following = meta.get("next_cursor")
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    return ResultPage(
        total,
        [str(one.get("id", "")) for one in found],
        [_record(one) for one in found],
        [_day(one.get("publication_date")) for one in found],
        following if isinstance(following, str) else "",
    )


def _record(work: dict[str, object]) -> Paper | Skipped:
    number = str(work.get("id", "")).rpartition("/")[2]
    return openalex.paper_of(work) or Skipped(TITLE, number, tr("This record has no title."))


def _day(value: object) -> int:
    """The number of a day; 0 if it is not a date."""
    try:
        return date.fromisoformat(str(value)).toordinal()
    except ValueError:
        return 0
