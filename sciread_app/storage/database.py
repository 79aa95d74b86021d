"""One SQLite file: opened, brought up to date, read by many and written by one at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, exc

from sciread_app.domain.folding import fold
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import copies
from sciread_app.storage.migrations import APPLICATION_ID, HEAD

# The page cache of each connection; negative means KiB. A larger one makes nothing quicker, since
# the system keeps the file in memory too.
_CACHE = -8_000


class Database:
    """Transactions on the library file, safe to ask for from any thread and several processes.

    Readers see the last committed state and never wait; writers wait for each other. Who reads or
    writes within a `writing` does so in that same transaction, and so sees what it has done.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writing = threading.Lock()
        self._mine = threading.local()  # .db: the transaction in which this thread is writing
        # Who reads takes the connection that was used last, whose page cache is full already; else
        # all would fill theirs in turn.
        self._engine = create_engine(f"sqlite:///{path}", pool_use_lifo=True)
        event.listen(self._engine, "connect", _configure)
        # Left alone, sqlite3 opens no transaction for DDL, and half of a failed migration would
        # stay. IMMEDIATE takes the write lock at once: a transaction that reads before it writes
        # would else fail when another process writes in between.
        event.listen(
            self._engine,
            "begin",
            lambda db: db.exec_driver_sql(
                "BEGIN IMMEDIATE" if db.get_execution_options().get("writing") else "BEGIN"
            ),
        )
        self._writer = self._engine.execution_options(writing=True)
        try:
            self._bring_up_to_date()
        except (exc.DatabaseError, sqlite3.DatabaseError) as error:
            self.close()
            raise _explained(error, path) from error
        except LibraryError:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        if mine := self._in_hand():
            yield mine
            return
        with self._explaining(), self._engine.begin() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if mine := self._in_hand():
            yield mine
            return
        with self._explaining(), self._writing, self._writer.begin() as db:
            self._mine.db = db
            try:
                yield db
            finally:
                self._mine.db = None

    def copy_to(self, target: Path, step: Callable[[int, int], None] | None = None) -> None:
        """See copies.copy."""
        copies.copy(self.path, target, step)

    def close(self) -> None:
        self._engine.dispose()

    def _in_hand(self) -> Connection | None:
        return getattr(self._mine, "db", None)

    def _bring_up_to_date(self) -> None:
        with self.reading() as db:
            revision = db.exec_driver_sql("PRAGMA user_version").scalar_one()
            application = db.exec_driver_sql("PRAGMA application_id").scalar_one()
            tables = db.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
        if application not in (0, APPLICATION_ID) or (tables and not application):
            raise LibraryError(
                tr(
                    "{file} is an SQLite file of another program, not a SciRead library.",
                    file=self.path,
                ),
                tr("Choose another home folder with --home, or move that file away."),
            )
        if revision > HEAD:
            raise LibraryError(
                tr(
                    "{file} was written by a newer SciRead (library format {format}; this one "
                    "knows {known}).",
                    file=self.path,
                    format=revision,
                    known=HEAD,
                ),
                tr("Install the newer SciRead. The library was not touched."),
            )
        if revision == HEAD:
            return
        if tables:
            self.copy_to(self.path.with_suffix(".backup" + self.path.suffix))
        from sciread_app.storage.migrations.upgrade import upgrade  # Alembic: 0.4 s, rarely needed

        for step in range(revision + 1, HEAD + 1):
            with self.writing() as db:
                # Another process may have been quicker while we waited for the lock.
                if db.exec_driver_sql("PRAGMA user_version").scalar_one() < step:
                    upgrade(db, step)

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except exc.DatabaseError as error:
            raise _explained(error, self.path) from error


def in_use(path: Path) -> bool:
    """Whether somebody has the library open. SQLite leaves WAL only for one who is alone with it;
    the library goes back to WAL when it is opened next."""
    with closing(sqlite3.connect(path, timeout=0)) as db:
        try:
            db.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            return "locked" in str(error)
        except sqlite3.DatabaseError:
            return False  # no library at all, and so nobody's
    return False


def _configure(connection: Any, _: object) -> None:
    connection.create_function("fold", 1, _fold, deterministic=True)
    connection.isolation_level = None  # transactions begin where Database says so
    # busy_timeout first: switching to WAL can itself find the file locked.
    for pragma in (
        "busy_timeout = 30000",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "wal_autocheckpoint = 4000",  # pages: each checkpoint waits for the disk
        "foreign_keys = ON",
        "temp_store = MEMORY",
        f"cache_size = {_CACHE}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _fold(text: str | None) -> str | None:
    return text and fold(text)


def _explained(error: Exception, path: Path) -> Exception:
    """The library error that says what a person can do, or `error` itself if it is our fault."""
    text = str(getattr(error, "orig", error))
    for sign, said, hint in _signs(path):
        if sign in text:
            return LibraryError(said, hint)
    return error


def _signs(path: Path) -> Sequence[tuple[str, str, str]]:
    """By which words SQLite's errors are known, what is said of them, and what can be done."""
    return (
        (
            "locked",
            tr("The library {file} is being written by another program for too long.", file=path),
            tr("Close it and try again."),
        ),
        (
            "disk is full",
            tr("The library {file} cannot be written: the disk is full.", file=path),
            tr("Make room and try again."),
        ),
        (
            "readonly",
            tr("The library {file} cannot be written: it is read-only.", file=path),
            tr("Check the rights of file and folder."),
        ),
        (
            "unable to open",
            tr("The library {file} cannot be opened.", file=path),
            tr("Check that the folder exists and is yours."),
        ),
        (
            "malformed",
            tr("The library {file} is damaged.", file=path),
            tr("Run `sciread doctor`, or `sciread restore` with a backup."),
        ),
        (
            "not a database",
            tr("The library {file} is not an SQLite file.", file=path),
            tr("Run `sciread restore` with a backup."),
        ),
        (
            "disk I/O",
            tr(
                "The library {file} cannot be read or written: the disk reports an error.",
                file=path,
            ),
            tr("Check the disk."),
        ),
    )
