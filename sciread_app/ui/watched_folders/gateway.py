"""The watched folders of an open workspace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.errors import LibraryError
from sciread_app.services.ingest.watched_folders import ScanReport
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.folder_events import FolderEvents


@dataclass
class Scan:
    """The result of scanning folders. `polled`: the ids of the folders that report no changes."""

    reports: list[ScanReport] = field(default_factory=list)
    polled: set[int] = field(default_factory=set)


class WatchGateway:
    """Every method blocks. `scan` is called by one thread at a time, the others by any."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._events: FolderEvents | None = None

    def folders(self) -> Sequence[WatchedFolder]:
        return self._workspace.watched_folders.all()

    def collections(self) -> Sequence[str]:
        """The paths of all collections."""
        return self._workspace.library.collections.paths()

    def add(self, path: Path, *, subfolders: bool = True, collection: str = "") -> WatchedFolder:
        """Watch a folder, or change these options of one. Raises LibraryError."""
        self._workspace.require_own_library()
        watched = self._workspace.watched_folders
        return watched.add(path, subfolders=subfolders, collection=collection)

    def pause(self, folder: WatchedFolder, paused: bool) -> None:
        self._workspace.watched_folders.pause(folder, paused)

    def remove(self, folder: WatchedFolder) -> None:
        """Stop watching a folder. Its papers and files stay."""
        self._workspace.watched_folders.remove(folder)

    def scan(
        self, ids: Collection[int] | None, changed: Callable[[int], object], task: Task
    ) -> Scan:
        """Scan the folders with these ids, or all of them, except those that are paused. From then
        on, `changed` is called on some thread with the id of a folder that has changed."""
        folders = [one for one in self.folders() if not one.paused]
        if self._workspace.home.is_sample or not (folders or self._events):
            return Scan()
        if self._events is None:
            # Not needed at start, nor by those who watch no folder.
            from sciread_app.services.ingest.folder_events import FolderEvents

            self._events = FolderEvents(changed)
        # First, so that nothing that happens during the scan is missed.
        scan = Scan(polled=self._events.follow(folders))
        for folder in folders:
            if ids is None or folder.id in ids:
                try:
                    scan.reports.append(self._workspace.scan_folder(folder, task))
                except LibraryError as error:  # the other folders are scanned all the same
                    scan.reports.append(ScanReport(folder, problem=error.message))
        return scan

    def close(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None
