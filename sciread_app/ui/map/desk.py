"""The map of a workspace, as its page sees it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from sciread_app.domain.paper import PaperId
from sciread_app.language import tr
from sciread_app.paths import resource
from sciread_app.services.atlas import Drawing
from sciread_app.tasks import Task
from sciread_app.ui.map.choices import By
from sciread_app.ui.map.shades import Ids, Shades, by_read, by_sets, by_year
from sciread_app.ui.map.values import Survey
from sciread_app.workspace import Workspace

ALIKE = 30  # papers that count as being like others


class WorkspaceMap:
    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def warm_up(self) -> None:
        """Import what the page is made of: it takes longer than the window's thread has."""
        import sciread_app.ui.map.page  # noqa: F401

    def survey(self) -> Survey:
        papers = self._workspace.library.count()
        with self._workspace.answering.use() as now:
            atlas = self._workspace.atlas(now)
            if now.space is None or atlas is None:
                return Survey(papers, 0, by_meaning=False)
            return Survey(papers, now.space.count(), atlas.read())

    def draw(self, task: Task, *, anew: bool) -> Drawing | None:
        with self._workspace.answering.use() as now:
            atlas = self._workspace.atlas(now)
            return atlas.draw(task, anew=anew) if atlas else None

    def shades(self, by: By, ids: Ids) -> Shades:
        traits = self._workspace.library.traits
        if by is By.year:
            return by_year(ids, traits.years())
        if by is By.read:
            return by_read(ids, traits.read())
        if by is By.collection:
            return by_sets(ids, traits.collections(), tr("In no collection"))
        return by_sets(ids, _by_subject(traits.fields()), tr("Other or no field"))

    def similar(self, papers: Sequence[PaperId]) -> Sequence[PaperId]:
        with self._workspace.answering.use() as now:
            if now.space is None:
                return ()
            found = now.search.similar(papers, (), limit=ALIKE)
        return tuple(hit.paper for hit in (*found.hits, *found.weaker))


def _by_subject(fields: dict[str, Ids]) -> dict[str, Ids]:
    """Fields of arXiv by the archive they belong to: math.AG is Mathematics."""
    found: dict[str, list[Ids]] = {}
    for field, ids in fields.items():
        found.setdefault(_subject(field), []).append(ids)
    return {subject: np.concatenate(parts) for subject, parts in found.items()}


def _subject(field: str) -> str:
    known = _categories()
    archive = field.split(".")[0]
    if archive in known:
        return known[archive]["name"]
    return known[field]["group"] if field in known else field


@lru_cache(maxsize=1)
def _categories() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        resource("arxiv_categories.json").read_text("utf-8")
    )["categories"]
    return found
