"""Nested collections: each is named by its path, "thesis/chapter 2"."""

from __future__ import annotations

from sqlalchemy import Connection, delete, literal, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.renaming import with_collection_moved
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import queries, schema

# What follows on WITH RECURSIVE: `paths` has each collection with its path, `below` each with
# itself and all below it.
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
# From a single one. By VALUES, SQLite knows that it begins with one row, and looks up from there
# what it would else look for in all that is collected.
BELOW_ONE = """
    below (id) AS (
        VALUES (?)
        UNION ALL
        SELECT c.id FROM collections AS c JOIN below ON c.parent = below.id)"""
# The file in which a collection is kept goes on with the one it has become part of.
_KEPT_FILE = """
INSERT OR IGNORE INTO synced (collection, path, format, written, at, problem)
SELECT ?, path, format, written, at, problem FROM synced WHERE collection = ?
"""


def paths(db: Connection) -> dict[int, str]:
    """The full path of each collection."""
    rows = {row.id: row for row in db.execute(select(schema.collections))}
    found = {}
    for id in rows:
        names, at = [], id
        while at is not None:
            names.append(rows[at].name)
            at = rows[at].parent
        found[id] = "/".join(reversed(names))
    return found


def made(db: Connection, path: str) -> int:
    """The collection with this path, made with all above it where it does not exist yet."""
    parent = None
    for name in _names(path):
        found = _child(db, parent, name)
        if found is None:
            put = insert(schema.collections).values(parent=parent, name=name)
            found = int(db.execute(put).lastrowid)
        parent = found
    if parent is None:
        raise _nameless()
    return parent


def there(db: Connection, path: str) -> int | None:
    """The collection with this path, if there is one."""
    at = None
    for name in _names(path):
        at = _child(db, at, name)
        if at is None:
            return None
    return at


def move(db: Connection, path: str, new_path: str) -> None:
    """Give a collection another path. All below it goes along; where there is one with the new
    path already, the two become one."""
    moving, names = _known(db, path), _names(new_path)
    if names == _names(path):
        return
    if names[: len(_names(path))] == _names(path):
        raise LibraryError(
            tr("The collection “{collection}” cannot be put into itself.", collection=path),
            tr("Choose another place for it."),
        )
    if not names:
        raise _nameless()
    parent = made(db, "/".join(names[:-1])) if names[1:] else None
    target = _child(db, parent, names[-1])
    old, new = "/".join(_names(path)), "/".join(names)
    queries.rewrite(db, lambda query: with_collection_moved(query, old, new))
    if target is None:
        _set(db, moving, parent=parent, name=names[-1])
    else:
        _pour(db, moving, target)


def remove(db: Connection, path: str) -> None:
    """Remove a collection and all below it. Its papers stay in the library."""
    removed = _known(db, path)
    rows = db.exec_driver_sql(f"WITH RECURSIVE {BELOW_ONE} SELECT id FROM below", (removed,))
    queries.forget(db, [f"collection:{id}" for (id,) in rows])
    db.execute(delete(schema.collections).where(schema.collections.c.id == removed))


def _nameless() -> LibraryError:
    return LibraryError(
        tr("A collection needs a name."), tr("Write one, such as: thesis/chapter 2")
    )


def _names(path: str) -> list[str]:
    return [name for part in path.split("/") if (name := part.strip())]


def _known(db: Connection, path: str) -> int:
    found = there(db, path)
    if found is None:
        raise LibraryError(
            tr("There is no collection “{collection}”.", collection=path),
            tr("It may have been renamed."),
        )
    return found


def _child(db: Connection, parent: int | None, name: str) -> int | None:
    table = schema.collections.c
    above = table.parent.is_(None) if parent is None else table.parent == parent
    return db.scalars(select(table.id).where(above, table.name == name)).first()


def _set(db: Connection, id: int, **values: object) -> None:
    db.execute(update(schema.collections).where(schema.collections.c.id == id).values(values))


def _pour(db: Connection, emptied: int, filled: int) -> None:
    """Put all that is in and below one collection into another, and remove it."""
    members = schema.collected.c
    moved = select(literal(filled), members.paper, members.added).where(
        members.collection == emptied
    )
    put = insert(schema.collected).from_select(["collection", "paper", "added"], moved)
    db.execute(put.on_conflict_do_nothing())
    queries.hand_over(db, f"collection:{emptied}", f"collection:{filled}")
    db.exec_driver_sql(_KEPT_FILE, (filled, emptied))
    table = schema.collections.c
    for id, name in db.execute(select(table.id, table.name).where(table.parent == emptied)).all():
        same = _child(db, filled, name)
        if same is None:
            _set(db, id, parent=filled)
        else:
            _pour(db, id, same)
    db.execute(delete(schema.collections).where(table.id == emptied))
