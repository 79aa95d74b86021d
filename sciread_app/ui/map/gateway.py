"""The map of a workspace, as its panel sees it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.metadata.subject_areas import archive_of
from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.services.map.map_service import MapLayout
from sciread_app.tasks import Task
from sciread_app.ui.map.color_scheme import (
    ColorScheme,
    Ids,
    by_read,
    by_sets,
    by_year,
    year_of_each,
)
from sciread_app.ui.map.options import ColorBy
from sciread_app.ui.map.view_models import MapStatus, NearestPaper
from sciread_app.workspace import Workspace

ALIKE = 12  # number of papers shown as similar to another


class MapGateway:
    """Every method blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def status(self) -> MapStatus:
        papers = self._workspace.library.count()
        with self._workspace.active_model.use() as now:
            map_service = self._workspace.map(now)
            if now.index is None or map_service is None:
                return MapStatus(papers, 0, by_meaning=False)
            return MapStatus(papers, now.index.count(), map_service.read())

    def draw(self, task: Task, *, from_scratch: bool) -> MapLayout | None:
        """Update the map or compute a new layout. Returns None if there are too few papers."""
        with self._workspace.active_model.use() as now:
            map_service = self._workspace.map(now)
            return map_service.draw(task, from_scratch=from_scratch) if map_service else None

    def scheme(self, by: ColorBy, ids: Ids) -> ColorScheme:
        traits = self._workspace.library.attributes
        if by is ColorBy.year:
            return by_year(ids, traits.years())
        if by is ColorBy.read:
            return by_read(ids, traits.read())
        if by is ColorBy.collection:
            return by_sets(ids, traits.collections(), tr("Not in a collection"))
        return by_sets(ids, _by_archive(traits.fields()), tr("Other or no field"))

    def years(self, ids: Ids) -> NDArray[np.int64]:
        """Return the publication year of each paper; 0: not known. `ids` are ascending."""
        return year_of_each(ids, self._workspace.library.attributes.years())

    def citations(self, ids: Ids) -> NDArray[np.int64]:
        """Return the number of known citations of each paper."""
        counts = self._workspace.library.citations.citation_counts(map(PaperId, ids.tolist()))
        return np.array([counts.get(PaperId(id), 0) for id in ids.tolist()], np.int64)

    def similar(self, paper: PaperId) -> Sequence[NearestPaper]:
        """Return the papers most similar to one, best first."""
        with self._workspace.active_model.use() as now:
            if now.index is None:
                return ()
            found = now.search.similar((paper,), (), limit=ALIKE)
        hits = (*found.hits, *found.weaker)[:ALIKE]
        counts = self._workspace.library.citations.counts([hit.paper for hit in hits])
        return [
            NearestPaper(hit.paper, hit.similarity or 0.0, counts[hit.paper].citations)
            for hit in hits
        ]


def _by_archive(fields: dict[str, Ids]) -> dict[str, Ids]:
    """Fields of arXiv by the archive they belong to: math.AG is Mathematics."""
    found: dict[str, list[Ids]] = {}
    for field, ids in fields.items():
        found.setdefault(archive_of(field), []).append(ids)
    return {archive: np.concatenate(parts) for archive, parts in found.items()}
