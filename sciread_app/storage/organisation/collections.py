"""Nested collections, named by their paths, such as "thesis/chapter 2"."""

from __future__ import annotations

import time
from collections.abc import Iterable

from sqlalchemy import Connection, delete, literal, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.query.rewrite import with_collection_moved
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids, select_ids
from sciread_app.storage.organisation import saved_query_refs

# Common table expressions for WITH RECURSIVE: `paths` maps each collection to its path, `below`
# each collection to itself and all its descendants.
PATHS = """
    paths (id, path) AS (
        SELECT id, name FROM collections WHERE parent IS NULL
        UNION ALL
        SELECT c.id, paths.path || '/' || c.name
        FROM collections AS c JOIN paths ON c.parent = paths.id)"""
BELOW = """
    below (top, id) AS (
        SELECT id, id FROM collections
        UNION ALL
        SELECT below.top, c.id FROM collections AS c JOIN below ON c.parent = below.id)"""
# The descendants of one collection. VALUES tells SQLite's planner that the recursion starts from
# one row, so that it looks up the rows of `collected` instead of scanning them all.
BELOW_ONE = """
    below (id) AS (
        VALUES (?)
        UNION ALL
        SELECT c.id FROM collections AS c JOIN below ON c.parent = below.id)"""
# The auto-export of a merged collection continues with the collection it was merged into.
_MOVE_AUTO_EXPORT = """
INSERT OR IGNORE INTO synced (collection, path, format, written, at, problem)
SELECT ?, path, format, written, at, problem FROM synced WHERE collection = ?
"""


class CollectionStore:
    """A collection is created when first used. Ids of papers that do not exist are ignored."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def paths(self) -> list[str]:
        """The paths of all collections, sorted."""
        with self._db.reading() as db:
            return sorted(paths(db).values())

    def papers(self, path: str) -> Ids:
        """The papers in exactly this collection and its descendants, but not in the Trash; none if
        it does not exist. A query ignores case and quotation marks, and `in:trash` is the Trash."""
        sql = (
            f"WITH RECURSIVE {BELOW_ONE} SELECT paper AS id FROM collected"
            " WHERE collection IN (SELECT id FROM below)"
            " AND paper NOT IN (SELECT id FROM papers WHERE trashed IS NOT NULL)"
        )
        with self._db.reading() as db:
            return select_ids(db, sql, (find(db, path),))

    def add(self, ids: Iterable[int], path: str) -> None:
        """Add papers to a collection. Raises LibraryError for an empty path."""
        with self._db.writing() as db:
            collection = get_or_create(db, path)
            paper_rows.insert_for_papers(
                db, schema.collected, ids, collection=collection, added=time.time()
            )

    def remove(self, ids: Iterable[int], path: str) -> None:
        """Remove papers from a collection, but not from those below it."""
        with self._db.writing() as db:
            members = schema.collected.c
            collection = find(db, path)
            db.execute(
                delete(schema.collected).where(
                    members.collection == collection, members.paper.in_(paper_rows.among(ids))
                )
            )

    def create(self, path: str) -> None:
        with self._db.writing() as db:
            get_or_create(db, path)

    def move(self, path: str, new_path: str) -> None:
        """Move or rename a collection with its descendants, in saved queries too.

        If the new path exists, the two collections are merged. Raises LibraryError if the
        collection does not exist or would be moved into itself.
        """
        with self._db.writing() as db:
            moving, names = _existing_id(db, path), _names(new_path)
            if names == _names(path):
                return
            if names[: len(_names(path))] == _names(path):
                raise LibraryError(
                    tr(
                        "The collection “{collection}” cannot be moved into itself.",
                        collection=path,
                    ),
                    tr("Select another parent collection."),
                )
            if not names:
                raise _missing_name()
            parent = get_or_create(db, "/".join(names[:-1])) if names[1:] else None
            target = _child(db, parent, names[-1])
            old, new = "/".join(_names(path)), "/".join(names)
            saved_query_refs.rewrite(db, lambda query: with_collection_moved(query, old, new))
            if target is None:
                _set(db, moving, parent=parent, name=names[-1])
            else:
                # Detached first: A/B/B becomes A/B, and must not be merged into the old A/B.
                _set(db, moving, parent=None, name="")
                _merge_into(db, moving, target)

    def delete(self, path: str) -> None:
        """Delete a collection and its descendants. The papers stay in the library."""
        with self._db.writing() as db:
            removed = _existing_id(db, path)
            rows = db.exec_driver_sql(
                f"WITH RECURSIVE {BELOW_ONE} SELECT id FROM below", (removed,)
            )
            saved_query_refs.delete(db, [f"collection:{id}" for (id,) in rows])
            db.execute(delete(schema.collections).where(schema.collections.c.id == removed))


def paths(db: Connection) -> dict[int, str]:
    """Full paths by collection id."""
    rows = {row.id: row for row in db.execute(select(schema.collections))}
    found = {}
    for id in rows:
        names, at = [], id
        while at is not None:
            names.append(rows[at].name)
            at = rows[at].parent
        found[id] = "/".join(reversed(names))
    return found


def get_or_create(db: Connection, path: str) -> int:
    """The id of the collection with this path; missing collections on the path are created."""
    parent = None
    for name in _names(path):
        found = _child(db, parent, name)
        if found is None:
            put = insert(schema.collections).values(parent=parent, name=name)
            found = int(db.execute(put).lastrowid)
        parent = found
    if parent is None:
        raise _missing_name()
    return parent


def find(db: Connection, path: str) -> int | None:
    """The id of the collection with this path; None if it does not exist."""
    at = None
    for name in _names(path):
        at = _child(db, at, name)
        if at is None:
            return None
    return at


def _missing_name() -> LibraryError:
    return LibraryError(
        tr("A collection needs a name."), tr("Enter a name, such as: thesis/chapter 2")
    )


def _names(path: str) -> list[str]:
    return [name for part in path.split("/") if (name := part.strip())]


def _existing_id(db: Connection, path: str) -> int:
    found = find(db, path)
    if found is None:
        raise LibraryError(
            tr("The collection “{collection}” does not exist.", collection=path),
            tr("Check the name: it may have changed."),
        )
    return found


def _child(db: Connection, parent: int | None, name: str) -> int | None:
    table = schema.collections.c
    above = table.parent.is_(None) if parent is None else table.parent == parent
    return db.scalars(select(table.id).where(above, table.name == name)).first()


def _set(db: Connection, id: int, **values: object) -> None:
    db.execute(update(schema.collections).where(schema.collections.c.id == id).values(values))


def _merge_into(db: Connection, source: int, target: int) -> None:
    """Move papers and subcollections of `source` into `target` and delete `source`."""
    members = schema.collected.c
    moved = select(literal(target), members.paper, members.added).where(
        members.collection == source
    )
    put = insert(schema.collected).from_select(["collection", "paper", "added"], moved)
    db.execute(put.on_conflict_do_nothing())
    saved_query_refs.reassign(db, f"collection:{source}", f"collection:{target}")
    db.exec_driver_sql(_MOVE_AUTO_EXPORT, (target, source))
    table = schema.collections.c
    for id, name in db.execute(select(table.id, table.name).where(table.parent == source)).all():
        same = _child(db, target, name)
        if same is None:
            _set(db, id, parent=target)
        else:
            _merge_into(db, id, same)
    db.execute(delete(schema.collections).where(table.id == source))
