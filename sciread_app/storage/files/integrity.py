"""Integrity checks of a library file, and a seal that saves most of them.

SQLite notices damage only on the pages that it happens to read. A full check of 100,000 papers (270
MB) takes 2 s, too long for every start. So the size and modification time at which a file was last
known to be intact are kept in a small file beside it. SciRead updates that seal whenever it changes
the library; if it does not match, because another program, a failing disk or a crash intervened,
the full check runs again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sciread_app.errors import LibraryDamaged
from sciread_app.language import tr

SIDES = ("-wal", "-shm", ".checked")  # suffixes of the files that belong to a library file
_HEADING = "*** in database main ***"
_MOST = 10  # maximum number of problems listed


class IntegritySeal:
    """The state in which a library file was last known to be intact."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self._file = library.with_name(library.name + ".checked")

    def holds(self) -> bool:
        """Return whether the file is in that state."""
        try:
            return self._file.read_text("ascii") == self._state()
        except (OSError, UnicodeDecodeError):
            return False

    def renew(self) -> None:
        """Record the present state as intact.

        Nothing is recorded on a read-only or full disk, which costs the next start a check.
        """
        with suppress(OSError):
            self._file.write_text(self._state(), "ascii")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the seal valid across changes that SQLite makes inside the `with` block."""
        whole = self.holds()
        yield
        if whole and not self.holds():
            self.renew()

    def _state(self) -> str:
        state = self._library.stat()
        return f"{state.st_size} {state.st_mtime_ns}"


def problems(db: sqlite3.Connection) -> list[str]:
    """SQLite's own messages from a full check, at most ten; empty if the file is intact."""
    try:
        found = [row[0] for row in db.execute(f"PRAGMA integrity_check({_MOST})")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damage that stops the check
        return [str(error)]
    # SQLite may begin its list with a heading.
    return [line for text in found for line in text.splitlines() if line not in ("ok", _HEADING)]


def damaged(path: Path, why: str = "") -> LibraryDamaged:
    message = (
        tr("The library {file} is damaged: {why}.", file=path, why=why.rstrip("."))
        if why
        else tr("The library {file} is damaged.", file=path)
    )
    return LibraryDamaged(message, recovery_advice())


def recovery_advice() -> str:
    """Advice for the user of a damaged library."""
    return tr(
        "Restore a backup (`sciread backups` lists all backups, `sciread restore NAME` "
        "restores a backup), or save the readable data with `sciread doctor --salvage "
        "FOLDER`."
    )


def check_not_empty(path: Path) -> None:
    """Raises LibraryDamaged for an empty file, which SQLite would take for a new library."""
    log = path.with_name(path.name + "-wal")
    if path.stat().st_size == 0 and not (log.exists() and log.stat().st_size):
        raise LibraryDamaged(
            tr("The library {file} is empty: its contents are lost.", file=path),
            tr(
                "Restore a backup (`sciread backups` lists all backups, `sciread restore NAME` "
                "restores a backup), or delete the empty file to start a new library."
            ),
        )
