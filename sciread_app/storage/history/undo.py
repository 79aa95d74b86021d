"""Undo log: records the row changes of each edit and applies undo and redo.

A row is restored only if it still is as the edit left it. If an import has changed it since, the
row is skipped, or the whole undo is refused and nothing changes.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, exc, func, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import Edit
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import change_capture, fulltext, paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.papers import merge_history, unmerge

_LAST = 200  # edits that can be undone
_ROWS = 1_000_000  # rows recorded for them, except that the last edit is always kept
_PAGE = 20_000
# Columns that the full-text index and the record of a paper are made of.
_SHOWN = ("title", "abstract", "venue", "keywords")
_MARKS = ("read", "rating", "trashed", "work")
# Tables that refer to papers, but whose rows do not keep a paper from being deleted.
_CACHES = ("vectors", "asked", "brought", "citekeys", "looked_up")


class _Step(NamedTuple):
    """A row or a value to change to `target`, provided that it still equals `was`."""

    table: str
    key: str
    paper: int | None
    column: str | None
    was: Any
    target: Any

    @property
    def kind(self) -> tuple[str, str | None, bool, bool]:
        if self.column is not None:
            return self.table, self.column, True, True
        return self.table, None, self.was is None, self.target is None


@dataclass
class Recording:
    """`edit` is set at the end; None if nothing has changed."""

    edit: Edit | None = None


class _InTheWay(Exception):
    def __init__(self, step: _Step) -> None:
        super().__init__()
        self.step = step


class _Unknown(Exception):
    """The log names a table or a column that does not exist."""


class UndoLog:
    """The edits of a library, from all windows and processes, in one sequence."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._here = threading.local()  # .recording: the edit that this thread is making

    @contextmanager
    def recording(self, what: str, more_of: Edit | None = None) -> Iterator[Recording]:
        """Run the `with` block as one transaction and record its changes as one edit.

        With `more_of`, the changes are added to that earlier edit; raises LibraryError if it has
        been undone meanwhile. No edit is recorded if nothing has changed. A recording inside
        another is part of the outer one.
        """
        if outer := getattr(self._here, "recording", None):
            yield outer
            return
        self._here.recording = made = Recording()
        try:
            with self._db.writing() as db:
                edit = _again(db, more_of) if more_of else _open(db, what)
                with change_capture.capturing(db, edit.id):
                    yield made
                made.edit = edit if _close(db, edit.id) else None
        finally:
            self._here.recording = None

    def last(self) -> Edit | None:
        """The edit that `undo` would undo."""
        with self._db.reading() as db:
            return _last(db)

    def next(self) -> Edit | None:
        """The edit that `redo` would redo."""
        with self._db.reading() as db:
            return _next(db)

    def moved_files(self, edit: Edit) -> list[tuple[str, str]]:
        """The files that an edit has moved: their old and new paths."""
        sql = (
            "SELECT DISTINCT before, after FROM edited_rows"
            " WHERE edit = ? AND \"table\" = 'attachments' AND \"column\" = 'path' ORDER BY id"
        )
        with self._db.reading() as db:
            return [(old, new) for old, new in db.exec_driver_sql(sql, (edit.id,))]

    def undo(self, expected: Edit | None = None) -> Edit | None:
        """Undo the last edit; None if there is none.

        Raises LibraryError if it cannot be undone, or is not the `expected` one, if that is given.
        """
        with self._db.writing() as db:
            edit = _expected(_last(db), expected)
            if edit:
                _go(db, edit, back=True)
        return edit

    def redo(self, expected: Edit | None = None) -> Edit | None:
        """Redo the edit that was undone last, as `undo` undoes."""
        with self._db.writing() as db:
            edit = _expected(_next(db), expected)
            if edit:
                _go(db, edit, back=False)
        return edit


