"""Loads the cards of papers from the library."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.metadata.paper_updates import retraction_status
from sciread_app.domain.paper import PaperId
from sciread_app.storage.library import Library
from sciread_app.ui.view_models import Card


class CardLoader:
    """May be called from any thread, and blocks."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def cards(self, ids: Sequence[int]) -> list[Card]:
        """The cards of these papers; unknown ids are left out."""
        marks = self._library.organisation.of(ids)
        colours = self._library.tags.colours() if any(m.tags for m in marks.values()) else {}
        versions = self._library.version_counts(ids)
        cited = self._library.citations.citation_counts(map(PaperId, ids))
        return [
            Card(
                paper,
                mark.read,
                mark.tags,
                mark.rating,
                retraction_status(paper),
                colours,
                versions.get(paper.id, 1),
                cited.get(paper.id, 0),
            )
            for paper in self._library.get(ids)
            if paper.id is not None and (mark := marks.get(paper.id)) is not None
        ]
