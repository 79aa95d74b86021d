"""The import log: counts, failures and updates of every import."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from sciread_app.domain.metadata.paper_updates import PaperUpdate, UpdateKind
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


@dataclass(frozen=True, slots=True)
class Import:
    """One import: read = added + merged + failed. `finished` is None if it was interrupted."""

    id: int
    what: str
    started: float
    finished: float | None
    read: int
    added: int
    merged: int
    failed: int
    fetch: int | None = None  # the fetch whose run it was; None: from files


class ImportLog:
    """The log of imports. `number`: the id that `open` returned. The counts of an import are
    written with its papers, in the same transactions."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def open(self, what: str, *, fetch: int | None = None) -> int:
        """Begin an import of `what`, which may be a run of a fetch, and return its id."""
        row = {"what": what, "started": time.time(), "fetch": fetch}
        counts = dict.fromkeys(("read", "added", "merged", "failed"), 0)
        with self._db.writing() as db:
            return int(db.execute(insert(schema.imports).values(row | counts)).lastrowid)

    def add_merged(self, number: int, count: int) -> None:
        """Count files that belong to papers already in the library as merged."""
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
        """All imports, newest first."""
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

    def updates(self, number: int) -> list[PaperUpdate]:
        """The updates made by this import, in order."""
        table = schema.news.c
        with self._db.reading() as db:
            rows = db.execute(
                select(table.paper, table.what, table.detail)
                .where(table["import"] == number)
                .order_by(table.id)
            )
            return [PaperUpdate(PaperId(r.paper), UpdateKind(r.what), r.detail) for r in rows]

    def added_by(self, number: int) -> list[PaperId]:
        """The papers that this import added, in order."""
        return [one.paper for one in self.updates(number) if one.what is UpdateKind.added]

    def updates_of(self, paper: PaperId) -> list[tuple[UpdateKind, float]]:
        """The updates of this paper with the start of their imports, oldest first."""
        table, imports = schema.news.c, schema.imports.c
        with self._db.reading() as db:
            rows = db.execute(
                select(table.what, imports.started)
                .join(schema.imports, imports.id == table["import"])
                .where(table.paper == paper)
                .order_by(table.id)
            )
            return [(UpdateKind(what), at) for what, at in rows]


def note(
    db: Connection,
    number: int,
    added: int,
    merged: int,
    skips: Sequence[Skipped],
    news: Sequence[PaperUpdate] = (),
) -> None:
    """Add the outcome of a batch to the import with this id."""
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
    rows = [(number, *one) for one in news]
    paper_rows.insert(db, "news", ("import", *PaperUpdate._fields), rows)
    if skips:
        db.execute(insert(schema.failures), [{"import": number, **s.fields()} for s in skips])
