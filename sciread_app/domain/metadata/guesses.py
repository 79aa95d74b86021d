"""Metadata of a PDF that are not certain: guesses that the user may accept.

A guess is kept in the paper's `extra`, so that it is stored, merged and undone like the rest of the
record. It counts as long as the field has no value, or the title is that of the file's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sciread_app.domain.metadata.editable_fields import read_authors, written_authors
from sciread_app.domain.paper import Author, Paper

# The names in `extra`.
_AUTHORS = "pdf_guessed_authors"
_TITLE = "pdf_guessed_title"
_YEAR = "pdf_guessed_year"
_FILE_TITLE = "pdf_file_title"  # the title by the name of the file, to which the guess belongs
_KEYS = {"title": (_TITLE, _FILE_TITLE), "authors": (_AUTHORS,), "published": (_YEAR,)}


def author_guess(authors: Sequence[Author]) -> dict[str, str]:
    """The entry of `extra` that holds these authors as a guess."""
    return {_AUTHORS: "; ".join(written_authors(authors).splitlines())}


def title_guess(title: str, file_title: str) -> dict[str, str]:
    """The entries of `extra` that hold a title as a guess, in place of that of the file's name."""
    return {_TITLE: title, _FILE_TITLE: file_title}


def year_guess(year: str) -> dict[str, str]:
    """The entry of `extra` that holds a year as a guess."""
    return {_YEAR: year}


def guessed_authors(paper: Paper) -> tuple[Author, ...]:
    """The authors that the paper's PDF probably names; empty without a guess."""
    return read_authors("\n".join(paper.extra.get(_AUTHORS, "").split(";")), ())


def guessed_title(paper: Paper) -> str:
    """The title that the paper's PDF probably has; empty without a guess."""
    is_of_file = paper.title in ("", paper.extra.get(_FILE_TITLE))
    return paper.extra.get(_TITLE, "") if is_of_file else ""


def guessed_year(paper: Paper) -> str:
    """The year in which the paper was probably published; empty without a guess."""
    return "" if paper.published else paper.extra.get(_YEAR, "")


def accepted(paper: Paper, field: str = "") -> dict[str, Any]:
    """The fields of the paper that change when its guesses are accepted, or that for one `field`:
    "title", "authors" or "published". Empty without a guess."""
    guesses: dict[str, Any] = {
        "title": guessed_title(paper),
        "authors": () if paper.authors else guessed_authors(paper),
        "published": guessed_year(paper),
    }
    values = {name: value for name, value in guesses.items() if value and field in ("", name)}
    if not values:
        return {}
    done = {key for name in values for key in _KEYS[name]}
    extra = {name: value for name, value in paper.extra.items() if name not in done}
    return values | {"extra": extra}
