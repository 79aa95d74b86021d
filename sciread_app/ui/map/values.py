"""What the page with the map needs of a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sciread_app.domain.paper import PaperId
from sciread_app.services.atlas import Drawing
from sciread_app.tasks import Task
from sciread_app.ui.details import DetailsSource
from sciread_app.ui.map.choices import By
from sciread_app.ui.map.shades import Ids, Shades
from sciread_app.ui.papers import CardSource
from sciread_app.ui.shelf.organiser import Organiser


@dataclass(frozen=True, eq=False)
class Survey:
    """What there is to draw: papers, those with a vector, and the map as it was drawn last."""

    papers: int
    with_vector: int
    drawing: Drawing | None = None
    by_meaning: bool = True  # there is a model

    @property
    def waiting(self) -> int:
        """Papers that could be on the map and are not yet."""
        return self.with_vector - (len(self.drawing.ids) if self.drawing else 0)


class Maps(Protocol):
    """Every verb blocks."""

    def survey(self) -> Survey: ...

    def draw(self, task: Task, *, anew: bool) -> Drawing | None:
        """Bring the map up to date, or lay it out anew; None where there are too few papers."""
        ...

    def shades(self, by: By, ids: Ids) -> Shades: ...

    def similar(self, papers: Sequence[PaperId]) -> Sequence[PaperId]:
        """The papers most like these, the nearest first."""
        ...


class MapDesk(CardSource, DetailsSource, Protocol):
    @property
    def map(self) -> Maps: ...

    @property
    def organise(self) -> Organiser: ...
