"""The interface between the map page and the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sciread_app.services.map.map_service import MapLayout
from sciread_app.ui.paper.details_panel import DetailsSource
from sciread_app.ui.paper_list.paper_list import CardSource

if TYPE_CHECKING:
    from sciread_app.services.library.editor import LibraryEditor
    from sciread_app.ui.map.gateway import MapGateway


@dataclass(frozen=True, eq=False)
class MapStatus:
    """Numbers of papers, with and without a vector, and the last map layout."""

    papers: int
    with_vector: int
    drawing: MapLayout | None = None
    by_meaning: bool = True  # whether a model is available

    @property
    def waiting(self) -> int:
        """Number of papers that can be placed on the map and are not yet."""
        return self.with_vector - (len(self.drawing.ids) if self.drawing else 0)


class MapServices(CardSource, DetailsSource, Protocol):
    @property
    def map(self) -> MapGateway: ...

    @property
    def organise(self) -> LibraryEditor: ...
