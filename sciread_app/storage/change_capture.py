"""Change capture: temporary triggers that record the row changes of one edit.

This covers every operation alike, cascades included, and none needs its own inverse. Changed values
are recorded one by one, since most edits touch one value of many papers; inserted and deleted rows
are recorded whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Column, Connection, Float, Table

from sciread_app.storage.schema import imports, metadata

# Tables that no edit of the user changes, or whose rows can be recreated.
_LEFT_OUT = frozenset(
    (
        *("edits", "edited_rows", "citations", "bodies", "vectors"),
        *("failures", "reading", "active", "duplicate_search", "watched_files"),
    )
)
# Columns that the program sets by itself: they never block an undo.
PROGRAM_COLUMNS = {
    "imports": frozenset(imports.columns.keys()) - {"id", "fetch"},
    "fetches": frozenset(("changed_since", "cursor", "total", "message")),
    "papers": frozenset(("year", "text_hash", "head_key", "tail_key", "author_key", "changed")),
    "attachments": frozenset(("sha256", "size", "modified", "problem", "pages")),
    "synced": frozenset(("written", "at", "problem")),
    "watched_folders": frozenset(("mount", "scanned", "problem")),
    "highlights": frozenset(("sha256", "path", "page", "boxes")),  # recomputed from the text
}
# Columns that change back and forth within the edit and end up as before.
_AS_BEFORE = """
WITH often (first, last) AS (
    SELECT min(id), max(id) FROM edited_rows WHERE edit = ?
    GROUP BY "table", "key", "column" HAVING count(*) > 1)
DELETE FROM edited_rows WHERE (edit, "table", "key", coalesce("column", '')) IN (
    SELECT f.edit, f."table", f."key", coalesce(f."column", '')
    FROM often JOIN edited_rows AS f ON f.id = first JOIN edited_rows AS l ON l.id = last
    WHERE f.before IS l.after)
"""
TABLES = {name: table for name, table in metadata.tables.items() if name not in _LEFT_OUT}


def keys(table: Table) -> list[str]:
    return [column.name for column in table.primary_key]


def user_columns(table: Table) -> list[str]:
    """The columns that the user sets."""
    ours = PROGRAM_COLUMNS.get(table.name, frozenset())
    return [column.name for column in table.columns if column.name not in ours]


@contextmanager
def capturing(db: Connection, edit: int) -> Iterator[None]:
    """Record for an edit all row changes made inside the `with` block.

    After an exception, the rollback of the transaction drops the triggers.
    """
    sqlite = db.connection.dbapi_connection
    assert sqlite
    # Run directly: SQLAlchemy's overhead for each of the statements would exceed its run time.
    for table in TABLES.values():
        for statement in _triggers(table, edit):
            sqlite.execute(statement)
    yield
    for table in TABLES.values():
        for name in _names(table):
            sqlite.execute(f"DROP TRIGGER temp.{name}")
    db.exec_driver_sql(_AS_BEFORE, (edit,))


def _names(table: Table) -> list[str]:
    own = ["came", "went", "key", *_values(table)]
    return [f"edit_{table.name}_{name}" for name in own]


def _values(table: Table) -> list[str]:
    return [name for name in user_columns(table) if name not in keys(table)]


def _triggers(table: Table, edit: int) -> Iterator[str]:
    came, went, key, *changed = _names(table)
    yield _trigger(came, "INSERT", table, edit, "NEW", after=_whole(table, "NEW"))
    yield _trigger(went, "DELETE", table, edit, "OLD", before=_whole(table, "OLD"))
    own = keys(table)
    yield (
        f"CREATE TEMP TRIGGER {key} BEFORE UPDATE OF {', '.join(own)} ON main.{table.name}"
        f" WHEN {' OR '.join(f'OLD.{name} IS NOT NEW.{name}' for name in own)}"
        f" BEGIN SELECT RAISE(ABORT, 'an edit must not change keys of {table.name}'); END"
    )
    for name, column in zip(changed, _values(table), strict=True):
        event = f"UPDATE OF {column}"
        values = {"column": f"'{column}'", "before": f"OLD.{column}", "after": f"NEW.{column}"}
        differ = f"WHEN OLD.{column} IS NOT NEW.{column} COLLATE BINARY"
        yield _trigger(name, event, table, edit, "OLD", differ, **values)


def _trigger(
    name: str,
    event: str,
    table: Table,
    edit: int,
    row: str,
    only: str = "",
    *,
    column: str = "NULL",
    before: str = "NULL",
    after: str = "NULL",
) -> str:
    key = f"json_array({', '.join(f'{row}.{name}' for name in keys(table))})"
    paper = _paper(table, row)
    return (
        f"CREATE TEMP TRIGGER {name} AFTER {event} ON main.{table.name} {only} BEGIN"
        ' INSERT INTO edited_rows (edit, "table", "key", paper, "column", before, after)'
        f" VALUES ({edit}, '{table.name}', {key}, {paper}, {column}, {before}, {after}); END"
    )


def _paper(table: Table, row: str) -> str:
    if table.name == "papers":
        return f"{row}.id"
    return next((f"{row}.{name}" for name in ("paper", "a") if name in table.columns), "NULL")


def _whole(table: Table, row: str) -> str:
    pairs = (f"'{column.name}', {_in_json(column, row)}" for column in table.columns)
    return f"json_object({', '.join(pairs)})"


def _in_json(column: Column[object], row: str) -> str:
    """SQL that converts a value for JSON.

    JSON would cut a number to 15 digits; `quote` writes as many as are needed to restore it
    exactly.
    """
    if isinstance(column.type, Float):
        return f"nullif(quote({row}.{column.name}), 'NULL')"
    return f"{row}.{column.name}"
