"""The status of the map and similar papers, as its panel shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.paper import PaperId
from sciread_app.services.map.map_service import MapLayout


class NearestPaper(NamedTuple):
    """A paper with its similarity to another one, and the number of its known citations."""

    paper: PaperId
    similarity: float
    citations: int


@dataclass(frozen=True, eq=False)
class MapStatus:
    """Numbers of papers and of indexed papers, and the last map layout."""

    papers: int
    with_vector: int
    drawing: MapLayout | None = None
    by_meaning: bool = True  # whether a model is available

    @property
    def waiting(self) -> int:
        """Number of papers that can be placed on the map and are not yet."""
        return self.with_vector - (len(self.drawing.ids) if self.drawing else 0)
