"""The paper that a citation in an open file leads to, if the library has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rapidfuzz import fuzz

from sciread_app.domain.annotations.annotations import Link
from sciread_app.domain.annotations.references import Reference, link_text, reference_at
from sciread_app.domain.matching.record_keys import NAMING, block_keys, title_key
from sciread_app.domain.metadata.identifiers import (
    DOI_IN_TEXT,
    closed_up,
    identifier,
    pasted_identifier,
)
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.formats.pdf.metadata.printed_identifiers import before_references
from sciread_app.formats.pdf.metadata.text_cleanup import SOFT_HYPHEN, clean, join_hyphens
from sciread_app.formats.pdf.rendering.responses import RenderedPageText
from sciread_app.storage.library import Library

_KEY_LETTERS = 24  # of a title, from which its key is made
_LONGEST = 1_200  # characters of an entry that are searched for a title
_ALIKE = 92  # of 100: a title that differs in some letters
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|:)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.I
)


@dataclass(frozen=True)
class CitedPaper:
    """An entry of a bibliography, and its paper in the library with its file, if there are any.

    `identifier` is that of the entry.
    """

    text: str
    paper: Paper | None = None
    path: Path | None = None
    identifier: Identifier | None = None


def cited_reference(
    link: Link, source: RenderedPageText, target: RenderedPageText, before: Iterable[str]
) -> Reference | None:
    """The entry of the bibliography that a link on the page `source` leads to; None if it leads
    elsewhere.

    `target` is the page it leads to, and `before` are the texts of the pages before that one.
    """
    assert link.spot
    here = target.letters.text
    start: int | None = len(before_references(here))
    if start == len(here):
        start = 0 if any(before_references(page) != page for page in before) else None
    return reference_at(target.letters, link.spot, link_text(source.letters, link.box), start)


def cited_paper(library: Library, reference: Reference, links: Iterable[Link]) -> CitedPaper:
    """The paper of an entry: by its identifiers, in the text or in links on it, else by its title.

    `links` are those of the page with the entry.
    """
    text = " ".join(join_hyphens(clean(reference.text)).split())
    squeezed = "".join(reference.text.replace(SOFT_HYPHEN, "-").split())
    addresses = [link.address for link in links if link.address and reference.holds(link.box)]
    names = list(dict.fromkeys(_identifiers(text, addresses)))
    # Without blanks an identifier is whole that a line end has split, or longer than it is.
    for name in dict.fromkeys((*names, *_identifiers(squeezed, ()))):
        if found := library.with_identifier(name):
            return CitedPaper(text, library.get(found)[0], identifier=name)
    paper = _by_title(library, text[:_LONGEST])
    return CitedPaper(text, paper, identifier=names[0] if names else None)


def _identifiers(text: str, addresses: Iterable[str]) -> Iterator[Identifier]:
    for address in addresses:
        if (name := pasted_identifier(address)) and name.kind in NAMING:
            yield name
    dois = (("doi", match[0]) for match in DOI_IN_TEXT.finditer(closed_up(text)))
    arxiv = (("arxiv", match[1]) for match in _ARXIV.finditer(text.replace(": ", ":")))
    for kind, value in chain(dois, arxiv):
        if name := identifier(kind, value):
            yield name


def _by_title(library: Library, text: str) -> Paper | None:
    """The paper whose title the text contains, and its year or first author, too; of several the
    first, since the end of an entry is not always certain."""
    whole = title_key(text)
    found = [
        paper
        for paper in library.get(library.titled_like(_title_keys(text)))
        if _is_cited(paper, text, whole)
    ]

    def place(paper: Paper) -> tuple[int, int]:
        title = title_key(paper.title)
        return whole.find(title) if title in whole else len(whole), -len(title)

    return min(found, key=place, default=None)


def _title_keys(text: str) -> set[int]:
    """The keys of all titles that may begin at a word of the text."""
    words, keys = text.split(), set()
    for start in range(len(words)):
        title = ""
        for word in words[start:]:
            title += title_key(word)
            if title:
                keys.add(block_keys(title)[0])
            if len(title) >= _KEY_LETTERS:
                break
    return keys


def _is_cited(paper: Paper, text: str, whole: str) -> bool:
    title = title_key(paper.title)
    family = title_key(paper.authors[0].family) if paper.authors else ""
    has_author = bool(family) and family in whole
    has_year = bool(paper.year) and str(paper.year) in text
    if title in whole:
        is_long = len(title) >= _KEY_LETTERS
        return (has_author or has_year) if is_long else (has_author and has_year)
    return has_author and fuzz.partial_ratio(title, whole, score_cutoff=_ALIKE) > 0
