"""The citation of the paper itself that its first pages print: "How to cite", "Citation:"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sciread_app.domain.paper import Author
from sciread_app.formats.pdf.metadata.byline.parser import authors_of, pieces_of
from sciread_app.formats.pdf.metadata.text_cleanup import letters_of, one_line
from sciread_app.formats.values.author_list import authors as names_in

_LABEL = re.compile(
    r"\b(?:how\s+to\s+cite(?:\s+this\s+\w+)?|to\s+cite\s+this\s+(?:article|version|paper|document|work)"
    r"|(?:please\s+)?cite\s+this\s+(?:article|paper|work|as)(?:\s+as)?|cite\s+as|recommended\s+citation"
    r"|suggested\s+citation|citation\s+for\s+published\s+version(?:\s*\(\w+\))?|acm\s+reference\s+format"
    r"|citation)\s*[:.]?\s+",
    re.I,
)
_YEAR = re.compile(r"\b(?:19[5-9]|20[0-4])\d\b")
_BEFORE, _AFTER = 2_500, 220  # characters between label and title, and after the title
_VENUE = re.compile(
    r"^[\s.,:;”\"’'?!]*(?:In\s*:?\s+)?(?P<venue>[A-Z][^\d(]{2,120}?)\s*[,.:]?"
    r"\s*(?:\(?(?:19|20)\d\d|\d|\(|vol)",
    re.S,
)


@dataclass(frozen=True, slots=True)
class OwnCitation:
    authors: tuple[Author, ...] = ()  # often with initials only
    year: str = ""
    venue: str = ""


def own_citation(pages: Iterable[str], title: str) -> OwnCitation | None:
    """The citation of this title after a label such as "How to cite"; None if there is none."""
    wanted = letters_of(title)
    if len(wanted) < 12:
        return None
    for page in pages:
        for label in _LABEL.finditer(page):
            text = one_line(page[label.end() : label.end() + _BEFORE])
            if place := _place(text, wanted):
                return _citation(text, *place)
    return None


def _place(text: str, wanted: str) -> tuple[int, int] | None:
    """Where in the text these letters are."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in letters_of(character):
            letters.append(letter)
            places.append(place)
    start = "".join(letters).find(wanted)
    if start < 0:
        return None
    return places[start], places[start + len(wanted) - 1] + 1


def _citation(text: str, start: int, end: int) -> OwnCitation | None:
    before, after = text[:start], text[end : end + _AFTER]
    years = _YEAR.findall(before[-12:]) or _YEAR.findall(after)
    names = re.sub(r"\(?\b(?:19|20)\d\d[a-z]?\b\)?", " ", before).strip(" .,:;(“\"'")
    if (
        names.count(".") > 40
        or len(names) > 1_500
        or re.search(r"\b(?:doi|http|received)\b", names, re.I)
    ):
        return None
    if re.search(r"\bet\s+al\b|…|\.\.\.", names):
        names = ""  # only some of them
    pieces = pieces_of(names)
    is_list = pieces.texts and not pieces.others
    authors = tuple(authors_of(pieces) if is_list else names_in(names)) if names else ()
    venue = _VENUE.match(after)
    return OwnCitation(
        authors, years[0] if years else "", venue["venue"].strip(" .,") if venue else ""
    )
