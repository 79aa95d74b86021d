"""What another program's library has brought for papers, remembered so that it comes once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import select

from sciread_app.storage import records, schema
from sciread_app.storage.database import Database


class Thing(NamedTuple):
    """`kind`: "tag", "collection" or "note"; `name` is its name there."""

    paper: int
    kind: str
    name: str


class Brought:
    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> set[Thing]:
        table = schema.brought.c
        wanted = select(table.paper, table.kind, table.name)
        with self._db.reading() as db:
            rows = db.execute(wanted.where(table.paper.in_(records.among(ids))))
            return {Thing(*row) for row in rows}

    def remember(self, things: Iterable[Thing]) -> None:
        """Of papers that are gone meanwhile nothing is remembered."""
        rows = [(*thing, thing.paper) for thing in sorted(things)]
        sql = (
            "INSERT OR IGNORE INTO brought (paper, kind, name)"
            " SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM papers WHERE id = ?)"
        )
        if rows:
            with self._db.writing() as db:
                db.exec_driver_sql(sql, rows)