def _open(db: Connection, what: str) -> Edit:
    now = time.time()
    put = insert(schema.edits).values(at=now, what=what)
    return Edit(int(db.execute(put).lastrowid), now, what)


def _again(db: Connection, edit: Edit) -> Edit:
    edits = schema.edits.c
    if db.scalars(select(edits.undone).where(edits.id == edit.id)).one_or_none() is not False:
        message = tr("“{edit}” was undone before it finished.", edit=edit.what)
        raise LibraryError(message, tr("Repeat the change if you still want it."))
    return edit


def _close(db: Connection, edit: int) -> bool:
    """Return whether anything was changed. Edits undone before can then no longer be redone."""
    edits, rows = schema.edits, schema.edited_rows.c
    count = db.scalars(select(func.count()).where(rows.edit == edit)).one()
    if not count:
        db.execute(delete(edits).where(edits.c.id == edit))
        return False
    db.execute(update(edits).where(edits.c.id == edit).values(rows=count))
    db.execute(delete(edits).where(edits.c.undone))
    db.exec_driver_sql(
        "DELETE FROM edits WHERE id IN (SELECT id FROM ("
        " SELECT id, row_number() OVER newest AS nth, sum(rows) OVER newest AS total"
        " FROM edits WINDOW newest AS (ORDER BY id DESC)"
        ") WHERE nth > ? OR (total > ? AND nth > 1))",
        (_LAST, _ROWS),
    )
    return True


def _last(db: Connection) -> Edit | None:
    edits = schema.edits.c
    found = select(schema.edits).where(~edits.undone).order_by(edits.id.desc())
    for row in db.execute(found):
        number = _pending(db, row.id)
        if number is None or merge_history.has_of_import(db, number):
            return Edit(row.id, row.at, row.what, _title(db, row.id))
    return None


def _expected(edit: Edit | None, expected: Edit | None) -> Edit | None:
    if expected and (edit is None or edit.id != expected.id):
        message = tr("Another window or command has edited the library in the meantime.")
        raise LibraryError(message, tr("Nothing was changed. Try again."))
    return edit


def _pending(db: Connection, edit: int) -> int | None:
    """The import whose merges the edit stands for, if it was never undone.

    Until then nothing but the merges is recorded for it.
    """
    edits, rows = schema.edits.c, schema.edited_rows.c
    number = db.scalars(select(edits["import"]).where(edits.id == edit)).one()
    recorded = select(rows.id).where(rows.edit == edit).limit(1)
    return None if db.scalars(recorded).one_or_none() is not None else number


def _next(db: Connection) -> Edit | None:
    edits = schema.edits.c
    query = select(schema.edits).where(edits.undone).order_by(edits.id)
    row = db.execute(query.limit(1)).one_or_none()
    return Edit(row.id, row.at, row.what, _title(db, row.id)) if row else None


def _title(db: Connection, edit: int) -> str:
    """The title of the one paper that the edit changed; empty if there are several, or none."""
    rows, papers = schema.edited_rows.c, schema.papers.c
    changed = select(rows.paper).where(rows.edit == edit, rows.paper.is_not(None)).distinct()
    ids = db.scalars(changed.limit(2)).all()
    if len(ids) != 1:
        return ""
    return db.scalars(select(papers.title).where(papers.id == ids[0])).one_or_none() or ""


def _go(db: Connection, edit: Edit, *, back: bool) -> None:
    """Undo the edit, or redo it."""
    if (number := _pending(db, edit.id)) is not None:
        unmerge.take_back_import(db, edit.id, number, time.time())
    else:
        _replay(db, edit, back=back)
    db.execute(update(schema.edits).where(schema.edits.c.id == edit.id).values(undone=back))


