"""What lies around a paper: what it cites and what cites it, in the library or not yet."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.around import Nearby, Ring, Side
from sciread_app.domain.citations import NAMES, Mention, Neighbour
from sciread_app.domain.paper import Identifier, PaperId
from sciread_app.storage.library import Library

__all__ = ["Nearby", "Ring", "Side", "ring"]

# Papers of each kind that are shown; a celebrated one is cited by tens of thousands.
SHOWN = 200


def ring(library: Library, paper: PaperId, side: Side) -> Ring:
    """What is known already of one side of a paper; asks nobody."""
    citations = library.citations
    found = (citations.references_of if side is Side.references else citations.citing)(paper)
    held = [one.paper for one in found if one.paper is not None]
    papers = {one.id: one for one in library.get(held[:SHOWN])}
    outside = [one for one in found if one.paper is None][:SHOWN]
    mentions = citations.mentions(one.identifier for one in outside)
    inside = [Nearby(o.identifier, papers[o.paper]) for o in found if o.paper in papers]
    nearby = (*inside, *_outside(outside, mentions))
    names = {kind for one in library.get([paper]) for kind, _ in one.identifiers}
    return Ring(
        nearby,
        tuple(held),
        len(found),
        sum(one.paper is None and one.mention is None for one in nearby),
        max(citations.asked(paper).values(), default=None),
        not names.isdisjoint(NAMES),
    )


def _outside(found: Sequence[Neighbour], mentions: dict[Identifier, Mention]) -> list[Nearby]:
    """Those whose title is known first."""
    nearby = [Nearby(one.identifier, None, mentions.get(one.identifier)) for one in found]
    return sorted(nearby, key=lambda one: one.mention is None)
