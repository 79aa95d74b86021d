"""Folders whose new files are imported by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class FileState(StrEnum):
    """The state of a file in a watched folder, as of the last scan."""

    present = "present"  # imported, or tried
    missing = "missing"
    unreadable = "unreadable"  # tried again once it can be read
    other = "other"  # holds no papers


class WatchedFile(NamedTuple):
    """A file in a watched folder. `modified` is its mtime in seconds since 1970."""

    path: str
    size: int
    modified: float
    state: FileState = FileState.present


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder whose new files are imported.

    `collection` is the full path of the collection that receives new papers; empty if there is
    none. `mount` is where its drive was mounted at the last scan, `scanned` the time of that in
    seconds since 1970, or 0 before the first, and `problem` a sentence about it. `files` counts
    the files that hold papers, `missing` those of them that were deleted.
    """

    id: int
    path: str
    subfolders: bool = True
    collection: str = ""
    paused: bool = False
    mount: str = ""
    scanned: float = 0.0
    problem: str = ""
    files: int = 0
    missing: int = 0

    @property
    def name(self) -> str:
        return Path(self.path).name or self.path
