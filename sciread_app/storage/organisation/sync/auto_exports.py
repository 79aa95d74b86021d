"""Auto-exported collections, and the state of each file."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select, update

from sciread_app.domain.library_tree import AutoExport
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import collections


class AutoExportStore:
    """The collections that are exported to a file whenever they change. Collections are given by
    their path."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def files(self) -> list[AutoExport]:
        """All auto-exports, in the order of the collections' paths."""
        with self._db.reading() as db:
            paths = collections.paths(db)
            rows = db.execute(select(schema.synced)).all()
        found = [
            AutoExport(paths[r.collection], r.path, r.format, r.written, r.at, r.problem)
            for r in rows
        ]
        return sorted(found, key=lambda auto_export: auto_export.collection)

    def named(self, collection: str) -> str:
        """The full path of a collection. Raises LibraryError if it does not exist."""
        with self._db.reading() as db:
            paths = collections.paths(db)
        return paths[_number(paths, collection)]

    def enable(self, auto_export: AutoExport) -> None:
        """Start an auto-export. Raises LibraryError if the collection does not exist."""
        new = {
            name: getattr(auto_export, name)
            for name in ("path", "format", "written", "at", "problem")
        }
        with self._db.writing() as db:
            number = _number(collections.paths(db), auto_export.collection)
            row = {"collection": number, **new}
            paper_rows.upsert(db, schema.synced, ["collection"], [row])

    def disable(self, collection: str) -> None:
        """Stop an auto-export; its file stays. Raises LibraryError if there is none."""
        with self._db.writing() as db:
            table = schema.synced
            number = _number(collections.paths(db), collection)
            gone = db.execute(delete(table).where(table.c.collection == number)).rowcount
        if not gone:
            raise LibraryError(
                tr(
                    "The collection “{collection}” is not exported automatically.",
                    collection=collection,
                ),
                tr("`sciread keep` lists the automatic exports."),
            )

    def note(self, files: Sequence[AutoExport]) -> None:
        """Store the state of these files. Collections deleted meanwhile are ignored."""
        table = schema.synced
        with self._db.writing() as db:
            numbers = {path: id for id, path in collections.paths(db).items()}
            for auto_export in files:
                db.execute(
                    update(table)
                    .where(table.c.collection == numbers.get(auto_export.collection, -1))
                    .values(
                        written=auto_export.written, at=auto_export.at, problem=auto_export.problem
                    )
                )


def _number(paths: dict[int, str], collection: str) -> int:
    wanted = collection.strip().strip("/")
    for id, path in paths.items():
        if path == wanted:
            return id
    raise LibraryError(
        tr("The collection “{collection}” does not exist.", collection=collection),
        tr("Create the collection by adding papers: `sciread collect`."),
    )
