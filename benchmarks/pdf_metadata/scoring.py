"""Comparison of a paper read from a PDF with the truth."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from rapidfuzz import fuzz

from sciread_app.domain.paper import Author, Paper

FIELDS = ("title", "authors", "first author", "year", "identifier", "venue", "abstract")
RIGHT, WRONG, EMPTY = "right", "wrong", "empty"


def outcomes(truth: Mapping[str, Any], paper: Paper, guessed_title: bool = False) -> dict[str, str]:
    """Right, wrong or empty for every field that the page has; `guessed_title` is true if the
    title is the file's name."""
    names = [
        Author(family, given, suffix="".join(rest)) for given, family, *rest in truth["authors"]
    ]
    found = [author for author in paper.authors if not author.literal]
    result = {
        "title": _outcome(
            "" if guessed_title else _letters(paper.title),
            fuzz.ratio(_letters(paper.title), _letters(truth["title"])) >= 97,
        ),
        "authors": _outcome(paper.authors, [_key(a) for a in found] == [_key(a) for a in names]),
    }
    if names:
        is_first = bool(found) and _key(found[0]) == _key(names[0])
        result["first author"] = _outcome(paper.authors, is_first)
    if truth.get("year"):
        result["year"] = _outcome(paper.year, paper.year == truth["year"])
    wanted = {("doi", truth.get("doi", "")), ("arxiv", truth.get("arxiv", ""))}
    wanted = {(kind, value) for kind, value in wanted if value}
    given = {tuple(i) for i in paper.identifiers if i.kind in ("doi", "arxiv")}
    if wanted or given:
        result["identifier"] = _outcome(given, given == wanted)
    if truth.get("venue"):
        same = fuzz.ratio(_letters(paper.venue), _letters(truth["venue"])) >= 85
        result["venue"] = _outcome(paper.venue, same)
    if truth.get("abstract"):
        same = fuzz.ratio(_letters(paper.abstract), _letters(truth["abstract"])) >= 92
        result["abstract"] = _outcome(paper.abstract, same)
    return result


def _outcome(value: object, is_right: bool) -> str:
    return RIGHT if is_right else WRONG if value else EMPTY


def _key(author: Author) -> tuple[str, str]:
    """The whole name as printed, and its last word: where a family name of two words begins is
    not printed."""
    return _letters(author.name), _letters(author.last_name.split()[-1] if author.family else "")


def _letters(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in decomposed if c.isalnum())
