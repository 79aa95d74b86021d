"""OpenAlex: records of papers by DOI or title.

OpenAlex answers a hundred DOIs in one request. A free API key allows 10,000 lists or 1,000 searches
a day; without a key, a tenth of it, or less by an earlier version of the page:
https://developers.openalex.org/api-reference/authentication. Its data are in the public domain
(CC0): https://help.openalex.org/hc/en-us/articles/28926392245399-What-does-open-mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sciread_app.domain.metadata.identifiers import doi_as_written, identifiers
from sciread_app.domain.metadata.paper_updates import RETRACTED
from sciread_app.domain.paper import Author, Identifier, Paper
from sciread_app.formats.values import names
from sciread_app.formats.values.markup import plain, prose
from sciread_app.sources.http.bodies import json_objects, missing_list_reason
from sciread_app.sources.http.client import MIB, Client
from sciread_app.sources.json_values import as_mapping, as_objects, as_text
from sciread_app.tasks import Task

KEY = "openalex"
TITLE = "OpenAlex"

BATCH = 100  # alternatives that a filter may have
# The properties of a work that `paper_of` reads.
SELECT = (
    "id,doi,title,publication_year,publication_date,type,ids,language,authorships,"
    "primary_location,locations,biblio,abstract_inverted_index,keywords,topics,is_retracted"
)
_LONGEST_REPLY = 32 * MIB
_MOST_WORDS = 20_000  # of an abstract
_KINDS = {
    "book": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "dataset": "dataset",
    "dissertation": "thesis",
    "preprint": "article",
    "reference-entry": "chapter",
    "report": "report",
    "software": "software",
    "standard": "report",
}
_SOURCE_KINDS = {
    "book series": "chapter",
    "conference": "paper-conference",
    "journal": "article-journal",
}
_ARXIV = re.compile(r"arxiv\.org/abs/(\S+)", re.I)
_UNSEARCHABLE = re.compile(r"[^\w\s]+")  # some of these are operators of the filter
_HEADING = re.compile(r"^Abstract\s+(?=[A-Z])")


def by_dois(dois: Sequence[str], client: Client, task: Task) -> list[Paper]:
    """The papers with these DOIs, at most BATCH, that OpenAlex knows. Raises SourceError."""
    # A comma or a bar would end the value of the filter.
    asked = [doi for doi in dois if not re.search(r"[,|]", doi)]
    if not asked:
        return []
    wanted = {doi.lower() for doi in asked}
    works = _works(f"doi:{'|'.join(asked)}", len(asked), client, task)
    return [paper for paper in works if paper.identifier("doi") in wanted]


def by_title(title: str, most: int, client: Client, task: Task) -> list[Paper]:
    """At most `most` papers whose titles contain the words of this one, best first. Raises
    SourceError."""
    # AND, OR and NOT in capitals are operators.
    words = " ".join(_UNSEARCHABLE.sub(" ", title).lower().split())
    return _works(f"title.search:{words}", most, client, task) if words else []


def paper_of(work: Mapping[str, Any]) -> Paper | None:
    """The paper of a work in a response; None if it has no title."""
    title = plain(as_text(work.get("title")) or as_text(work.get("display_name")))
    if not title:
        return None
    place = as_mapping(work.get("primary_location"))
    source = as_mapping(place.get("source"))
    number = as_text(work.get("id")).rpartition("/")[2]
    known = _identifiers(work)
    retracted = {"publication_types": RETRACTED} if work.get("is_retracted") else {}
    extra = {
        **_biblio(as_mapping(work.get("biblio"))),
        "issn": as_text(source.get("issn_l")),
        "publisher": plain(as_text(source.get("host_organization_name"))),
        "language": as_text(work.get("language")),
        **retracted,
    }
    return Paper(
        title=title,
        abstract=_abstract(work.get("abstract_inverted_index")),
        authors=tuple(_authors(work.get("authorships"))),
        kind=_kind(as_text(work.get("type")), as_text(source.get("type"))),
        published=_date(work),
        venue=""
        if source.get("type") == "repository"
        else plain(as_text(source.get("display_name"))),
        identifiers=known,
        fields=_labels(work.get("topics")),
        keywords=_labels(work.get("keywords")),
        extra={name: value for name, value in extra.items() if value}
        | doi_as_written(known, _doi(work)),
        source=KEY,
        source_id=number,
    )


def _works(filter: str, most: int, client: Client, task: Task) -> list[Paper]:
    found = client.ask(
        KEY,
        "works",
        params=(("filter", filter), ("per_page", str(most)), ("select", SELECT)),
        accept=("json",),
        most=_LONGEST_REPLY,
        task=task,
        parse=lambda body: json_objects(body, "results"),
        check=missing_list_reason,
    )
    return [paper for work in found if (paper := paper_of(work))]


def _authors(value: Any) -> Iterable[Author]:
    for one in as_objects(value):
        # The name as printed: that of the profile may be another person's.
        name = as_text(one.get("raw_author_name"))
        name = name or as_text(as_mapping(one.get("author")).get("display_name"))
        if name := plain(name):
            yield names.from_plain(name)


def _abstract(index: Any) -> str:
    """The text of an inverted index, which lists the positions of each word."""
    words: dict[int, str] = {}
    for word, places in as_mapping(index).items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < _MOST_WORDS:
                words[place] = str(word)
    return _HEADING.sub("", prose(" ".join(words[place] for place in sorted(words))))


def _biblio(biblio: Mapping[str, Any]) -> dict[str, str]:
    first, last = as_text(biblio.get("first_page")), as_text(biblio.get("last_page"))
    return {
        "volume": as_text(biblio.get("volume")),
        "number": as_text(biblio.get("issue")),
        "pages": f"{first}-{last}" if last and last != first else first,
    }


def _identifiers(work: Mapping[str, Any]) -> tuple[Identifier, ...]:
    ids = as_mapping(work.get("ids"))
    pmid, pmcid = (
        as_text(ids.get(name)).rstrip("/").rpartition("/")[2] for name in ("pmid", "pmcid")
    )
    pages = (as_text(one.get("landing_page_url")) for one in as_objects(work.get("locations")))
    arxiv = next((match[1] for page in pages if (match := _ARXIV.search(page))), "")
    return identifiers(("doi", _doi(work)), ("arxiv", arxiv), ("pmid", pmid), ("pmcid", pmcid))


def _doi(work: Mapping[str, Any]) -> str:
    return as_text(work.get("doi")) or as_text(as_mapping(work.get("ids")).get("doi"))


def _kind(type: str, source_type: str) -> str:
    return _KINDS.get(type) or _SOURCE_KINDS.get(source_type, "article")


def _date(work: Mapping[str, Any]) -> str:
    """The date; only the year if the day is 1 January, which stands for an unknown day."""
    date = as_text(work.get("publication_date"))
    if re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", date):
        return date.removesuffix("-01-01")
    year = as_text(work.get("publication_year"))
    return year if re.fullmatch(r"\d{4}", year) else ""


def _labels(value: Any) -> tuple[str, ...]:
    labels = (plain(as_text(one.get("display_name"))) for one in as_objects(value))
    return tuple(dict.fromkeys(filter(None, labels)))
