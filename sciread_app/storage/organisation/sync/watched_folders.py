"""Watched folders, and the files found in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from sciread_app.domain.watched_folders import FileState, WatchedFile, WatchedFolder
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import collections


class WatchedFolderStore:
    """The folders that are watched for new papers, with the files found in them. `number`: the id
    that `add` returned."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> list[WatchedFolder]:
        """All watched folders, in the order in which they were added."""
        folders, files = schema.watched_folders, schema.watched_files.c
        counts = select(files.folder, files.state, func.count()).group_by(files.folder, files.state)
        with self._db.reading() as db:
            paths = collections.paths(db)
            count = {(folder, state): n for folder, state, n in db.execute(counts)}
            rows = db.execute(select(folders).order_by(folders.c.id)).all()
        return [
            WatchedFolder(
                row.id,
                row.path,
                row.subfolders,
                paths.get(row.collection, ""),
                row.paused,
                row.mount,
                row.scanned or 0.0,
                row.problem,
                count.get((row.id, FileState.present), 0)
                + count.get((row.id, FileState.unreadable), 0),
                count.get((row.id, FileState.missing), 0),
            )
            for row in rows
        ]

    def add(self, path: str, *, subfolders: bool, collection: str) -> int:
        """Watch a folder, and return its number. One that is watched gets these options, and is no
        longer paused."""
        table = schema.watched_folders
        with self._db.writing() as db:
            values = _options(db, subfolders, collection) | {"paused": False}
            number = db.scalars(select(table.c.id).where(table.c.path == path)).one_or_none()
            if number is not None:
                db.execute(update(table).where(table.c.id == number).values(values))
                return int(number)
            row = values | {"path": path, "mount": "", "problem": ""}
            return int(db.execute(insert(table).values(row)).lastrowid)

    def change(self, number: int, *, subfolders: bool, collection: str) -> None:
        """Change these options of a folder, which stays paused if it is."""
        table = schema.watched_folders
        with self._db.writing() as db:
            values = _options(db, subfolders, collection)
            db.execute(update(table).where(table.c.id == number).values(values))

    def pause(self, number: int, paused: bool) -> None:
        self._set(number, paused=paused)

    def remove(self, number: int) -> None:
        """Stop watching a folder. Its papers and files stay."""
        table = schema.watched_folders
        with self._db.writing() as db:
            db.execute(delete(table).where(table.c.id == number))

    def note_scan(self, number: int, at: float, problem: str, mount: str | None = None) -> None:
        """Store the outcome of a scan; `mount` as in WatchedFolder, or None to leave it."""
        values: dict[str, Any] = {"scanned": at, "problem": problem}
        self._set(number, **values, **({} if mount is None else {"mount": mount}))

    def files(self, number: int | None = None) -> list[WatchedFile]:
        """The known files of a folder, or of all folders."""
        files = schema.watched_files.c
        query = select(files.path, files.size, files.modified, files.state)
        if number is not None:
            query = query.where(files.folder == number)
        with self._db.reading() as db:
            return [WatchedFile(p, s, m, FileState(state)) for p, s, m, state in db.execute(query)]

    def put_files(self, number: int, files: Iterable[WatchedFile]) -> None:
        """Store the state of these files. A folder removed meanwhile is ignored."""
        table = schema.watched_folders
        rows = [{"folder": number, **file._asdict()} for file in files]
        with self._db.writing() as db:
            if rows and db.scalars(select(table.c.id).where(table.c.id == number)).one_or_none():
                paper_rows.upsert(db, schema.watched_files, ["folder", "path"], rows)

    def forget_files(self, paths: Sequence[str]) -> None:
        """Forget files that are now elsewhere, in all folders."""
        files = schema.watched_files
        with self._db.writing() as db:
            db.execute(delete(files).where(files.c.path.in_(paper_rows.among_texts(paths))))

    def _set(self, number: int, **values: Any) -> None:
        table = schema.watched_folders
        with self._db.writing() as db:
            db.execute(update(table).where(table.c.id == number).values(values))


def _options(db: Connection, subfolders: bool, collection: str) -> dict[str, Any]:
    """Columns of these options; the collection is created if it is missing."""
    id = collections.get_or_create(db, collection) if collection else None
    return {"subfolders": subfolders, "collection": id}
