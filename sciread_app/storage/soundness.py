"""Whether a library file is whole, and how to know without reading all of it at every start.

SQLite notices damage only on the pages that it happens to read. A full check of 100,000 papers
(270 MB) takes 2 s, too long for every start. So the state in which a file was last known to be
whole, its size and time of modification, is kept in a small file beside it. SciRead brings that up
to date whenever it changes the library; who finds another state there, since another program, a
failing disk or a crash came between, runs the check once more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sciread_app.errors import LibraryDamaged
from sciread_app.language import tr

SIDES = ("-wal", "-shm", ".checked")  # files that belong to a library file, by what is appended
_HEADING = "*** in database main ***"
_MOST = 10  # problems that are listed


class Seal:
    """The state in which a library file was last known to be whole."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self._file = library.with_name(library.name + ".checked")

    def holds(self) -> bool:
        """Whether the file is in that state."""
        try:
            return self._file.read_text("ascii") == self._state()
        except (OSError, UnicodeDecodeError):
            return False

    def renew(self) -> None:
        """Note the present state as whole. On a read-only or full disk nothing is noted, which
        costs the next start a check."""
        with suppress(OSError):
            self._file.write_text(self._state(), "ascii")

    @contextmanager
    def kept(self) -> Iterator[None]:
        """SQLite may change the file within: it is whole afterwards if it was before."""
        whole = self.holds()
        yield
        if whole and not self.holds():
            self.renew()

    def _state(self) -> str:
        state = self._library.stat()
        return f"{state.st_size} {state.st_mtime_ns}"


def problems(db: sqlite3.Connection) -> list[str]:
    """What SQLite's full check finds, its own words, at most ten; empty if the file is whole."""
    try:
        found = [row[0] for row in db.execute(f"PRAGMA integrity_check({_MOST})")]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damage that it cannot pass
        return [str(error)]
    # SQLite may put a heading of its own before what it has found.
    return [line for text in found for line in text.splitlines() if line not in ("ok", _HEADING)]


def damaged(path: Path, why: str = "") -> LibraryDamaged:
    said = (
        tr("The library {file} is damaged: {why}.", file=path, why=why.rstrip("."))
        if why
        else tr("The library {file} is damaged.", file=path)
    )
    return LibraryDamaged(said, way_out())


def way_out() -> str:
    """What to do about a damaged library."""
    return tr(
        "Restore a backup (`sciread backups` lists them, `sciread restore NAME` restores one), or "
        "save what can still be read with `sciread doctor --salvage FOLDER`."
    )


def check_not_empty(path: Path) -> None:
    """Raises LibraryDamaged for a file of no bytes, which SQLite would take for a new library."""
    log = path.with_name(path.name + "-wal")
    if path.stat().st_size == 0 and not (log.exists() and log.stat().st_size):
        raise LibraryDamaged(
            tr("The library {file} is empty: its contents are gone.", file=path),
            tr(
                "Restore a backup (`sciread backups` lists them, `sciread restore NAME` restores "
                "one), or remove the empty file to begin a new library."
            ),
        )
