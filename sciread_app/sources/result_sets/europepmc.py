"""Fetches from Europe PMC: PubMed, PubMed Central, and preprints of bioRxiv, medRxiv and others.

The service is described at https://europepmc.org/RestfulWebService, the fields of queries at
https://europepmc.org/searchsyntax. It is free of charge and needs no key. It publishes no limit of
requests: two a second is a choice of ours. Almost all of its material is protected by the copyright
of publishers or authors: https://europepmc.org/Copyright.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from sciread_app.domain.fetch import BOOLEAN, FetchPage, Preview, QueryField, SourceQuery
from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.formats.pubmed import fields as medline
from sciread_app.formats.values.markup import plain
from sciread_app.language import tr
from sciread_app.sources import date_bounds, query_syntax
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.json_values import as_mapping, as_text
from sciread_app.sources.result_sets import result_set
from sciread_app.sources.result_sets.result_set import DateSlice, ResultPage
from sciread_app.tasks import Task

KEY = "europepmc"
TITLE = "Europe PMC"
FIELDS = (
    QueryField(tr("Title or abstract"), 'TITLE_ABS:"{}"', "gut microbiome"),
    QueryField(tr("Title"), 'TITLE:"{}"', "machine learning"),
    QueryField(tr("Author"), 'AUTH:"{}"', "Doudna J"),
    QueryField(tr("Preprint server"), 'PUBLISHER:"{}"', "bioRxiv"),
    QueryField(tr("Journal"), 'JOURNAL:"{}"', "Nature"),
    QueryField(tr("MeSH term"), 'MESH:"{}"', "Sepsis"),
    QueryField(tr("Keyword"), 'KW:"{}"', "proteomics"),
    QueryField(tr("Affiliation"), 'AFF:"{}"', "karolinska"),
)
OPERATORS = BOOLEAN
HELP = tr(
    "Enter words, or fields joined by AND, OR, and NOT in capitals. For example: "
    'TITLE_ABS:"gut microbiome" AND AUTH:"Doudna J". Preprints: SRC:PPR, or one server with '
    'PUBLISHER:"bioRxiv" or PUBLISHER:"medRxiv". The dates are those of first publication.'
)

_LONGEST_REPLY = 64 * MIB
_FIRST_DAY, _LAST_DAY = date(1500, 1, 1), date(2100, 12, 31)
_MANY = 50_000  # papers that need more than a hundred requests
_HEADING = re.compile(r"\s*<h4>\s*([^<]*?)[\s:]*</h4>\s*", re.I)
_BLANK = "none"  # Europe PMC's language and other fields without a value
_KINDS = {"PAT": "patent", "ETH": "thesis", "NBK": "book", "PPR": "article"}


def fetch(query: SourceQuery, cursor: str, client: Client, task: Task) -> Iterator[FetchPage]:
    return result_set.fetch(EuropePmcResults(query, client, task), cursor, query.most)


def preview(query: SourceQuery, client: Client, task: Task) -> Preview:
    def remark(total: int) -> str:
        if min(total, query.most or total) <= _MANY:
            return ""
        return tr("This is a large fetch. Narrow the query, or set a maximum.")

    return result_set.preview(EuropePmcResults(query, client, task), remark)


def check(query: SourceQuery) -> str:
    """The error in the query, as far as it can be detected offline."""
    return query_syntax.check(query.text) or date_bounds.check(query)


def nothing_found_reason(now: datetime) -> str:
    return ""


class EuropePmcResults:
    """The results of a query. Slices are in days of first publication."""

    title = TITLE
    page = 500  # the service allows 1,000
    reach = 5_000
    ranked = 0

    def __init__(self, query: SourceQuery, client: Client, task: Task) -> None:
        self._query = query
        self._client = client
        self._task = task
        first = date_bounds.first_day(query.since) or _FIRST_DAY.isoformat()
        last = date_bounds.last_day(query.until) or _LAST_DAY.isoformat()
        self.dates = DateSlice(_day(first), _day(last))

    def ask(self, part: DateSlice | None, token: str, size: int, *, keep: bool) -> ResultPage:
        """See ResultSet.ask. Raises SourceError if the service rejects the query."""
        found: ResultPage | str = self._client.ask(
            KEY,
            "search",
            params=(
                ("query", self.as_text(part)),
                ("resultType", "core"),
                ("format", "json"),
                ("pageSize", str(size)),
                ("cursorMark", token or "*"),
            ),
            accept=("json",),
            most=_LONGEST_REPLY,
            task=self._task,
            parse=lambda body: _page(body, token or "*"),
            check=lambda found: "" if found else tr("it is not a list of papers"),
            keep=keep,
        )
        if isinstance(found, str):
            raise SourceError(
                tr("{source} rejected the query: {error}", source=TITLE, error=found),
                tr("Check the query and try again."),
            )
        return found

    def as_text(self, part: DateSlice | None) -> str:
        conditions = [f"({self._query.text.strip()})"]
        if part or self._query.since or self._query.until:
            first, last = (date.fromordinal(day) for day in part or self.dates)
            conditions.append(f"FIRST_PDATE:[{first} TO {last}]")
        if self._query.changed_since:
            days = f"[{self._query.changed_since[:10]} TO {_LAST_DAY}]"
            conditions.append(f"(FIRST_IDATE:{days} OR UPDATE_DATE:{days})")
        return " AND ".join(conditions)


def _page(body: bytes, token: str) -> ResultPage | str | None:
    """The page of a response, or the error that it reports; None if it is neither."""
    try:
        answer = json.loads(body)
        if error := answer.get("errMsg"):
            return str(error)
        total = int(answer["hitCount"])
        found = [one for one in answer["resultList"]["result"] if isinstance(one, dict)]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
    following = as_text(answer.get("nextCursorMark"))
    return ResultPage(
        total,
        [_name(one) for one in found],
        [_record(one) for one in found],
        [_day(as_text(one.get("firstPublicationDate"))) for one in found],
        following if following != token else "",
    )


def _name(record: Mapping[str, Any]) -> str:
    """The name of a record in the addresses of Europe PMC: MED/12345."""
    return f"{as_text(record.get('source'))}/{as_text(record.get('id'))}"


def _record(record: Mapping[str, Any]) -> Paper | Skipped:
    title = medline.title_of(plain(as_text(record.get("title"))))
    abstract = _abstract(as_text(record.get("abstractText")))
    if not title and not abstract:
        why = tr("This record has neither a title nor an abstract.")
        return Skipped(TITLE, _name(record), why)
    journal = as_mapping(record.get("journalInfo"))
    names = as_mapping(journal.get("journal"))
    types = [as_text(one) for one in _list(record.get("pubTypeList"), "pubType")]
    source = as_text(record.get("source"))
    headings = _list(record.get("meshHeadingList"), "meshHeading")
    extra = _links(record) | {
        "volume": as_text(journal.get("volume")),
        "number": as_text(journal.get("issue")),
        "pages": medline.pages_of(as_text(record.get("pageInfo"))),
        "issn": as_text(names.get("issn")) or as_text(names.get("essn")),
        "shortjournal": as_text(names.get("isoabbreviation")),
        "publisher": plain(as_text(as_mapping(record.get("bookOrReportDetails")).get("publisher"))),
        "publication_types": "; ".join(_publication_types(types)),
        "language": as_text(record.get("language")),
        "license": as_text(record.get("license")),
        "version": as_text(record.get("versionNumber")) if source == "PPR" else "",
    }
    known = identifiers(*((kind, as_text(record.get(kind))) for kind in ("doi", "pmid", "pmcid")))
    return Paper(
        title=title,
        abstract=abstract,
        authors=tuple(_authors(record)),
        kind=_KINDS.get(source) or medline.kind_of(types),
        published=_published(record),
        venue=plain(as_text(names.get("title"))),
        identifiers=known,
        fields=medline.major_first(
            (as_text(one.get("descriptorName")), one.get("majorTopic_YN") == "Y")
            for one in headings
            if isinstance(one, dict)
        ),
        keywords=tuple(
            dict.fromkeys(map(plain, map(as_text, _list(record.get("keywordList"), "keyword"))))
        ),
        extra={key: text for key, text in extra.items() if text and text != _BLANK}
        | doi_as_written(known, as_text(record.get("doi"))),
        source=KEY,
        source_id=_name(record),
    )


def _abstract(text: str) -> str:
    """The abstract, one line for each of its named sections."""
    return "\n".join(filter(None, map(plain, _HEADING.sub(r"\n\1: ", text).split("\n"))))


def _authors(record: Mapping[str, Any]) -> Iterator[Author]:
    listed = [one for one in _list(record.get("authorList"), "author") if isinstance(one, dict)]
    for one in listed:
        family = plain(as_text(one.get("lastName")))
        given = plain(as_text(one.get("firstName"))) or as_text(one.get("initials"))
        whole = plain(as_text(one.get("collectiveName")) or as_text(one.get("fullName")))
        if family:
            yield medline.author(family, given)
        elif whole:
            yield Author(whole, literal=True)
    if not listed:  # "Lovelace A, Hopper G."
        for name in plain(as_text(record.get("authorString"))).removesuffix(".").split(", "):
            family, _, initials = name.rpartition(" ")
            if name:
                yield medline.author(family or initials, initials if family else "")


def _published(record: Mapping[str, Any]) -> str:
    """The date of first publication, in which 1 stands for an unknown month or day."""
    first = as_text(record.get("firstPublicationDate"))
    if not _day(first):
        year = as_text(record.get("pubYear"))
        return year if re.fullmatch(r"\d{4}", year) else ""
    return first.removesuffix("-01").removesuffix("-01")


def _publication_types(types: list[str]) -> Iterator[str]:
    for name in types:
        yield "Retracted Publication" if name.lower() == "retracted publication" else name


def _links(record: Mapping[str, Any]) -> dict[str, str]:
    """PMIDs of other versions of the paper, and of its errata and retractions."""
    links: dict[str, list[str]] = {}
    for one in _list(record.get("commentCorrectionList"), "commentCorrection"):
        if isinstance(one, dict) and as_text(one.get("source")) == "MED":
            kind = _LINKS.get(as_text(one.get("type")).lower())
            if kind and (pmid := as_text(one.get("id"))).isdecimal():
                links.setdefault(kind, []).append(pmid)
    return {kind: " ".join(dict.fromkeys(pmids)) for kind, pmids in links.items()}


_LINKS = {
    "preprint of": "update_in",
    "preprint in": "update_of",
    "update in": "update_in",
    "update of": "update_of",
    "erratum in": "erratum_in",
    "retraction in": "retraction_in",
    "expression of concern in": "expression_of_concern_in",
}


def _day(text: str) -> int:
    """The number of a day; 0 if it is not a date."""
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return 0


def _list(value: Any, name: str) -> list[Any]:
    found = as_mapping(value).get(name)
    return found if isinstance(found, list) else []