def _replay(db: Connection, edit: Edit, *, back: bool) -> None:
    shown = _papers(db, edit.id, _SHOWN, ("authors", "fields", "notes", "attachments"))
    try:
        with fulltext.reindexing(db, shown):
            for steps in _pages(db, edit.id, back):
                for _, alike in groupby(steps, key=lambda step: step.kind):
                    _take(db, list(alike))
            columns = [
                name for name in change_capture.user_columns(schema.papers) if name not in _MARKS
            ]
            changed = _papers(db, edit.id, columns, ("authors", "identifiers", "fields"))
            paper_rows.renew(db, changed, time.time())
    except _Unknown as named:
        message = tr(
            "“{edit}” cannot be undone or redone: its record in the undo history is "
            "damaged (unknown name “{name}”).",
            edit=edit.what,
            name=named,
        )
        raise LibraryError(message, tr("Nothing was changed.")) from None
    except _InTheWay as stopped:
        thing = _named(db, stopped.step)
        if back:
            message = tr(
                "“{edit}” cannot be undone: {thing} has changed since then.",
                edit=edit.what,
                thing=thing,
            )
        else:
            message = tr(
                "“{edit}” cannot be redone: {thing} has changed since then.",
                edit=edit.what,
                thing=thing,
            )
        raise LibraryError(message, tr("Nothing was changed.")) from None


def _papers(db: Connection, edit: int, columns: Sequence[str], tables: Sequence[str]) -> list[int]:
    """The papers whose columns or rows of these tables the edit has touched."""
    rows = (
        'SELECT paper, "column", before, after FROM edited_rows WHERE edit = ? AND'
        ' ("table" IN (SELECT value FROM json_each(?)) OR "table" = \'papers\' AND'
        '  ("column" IS NULL OR "column" IN (SELECT value FROM json_each(?))))'
    )
    found = db.exec_driver_sql(
        f"WITH touched AS ({rows}) SELECT paper FROM touched"
        " UNION SELECT before FROM touched WHERE \"column\" = 'paper'"
        " UNION SELECT after FROM touched WHERE \"column\" = 'paper'",
        (edit, json.dumps(list(tables)), json.dumps(list(columns))),
    )
    return [paper for (paper,) in found]


def _pages(db: Connection, edit: int, back: bool) -> Iterator[list[_Step]]:
    """The steps in batches: in reverse order for undo, in order for redo."""
    was, target = ("after", "before") if back else ("before", "after")
    beyond, order = ("<", "DESC") if back else (">", "ASC")
    at = 2**62 if back else 0
    while True:
        rows = db.exec_driver_sql(
            f'SELECT id, "table", "key", paper, "column", {was}, {target} FROM edited_rows'
            f" WHERE edit = ? AND id {beyond} ? ORDER BY id {order} LIMIT ?",
            (edit, at, _PAGE),
        ).all()
        if not rows:
            return
        at = rows[-1][0]
        yield [_Step(*row[1:]) for row in rows]


def _take(db: Connection, steps: list[_Step]) -> None:
    """Apply steps of one kind at once, or one by one if some cannot be applied."""
    _check(steps[0].table, [column] if (column := steps[0].column) else [])
    if len(steps) > 1:
        db.exec_driver_sql("SAVEPOINT steps")
        if _do(db, steps):
            db.exec_driver_sql("RELEASE steps")
            return
        db.exec_driver_sql("ROLLBACK TO steps")
        db.exec_driver_sql("RELEASE steps")
    for step in steps:
        if not _is_done(db, step) and not _do(db, [step]):
            raise _InTheWay(step)


def _do(db: Connection, steps: list[_Step]) -> bool:
    """Apply steps of one kind; return whether all could be applied."""
    first = steps[0]
    table = change_capture.TABLES[first.table]
    if first.column is not None:
        return _set(db, table.name, first.column, steps)
    if first.target is None:
        return _remove(db, table.name, [_row(table.name, step.was) for step in steps])
    return _bring_back(db, table.name, [_row(table.name, step.target) for step in steps])


def _row(table: str, written: str) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(written)
    _check(table, row)
    return row


