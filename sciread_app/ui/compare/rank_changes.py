"""Differences between two ranked lists."""

from __future__ import annotations

from dataclasses import replace

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.domain.search_hit import SearchHit
from sciread_app.domain.votes import Question
from sciread_app.language import tr, trn
from sciread_app.ui.view_models import Moved, ResultList

FIRST = 10  # top papers of each list that are compared


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
        return tr("Neither found anything.")
    return trn(
        "{n} of the first {shown} stands in both answers.",
        "{n} of the first {shown} stand in both answers.",
        both,
        shown=shown,
    )


def question_of(query: str) -> Question:
    """The text of a query, as stored with votes on it."""
    asked = parse(query)
    if asked.like and query.strip() == f"like:{asked.like[0]}":
        return Question(paper=asked.like[0])
    return Question(query)
