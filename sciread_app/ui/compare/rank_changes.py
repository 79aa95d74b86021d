"""Differences between two ranked lists."""

from __future__ import annotations

from dataclasses import replace

from sciread_app.domain.query.parser import parse
from sciread_app.domain.votes import Question
from sciread_app.language import tr, trn
from sciread_app.ui.view_models import MatchReasons, Moved, ResultList

FIRST = 10  # top papers of each list that are compared


def with_moves(found: ResultList, beside: ResultList, *, veiled: bool = False) -> ResultList:
    """`found`, with each paper's rank in the other list.

    `veiled` removes scores and ranks, which would identify the models.
    """
    places = {paper: place for place, paper in enumerate(beside.ids)}
    evidence = {}
    for place, paper in enumerate(found.ids):
        known = MatchReasons() if veiled else found.evidence.get(paper, MatchReasons())
        there = places.get(paper)
        moved = Moved(None if there is None else there - place)
        evidence[paper] = replace(known, moved=moved)
    return replace(found, evidence=evidence)


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
