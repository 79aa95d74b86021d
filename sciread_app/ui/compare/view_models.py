"""View models of the comparison, and the differences between two ranked lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from sciread_app.domain.paper import PaperId
from sciread_app.domain.search_hit import SearchHit
from sciread_app.language import tr, trn
from sciread_app.ui.view_models import EMPTY_RESULTS, Moved, ResultList

FIRST = 10  # top papers of each list that are compared


class ComparableModel(NamedTuple):
    """A model that can be compared: name and title."""

    name: str
    title: str
    is_active: bool = False  # whether it is the active model


@dataclass(frozen=True)
class ModelResults:
    """Results of a model with the numbers of `read` and all papers; or its error, `trouble`."""

    read: int = 0
    papers: int = 0
    listing: ResultList = EMPTY_RESULTS
    trouble: str = ""

    @property
    def missing(self) -> int:
        return max(0, self.papers - self.read)

    @property
    def whole(self) -> bool:
        return not self.missing and not self.trouble

    def words(self) -> str:
        """A warning about the results; empty if there is none."""
        if self.trouble or not self.missing:
            return self.trouble or self.listing.note
        if not self.read:
            return trn(
                "Your paper is not indexed with this model yet.",
                "Your papers are not indexed with this model yet.",
                self.papers,
            )
        return trn(
            "Only {read:,} of {n:,} paper is indexed with this model. Papers that are not "
            "indexed are not searched.",
            "Only {read:,} of {n:,} papers are indexed with this model. Papers that are not "
            "indexed are not searched.",
            self.papers,
            read=self.read,
        )


class VoteCount(NamedTuple):
    """Number of queries with votes, and the outcome in words."""

    votes: int = 0
    text: str = ""


def with_moves(found: ResultList, beside: ResultList, *, veiled: bool = False) -> ResultList:
    """`found`, with each paper's rank change against the other list.

    `veiled` removes scores and ranks, which would identify the models.
    """
    places = {paper: place for place, paper in enumerate(beside.ids)}
    moves = {
        paper: Moved(None if (there := places.get(paper)) is None else there - place)
        for place, paper in enumerate(found.ids)
    }
    hits = {paper: SearchHit(PaperId(paper)) for paper in found.ids}
    if not veiled:
        hits.update(found.evidence)
    return replace(found, evidence=hits, moves=moves)


def in_common(one: ResultList, other: ResultList) -> str:
    """A sentence on the overlap of two lists."""
    both = len(set(one.ids[:FIRST]) & set(other.ids[:FIRST]))
    shown = min(FIRST, max(len(one.ids), len(other.ids)))
    if not shown:
        return tr("Neither model found any papers.")
    return trn(
        "{n} of the top {shown} results is the same.",
        "{n} of the top {shown} results are the same.",
        both,
        shown=shown,
    )
