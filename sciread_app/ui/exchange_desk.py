"""Other programs and the files of theirs, answered by an open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.kept_files import KeptFile
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import parse
from sciread_app.services import export
from sciread_app.tasks import Task
from sciread_app.ui.intake_desk import ledger_of
from sciread_app.ui.values import Ledger
from sciread_app.workspace import Workspace


class WorkspaceExchange:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def write(self, papers: Sequence[PaperId], path: Path, task: Task) -> int:
        export.write_file(self._workspace.library, papers, export.format_of(path), path, task)
        return len(papers)

    def write_found(self, query: str, path: Path, task: Task) -> int:
        found = self._workspace.library.matching(parse(query).conditions)
        return self.write([PaperId(id) for id in found.tolist()], path, task)

    def kept(self) -> Sequence[KeptFile]:
        return self._workspace.kept_files.files()

    def keep(self, collection: str, path: Path, task: Task) -> KeptFile:
        # Who chose a file that is there was asked whether it may be replaced.
        return self._workspace.kept_files.keep(
            collection, path, export.format_of(path), task, may_replace=True
        )

    def stop_keeping(self, collection: str) -> None:
        self._workspace.kept_files.stop(collection)

    def write_kept(self, task: Task) -> Sequence[KeptFile]:
        return self._workspace.kept_files.write(task)

    def bring_zotero(self, task: Task) -> Ledger:
        return ledger_of(self._workspace.zotero.bring(task))
