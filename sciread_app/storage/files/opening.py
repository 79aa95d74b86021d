"""Creation of library files, and SQLite connections to them.

`Database` in storage/database.py checks a file when it is opened.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, QueuePool, create_engine, event

from sciread_app.domain.text.folding import fold

# Page cache of each connection; negative means KiB. A larger cache is no faster, since the
# operating system caches the file too.
_CACHE = -8_000
_ALWAYS = ("foreign_keys = ON", "temp_store = MEMORY", f"cache_size = {_CACHE}")
# busy_timeout first: switching to WAL can itself find the file locked.
_WRITABLE = (
    "busy_timeout = 30000",
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "wal_autocheckpoint = 4000",  # pages: each checkpoint waits for the disk
    *_ALWAYS,
)


def is_read_only(path: Path) -> bool:
    """Return whether the file or its folder cannot be written to."""
    if not path.exists():
        return False
    return not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK))


def engine(path: Path, *, read_only: bool = False) -> Engine:
    """The engine for an existing library file.

    Connections to a read-only file see the write-ahead log if SQLite can read it there.
    """
    address = path.absolute().as_uri() + _mode(path, read_only)
    made = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(address, uri=True, check_same_thread=False),
        poolclass=QueuePool,
        # LIFO pool: reuse the most recently used connection, whose page cache is warm.
        pool_use_lifo=True,
    )
    pragmas = _ALWAYS if read_only else _WRITABLE

    def configure(connection: Any, _: object) -> None:
        connection.create_function("fold", 1, _fold, deterministic=True)
        connection.isolation_level = None  # Database begins transactions explicitly
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(made, "connect", configure)
    # By default, sqlite3 opens no transaction for DDL, and half of a failed migration would stay.
    # IMMEDIATE takes the write lock at once: otherwise a transaction that reads before it writes
    # would fail if another process writes in between.
    event.listen(
        made,
        "begin",
        lambda db: db.exec_driver_sql(
            "BEGIN IMMEDIATE" if db.get_execution_options().get("writing") else "BEGIN"
        ),
    )
    return made


def _fold(text: str | None) -> str | None:
    return text and fold(text)


def begin(path: Path, revision: int) -> None:
    """Create an empty library, completely or not at all.

    A library that another process creates at the same time is kept.
    """
    half = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    half.touch()
    made = engine(half)
    try:
        from sciread_app.storage.migrations.upgrade import upgrade  # Alembic: 0.4 s, rarely needed

        with made.execution_options(writing=True).begin() as db:
            upgrade(db, revision)
        made.dispose()
        try:
            os.link(half, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                half.rename(path)
    finally:
        made.dispose()
        for side in ("", "-wal", "-shm"):
            with suppress(OSError):
                half.with_name(half.name + side).unlink(missing_ok=True)


def open_unchanged(path: Path, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """A connection that changes nothing, even in a read-only folder. Raises sqlite3.Error."""
    address = path.absolute().as_uri() + _mode(path, read_only=True)
    return sqlite3.connect(address, uri=True, check_same_thread=check_same_thread)


def _mode(path: Path, read_only: bool) -> str:
    if not read_only:
        return "?mode=rw"  # never create a missing file
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if not (log.exists() and log.stat().st_size):
            # Closed properly and not writable: SQLite need not look for a log.
            return "?mode=ro&immutable=1"
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        pass  # damaged, which is reported when it is read
    return "?mode=ro"
