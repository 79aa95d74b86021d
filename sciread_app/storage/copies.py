"""Copies of a library file: made while it is at work, and looked at without touching them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage.migrations import APPLICATION_ID
from sciread_app.storage.opening import is_read_only, look_at
from sciread_app.storage.soundness import problems

_PAGES = 4_000  # 16 MB between two reports


def copy(source: Path, target: Path, step: Callable[[int, int], None] | None = None) -> None:
    """Write the library as it stands now to `target`, whole or not at all; others may write to it
    meanwhile. `step` is told how many pages of all are done, and may raise to stop it.

    Raises LibraryError.
    """
    half = target.with_name(target.name + ".new")
    try:
        half.unlink(missing_ok=True)
        with closing(_source(source)) as old, closing(sqlite3.connect(half)) as new:
            # Begun here, reading lasts till the end: what others write would start it anew.
            old.execute("BEGIN")
            old.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if step:
                told = step
                old.backup(new, pages=_PAGES, progress=lambda _, left, all: told(all - left, all))
            else:
                old.backup(new)
            # A copy is a single file: without this it would carry the WAL mark along.
            new.execute("PRAGMA journal_mode = DELETE")
        half.replace(target)
    except (sqlite3.Error, OSError) as error:
        why = getattr(error, "strerror", None) or error
        raise LibraryError(
            tr("The library cannot be copied to {file}: {why}.", file=target, why=why),
            tr("See that there is room, and that the folder can be written to."),
        ) from error
    finally:
        half.unlink(missing_ok=True)


def _source(path: Path) -> sqlite3.Connection:
    return look_at(path) if is_read_only(path) else sqlite3.connect(path)


def papers_in(path: Path) -> int | None:
    """How many papers a copy holds; None if it is no library that can be read."""
    return _ask(path, "SELECT count(*) FROM papers WHERE trashed IS NULL")


def revision_of(path: Path) -> int | None:
    """The format of a copy (see migrations.HEAD); None if it is no library that can be read."""
    return _ask(path, "PRAGMA user_version")


def is_sound(path: Path) -> bool:
    """Whether a copy is a library and nothing in it is damaged. Reads all of it."""
    if papers_in(path) is None:
        return False
    try:
        with closing(_look_at(path)) as db:
            return not problems(db)
    except sqlite3.Error:
        return False


def _ask(path: Path, question: str) -> int | None:
    """The number that a library answers; None if it is no library that can be read."""
    try:
        with closing(_look_at(path)) as db:
            if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                return None
            return int(db.execute(question).fetchone()[0])
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def _look_at(path: Path) -> sqlite3.Connection:
    # Immutable: not even a lock is taken, so that folders that may only be read will do.
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
