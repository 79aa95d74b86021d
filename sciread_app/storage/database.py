"""A library file: opening with a check for damage, migration, and transactions with many readers
and one writer."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, exc

from sciread_app.errors import LibraryDamaged, LibraryError
from sciread_app.language import tr
from sciread_app.storage import schema
from sciread_app.storage.files import integrity, opening, sqlite_backup
from sciread_app.storage.files.foreign_changes import ForeignChanges
from sciread_app.storage.files.integrity import IntegritySeal, damaged
from sciread_app.storage.migrations import APPLICATION_ID, HEAD

_DAMAGE = ("malformed", "decode to UTF-8")  # words in SQLite's messages that mean damage
_OURS = {"papers", "authors", "identifiers"}  # tables that identify a library
_TABLES = {*schema.metadata.tables, "fulltext"}


class Database:
    """Transactions on the library file, safe to use from any thread and from several processes.

    Readers see the last committed state and never wait; writers wait for each other. A `reading` or
    `writing` inside a `writing` joins that transaction and sees its changes.
    """

    def __init__(self, path: Path) -> None:
        """Open a library, and create it if the file is missing.

        In a read-only location the library is opened for reading only. Raises LibraryDamaged for a
        damaged or empty file, and LibraryError if it cannot be opened.
        """
        self.path = path
        self._writing = threading.Lock()
        self._mine = threading.local()  # .db: the transaction in which this thread is writing
        self._seal = IntegritySeal(path)
        self._foreign = ForeignChanges(path)
        try:
            self._begin_if_new()
            self.read_only = opening.is_read_only(path)
            self._engine = opening.engine(path, read_only=self.read_only)
        except (exc.DatabaseError, sqlite3.DatabaseError, OSError) as error:
            raise _explained(error, path) from error
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
        if mine := self._own_transaction():
            yield mine
            return
        with self._explaining(), self._engine.begin() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction for changes, committed at the end of the block and rolled back if that
        raises. Raises LibraryError if the library is read-only, damaged or locked for too long."""
        if mine := self._own_transaction():
            yield mine
            return
        if self.read_only:
            raise _read_only(self.path)
        with (
            self._explaining(),
            self._writing,
            self._seal.kept(),
            self._foreign.ignoring(),
            self._writer.begin() as db,
        ):
            self._foreign.look()
            self._mine.db = db
            try:
                yield db
            finally:
                self._mine.db = None

    def changed_elsewhere(self) -> bool:
        """Return whether another process has changed the library since the last call. During a
        change by this process, which never waits for this, the next call tells."""
        if not self._writing.acquire(blocking=False):
            return False
        try:
            return self._foreign.found()
        finally:
            self._writing.release()

    def copy_to(self, target: Path, step: Callable[[int, int], None] | None = None) -> None:
        """See sqlite_backup.copy."""
        sqlite_backup.copy(self.path, target, step)

    def problems(self) -> list[str]:
        """See integrity.problems."""
        with self._explaining(), closing(opening.open_unchanged(self.path)) as db:
            return integrity.problems(db)

    def close(self) -> None:
        self._foreign.close()
        with self._seal.kept():  # the last connection to close checkpoints the write-ahead log
            self._engine.dispose()

    def _own_transaction(self) -> Connection | None:
        return getattr(self._mine, "db", None)

    def _begin_if_new(self) -> None:
        if self.path.exists():
            integrity.check_not_empty(self.path)
        else:
            opening.begin(self.path, HEAD)
            self._seal.renew()

    def _bring_up_to_date(self) -> None:
        with self._seal.kept(), self.reading() as db:  # the first connection may turn WAL on
            revision = db.exec_driver_sql("PRAGMA user_version").scalar_one()
            application = db.exec_driver_sql("PRAGMA application_id").scalar_one()
            tables = set(db.exec_driver_sql("SELECT name FROM sqlite_master").scalars())
        self._check_header(revision, application, tables)
        self._check_whole()
        if revision == HEAD:
            return
        if self.read_only:
            raise _read_only(self.path)
        self.copy_to(self.path.with_suffix(".backup" + self.path.suffix))
        from sciread_app.storage.migrations.upgrade import upgrade  # Alembic: 0.4 s, rarely needed

        for step in range(revision + 1, HEAD + 1):
            with self.writing() as db:
                # Another process may have migrated while this one waited for the lock.
                if db.exec_driver_sql("PRAGMA user_version").scalar_one() < step:
                    upgrade(db, step)

    def _check_header(self, revision: int, application: int, tables: set[str]) -> None:
        """Raises LibraryError if the file is not a library, or has a format this program cannot
        use."""
        if application != APPLICATION_ID and not tables >= _OURS:
            if not tables:
                raise damaged(self.path, tr("it has no tables"))
            raise LibraryError(
                tr(
                    "{file} is an SQLite database of another program, not a SciRead library.",
                    file=self.path,
                ),
                tr("Select another folder, or move the file elsewhere."),
            )
        if revision > HEAD:
            raise LibraryError(
                tr(
                    "{file} was written by a newer version of SciRead (library format {format}; "
                    "this version supports up to {known}).",
                    file=self.path,
                    format=revision,
                    known=HEAD,
                ),
                tr("Update SciRead. The library was not changed."),
            )
        if application != APPLICATION_ID or revision < 1:
            raise damaged(self.path, tr("its header is not valid"))
        if revision == HEAD and (missing := _TABLES - tables):
            raise damaged(
                self.path, tr("tables are missing ({tables})", tables=", ".join(sorted(missing)))
            )

    def _check_whole(self) -> None:
        """Raises LibraryDamaged. Reads the whole file unless unchanged since the last check."""
        if self._seal.holds():
            return
        if found := self.problems():
            raise damaged(self.path, found[0])
        self._seal.renew()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except exc.DatabaseError as error:
            raise _explained(error, self.path) from error
        except (UnicodeDecodeError, json.JSONDecodeError) as error:  # foreign values
            raise damaged(self.path, str(error)) from error


