"""Changes of the library file by other processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sciread_app.storage.files import opening


class ForeignChanges:
    """Notices changes that other processes commit, from the first question on.

    SQLite's `data_version` tells a connection of all commits but its own. A connection that never
    writes is told of those of this process too, so it is asked before and after each of these.
    Not safe to use from several threads at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None
        self._version = 0
        self._found = False

    def found(self) -> bool:
        """Return whether another process has changed the library since the last call."""
        if self._db is None:
            self._db = opening.open_unchanged(self._path, check_same_thread=False)
            self._version = self._read()
        self.look()
        found, self._found = self._found, False
        return found

    def look(self) -> None:
        """Take note of changes so far. For a transaction of this process that has just begun, when
        no other process can commit."""
        version = self._read()
        self._found |= version != self._version
        self._version = version

    @contextmanager
    def ignoring(self) -> Iterator[None]:
        """Ignore the commit of this process in this block."""
        try:
            yield
        finally:
            self._version = self._read()

    def close(self) -> None:
        if self._db:
            self._db.close()
            self._db = None

    def _read(self) -> int:
        with suppress(sqlite3.Error):  # locked for a moment: the next look finds it
            if self._db:
                return int(self._db.execute("PRAGMA data_version").fetchone()[0])
        return self._version
