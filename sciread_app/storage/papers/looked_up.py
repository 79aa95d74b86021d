"""The fields of papers that look-ups have changed, with their values before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select

from sciread_app.domain.metadata.looked_up import LookedUpField
from sciread_app.domain.paper import PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


class LookedUpFields:
    """The last look-up of each changed field; its earlier value is kept to show or restore it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> dict[PaperId, Sequence[LookedUpField]]:
        """The fields of those of these papers that have any, as they were last looked up."""
        table = schema.looked_up.c
        query = select(table.paper, table.field, table.old, table.new, table.source, table.at)
        found: dict[PaperId, list[LookedUpField]] = defaultdict(list)
        with self._db.reading() as db:
            for paper, *row in db.execute(query.where(table.paper.in_(paper_rows.among(ids)))):
                found[PaperId(paper)].append(LookedUpField(*row))
        return dict(found)

    def remember(self, id: int, fields: Iterable[LookedUpField]) -> None:
        """Record these fields, in place of an earlier look-up of the same ones."""
        table = schema.looked_up.c
        fields = list(fields)
        again = table.field.in_([one.field for one in fields])
        columns = ("paper", *LookedUpField._fields)
        with self._db.writing() as db:
            db.execute(delete(schema.looked_up).where(table.paper == id, again))
            paper_rows.insert(db, "looked_up", columns, [(id, *one) for one in fields])
