"""Events of watched folders, as the operating system reports them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.paths import file_system

SETTLE = 1.5  # seconds without events, after which a folder is scanned
POLL = 60.0  # seconds between scans of folders without events, which include those not found
RESCAN = 1800.0  # seconds between scans of all folders, since an event may be lost

# Not those of opened and closed files, which a scan itself causes.
_EVENTS: list[type[events.FileSystemEvent]] = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileMovedEvent,
    events.FileDeletedEvent,
    events.FileClosedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
    events.DirDeletedEvent,
]
# File systems whose changes, made by other computers, Linux does not report; so are all of FUSE.
_REMOTE = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "davfs", "drvfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"),
    )
)
_DRIVES = "/Volumes/"  # where macOS mounts drives, among them those of the network


class FolderEvents:
    """Calls `changed` with the id of a folder in which something has changed.

    It is called on a thread of watchdog, often many times for one change, so it may only take note.
    The methods are called by one thread at a time.
    """

    def __init__(self, changed: Callable[[int], object]) -> None:
        self._changed = changed
        self._observer: Any = None
        # By folder: its watch, and what identifies the folder that is watched.
        self._watches: dict[int, tuple[ObservedWatch, tuple[object, ...]]] = {}

    def follow(self, folders: Sequence[WatchedFolder]) -> set[int]:
        """Report the changes of these folders, and of no others. Returns the ids of those that
        report none: they must be scanned every `POLL` seconds."""
        if self._observer is None:
            self._observer = Observer()
            self._observer.start()
        wanted = {one.id: (one, _identity(one)) for one in folders}
        for number, (watch, identity) in list(self._watches.items()):
            if number not in wanted or wanted[number][1] != identity:
                del self._watches[number]
                with suppress(KeyError, OSError):
                    self._observer.unschedule(watch)
        return {
            number
            for number, (folder, identity) in wanted.items()
            if number not in self._watches and not self._watch(folder, identity)
        }

    def close(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()
            self._observer = None
            self._watches.clear()

    def _watch(self, folder: WatchedFolder, identity: tuple[object, ...]) -> bool:
        """Return whether the folder reports its changes from now on."""
        if not identity or is_remote(Path(folder.path)):
            return False
        try:
            watch = self._observer.schedule(
                _Handler(folder, self._changed),
                folder.path,
                recursive=folder.subfolders,
                event_filter=_EVENTS,
            )
        except OSError:  # too many folders for the system, or the folder cannot be read
            return False
        self._watches[folder.id] = watch, identity
        return True


class _Handler(events.FileSystemEventHandler):
    def __init__(self, folder: WatchedFolder, changed: Callable[[int], object]) -> None:
        self._folder = folder.id
        self._changed = changed

    def on_any_event(self, event: events.FileSystemEvent) -> None:
        self._changed(self._folder)


def is_remote(path: Path) -> bool:
    """Whether a folder may change without an event: on a network drive."""
    if sys.platform == "darwin":
        return str(path).startswith(_DRIVES)
    if sys.platform == "win32":
        return str(path).startswith("\\\\")
    kind = file_system(path)
    return kind in _REMOTE or kind == "fuse" or kind.startswith("fuse.")


def _identity(folder: WatchedFolder) -> tuple[object, ...]:
    """The properties of a folder that its watch depends on: a folder that was replaced reports
    nothing any more. Empty if there is no folder."""
    try:
        state = Path(folder.path).stat()
    except OSError:
        return ()
    return folder.path, folder.subfolders, state.st_dev, state.st_ino
