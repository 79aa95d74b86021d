"""Citations of a paper, linked to the papers of the library."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.citation_list import CitationDirection, CitationList, LinkedPaper
from sciread_app.domain.citations import NAMES, Mention, Neighbour
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.storage.library import Library

# Maximum number of papers of each kind shown; a famous paper has tens of thousands of citations.
SHOWN = 200


def citation_list(library: Library, paper: PaperId, side: CitationDirection) -> CitationList:
    """The stored citations of a paper in one direction; makes no request."""
    citations = library.citations
    found = (citations.references_of if side is CitationDirection.references else citations.citing)(
        paper
    )
    held = [one.paper for one in found if one.paper is not None]
    papers = {one.id: one for one in library.get(held[:SHOWN])}
    outside = [one for one in found if one.paper is None][:SHOWN]
    mentions = citations.mentions(one.identifier for one in outside)
    inside = [LinkedPaper(o.identifier, papers[o.paper]) for o in found if o.paper in papers]
    nearby = (*inside, *_outside(outside, mentions))
    names = {kind for one in library.get([paper]) for kind, _ in one.identifiers}
    return CitationList(
        nearby,
        tuple(held),
        len(found),
        sum(one.paper is None and one.mention is None for one in nearby),
        max(citations.lookup_times(paper).values(), default=None),
        not names.isdisjoint(NAMES),
    )


def _outside(found: Sequence[Neighbour], mentions: dict[Identifier, Mention]) -> list[LinkedPaper]:
    """Papers outside the library, those with a known title first."""
    nearby = [LinkedPaper(one.identifier, None, mentions.get(one.identifier)) for one in found]
    return sorted(nearby, key=lambda one: one.mention is None)
