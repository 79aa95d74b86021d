"""The status of the map, as its panel shows it."""

from __future__ import annotations

from dataclasses import dataclass

from sciread_app.services.map.map_service import MapLayout


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
