"""Conversion of search results into the lists that the window shows."""

from __future__ import annotations

from array import array

from sciread_app.services.search.results import SearchResults
from sciread_app.ui.view_models import ResultList

BEST = 100  # papers that a search lists


def listing_of(found: SearchResults, note: str = "") -> ResultList:
    """The ids and evidence of search results as a list; `note` replaces the note of the search."""
    return ResultList(
        # An array uses C to find a number, and holds 150,000 in a megabyte.
        ids=array("q", found.ids.tobytes() if found.whole else [hit.paper for hit in found.hits]),
        total=found.total,
        evidence={
            hit.paper: hit
            for hit in (*found.hits, *found.further, *found.weaker)
            if found.query.is_ranked
        },
        words=found.query.sought,
        note=note or found.note,
        weaker=[hit.paper for hit in found.weaker],
    )
