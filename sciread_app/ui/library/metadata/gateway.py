"""The services of the look-up of metadata, from an open workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sciread_app.domain.metadata.changes import FieldChange
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.query.ast import Condition
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.lookup.metadata_lookup import LookupReport


class MetadataGateway:
    """Every method blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def look_up(self, ids: Sequence[PaperId], task: Task) -> LookupReport:
        return self._workspace.metadata.look_up(ids, task)

    def apply(self, chosen: Mapping[PaperId, Sequence[FieldChange]], task: Task) -> Edit | None:
        return self._workspace.metadata.apply(chosen, task)

    def lacking(self, field: str) -> Sequence[PaperId]:
        """The papers of the library without abstract, authors, year, venue or doi."""
        found = self._workspace.library.matching([Condition("has", field, negated=True)])
        return [PaperId(id) for id in found.tolist()]

    def source_title(self, key: str) -> str:
        from sciread_app.services.ingest.lookup.record_requests import SOURCE_TITLES

        return SOURCE_TITLES.get(key, key)
