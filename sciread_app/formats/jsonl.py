"""SciRead's own format: one JSON object per line and paper, for training data.

The keys are `id` ("arxiv:2101.00027", "doi:...", "pmid:..."), `title`, `abstract`, `authors`,
`venue`, `created` (an ISO date, possibly without day or month), `year`, `categories` and the first
of them as `primary`, `keywords`. Absent keys are unknown. Lines written here also have `kind`,
`identifiers`, `extra`, `files`, `source`, `source_id` and `format`, and are read back exactly;
lines of other programs are cleaned of remains of web pages and LaTeX. Only files on network shares
become text in `extra`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from sciread_app.domain.metadata.identifiers import IDENTIFIER_KINDS, doi_as_written, identifiers
from sciread_app.domain.paper import KINDS, Author, Identifier, Paper, Skipped
from sciread_app.formats.arxiv import fields as arxiv_record
from sciread_app.formats.files.json_lines import objects, string
from sciread_app.formats.values import file_links
from sciread_app.formats.values.author_list import authors, person
from sciread_app.formats.values.markup import prose
from sciread_app.language import tr

NAME = "jsonl"
SUFFIXES = (".jsonl", ".ndjson", ".json")

_FORMAT = 1  # version of the lines that `write` writes
_DATE = re.compile(r"(?:1[0-9]|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_KNOWN = frozenset((
    "id", "title", "abstract", "authors", "venue", "journal", "created", "published", "date",
    "year", "categories", "primary", "mesh", "keywords", "comments", "kind", "doi",
    "arxiv_id", "pmid", "pmcid", "isbn",
))  # fmt: skip


def read(path: Path) -> Iterator[Paper | Skipped]:
    """Every paper in the file, and the lines that could not be read."""
    for number, line in objects(path):
        if isinstance(line, Skipped):
            yield line
        else:
            yield _own_paper(line) or _paper(line) or _empty(line, path, number)


def write(papers: Iterable[Paper], stream: TextIO) -> None:
    """One line per paper, in order. `Paper.id`, which has only local meaning, is left out."""
    for paper in papers:
        stream.write(json.dumps(_record(paper), ensure_ascii=False) + "\n")


def _empty(record: dict[str, Any], path: Path, number: int) -> Skipped:
    entry = string(record.get("id")) or tr("Line {number}", number=number)
    return Skipped(str(path), entry, tr("This paper has neither a title nor an abstract."))


def _paper(record: dict[str, Any]) -> Paper | None:
    """A paper written by another program."""
    title = prose(string(record.get("title") or record.get("question")))
    abstract = prose(string(record.get("abstract")))
    if not title and not abstract:
        return None
    name = string(record.get("id"))
    kind, _, value = name.partition(":")
    named = [(kind, value)] if kind in IDENTIFIER_KINDS else []
    named += [(key, string(record.get(name))) for key, name in _IDENTIFIER_KEYS if record.get(name)]
    found = identifiers(*named)
    venue = prose(string(record.get("venue") or record.get("journal")))
    return Paper(
        title=title,
        abstract=abstract,
        authors=authors(record.get("authors")),
        kind=_kind(record, found),
        published=_published(record),
        venue=venue,
        identifiers=found,
        fields=_fields(record),
        keywords=_words(record.get("keywords")),
        extra=_extra(record, abstract) | doi_as_written(found, string(record.get("doi"))),
        source="jsonl",
        source_id=name,
    )


_IDENTIFIER_KEYS = (
    ("arxiv", "arxiv_id"),
    ("doi", "doi"),
    ("pmid", "pmid"),
    ("pmcid", "pmcid"),
    ("isbn", "isbn"),
)


def _kind(record: dict[str, Any], found: tuple[Identifier, ...]) -> str:
    if record.get("kind") in KINDS:
        return str(record["kind"])
    if any(kind == "arxiv" for kind, _ in found):
        return "article"  # arXiv holds preprints, even where it names the journal as well.
    if record.get("booktitle") or string(record.get("id")).startswith("acl:"):
        return "paper-conference"
    return "article-journal" if record.get("journal") or record.get("pmid") else "article"


def _published(record: dict[str, Any]) -> str:
    for key in ("created", "published", "date"):
        if match := _DATE.match(string(record.get(key))):
            return match[0]
    match = _YEAR.search(string(record.get("year")))
    return match[0] if match else ""


def _fields(record: dict[str, Any]) -> tuple[str, ...]:
    """Categories, the primary one first, then MeSH terms."""
    categories = record.get("categories")
    words = categories.split() if isinstance(categories, str) else _words(categories)
    primary = (string(record["primary"]),) if record.get("primary") else ()
    return tuple(dict.fromkeys((*primary, *words, *_words(record.get("mesh")))))


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        parts = [prose(string(part)) for part in value]
    else:
        parts = [part.strip() for part in re.split(r"[;,]", prose(string(value)))]
    return tuple(dict.fromkeys(part for part in parts if part))


def _extra(record: dict[str, Any], abstract: str) -> dict[str, str]:
    extra = {
        key: text
        for key, value in record.items()
        if key not in _KNOWN and (text := string(value).strip())
    }
    comment = prose(string(record.get("comments")))
    if comment:
        extra["comment"] = comment
    if notice := arxiv_record.withdrawn(comment, abstract):
        extra["withdrawn"] = notice
    return extra


def _record(paper: Paper) -> dict[str, Any]:
    record = {
        "id": _name(paper),
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [_author_out(author) for author in paper.authors],
        "kind": paper.kind,
        "venue": paper.venue,
        "created": paper.published,
        "year": paper.year,
        "categories": list(paper.fields),
        "primary": paper.fields[0] if paper.fields else "",
        "keywords": list(paper.keywords),
        "identifiers": [f"{kind}:{value}" for kind, value in paper.identifiers],
        "extra": dict(paper.extra),
        "files": list(paper.files),
    }
    known = {key: value for key, value in record.items() if value not in ("", None, [], {})}
    return known | {"source": paper.source, "source_id": paper.source_id, "format": _FORMAT}


def _name(paper: Paper) -> str:
    """An id that is stable between exports, if the paper has an identifier."""
    for kind in ("arxiv", "doi", "pmid", "pmcid"):
        if value := paper.identifier(kind):
            return f"{kind}:{value}"
    if paper.source == "jsonl" or not paper.source_id:
        return paper.source_id
    return f"{paper.source}:{paper.source_id}"


def _author_out(author: Author) -> str | dict[str, Any]:
    """The name in natural order, or its parts if they cannot be recovered from that."""
    name = author.name
    if not author.literal and name.strip() and _author_in(name) == author:
        return name
    return {key: value for key, value in author._asdict().items() if value}


def _author_in(value: object) -> Author:
    if isinstance(value, str):
        return person(value)
    if not isinstance(value, dict) or not value.keys() <= set(Author._fields):
        raise TypeError(value)
    parts = {key: _text(part) for key, part in value.items() if key != "literal"}
    return Author(**{"family": "", **parts}, literal=value.get("literal") is True)


def _own_paper(record: dict[str, Any]) -> Paper | None:
    """The paper that `write` wrote on this line; None if another program wrote it."""
    if record.get("format") != _FORMAT:
        return None
    try:
        files, extra = _files(record)
        return Paper(
            title=_text(record.get("title", "")),
            abstract=_text(record.get("abstract", "")),
            authors=tuple(_author_in(author) for author in record.get("authors", ())),
            kind=_one_of(KINDS, record["kind"]),
            published=_date(record.get("created", "")),
            venue=_text(record.get("venue", "")),
            identifiers=tuple(_identifier(name) for name in record.get("identifiers", ())),
            fields=_texts(record.get("categories", ())),
            keywords=_texts(record.get("keywords", ())),
            extra=extra,
            files=files,
            source=_text(record["source"]),
            source_id=_text(record["source_id"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return None  # The line was edited manually: it is read like any other.


def _files(record: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The files of a paper that `write` wrote, and its `extra`, to which files on network shares
    are moved: as in BibTeX, they are kept as text and never opened."""
    extra = {key: _text(value) for key, value in record.get("extra", {}).items()}
    files = _texts(record.get("files", ()))
    shares = list(filter(file_links.is_network_share, files))
    if shares:
        extra["file"] = file_links.to_field(shares, extra.get("file", ""))
    return tuple(file for file in files if file not in shares), extra


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(_text(value) for value in values)


def _date(value: object) -> str:
    text = _text(value)
    if text and not _DATE.fullmatch(text):
        raise ValueError(text)
    return text


def _one_of(known: Iterable[str], value: object) -> str:
    text = _text(value)
    if text not in known:
        raise ValueError(text)
    return text


def _identifier(name: object) -> Identifier:
    kind, _, value = _text(name).partition(":")
    return Identifier(_one_of(IDENTIFIER_KINDS, kind), value)
