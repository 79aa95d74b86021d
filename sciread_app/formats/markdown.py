"""Highlights and notes of a paper as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sciread_app.domain.annotations.annotations import Highlight, in_order
from sciread_app.domain.metadata.identifiers import RESOLVERS
from sciread_app.domain.paper import Paper
from sciread_app.domain.text.bylines import byline
from sciread_app.domain.text.tex import readable

_SIGNS = re.compile(r"([\\`*_\[\]<>#|~])")
_LINKED = ("doi", "arxiv", "pmid")


def notes_of(paper: Paper, notes: Sequence[str], highlights: Sequence[Highlight]) -> str:
    """Title, source, notes and highlights in page order; empty if there are none.

    Notes are Markdown already; all other texts are escaped.
    """
    notes = [note.strip() for note in notes if note.strip()]
    if not notes and not highlights:
        return ""
    lines = [f"# {plain(readable(paper.title)) or 'Paper without a title'}", "", _source(paper), ""]
    if notes:
        lines += ["## Notes", "", *("\n\n".join(notes)).splitlines(), ""]
    if highlights:
        lines += ["## Highlights", ""]
        for highlight in in_order(highlights):
            lines += _passage(highlight)
    return "\n".join(lines)


def plain(text: str) -> str:
    """Text with Markdown's special characters escaped, on one line."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def _passage(highlight: Highlight) -> Iterator[str]:
    where = f"Page {highlight.page + 1}, {highlight.colour.value}"
    if highlight.is_area:
        yield f"> {where}, area"
    else:
        yield f"> {plain(highlight.text)}"
        yield ">"
        yield f"> {where}"
    yield ""
    if highlight.note.strip():
        yield from highlight.note.strip().splitlines()
        yield ""


def _source(paper: Paper) -> str:
    venue = f"*{plain(paper.venue)}*" if paper.venue else ""
    about = [plain(byline(paper, 6)), venue, paper.published[:4], *_links(paper)]
    return ". ".join(filter(None, about)) + "."


def _links(paper: Paper) -> Iterator[str]:
    for kind, value in paper.written_identifiers:
        if kind in _LINKED:
            yield f"<{RESOLVERS[kind]}{value}>"
