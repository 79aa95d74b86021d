"""Writer of RIS files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from sciread_app.domain.metadata.identifiers import other_fields
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.formats.ris.record import date
from sciread_app.formats.ris.tags import (
    KINDS,
    NUMBERED_KINDS,
    OTHER,
    STANDALONE_KINDS,
    TAGS,
    TYPES,
    is_report_number,
)
from sciread_app.formats.values import dates, field_names, names
from sciread_app.formats.values.institutions import as_publisher, is_institution, thesis_type
from sciread_app.formats.values.markup import escaped

_TAG = re.compile(r"[a-z][a-z0-9]")
_PAGES = re.compile(r"([^-\s]+)-([^\s]+)")
# The databases' own notation of identifiers for which RIS has no tag.
_IDENTIFIERS = {
    "doi": "DO  - {}",
    "isbn": "SN  - {}",
    "pmid": "U1  - {}[pmid]",
    "pmcid": "U2  - {}[pmcid]",
    "arxiv": "U3  - arXiv:{}",
    "citekey": "ID  - {}",
}
_WRITTEN_ELSEWHERE = frozenset(["ty", "pages", "editor", "da", "py", "y1", "issn"])


def write(papers: Iterable[Paper], stream: TextIO) -> None:
    """Write one record per paper, deterministically."""
    for paper in papers:
        stream.write("\n".join(_lines(paper)))
        stream.write("\nER  - \n\n")


def _lines(paper: Paper) -> Iterator[str]:
    extra = field_names.named(other_fields(paper))
    original = extra.get("ty", "")
    fits = original and KINDS.get(original, "article") == paper.kind
    yield f"TY  - {original if fits else TYPES[paper.kind]}"
    yield f"TI  - {escaped(paper.title)}"
    yield from (f"AU  - {names.to_plain(author)}" for author in paper.authors)
    editors, more_editors = names.split_people(extra.get("editor", ""))
    yield from (f"A2  - {name}" for name in editors)
    if more_editors:
        yield _other("editor", extra["editor"])
    if paper.venue:
        yield f"{'JF' if paper.kind in STANDALONE_KINDS else 'T2'}  - {escaped(paper.venue)}"
    for tag, text in _dates(paper.published, extra).items():
        yield from _lines_of(tag, text)
    yield from _pages(extra.get("pages", ""))
    for identifier in _one_of_each(paper.written_identifiers):
        yield _IDENTIFIERS[identifier.kind].format(identifier.value)
    yield from _serial_numbers(paper)
    publisher, by_name = as_publisher(paper.kind, extra)
    yield from _lines_of("PB", publisher)
    yield from (_other(name, text) for name, text in by_name.items())
    yield from _lines_of("M3", thesis_type(paper))
    if paper.abstract:
        yield f"AB  - {escaped(paper.abstract)}"
    yield from (f"KW  - {escaped(keyword)}" for keyword in paper.keywords)
    if paper.fields:
        yield f"{OTHER}  - fields: {'; '.join(paper.fields)}"
    yield from (f"L1  - {file}" for file in paper.files)
    for name in sorted(extra.keys() - _WRITTEN_ELSEWHERE):
        if not is_institution(paper.kind, name) and not _is_number(paper, name):
            yield from _extra(name, extra[name])


def _dates(published: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The dates by their tags, as originally written if they still agree with the paper."""
    usual = {}
    if published:
        year, month, day = [*published.split("-"), "", ""][:3]
        usual = {"PY": year, "DA": f"{year}/{month}/{day}/"}
    kept = {tag: extra[tag.lower()] for tag in ("PY", "DA", "Y1") if tag.lower() in extra}
    if not all(_agrees(text, published) for text in kept.values()):
        return usual
    found = usual | kept
    understood, _ = date(found.get("PY", ""), found.get("Y1", ""), found.get("DA", ""))
    return found if understood == published else usual


def _agrees(text: str, published: str) -> bool:
    """Whether a date is a less exact form of that of the paper; "Jul-Aug" has its year."""
    return published.startswith(dates.parse(text) or dates.parse(f"{text} {published[:4]}"))


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


def _serial_numbers(paper: Paper) -> Iterator[str]:
    """ISSNs, or the number of a report or patent."""
    issn = paper.extra.get("issn", "")
    if _is_number(paper, "number"):
        yield f"SN  - {paper.extra['number']}"
        if issn:
            yield _other("issn", issn)
    else:
        yield from _lines_of("SN", issn)


def _is_number(paper: Paper, name: str) -> bool:
    """Whether this field is the number of a report or patent, in a form that SN can hold."""
    number = paper.extra.get("number", "")
    return name == "number" and paper.kind in NUMBERED_KINDS and is_report_number(number)


def _extra(name: str, text: str) -> Iterator[str]:
    if tag := TAGS.get(name) or (name.upper() if _TAG.fullmatch(name) else ""):
        yield from (f"{tag}  - {line}" for line in text.split("\n"))
    else:
        yield _other(name, text)


def _lines_of(tag: str, text: str) -> Iterator[str]:
    yield from (f"{tag}  - {line}" for line in text.split("\n") if line)


def _other(name: str, text: str) -> str:
    # Four spaces prevent a line from being read as a tag.
    folded = text.replace("\n", "\n    ")
    return f"{OTHER}  - {name}: {folded}"
