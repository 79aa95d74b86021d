"""MEDLINE's fields, shared by its XML and text formats."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sciread_app.domain.paper import Author
from sciread_app.formats.values.author_list import split_particle

_PAGES = re.compile(r"(\D*)(\d+)-(\d+)")
_KINDS = {
    "preprint": "article",
    "dataset": "dataset",
    "technical report": "report",
    "academic dissertation": "thesis",
}
_COPYRIGHT = re.compile(
    r"(?<=[.!?)\]])\s*((?:Copyright\b|©|\([cC]\))\s*(?:©|\([cC]\))?.{0,20}?(?:19|20)\d\d\b.{0,200})$"
)
_ABBREVIATION = re.compile(r"(?:\.|\b[A-Za-z]\.[A-Za-z])\.$")  # ends with its period: "the U.S."
_NO_TITLE = frozenset(("not available", "in process citation", "no title available"))


def title_of(text: str) -> str:
    """A title without MEDLINE's final period and the brackets of a translation.

    Empty if MEDLINE only states that there is none.
    """
    text = text.strip()
    if text.endswith(".") and not _ABBREVIATION.search(text):
        text = text[:-1]
    if text.startswith("[") and _closes_last(text):
        text = text[1:-1].strip().removesuffix(".")
    return "" if text.lower() in _NO_TITLE else text


def abstract_of(text: str) -> tuple[str, str]:
    """An abstract, and the copyright notice at its end."""
    tail = text[-260:]
    if match := _COPYRIGHT.search(tail):
        return text[: len(text) - len(tail) + match.start()], match[1]
    return text, ""


def pages_of(text: str) -> str:
    """Pages with the last one completed: "5795-813" is "5795-5813"."""
    match = _PAGES.fullmatch(text.strip())
    if not match or len(match[3]) >= len(match[2]):
        return text.strip()
    head = match[2][: len(match[2]) - len(match[3])]
    return f"{match[1]}{match[2]}-{head}{match[3]}"


def kind_of(publication_types: Iterable[str]) -> str:
    found = (_KINDS.get(name.lower()) for name in publication_types)
    return next(filter(None, found), "article-journal")


def author(family: str, given: str = "", suffix: str = "") -> Author:
    particle, family = split_particle(family)
    return Author(family, given, particle, suffix)


def major_first(headings: Iterable[tuple[str, bool]]) -> tuple[str, ...]:
    """MeSH headings, the major topics of a paper first."""
    ordered = sorted(headings, key=lambda heading: not heading[1])
    return tuple(dict.fromkeys(name for name, _ in ordered if name))


def _closes_last(text: str) -> bool:
    """Whether the first bracket is closed by the last character: not so in "[18F]FDG and [11C]"."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return position == len(text) - 1
    return False