def in_use(path: Path) -> bool:
    """Return whether another connection has the library open.

    SQLite leaves WAL mode only for the sole connection; the library returns to WAL when it is
    opened next.
    """
    try:
        with IntegritySeal(path).kept(), closing(sqlite3.connect(path, timeout=0)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return False  # not a library, so not in use
    return False


def _explained(error: Exception, path: Path) -> Exception:
    """The LibraryError for an SQLite or OS error; `error` itself if it is a programming error."""
    if isinstance(error, OSError):
        return LibraryError(
            tr("Could not write to the library {file}: {why}.", file=path, why=error.strerror),
            tr("Free up disk space or select another folder, and try again."),
        )
    text = str(getattr(error, "orig", error))
    if any(sign in text for sign in _DAMAGE):
        return damaged(path)
    if "readonly" in text:
        return _read_only(path)
    if "not a database" in text:
        return LibraryDamaged(
            tr("The library {file} is not an SQLite database.", file=path),
            integrity.recovery_advice(),
        )
    for sign, message, hint in _signs(path):
        if sign in text:
            return LibraryError(message, hint)
    return error


def _read_only(path: Path) -> LibraryError:
    return LibraryError(
        tr("Cannot write to the library {file}: the file is read-only.", file=path),
        tr("Check the permissions of the file and its folder."),
    )


def _signs(path: Path) -> Sequence[tuple[str, str, str]]:
    """Words that identify SQLite's errors, with the message and the advice for each."""
    return (
        (
            "locked",
            tr(
                "Could not write to the library {file}: another program has locked the file.",
                file=path,
            ),
            tr("Close the other program and try again."),
        ),
        (
            "disk is full",
            tr("Could not write to the library {file}: the disk is full.", file=path),
            tr("Free up disk space and try again."),
        ),
        (
            "unable to open",
            tr("Could not open the library {file}.", file=path),
            tr("Check that the folder exists and that you have permission to use it."),
        ),
        (
            "disk I/O",
            tr(
                "Could not read or write the library {file}: the disk reports an error.",
                file=path,
            ),
            tr("Check the disk for errors.") + " " + integrity.recovery_advice(),
        ),
    )
