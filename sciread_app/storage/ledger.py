"""The story of imports: what was read, what became of it, and what failed for which reason."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from sciread_app.domain.news import News, What
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.storage import records, schema
from sciread_app.storage.database import Database


@dataclass(frozen=True, slots=True)
class Import:
    """One import: read = added + merged + failed. `finished` is None for one that was cut off."""

    id: int
    what: str
    started: float
    finished: float | None
    read: int
    added: int
    merged: int
    failed: int
    fetch: int | None = None  # the fetch whose run it was; None: from files


class Ledger:
    def __init__(self, database: Database) -> None:
        self._db = database

    def open(self, what: str, *, fetch: int | None = None) -> int:
        """Begin an import of `what`, which may be a run of a fetch; returns its number."""
        row = {
            "what": what,
            "started": time.time(),
            "read": 0,
            "added": 0,
            "merged": 0,
            "failed": 0,
            "fetch": fetch,
        }
        with self._db.writing() as db:
            return int(db.execute(insert(schema.imports).values(row)).lastrowid)

    def note_merged(self, number: int, count: int) -> None:
        """Add files that were found to be part of papers already there."""
        with self._db.writing() as db:
            note(db, number, 0, count, [])

    def close(self, number: int) -> None:
        with self._db.writing() as db:
            db.execute(
                update(schema.imports)
                .where(schema.imports.c.id == number)
                .values(finished=time.time())
            )

    def imports(self) -> list[Import]:
        """All imports, the newest first."""
        with self._db.reading() as db:
            rows = db.execute(select(schema.imports).order_by(schema.imports.c.id.desc()))
            return [Import(**row._asdict()) for row in rows]

    def failures(self, number: int) -> list[Skipped]:
        table = schema.failures.c
        with self._db.reading() as db:
            rows = db.execute(
                select(table.file, table.entry, table.why)
                .where(table["import"] == number)
                .order_by(table.id)
            )
            return [Skipped(*row) for row in rows]

    def news(self, number: int) -> list[News]:
        """What this import has brought, in its order."""
        table = schema.news.c
        with self._db.reading() as db:
            rows = db.execute(
                select(table.paper, table.what, table.detail)
                .where(table["import"] == number)
                .order_by(table.id)
            )
            return [News(PaperId(r.paper), What(r.what), r.detail) for r in rows]

    def news_of(self, paper: PaperId) -> list[tuple[What, float]]:
        """What imports have brought of this paper, and when, the oldest first."""
        table, imports = schema.news.c, schema.imports.c
        with self._db.reading() as db:
            rows = db.execute(
                select(table.what, imports.started)
                .join(schema.imports, imports.id == table["import"])
                .where(table.paper == paper)
                .order_by(table.id)
            )
            return [(What(what), at) for what, at in rows]


def note(
    db: Connection,
    number: int,
    added: int,
    merged: int,
    skips: Sequence[Skipped],
    news: Sequence[News] = (),
) -> None:
    """Add what became of a batch to the import with this number."""
    table = schema.imports.c
    db.execute(
        update(schema.imports)
        .where(table.id == number)
        .values(
            read=table.read + added + merged + len(skips),
            added=table.added + added,
            merged=table.merged + merged,
            failed=table.failed + len(skips),
        )
    )
    told = [(number, *one) for one in news]
    records.insert(db, "news", ("import", *News._fields), told)
    if skips:
        db.execute(insert(schema.failures), [{"import": number, **s._asdict()} for s in skips])
