"""RIS files: writing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from sciread_app.domain.paper import Identifier, Paper
from sciread_app.formats import names
from sciread_app.formats.escaping import escaped
from sciread_app.formats.ris_tags import KINDS, ON_THEIR_OWN, OTHER, TAGS, TYPES

_TAG = re.compile(r"[a-z][a-z0-9]")
_PAGES = re.compile(r"([^-\s]+)-([^\s]+)")
# The databases' own way to write what RIS has no tag for.
_IDENTIFIERS = {
    "doi": "DO  - {}",
    "isbn": "SN  - {}",
    "pmid": "U1  - {}[pmid]",
    "pmcid": "U2  - {}[pmcid]",
    "arxiv": "U3  - arXiv:{}",
    "citekey": "ID  - {}",
}
_WRITTEN_ELSEWHERE = frozenset(["ty", "pages", "editor", "da", "issn"])


def write(papers: Iterable[Paper], stream: TextIO) -> None:
    """Write one record a paper, the same for the same paper."""
    for paper in papers:
        stream.write("\n".join(_lines(paper)))
        stream.write("\nER  - \n\n")


def _lines(paper: Paper) -> Iterator[str]:
    extra = paper.extra
    original = extra.get("ty", "")
    fits = original and KINDS.get(original, "article") == paper.kind
    yield f"TY  - {original if fits else TYPES[paper.kind]}"
    yield f"TI  - {escaped(paper.title)}"
    yield from (f"AU  - {names.to_plain(author)}" for author in paper.authors)
    yield from (f"A2  - {name}" for name in _editors(extra.get("editor", "")))
    if paper.venue:
        yield f"{'JF' if paper.kind in ON_THEIR_OWN else 'T2'}  - {escaped(paper.venue)}"
    if paper.published:
        yield f"PY  - {paper.published[:4]}"
        yield f"DA  - {extra.get('da') or _date(paper.published)}"
    yield from _pages(extra.get("pages", ""))
    yield from map(_identifier, _one_of_each(paper.identifiers))
    yield from (f"SN  - {number}" for number in extra.get("issn", "").split("\n") if number)
    if paper.abstract:
        yield f"AB  - {escaped(paper.abstract)}"
    yield from (f"KW  - {escaped(keyword)}" for keyword in paper.keywords)
    if paper.fields:
        yield f"{OTHER}  - fields: {'; '.join(paper.fields)}"
    yield from (f"L1  - {file}" for file in paper.files)
    for name in sorted(extra.keys() - _WRITTEN_ELSEWHERE):
        yield from _extra(name, extra[name])


def _date(published: str) -> str:
    year, month, day = [*published.split("-"), "", ""][:3]
    return f"{year}/{month}/{day}/"


def _editors(text: str) -> list[str]:
    return [name for name in text.split(" and ") if name]


def _pages(pages: str) -> Iterator[str]:
    if match := _PAGES.fullmatch(pages):
        yield f"SP  - {match[1]}"
        yield f"EP  - {match[2]}"
    elif pages:
        yield f"SP  - {pages}"


def _one_of_each(identifiers: Iterable[Identifier]) -> list[Identifier]:
    """The first identifier of each kind, but all ISBNs."""
    first: dict[str, Identifier] = {}
    isbns = [identifier for identifier in identifiers if identifier.kind == "isbn"]
    for identifier in identifiers:
        if identifier.kind != "isbn":
            first.setdefault(identifier.kind, identifier)
    return [*first.values(), *isbns]


def _identifier(identifier: Identifier) -> str:
    return _IDENTIFIERS[identifier.kind].format(identifier.value)


def _extra(name: str, text: str) -> Iterator[str]:
    if tag := TAGS.get(name) or (name.upper() if _TAG.fullmatch(name) else ""):
        yield from (f"{tag}  - {line}" for line in text.split("\n"))
    else:
        # Four blanks keep a line from being taken for a tag.
        folded = text.replace("\n", "\n    ")
        yield f"{OTHER}  - {name}: {folded}"
