"""Read flags and ratings of papers."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import update

from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


class ReadingStateStore:
    """Read flags and ratings of papers. Ids of papers that do not exist are ignored."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def mark_read(self, ids: Iterable[int], read: bool = True) -> None:
        self._set(ids, read=read)

    def rate(self, ids: Iterable[int], stars: int) -> None:
        """Rate papers from 1 to 5 stars; 0 means not rated."""
        self._set(ids, rating=stars)

    def _set(self, ids: Iterable[int], **values: object) -> None:
        papers = schema.papers.c
        with self._db.writing() as db:
            chosen = update(schema.papers).where(papers.id.in_(paper_rows.among(ids)))
            db.execute(chosen.values(values))
