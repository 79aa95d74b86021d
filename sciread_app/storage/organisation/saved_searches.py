"""Saved searches: queries with a name."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import saved_query_refs


class SavedSearchStore:
    """Queries with a name."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def queries(self) -> Mapping[str, str]:
        """Query by name, oldest first."""
        table = schema.saved_searches.c
        with self._db.reading() as db:
            return {
                name: query
                for name, query in db.execute(select(table.name, table.query).order_by(table.id))
            }

    def save(self, name: str, query: str) -> None:
        """Save a query under a name, replacing any saved under it before."""
        put = insert(schema.saved_searches).values(
            name=_valid_name(name), query=query, added=time.time()
        )
        with self._db.writing() as db:
            db.execute(put.on_conflict_do_update(index_elements=["name"], set_={"query": query}))

    def rename(self, old: str, new: str) -> None:
        """Raises LibraryError if the new name is taken or the old one does not exist."""
        searches = schema.saved_searches.c
        with self._db.writing() as db:
            renamed, new = _id(db, old), _valid_name(new)
            if new != old and db.scalars(select(searches.id).where(searches.name == new)).first():
                raise LibraryError(
                    tr("A saved search named “{name}” already exists.", name=new),
                    tr("Use another name."),
                )
            known = searches.id == renamed
            db.execute(update(schema.saved_searches).where(known).values(name=new))

    def delete(self, name: str) -> None:
        """Delete a saved search and the feedback given for it."""
        searches = schema.saved_searches
        with self._db.writing() as db:
            removed = _id(db, name)
            saved_query_refs.delete(db, [f"search:{removed}"])
            db.execute(delete(searches).where(searches.c.id == removed))


def _valid_name(name: str) -> str:
    if not name.strip():
        raise LibraryError(tr("A saved search needs a name."), tr("Enter a name and try again."))
    return name.strip()


def _id(db: Connection, name: str) -> int:
    searches = schema.saved_searches.c
    found = db.scalars(select(searches.id).where(searches.name == name)).one_or_none()
    if found is None:
        problem = tr("The saved search “{name}” does not exist.", name=name)
        raise LibraryError(problem, tr("Check the name: it may have changed."))
    return int(found)
