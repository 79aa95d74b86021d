"""What lies around a paper: what it cites and what cites it, in the library or not yet."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from sciread_app.domain.citations import NAMES, Mention, Neighbour
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.storage.library import Library

# Papers of each kind that are shown; a celebrated one is cited by tens of thousands.
SHOWN = 200


class Side(enum.Enum):
    references = "references"  # what the paper cites
    citing = "citing"  # what cites it


@dataclass(frozen=True, slots=True)
class Nearby:
    """A paper beside another. `paper` is None where it is not in the library; then `mention` says
    what it is called, if that is known."""

    name: Identifier
    paper: Paper | None = None
    mention: Mention | None = None


@dataclass(frozen=True, slots=True)
class Ring:
    """The papers on one side, those of the library first. `asked`: when a source was asked last,
    in seconds since 1970; None: never. `askable`: it has a name that a source knows."""

    nearby: tuple[Nearby, ...]
    held: tuple[PaperId, ...]  # all that are in the library
    total: int
    untitled: int  # of those shown, how many are known by their name alone
    asked: float | None
    askable: bool


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
