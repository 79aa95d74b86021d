"""Fields of a record as editable text, and the parsing of that text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sciread_app.domain.metadata.identifiers import (
    IDENTIFIER_NAMES,
    doi_as_written,
    identifier,
    other_fields,
)
from sciread_app.domain.paper import OTHERS, Author, Identifier, Paper, is_truncation_mark
from sciread_app.language import tr

_DATE = re.compile(r"(\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?)?")


class InvalidFieldValue(Exception):
    """The text is not a valid value of the field; the message is shown to the user."""


def written(paper: Paper) -> dict[str, str]:
    """Each field as text, by name; an identifier's name is its kind."""
    fields = {name: text for name, text in other_fields(paper).items() if name != "and-others"}
    others = [f"and {OTHERS}"] if paper.has_more_authors else []
    texts = {
        "title": paper.title,
        "authors": "\n".join(filter(None, [written_authors(paper.authors), *others])),
        "kind": paper.kind,
        "published": paper.published,
        "venue": paper.venue,
        "abstract": paper.abstract,
        "keywords": "; ".join(paper.keywords),
        "extra": "\n".join(f"{name}: {value}" for name, value in fields.items()),
    }
    named = {kind: paper.identifier(kind) for kind in IDENTIFIER_NAMES}
    return texts | named | {"doi": paper.written_doi}


def changed(paper: Paper, texts: Mapping[str, str]) -> dict[str, Any]:
    """The changed fields with their parsed values, as Paper attributes. Raises
    InvalidFieldValue."""
    before = written(paper)
    new = {name: text for name, text in texts.items() if text.strip() != before[name].strip()}
    values = {name: value_of(name, text, paper) for name, text in new.items() if name in _READ}
    if any(name in IDENTIFIER_NAMES for name in new):
        values["identifiers"] = _identifiers(paper, new)
    if {"doi", "authors", "extra"} & new.keys():
        fields = values.get("extra", other_fields(paper))
        known = values.get("identifiers", paper.identifiers)
        fields |= doi_as_written(known, new.get("doi", before["doi"]))
        lines = new.get("authors", before["authors"]).strip().splitlines()
        if lines and is_truncation_mark(lines[-1]):
            fields["and-others"] = "true"
        elif "authors" in new:
            fields.pop("and-others", None)
        if "extra" in values or fields != paper.extra:
            values["extra"] = fields
    return values


def value_of(name: str, text: str, paper: Paper | None = None) -> Any:
    """The parsed value of one field, as a Paper attribute. Raises InvalidFieldValue."""
    return _READ[name](text, paper)


def _line(text: str, paper: Paper | None) -> str:
    return " ".join(text.split())


def _date(text: str, paper: Paper | None) -> str:
    text = text.strip().replace("/", "-")
    if not _DATE.fullmatch(text):
        raise InvalidFieldValue(
            tr(
                "“{text}” is not a valid date. Enter a date such as 2017, 2017-06, or 2017-06-12.",
                text=text,
            )
        )
    return text


def _extra(text: str, paper: Paper | None) -> dict[str, str]:
    pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
    for name, colon, _ in pairs:
        if not colon or not name.strip():
            raise InvalidFieldValue(
                tr(
                    "“{text}” has no field name. Enter one field per line, such as volume: 12.",
                    text=name.strip(),
                )
            )
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _keywords(text: str, paper: Paper | None) -> tuple[str, ...]:
    words = (" ".join(word.split()) for word in re.split(r"[;\n]", text))
    return tuple(dict.fromkeys(filter(None, words)))


_READ: Mapping[str, Callable[[str, Paper | None], Any]] = {
    "title": _line,
    "authors": lambda text, paper: read_authors(text, paper.authors if paper else ()),
    "kind": _line,
    "published": _date,
    "venue": _line,
    "abstract": lambda text, paper: text.strip(),
    "keywords": _keywords,
    "extra": _extra,
}


def _identifiers(paper: Paper, new: Mapping[str, str]) -> tuple[Identifier, ...]:
    """The paper's identifiers with the first of each changed kind replaced."""
    first = {kind: paper.identifier(kind) for kind in IDENTIFIER_NAMES}
    kept = [one for one in paper.identifiers if one.kind not in new or one.value != first[one.kind]]
    found: list[Identifier] = []
    for kind, text in new.items():
        if kind in IDENTIFIER_NAMES and text.strip():
            if (one := identifier(kind, text)) is None:
                # Translators: giver is DOI, arXiv, PubMed, PMC or ISBN
                message = tr(
                    "“{name}” is not a valid identifier ({giver}).",
                    name=text.strip(),
                    giver=IDENTIFIER_NAMES[kind],
                )
                raise InvalidFieldValue(message)
            found.append(one)
    return tuple(dict.fromkeys((*found, *kept)))


def written_authors(authors: Sequence[Author]) -> str:
    """Authors as text: one per line, family name first."""
    return "\n".join(map(_author_line, authors))


def read_authors(text: str, before: Sequence[Author]) -> tuple[Author, ...]:
    """The authors of these lines. A line equal to that of an author in `before` keeps that
    author. "and others" at the end is no author."""
    known = {_author_line(author): author for author in before}
    lines = [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]
    if lines and is_truncation_mark(lines[-1]) and lines[-1] not in known:
        lines.pop()
    return tuple(known.get(line) or _author(line) for line in lines)


def _author_line(author: Author) -> str:
    """ "van der Berg, Jr., Jan"; an organization is in braces."""
    if author.literal:
        return f"{{{author.family}}}"
    return ", ".join(filter(None, (author.last_name, author.suffix, author.given)))


def _author(line: str) -> Author:
    if line.startswith("{") and line.endswith("}"):
        return Author(line[1:-1].strip(), literal=True)
    parts = [part.strip() for part in line.split(",")]
    if len(parts) == 1:
        words = line.split()
        given = " ".join(_first(words))
        last = words[len(_first(words)) :]
    else:
        given, last = parts[-1], parts[0].split()
    suffix = ", ".join(parts[1:-1])
    small = next((n for n, word in enumerate(last[:-1]) if not word[:1].islower()), len(last) - 1)
    return Author(" ".join(last[small:]), given, " ".join(last[:small]), suffix)


def _first(words: Sequence[str]) -> Sequence[str]:
    """The given names of a name in natural order: all before "van der Berg", or but the last
    word."""
    small = (n for n, word in enumerate(words[:-1]) if n and word[:1].islower())
    return words[: next(small, len(words) - 1)]