def _check(table: str, columns: Iterable[str]) -> None:
    """Names become part of a statement, and the file may come from an untrusted source."""
    if table not in change_capture.TABLES:
        raise _Unknown(table)
    known = change_capture.TABLES[table].columns
    for column in columns:
        if column not in known:
            raise _Unknown(f"{table}.{column}")


def _set(db: Connection, table: str, column: str, steps: list[_Step]) -> bool:
    sql = (
        f"UPDATE {table} SET {column} = ? WHERE {_keyed(table)}"
        f" AND ({column} IS ? COLLATE BINARY OR {column} IS ? COLLATE BINARY)"
    )
    values = [(s.target, *json.loads(s.key), s.was, s.target) for s in steps]
    try:
        return db.exec_driver_sql(sql, values).rowcount == len(steps)
    except exc.IntegrityError:
        return False


def _remove(db: Connection, table: str, rows: list[dict[str, Any]]) -> bool:
    if table == "papers":
        ids = json.dumps([row["id"] for row in rows])
        for cache in _CACHES:
            db.exec_driver_sql(
                f"DELETE FROM {cache} WHERE paper IN (SELECT value FROM json_each(?))", (ids,)
            )
    sqlite = db.connection.dbapi_connection
    assert sqlite
    before = sqlite.total_changes
    columns = change_capture.user_columns(change_capture.TABLES[table])
    if table == "attachments":
        columns.remove("path")  # a file that has moved since is still the one that was added
    sql = f"DELETE FROM {table} WHERE {_equal(columns)}"
    gone = db.exec_driver_sql(sql, [tuple(row[name] for name in columns) for row in rows]).rowcount
    # Deleting these rows would cascade to rows added since, such as a paper's new notes.
    return bool(gone == len(rows) == sqlite.total_changes - before)


def _bring_back(db: Connection, table: str, rows: list[dict[str, Any]]) -> bool:
    names, marks = ", ".join(rows[0]), ", ".join("?" * len(rows[0]))
    sql = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"
    try:
        return db.exec_driver_sql(sql, [tuple(row.values()) for row in rows]).rowcount == len(rows)
    except exc.IntegrityError:  # its parent row does not exist
        return False


def _is_done(db: Connection, step: _Step) -> bool:
    """Return whether the row already is as wanted, or belongs to a permanently deleted paper."""
    here = bool(_count(db, step.table, _keyed(step.table), json.loads(step.key)))
    if step.column is not None or step.target is None:
        return not here
    if here:
        columns = change_capture.user_columns(change_capture.TABLES[step.table])
        row = _row(step.table, step.target)
        return bool(_count(db, step.table, _equal(columns), [row[name] for name in columns]))
    own = step.table == "papers" or step.paper is None
    return not own and not _count(db, "papers", "id IS ?", [step.paper])


def _count(db: Connection, table: str, where: str, values: Sequence[Any]) -> int:
    sql = f"SELECT count(*) FROM {table} WHERE {where}"
    return int(db.exec_driver_sql(sql, tuple(values)).scalar_one())


def _keyed(table: str) -> str:
    return " AND ".join(f"{name} = ?" for name in change_capture.keys(change_capture.TABLES[table]))


def _equal(columns: Sequence[str]) -> str:
    return " AND ".join(f"{name} IS ? COLLATE BINARY" for name in columns)


def _named(db: Connection, step: _Step) -> str:
    """The item that prevents the undo, as shown to the user."""
    papers = schema.papers.c
    title = db.scalars(select(papers.title).where(papers.id == step.paper)).one_or_none()
    if title is not None:
        # Translators: “...” cannot be undone: an untitled paper has changed since then.
        return f"“{title}”" if title else tr("an untitled paper")
    kinds = {
        "tags": tr("a tag"),
        "collections": tr("a collection"),
        "saved_searches": tr("a saved search"),
        "fetches": tr("a query"),
    }
    return kinds.get(step.table) or tr("an affected item")
