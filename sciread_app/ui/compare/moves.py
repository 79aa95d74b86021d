"""How two lists of papers differ."""

from __future__ import annotations

from dataclasses import replace

from sciread_app.domain.query import parse
from sciread_app.domain.votes import Question
from sciread_app.language import tr, trn
from sciread_app.ui.values import Evidence, Listing, Moved

FIRST = 10  # papers of each list that are counted


def with_moves(found: Listing, beside: Listing, *, veiled: bool = False) -> Listing:
    """`found`, each paper marked by where it stands in the other list. When `veiled`, all else
    that is known of why it is there is left out: how close and at which rank tells the models
    apart."""
    places = {paper: place for place, paper in enumerate(beside.ids)}
    evidence = {}
    for place, paper in enumerate(found.ids):
        known = Evidence() if veiled else found.evidence.get(paper, Evidence())
        there = places.get(paper)
        moved = Moved(None if there is None else there - place)
        evidence[paper] = replace(known, moved=moved)
    return replace(found, evidence=evidence)


def in_common(one: Listing, other: Listing) -> str:
    """How much two lists agree, in a sentence."""
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
    """What a query asks for, as votes on it are kept."""
    asked = parse(query)
    if asked.like and query.strip() == f"like:{asked.like[0]}":
        return Question(paper=asked.like[0])
    return Question(query)
