"""Notes on papers."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import fulltext, schema
from sciread_app.storage.database import Database


@dataclass(frozen=True, slots=True)
class Note:
    """`added` and `changed` are seconds since 1970."""

    id: int
    text: str
    added: float
    changed: float


class NoteStore:
    """The notes of papers. Each change updates the full-text index."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, paper: int) -> list[Note]:
        """The notes of a paper, oldest first."""
        table = schema.notes.c
        columns = (table.id, table.text, table.added, table.changed)
        with self._db.reading() as db:
            found = db.execute(select(*columns).where(table.paper == paper).order_by(table.id))
            return [Note(*row) for row in found]

    def add(self, id: int, text: str, added: float | None = None) -> int:
        """Add a note and return its id. `added`: creation time, if not now.

        Raises LibraryError if the paper does not exist.
        """
        now = time.time() if added is None else added
        with self._db.writing() as db:
            papers = schema.papers.c
            if db.scalars(select(papers.id).where(papers.id == id)).first() is None:
                problem = tr("This paper is no longer in the library.")
                raise LibraryError(problem, tr("Refresh the list, then try again."))
            with fulltext.reindexing(db, [id]):
                row = {"paper": id, "text": text, "added": now, "changed": now}
                return int(db.execute(insert(schema.notes).values(row)).lastrowid)

    def change(self, note: int, text: str, changed: float | None = None) -> None:
        """Change the text of a note; an empty text deletes it. `changed`: time, if not now.

        Raises LibraryError if the note does not exist.
        """
        now = time.time() if changed is None else changed
        notes = schema.notes.c
        with self._db.writing() as db:
            paper = db.scalars(select(notes.paper).where(notes.id == note)).one_or_none()
            if paper is None:
                problem = tr("This note no longer exists.")
                raise LibraryError(problem, tr("To keep the text, add a new note."))
            with fulltext.reindexing(db, [paper]):
                if text:
                    changes = update(schema.notes).values(text=text, changed=now)
                    db.execute(changes.where(notes.id == note))
                else:
                    db.execute(delete(schema.notes).where(notes.id == note))
