"""Citations of a paper, linked to the papers of the library."""

from __future__ import annotations

from sciread_app.domain.citations import NAMES, CitationDirection, CitationList, LinkedPaper
from sciread_app.domain.paper import PaperId
from sciread_app.storage.library import Library

# Maximum number of papers of each kind shown; a famous paper has tens of thousands of citations.
SHOWN = 200


def citation_list(library: Library, paper: PaperId, side: CitationDirection) -> CitationList:
    """The stored citations of a paper in one direction; makes no request.

    Papers of the library come first, then those with a known title.
    """
    citations = library.citations
    found = (citations.references_of if side is CitationDirection.references else citations.citing)(
        paper
    )
    held = [one.paper for one in found if one.paper is not None]
    papers = {one.id: one for one in library.get(held[:SHOWN])}
    outside = [one for one in found if one.paper is None][:SHOWN]
    mentions = citations.mentions(one.identifier for one in outside)
    inside = [LinkedPaper(o.identifier, papers[o.paper]) for o in found if o.paper in papers]
    further = [LinkedPaper(o.identifier, None, mentions.get(o.identifier)) for o in outside]
    nearby = (*inside, *sorted(further, key=lambda one: one.mention is None))
    names = {kind for one in library.get([paper]) for kind, _ in one.identifiers}
    return CitationList(
        nearby,
        tuple(held),
        len(found),
        sum(one.paper is None and one.mention is None for one in nearby),
        max(citations.lookup_times(paper).values(), default=None),
        not names.isdisjoint(NAMES),
    )
