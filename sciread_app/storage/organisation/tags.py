"""Tags: their names and colors, and the papers that have them."""

from __future__ import annotations

import time
from collections.abc import Iterable

from sqlalchemy import Connection, delete, literal, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.query.rewrite import with_tag_renamed
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import saved_query_refs

# SQLite would give the highest id again after its tag was deleted, and a split of merged papers
# would take the new tag for the old one. So an id is the time, in microseconds.
_CREATE = """
INSERT INTO tags (id, name)
SELECT max(?, coalesce((SELECT max(id) FROM tags), 0) + 1), ? WHERE true
ON CONFLICT (name) DO NOTHING
"""


class TagStore:
    """A tag is created with its first paper. Ids of papers that do not exist are ignored."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def names(self) -> list[str]:
        """All tags, in alphabetical order."""
        with self._db.reading() as db:
            return list(db.scalars(select(schema.tags.c.name).order_by(schema.tags.c.name)))

    def colours(self) -> dict[str, str]:
        """The colors of the tags that have one, by name."""
        tags = schema.tags.c
        with self._db.reading() as db:
            found = db.execute(select(tags.name, tags.colour).where(tags.colour != ""))
            return {name: colour for name, colour in found}

    def add(self, ids: Iterable[int], name: str) -> None:
        """Tag these papers. Raises LibraryError for an empty name."""
        with self._db.writing() as db:
            name = _valid_name(name)
            db.exec_driver_sql(_CREATE, (time.time_ns() // 1_000, name))
            paper_rows.insert_for_papers(db, schema.tagged, ids, tag=_id(db, name))

    def remove(self, ids: Iterable[int], name: str) -> None:
        """Remove the tag from these papers. The tag itself stays."""
        tag = select(schema.tags.c.id).where(schema.tags.c.name == name).scalar_subquery()
        with self._db.writing() as db:
            db.execute(
                delete(schema.tagged).where(
                    schema.tagged.c.tag == tag, schema.tagged.c.paper.in_(paper_rows.among(ids))
                )
            )

    def rename(self, old: str, new: str) -> None:
        """Rename a tag, in saved queries too. If the new name exists, the two tags are merged."""
        tags, tagged = schema.tags.c, schema.tagged
        with self._db.writing() as db:
            renamed, new = _id(db, old), _valid_name(new)
            saved_query_refs.rewrite(db, lambda query: with_tag_renamed(query, old, new))
            other = db.scalars(select(tags.id).where(tags.name == new, tags.id != renamed)).first()
            if other is None:
                db.execute(update(schema.tags).where(tags.id == renamed).values(name=new))
                return
            moved = select(literal(other), tagged.c.paper).where(tagged.c.tag == renamed)
            put = insert(tagged).from_select(["tag", "paper"], moved)
            db.execute(put.on_conflict_do_nothing())
            db.execute(delete(schema.tags).where(tags.id == renamed))

    def set_colour(self, name: str, colour: str) -> None:
        with self._db.writing() as db:
            tag = schema.tags.c.id == _id(db, name)
            db.execute(update(schema.tags).where(tag).values(colour=colour))

    def delete(self, name: str) -> None:
        """Delete a tag and remove it from all papers."""
        with self._db.writing() as db:
            db.execute(delete(schema.tags).where(schema.tags.c.id == _id(db, name)))


def _valid_name(name: str) -> str:
    if not name.strip():
        raise LibraryError(tr("A tag needs a name."), tr("Enter a name and try again."))
    return name.strip()


def _id(db: Connection, name: str) -> int:
    found = db.scalars(select(schema.tags.c.id).where(schema.tags.c.name == name)).one_or_none()
    if found is None:
        problem = tr("The tag “{tag}” does not exist.", tag=name)
        raise LibraryError(problem, tr("Check the name: it may have changed."))
    return int(found)
