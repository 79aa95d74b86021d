"""Atom feeds of arXiv's query API."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lxml import etree

from sciread_app.domain.metadata.identifiers import arxiv_id
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.arxiv import fields as arxiv_record
from sciread_app.formats.files.streams import open_bytes
from sciread_app.formats.files.xml_stream import BadXml, document, elements
from sciread_app.formats.values.author_list import authors
from sciread_app.formats.values.markup import prose
from sciread_app.language import tr

NAME = "arxiv_atom"
SUFFIXES = (".atom", ".xml")

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_START = "{http://a9.com/-/spec/opensearch/1.1/}startIndex"
_ENTRY = f"{_ATOM}entry"
_AUTHOR, _NAME, _AFFILIATION = f"{_ATOM}author", f"{_ATOM}name", f"{_ARXIV}affiliation"
_CATEGORY, _PRIMARY = f"{_ATOM}category", f"{_ARXIV}primary_category"
_ID, _TITLE, _SUMMARY = f"{_ATOM}id", f"{_ATOM}title", f"{_ATOM}summary"
_PUBLISHED, _UPDATED = f"{_ATOM}published", f"{_ATOM}updated"
_COMMENT, _JOURNAL, _DOI = f"{_ARXIV}comment", f"{_ARXIV}journal_ref", f"{_ARXIV}doi"


class AtomEntry(NamedTuple):
    """A record with its dates: ISO, in UTC, to the second."""

    record: Paper | Skipped
    published: str
    updated: str


class AtomFeed(NamedTuple):
    """One response of arXiv."""

    total: int  # number of results of the query; -1 if the response does not contain it
    entries: list[AtomEntry]
    error: str  # arXiv's error message about the query; mostly empty
    start: int = -1  # index of the first entry; -1 if the response does not contain it


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the entries that could not be read."""
    with open_bytes(path) as stream:
        yield from read_feed(stream, str(path))


def read_feed(stream: BinaryIO, name: str = "arXiv") -> Iterator[Paper | Skipped]:
    """The papers in a response of arXiv; `name` is the file name in Skipped.

    An error response has one entry, whose text is arXiv's message.
    """
    number = 0
    try:
        for element in elements(stream, _ENTRY):
            number += 1
            yield _entry(element, name, number).record
    except BadXml as error:
        yield Skipped(name, tr("Entry {number}", number=number + 1), str(error))


def feed(body: bytes, name: str = "arXiv") -> AtomFeed:
    """A whole response, parsed. Raises BadXml if it is malformed or no feed."""
    root = document(body)
    if root.tag != f"{_ATOM}feed":
        element = etree.QName(root).localname
        raise BadXml(
            tr("The XML is not an Atom feed: its root element is <{element}>.", element=element)
        )
    entries = [_entry(e, name, n) for n, e in enumerate(root.iterchildren(_ENTRY), start=1)]
    skips = (e.record for e in entries if isinstance(e.record, Skipped))
    error = next((skipped.reason for skipped in skips if not skipped.entry), "")
    return AtomFeed(_number(root.findtext(_TOTAL)), entries, error, _number(root.findtext(_START)))


def _number(text: str | None) -> int:
    text = (text or "").strip()
    return int(text) if text.isdecimal() else -1


def _entry(element: etree._Element, name: str, number: int) -> AtomEntry:
    # One pass over the children is several times faster than a search for each name.
    texts: dict[str, str] = {}
    people: list[etree._Element] = []
    terms: list[str] = []
    for child in element:
        tag = child.tag
        if tag == _AUTHOR:
            people.append(child)
        elif tag == _CATEGORY:
            terms.append(child.get("term", ""))
        elif tag == _PRIMARY:
            terms.insert(0, child.get("term", ""))
        elif child.text:
            texts.setdefault(tag, child.text)
    record = _record(texts, people, terms, name, number)
    return AtomEntry(record, texts.get(_PUBLISHED, "").strip(), texts.get(_UPDATED, "").strip())


def _record(
    texts: dict[str, str], people: list[etree._Element], terms: list[str], name: str, number: int
) -> Paper | Skipped:
    url, title = texts.get(_ID, "").strip(), prose(texts.get(_TITLE, ""))
    abstract = prose(texts.get(_SUMMARY, ""))
    if title == "Error" and "/api/errors" in url:
        return Skipped(name, "", tr("arXiv reports an error: {answer}.", answer=abstract))
    base, version = arxiv_id(url)
    if not base or not title:
        why = tr("This entry has no title.") if base else tr("This entry has no arXiv ID.")
        return Skipped(name, base or tr("Entry {number}", number=number), why)
    extra = {
        "comment": prose(texts.get(_COMMENT, "")),
        "journal_ref": prose(texts.get(_JOURNAL, "")),
        "updated": texts.get(_UPDATED, "").strip()[:10],
        "affiliations": _affiliations(people),
        "version": str(version or ""),
    }
    return arxiv_record.paper(
        base,
        title,
        abstract,
        authors=_authors(people),
        published=texts.get(_PUBLISHED, "").strip()[:10],
        dois=texts.get(_DOI, ""),
        fields=_categories(terms),
        extra=extra,
    )


def _authors(people: list[etree._Element]) -> tuple[Author, ...]:
    return tuple(a for person in people for a in _named(person.findtext(_NAME) or ""))


@lru_cache(maxsize=1 << 15)
def _named(name: str) -> tuple[Author, ...]:
    return authors([prose(name)])


def _categories(terms: list[str]) -> tuple[str, ...]:
    """arXiv's own categories, the primary one first; ACM and MSC classes are left out."""
    return tuple(term for term in dict.fromkeys(terms) if _is_category(term))


@lru_cache(maxsize=1 << 12)
def _is_category(term: str) -> bool:
    archive = term.partition(".")[0]
    return bool(archive) and archive.replace("-", "").isalpha() and " " not in term


def _affiliations(people: list[etree._Element]) -> str:
    """The distinct affiliations of all authors. Most have none and are skipped early."""
    found = (
        prose(part.text or "")
        for person in people
        if len(person) > 1
        for part in person.iterchildren(_AFFILIATION)
    )
    return "; ".join(filter(None, dict.fromkeys(found)))
