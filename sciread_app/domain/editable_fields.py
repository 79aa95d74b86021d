"""Fields of a record as editable text, and the parsing of that text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from sciread_app.domain import author_lines
from sciread_app.domain.identifiers import IDENTIFIER_NAMES, identifier
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.language import tr

_DATE = re.compile(r"(\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?)?")


class InvalidFieldValue(Exception):
    """The text is not a valid value of the field; the message is shown to the user."""


def written(paper: Paper) -> dict[str, str]:
    """Each field as text, by name; an identifier's name is its kind."""
    texts = {
        "title": paper.title,
        "authors": author_lines.written(paper.authors),
        "kind": paper.kind,
        "published": paper.published,
        "venue": paper.venue,
        "abstract": paper.abstract,
        "keywords": "; ".join(paper.keywords),
        "extra": "\n".join(f"{name}: {value}" for name, value in paper.extra.items()),
    }
    return texts | {kind: paper.identifier(kind) for kind in IDENTIFIER_NAMES}


def changed(paper: Paper, texts: Mapping[str, str]) -> dict[str, Any]:
    """The changed fields with their parsed values, as Paper attributes. Raises
    InvalidFieldValue."""
    before = written(paper)
    new = {name: text for name, text in texts.items() if text.strip() != before[name].strip()}
    values = {name: value_of(name, text, paper) for name, text in new.items() if name in _READ}
    if any(name in IDENTIFIER_NAMES for name in new):
        values["identifiers"] = _identifiers(paper, new)
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
            tr("“{text}” is not a date. Write 2017, 2017-06 or 2017-06-12.", text=text)
        )
    return text


def _extra(text: str, paper: Paper | None) -> dict[str, str]:
    pairs = [line.partition(":") for line in text.splitlines() if line.strip()]
    for name, colon, _ in pairs:
        if not colon or not name.strip():
            raise InvalidFieldValue(
                tr("“{text}” has no name. Write volume: 12, each on a line.", text=name.strip())
            )
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _keywords(text: str, paper: Paper | None) -> tuple[str, ...]:
    words = (" ".join(word.split()) for word in re.split(r"[;\n]", text))
    return tuple(dict.fromkeys(filter(None, words)))


_READ: Mapping[str, Callable[[str, Paper | None], Any]] = {
    "title": _line,
    "authors": lambda text, paper: author_lines.read(text, paper.authors if paper else ()),
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
                raise InvalidFieldValue(_not_given(text.strip(), IDENTIFIER_NAMES[kind]))
            found.append(one)
    return tuple(dict.fromkeys((*found, *kept)))


def _not_given(name: str, giver: str) -> str:
    # Translators: giver is DOI, arXiv, PubMed, PMC or ISBN
    return tr("“{name}” is not a name that {giver} gives.", name=name, giver=giver)
