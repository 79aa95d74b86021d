"""Items already imported from Zotero, recorded so that none is imported twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import select

from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


class ImportedItem(NamedTuple):
    """`kind`: "tag", "collection", "note" or "annotation"; `name` is its name or key in Zotero."""

    paper: int
    kind: str
    name: str


class ImportedItems:
    """The record of what was imported from Zotero. It outlives the items themselves: a tag that the
    user removed from a paper is not imported again."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> set[ImportedItem]:
        table = schema.brought.c
        query = select(table.paper, table.kind, table.name)
        with self._db.reading() as db:
            rows = db.execute(query.where(table.paper.in_(paper_rows.among(ids))))
            return {ImportedItem(*row) for row in rows}

    def remember(self, things: Iterable[ImportedItem]) -> None:
        """Record items. Those of papers deleted meanwhile are ignored."""
        rows = [(*thing, thing.paper) for thing in sorted(things)]
        sql = (
            "INSERT OR IGNORE INTO brought (paper, kind, name)"
            " SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM papers WHERE id = ?)"
        )
        if rows:
            with self._db.writing() as db:
                db.exec_driver_sql(sql, rows)
