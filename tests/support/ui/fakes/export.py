"""A fake of automatic exports."""

from __future__ import annotations

from pathlib import Path

from sciread_app.domain.library_tree import AutoExport
from sciread_app.domain.paper import Edit
from sciread_app.services.export.export import Format
from sciread_app.tasks import Task


class FakeAutoExports:
    """`enabled`: the exports by collection; `updates`: how often they were updated."""

    def __init__(self) -> None:
        self.enabled: dict[str, AutoExport] = {}
        self.updates = 0

    def files(self) -> list[AutoExport]:
        return list(self.enabled.values())

    def enable(
        self, collection: str, path: Path, format: Format, task: Task, *, may_replace: bool = False
    ) -> AutoExport:
        self.enabled[collection] = AutoExport(collection, str(path), format.value)
        return self.enabled[collection]

    def disable(self, collection: str) -> Edit:
        del self.enabled[collection]
        return Edit(1, 0.0, f"Stopped exporting “{collection}” automatically")

    def write(self, task: Task) -> list[AutoExport]:
        self.updates += 1
        return self.files()
