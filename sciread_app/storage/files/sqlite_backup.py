"""Copies of a library file: made while it is in use, and inspected without changing them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage.files.integrity import damaged, problems
from sciread_app.storage.files.opening import is_read_only, open_unchanged
from sciread_app.storage.migrations import APPLICATION_ID

_PAGES = 4_000  # 16 MB between two reports
# SQLite's names for a disk that cannot be read; the second is EIO on Unix.
_UNREAD = ("SQLITE_IOERR_READ", "SQLITE_IOERR_CORRUPTFS")


def copy(source: Path, target: Path, step: Callable[[int, int], None] | None = None) -> None:
    """Copy the library as it is now to `target`, completely or not at all.

    Other connections may write to the library meanwhile. `step` is called with the number of pages
    copied and their total; it may raise to stop.

    Raises LibraryDamaged if the library cannot be read, and LibraryError.
    """
    half = target.with_name(target.name + ".new")
    try:
        half.unlink(missing_ok=True)
        with closing(_source(source)) as old, closing(sqlite3.connect(half)) as new:
            # One read transaction for the whole copy: otherwise each write would restart the
            # backup.
            old.execute("BEGIN")
            old.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if step:
                progress = step
                old.backup(
                    new, pages=_PAGES, progress=lambda _, left, all: progress(all - left, all)
                )
            else:
                old.backup(new)
            # A copy is a single file: without this it would keep the WAL flag in its header.
            new.execute("PRAGMA journal_mode = DELETE")
        half.replace(target)
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorname", "") in _UNREAD:
            raise damaged(source, str(error)) from error
        why = getattr(error, "strerror", None) or error
        raise LibraryError(
            tr("Could not copy the library to {file}: {why}.", file=target, why=why),
            tr("Check that the disk has enough free space and that you can write to the folder."),
        ) from error
    finally:
        half.unlink(missing_ok=True)


def _source(path: Path) -> sqlite3.Connection:
    return open_unchanged(path) if is_read_only(path) else sqlite3.connect(path)


def papers_in(path: Path) -> int | None:
    """Number of papers in a copy; None if it is not a readable library."""
    return _ask(path, "SELECT count(*) FROM papers WHERE trashed IS NULL")


def revision_of(path: Path) -> int | None:
    """The format of a copy (see migrations.HEAD); None if it is not a readable library."""
    return _ask(path, "PRAGMA user_version")


def is_sound(path: Path) -> bool:
    """Return whether a copy is an undamaged library. Reads the whole file."""
    if papers_in(path) is None:
        return False
    try:
        with closing(_look_at(path)) as db:
            return not problems(db)
    except sqlite3.Error:
        return False


def _ask(path: Path, question: str) -> int | None:
    """The number that a query returns; None if the file is not a readable library."""
    try:
        with closing(_look_at(path)) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                return None
            return int(db.execute(question).fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def _look_at(path: Path) -> sqlite3.Connection:
    # Immutable: not even a lock is taken, so that read-only folders work.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
