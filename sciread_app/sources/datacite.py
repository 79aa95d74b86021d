"""DataCite: records of data sets, software, theses and preprints by DOI.

DataCite allows 500 requests in five minutes without a mail address, and 1,000 with one:
https://support.datacite.org/docs/rate-limit. Its metadata are in the public domain (CC0):
https://support.datacite.org/docs/datacite-data-file-use-policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.csl.fields import kind_of
from sciread_app.formats.values import dates, names
from sciread_app.formats.values.markup import plain, prose
from sciread_app.sources.http.bodies import json_objects, missing_list_reason
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.json_values import as_mapping, as_objects, as_text
from sciread_app.tasks import Task

KEY = "datacite"
TITLE = "DataCite"

BATCH = 50  # limited by the length of the address
_LONGEST_REPLY = 32 * MIB
_KINDS = {
    "Book": "book",
    "BookChapter": "chapter",
    "ConferencePaper": "paper-conference",
    "Dataset": "dataset",
    "Dissertation": "thesis",
    "JournalArticle": "article-journal",
    "Preprint": "article",
    "Report": "report",
    "Software": "software",
}
_DATES = ("Issued", "Available", "Created", "Submitted")  # the best first


def by_dois(dois: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these DOIs, at most BATCH, that DataCite knows. Raises SourceError."""
    asked = [doi for doi in dois if '"' not in doi and "\\" not in doi]
    if not asked:
        return []
    query = " OR ".join(f'doi:"{doi}"' for doi in asked)
    found = client.ask(
        KEY,
        "dois",
        params=(("query", query), ("page[size]", str(len(asked)))),
        accept=("json",),
        most=_LONGEST_REPLY,
        task=task,
        parse=lambda body: json_objects(body, "data"),
        check=missing_list_reason,
    )
    wanted = {doi.lower() for doi in asked}
    papers = (_paper(as_mapping(one.get("attributes"))) for one in found)
    return [paper for paper in papers if paper and paper.source_id in wanted]


def _paper(record: Mapping[str, Any]) -> Paper | None:
    title = next((plain(as_text(one.get("title"))) for one in as_objects(record.get("titles"))), "")
    written = as_text(record.get("doi"))
    doi = written.lower()
    if not title or not doi:
        return None
    known = identifiers(("doi", doi))
    types, container = as_mapping(record.get("types")), as_mapping(record.get("container"))
    kind = _KINDS.get(as_text(types.get("resourceTypeGeneral")))
    kind = kind or kind_of(as_text(types.get("citeproc")))
    first, last = as_text(container.get("firstPage")), as_text(container.get("lastPage"))
    extra = {
        "volume": as_text(container.get("volume")),
        "number": as_text(container.get("issue")),
        "pages": f"{first}-{last}" if first and last else first,
        "publisher": plain(_publisher(record.get("publisher"))),
        "version": as_text(record.get("version")),
        "language": as_text(record.get("language")),
    }
    return Paper(
        title=title,
        abstract=_abstract(record.get("descriptions")),
        authors=tuple(_authors(record.get("creators"))),
        kind=kind,
        published=_date(record),
        venue=plain(as_text(container.get("title"))) if kind == "article-journal" else "",
        identifiers=known,
        keywords=_keywords(record.get("subjects")),
        extra={name: value for name, value in extra.items() if value}
        | doi_as_written(known, written),
        source=KEY,
        source_id=doi,
    )


def _authors(value: Any) -> Iterator[Author]:
    for one in as_objects(value):
        name = plain(as_text(one.get("name")))
        family, given = plain(as_text(one.get("familyName"))), plain(as_text(one.get("givenName")))
        if one.get("nameType") == "Organizational" and name:
            yield Author(name, literal=True)
        elif family:
            yield Author(family, given)
        elif name:
            yield names.from_plain(name)


def _abstract(value: Any) -> str:
    texts = (
        prose(as_text(one.get("description")))
        for one in as_objects(value)
        if one.get("descriptionType") == "Abstract"
    )
    return next(filter(None, texts), "")


def _date(record: Mapping[str, Any]) -> str:
    given = {
        as_text(one.get("dateType")): dates.parse(as_text(one.get("date"))[:10])
        for one in as_objects(record.get("dates"))
    }
    year = as_text(record.get("publicationYear"))
    found = (given[name] for name in _DATES if given.get(name))
    return next((day for day in found if day.startswith(year)), "") or dates.parse(year)


def _publisher(value: Any) -> str:
    """The publisher's name; some responses have it within an object."""
    return as_text(value.get("name")) if isinstance(value, dict) else as_text(value)


def _keywords(value: Any) -> tuple[str, ...]:
    found = (plain(as_text(one.get("subject"))) for one in as_objects(value))
    return tuple(dict.fromkeys(filter(None, found)))
