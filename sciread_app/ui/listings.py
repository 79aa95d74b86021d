"""What a search has found, as the window lists it."""

from __future__ import annotations

from array import array

from sciread_app.services.search import Hit, Match, Results
from sciread_app.ui.values import Evidence, Listing

BEST = 100  # papers that a search lists


def listing_of(found: Results, note: str = "") -> Listing:
    ranked = found.query.terms or found.query.has_examples or found.query.identifier
    return Listing(
        # An array finds a number by C, and holds 150,000 in a megabyte.
        ids=array("q", found.ids.tobytes() if found.whole else [hit.paper for hit in found.hits]),
        total=found.total,
        evidence={
            hit.paper: _evidence(hit)
            for hit in ((*found.hits, *found.further, *found.weaker) if ranked else ())
        },
        words=found.query.sought,
        note=note or found.note,
        weaker=[hit.paper for hit in found.weaker],
    )


def _evidence(hit: Hit) -> Evidence:
    return Evidence(
        hit.text_rank,
        hit.meaning_rank,
        hit.similarity,
        hit.percentile,
        all_words=hit.match is Match.all_words,
        in_title=hit.match is Match.in_title,
        weak=hit.weak,
    )
