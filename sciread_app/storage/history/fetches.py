"""Fetches: queries to sources, with their progress and results."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.fetch import Fetch, FetchState, SourceQuery
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import saved_query_refs

_ASKED = ("source", "text", "since", "until", "most")
# Each fetch with its last run and the number of papers that all its runs have added.
_WITH_RUNS = """
SELECT fetches.*, last.id AS last_import, last.read, last.added, last.merged, last.failed,
    last.started, last.finished,
    (SELECT total(added) FROM imports WHERE fetch = fetches.id) AS papers
FROM fetches
LEFT JOIN imports AS last
    ON last.id = (SELECT max(id) FROM imports WHERE fetch = fetches.id)
"""


class Step(NamedTuple):
    """Progress of a fetch by one page."""

    fetch: int
    before: str  # its cursor until now
    after: str
    total: int


class Fetches:
    """The stored queries to sources, each with the state of its current or last run."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def keep(self, query: SourceQuery) -> int:
        """Store a query if it is new, and return the id of its fetch."""
        row = {name: getattr(query, name) for name in _ASKED}
        rest = {"changed_since": "", "cursor": "", "total": 0, "message": ""}
        table = schema.fetches.c
        with self._db.writing() as db:
            db.execute(insert(schema.fetches).values(row | rest).on_conflict_do_nothing())
            same = [table[name] == value for name, value in row.items()]
            return int(db.scalars(select(table.id).where(*same)).one())

    def begin(self, id: int, *, changed_since: str = "") -> None:
        """Start a run from the beginning."""
        self._set(id, changed_since=changed_since, cursor="", total=0, message="")

    def fail(self, id: int, message: str) -> None:
        self._set(id, message=message)

    def forget(self, id: int) -> None:
        """Delete a fetch and the feedback given for it. Its papers and the log of its runs
        stay."""
        with self._db.writing() as db:
            saved_query_refs.delete(db, [f"query:{id}"])
            db.execute(update(schema.imports).where(_imports.fetch == id).values(fetch=None))
            db.execute(delete(schema.fetches).where(schema.fetches.c.id == id))

    def get(self, id: int) -> Fetch:
        """Raises LibraryError if there is no fetch with this id."""
        found = self._read("WHERE fetches.id = ?", id)
        if not found:
            raise LibraryError(
                tr("Query {number} does not exist.", number=id),
                tr("`sciread fetches` lists all queries."),
            )
        return found[0]

    def all(self) -> list[Fetch]:
        """All fetches, by their last run, latest first."""
        return self._read("ORDER BY started DESC, fetches.id DESC")

    def _set(self, id: int, **values: object) -> None:
        with self._db.writing() as db:
            db.execute(update(schema.fetches).where(schema.fetches.c.id == id).values(values))

    def _read(self, test: str, *values: object) -> list[Fetch]:
        with self._db.reading() as db:
            return [_fetch(row) for row in db.exec_driver_sql(f"{_WITH_RUNS} {test}", values)]


def advance(db: Connection, step: Step) -> None:
    """Record that a fetch has advanced by one page.

    Raises LibraryError if another process has advanced it already: the page must not be counted
    twice.
    """
    table = schema.fetches.c
    moved = db.execute(
        update(schema.fetches)
        .where(table.id == step.fetch, table.cursor == step.before)
        .values(cursor=step.after, total=step.total, message="")
    )
    if moved.rowcount != 1:
        raise LibraryError(
            tr("This query is already running in another window or process."),
            tr("Wait until the other run finishes, or stop that run and resume the query here."),
        )


_imports = schema.imports.c


def _fetch(row: Row[Any]) -> Fetch:
    state = FetchState.unfinished if row.finished is None else FetchState.done
    return Fetch(
        id=row.id,
        query=SourceQuery(row.source, row.text, row.since, row.until, row.most, row.changed_since),
        state=FetchState.failed if row.message else state,
        message=row.message,
        cursor=row.cursor,
        total=row.total,
        last_import=row.last_import,
        read=row.read or 0,
        added=row.added or 0,
        merged=row.merged or 0,
        failed=row.failed or 0,
        started=row.started,
        finished=row.finished,
        papers=int(row.papers),
    )
