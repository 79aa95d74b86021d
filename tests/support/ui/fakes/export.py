"""A fake of exports and of Zotero."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.domain.library_tree import AutoExport
from sciread_app.domain.paper import Edit, PaperId, Skipped
from sciread_app.errors import SourceError
from sciread_app.services.ingest.zotero.folders import ZoteroFolder
from sciread_app.tasks import Task
from sciread_app.ui.view_models import ImportSummary


class FakeExport:
    def __init__(self) -> None:
        self.files: dict[str, AutoExport] = {}
        self.written: list[tuple[object, Path]] = []
        self.brought_up_to_date = 0
        self.zotero_runs = True
        self.zotero: list[ZoteroFolder] | None = None
        self.asked_zotero: list[tuple[Path | None, bool]] = []

    def write(self, papers: Sequence[PaperId], path: Path, task: Task) -> int:
        self.written.append((list(papers), path))
        return len(papers)

    def write_found(self, query: str, path: Path, task: Task) -> int:
        self.written.append((query, path))
        return 1

    def auto_exports(self) -> Sequence[AutoExport]:
        return list(self.files.values())

    def enable_auto_export(self, collection: str, path: Path, task: Task) -> AutoExport:
        self.files[collection] = AutoExport(collection, str(path), "bibtex")
        return self.files[collection]

    def disable_auto_export(self, collection: str) -> Edit:
        del self.files[collection]
        return Edit(1, 0.0, f"Stopped exporting “{collection}” automatically")

    def update_auto_exports(self, task: Task) -> Sequence[AutoExport]:
        self.brought_up_to_date += 1
        return self.auto_exports()

    def zotero_folders(self) -> Sequence[ZoteroFolder] | None:
        return self.zotero

    def import_zotero(
        self, task: Task, folder: Path | None = None, groups: bool = True
    ) -> ImportSummary:
        self.asked_zotero.append((folder, groups))
        if not self.zotero_runs:
            raise SourceError("Zotero cannot be reached.", "Start Zotero.")
        return ImportSummary(3, 2, 0, [Skipped("Zotero", "X", "The item has no title.")])
