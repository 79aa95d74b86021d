"""Atom feeds as arXiv's API answers with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from lxml import etree

from sciread_app.domain.identifiers import arxiv_id, identifiers
from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats import arxiv_record
from sciread_app.formats.author_list import authors
from sciread_app.formats.markup import prose
from sciread_app.formats.streams import open_bytes
from sciread_app.formats.xml_stream import BadXml, elements

SUFFIXES = (".atom", ".xml")

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and what was wrong with the entries that hold none."""
    with open_bytes(path) as stream:
        yield from read_feed(stream, str(path))


def read_feed(stream: BinaryIO, name: str = "arXiv") -> Iterator[Paper | Skipped]:
    """The papers in an answer of arXiv; `name` is what Skipped calls it.

    An answer that is an error has one entry, whose text is arXiv's message.
    """
    number = 0
    try:
        for entry in elements(stream, f"{_ATOM}entry"):
            number += 1
            yield _paper(entry, name, number)
    except BadXml as error:
        yield Skipped(name, f"entry {number + 1}", str(error))


def _paper(entry: etree._Element, name: str, number: int) -> Paper | Skipped:
    url, title = _text(entry, f"{_ATOM}id"), _text(entry, f"{_ATOM}title")
    abstract = _text(entry, f"{_ATOM}summary")
    if title == "Error" and "/api/errors" in url:
        return Skipped(name, "", f"arXiv answers: {abstract}.")
    base, version = arxiv_id(url)
    if not base or not title:
        what = "title" if base else "arXiv id"
        return Skipped(name, base or f"entry {number}", f"This entry has no {what}.")
    extra = _extra(entry, abstract)
    if version:
        extra["version"] = str(version)
    return Paper(
        title=title,
        abstract=abstract,
        authors=_authors(entry),
        published=_text(entry, f"{_ATOM}published")[:10],
        venue=arxiv_record.venue_of(extra.get("journal_ref", "")),
        identifiers=identifiers(
            ("arxiv", base), *(("doi", doi) for doi in _text(entry, f"{_ARXIV}doi").split())
        ),
        fields=_categories(entry),
        extra=extra,
        source="arxiv",
        source_id=base,
    )


def _text(entry: etree._Element, tag: str) -> str:
    return prose(entry.findtext(tag) or "")


def _authors(entry: etree._Element) -> tuple[Author, ...]:
    names = (_text(author, f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author"))
    return tuple(author for name in names for author in authors([name]))


def _categories(entry: etree._Element) -> tuple[str, ...]:
    """arXiv's own, the primary one first; ACM and MSC classes are not among them."""
    primary = entry.find(f"{_ARXIV}primary_category")
    terms = [] if primary is None else [primary.get("term", "")]
    terms += [category.get("term", "") for category in entry.iterfind(f"{_ATOM}category")]
    return tuple(dict.fromkeys(term for term in terms if _is_category(term)))


def _is_category(term: str) -> bool:
    archive = term.partition(".")[0]
    return bool(archive) and archive.replace("-", "").isalpha() and " " not in term


def _extra(entry: etree._Element, abstract: str) -> dict[str, str]:
    affiliations = dict.fromkeys(
        prose(element.text or "") for element in entry.iter(f"{_ARXIV}affiliation")
    )
    extra = {
        "comment": _text(entry, f"{_ARXIV}comment"),
        "journal_ref": _text(entry, f"{_ARXIV}journal_ref"),
        "updated": _text(entry, f"{_ATOM}updated")[:10],
        "affiliations": "; ".join(filter(None, affiliations)),
    }
    extra["withdrawn"] = arxiv_record.withdrawn(extra["comment"], abstract)
    return {name: text for name, text in extra.items() if text}
