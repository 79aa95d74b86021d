"""Metadata of a PDF that are not certain: a guess that the user may accept.

A guess is kept in the paper's `extra`, so that it is stored, merged and undone like the rest of the
record. Only authors are guessed today.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sciread_app.domain.editable_fields import read_authors, written_authors
from sciread_app.domain.paper import Author, Paper

_AUTHORS = "pdf_guessed_authors"  # the name in `extra`


def author_guess(authors: Sequence[Author]) -> dict[str, str]:
    """The entry of `extra` that holds these authors as a guess."""
    return {_AUTHORS: "; ".join(written_authors(authors).splitlines())}


def guessed_authors(paper: Paper) -> tuple[Author, ...]:
    """The authors that the paper's PDF probably names; empty without a guess."""
    return read_authors("\n".join(paper.extra.get(_AUTHORS, "").split(";")), ())


def accepted(paper: Paper) -> dict[str, Any]:
    """The fields of the paper that change when its guess is accepted; empty without a guess."""
    authors = guessed_authors(paper)
    extra = {name: value for name, value in paper.extra.items() if name != _AUTHORS}
    return {"authors": authors, "extra": extra} if authors else {}
