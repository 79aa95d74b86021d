"""The interface between the map page and the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.services.map.map_service import MapLayout
from sciread_app.tasks import Task
from sciread_app.ui.map.color_scheme import ColorScheme, Ids
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.paper.details_panel import DetailsSource
from sciread_app.ui.paper_list.paper_list import CardSource

if TYPE_CHECKING:
    from sciread_app.services.library.editor import LibraryEditor


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


class MapList(Protocol):
    """Services for the map. Every method blocks."""

    def status(self) -> MapStatus: ...

    def draw(self, task: Task, *, from_scratch: bool) -> MapLayout | None:
        """Update the map or compute a new layout. Returns None if there are too few papers."""
        ...

    def scheme(self, by: ColorBy, ids: Ids) -> ColorScheme: ...

    def similar(self, papers: Sequence[PaperId]) -> Sequence[PaperId]:
        """The most similar papers, best first."""
        ...


class MapServices(CardSource, DetailsSource, Protocol):
    @property
    def map(self) -> MapList: ...

    @property
    def organise(self) -> LibraryEditor: ...
