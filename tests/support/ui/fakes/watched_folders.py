"""A fake of a workspace with watched folders."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.services.ingest.watched_folders import FolderScan, ScanReport
from sciread_app.tasks import Task


class FakeWatchedFolders:
    """The workspace, and its watched folders. `next` are the reports of the next scan;
    `changed` reports a change of a folder."""

    def __init__(self) -> None:
        self.watched_folders = self
        paths = ["inbox", "thesis"]
        self.library = SimpleNamespace(
            collections=SimpleNamespace(paths=lambda: paths), changed_elsewhere=lambda: False
        )
        self.known: list[WatchedFolder] = []
        self.scans: list[Collection[int] | None] = []
        self.next: list[ScanReport] = []
        self.polled: set[int] = set()
        self.changed: Callable[[int], object] = lambda folder: None

    def all(self) -> list[WatchedFolder]:
        return list(self.known)

    def watch_folder(
        self, path: Path, *, subfolders: bool = True, collection: str = ""
    ) -> WatchedFolder:
        number = next((n for n, one in enumerate(self.known) if one.path == str(path)), None)
        id = len(self.known) + 1 if number is None else self.known[number].id
        added = WatchedFolder(id, str(path), subfolders, collection)
        if number is None:
            self.known.append(added)
        else:
            self.known[number] = added
        return added

    def change(self, folder: WatchedFolder, *, subfolders: bool, collection: str) -> None:
        at = self.known.index(folder)
        self.known[at] = replace(folder, subfolders=subfolders, collection=collection)

    def pause(self, folder: WatchedFolder, paused: bool) -> None:
        at = self.known.index(folder)
        self.known[at] = replace(folder, paused=paused)

    def remove(self, folder: WatchedFolder) -> None:
        self.known.remove(folder)

    def scan_folders(
        self, ids: Collection[int] | None, changed: Callable[[int], object], task: Task
    ) -> FolderScan:
        self.scans.append(ids)
        self.changed = changed
        reports, self.next = self.next, []
        return FolderScan(reports, set(self.polled))
