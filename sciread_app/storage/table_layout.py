"""Layouts of the rows in a library's tables and indexes, by which a salvage recognizes rows."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.storage.files.sqlite_pages import SqliteRow, Value

_NUMBERS = {"INTEGER": (int,), "FLOAT": (int, float)}
_EMPTY: dict[str, Value] = {"INTEGER": 0, "BOOLEAN": 0, "FLOAT": 0.0, "TEXT": ""}
# JSON columns, with the replacement for a damaged value.
_JSON = {
    ("papers", "extra"): "{}",
    ("papers", "edited"): "[]",
    ("highlights", "boxes"): "[]",
    ("active", "earlier"): "[]",
    ("origins", "record"): "",
    ("merges", "own"): "",
    ("merges", "other"): "",
}
_DATE = re.compile(r"(\d{4}(-\d\d){0,2})?")
_ONE_OF = {
    ("relations", "verdict"): frozenset(MatchVerdict),
    ("news", "what"): frozenset(UpdateKind),
    ("brought", "kind"): frozenset({"tag", "collection", "note", "annotation"}),
}


class SalvagedColumn(NamedTuple):
    """A column of a table, with the values that it can hold. `type` is the declared type."""

    name: str
    type: str
    required: bool
    default: Value
    key: bool  # part of the primary key, or a foreign key

    def is_of_type(self, value: Value) -> bool:
        if value is None:
            return not self.required
        if self.type == "BOOLEAN":
            return value in (0, 1)
        if self.type in _NUMBERS:
            return isinstance(value, _NUMBERS[self.type])
        return self.type != "TEXT" or isinstance(value, str)

    def substitute(self) -> Value:
        """Return the value for a lost or damaged one."""
        if self.default is not None:
            return self.default
        return _EMPTY.get(self.type, "") if self.required else None


@dataclass(frozen=True)
class TableLayout:
    """The layout of a table's rows, with the columns in the order of the record."""

    name: str
    columns: tuple[SalvagedColumn, ...]
    rowids: bool
    rowid: int | None  # index of the column that is the rowid
    references: tuple[tuple[int, str, str], ...]  # index of the column, table and its column

    def fit(self, row: SqliteRow) -> tuple[tuple[Value, ...], bool] | None:
        """Return the values of a row as they can be stored, and whether any had to be changed.

        None if it is not a row of this table, or has no key.
        """
        if not 0 < len(row.values) <= len(self.columns):
            return None
        altered, values = row.altered, list(row.values)
        values += [column.default for column in self.columns[len(values) :]]
        for n, column in enumerate(self.columns):
            if n == self.rowid:
                if values[n] is not None:
                    return None
                values[n] = row.key
            elif not self.accepts(column, values[n]):
                if column.key or (self.name, column.name) in _ONE_OF:
                    return None
                values[n] = _JSON.get((self.name, column.name), column.substitute())
                altered = True
        return tuple(values), altered

    def is_exact(self, row: SqliteRow) -> bool:
        """Return whether a row certainly belongs to this table."""
        if len(row.values) != len(self.columns):
            return False
        fitted = self.fit(row)
        return fitted is not None and not fitted[1]

    def accepts(self, column: SalvagedColumn, value: Value) -> bool:
        """Return whether a column of this table can have a value."""
        if not column.is_of_type(value):
            return False
        where = (self.name, column.name)
        if (allowed := _ONE_OF.get(where)) is not None:
            return value in allowed
        if where == ("papers", "published"):
            return _DATE.fullmatch(str(value)) is not None
        if where == ("collections", "name"):  # unlike the record of an origin
            return bool(value)
        if where in _JSON and value:
            try:
                return isinstance(json.loads(str(value)), dict | list)
            except ValueError:
                return False
        return True


class KeyLayout(NamedTuple):
    """The layout of the rows in an index, or in a table without rowids."""

    name: str
    table: TableLayout
    columns: tuple[int | None, ...]  # indexes of the table's columns; None: a rowid without a name


def table_layouts(db: sqlite3.Connection) -> Iterator[TableLayout]:
    """The layouts of the rows in all tables of a library."""
    tables = db.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
        "AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'alembic%'"
    ).fetchall()
    for name, without_rowid in tables:
        keys = db.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
        refers = {row[3]: (row[2], row[4] or "id") for row in keys}
        rows = db.execute(f'PRAGMA table_info("{name}")').fetchall()
        if without_rowid:  # the primary key comes first
            rows.sort(key=lambda row: (row[5] == 0, row[5]))
        columns = tuple(
            SalvagedColumn(
                column,
                type.upper(),
                bool(required),
                db.execute(f"SELECT {default}").fetchone()[0] if default is not None else None,
                bool(key) or column in refers,
            )
            for _, column, type, required, default, key in rows
        )
        own = [n for n, row in enumerate(rows) if row[5] == 1 and row[2].upper() == "INTEGER"]
        single = sum(1 for row in rows if row[5]) == 1
        rowid = own[0] if own and single and not without_rowid else None
        references = tuple(
            (n, *refers[column.name]) for n, column in enumerate(columns) if column.name in refers
        )
        yield TableLayout(name, columns, not without_rowid, rowid, references)


def key_layouts(db: sqlite3.Connection, layouts: Mapping[str, TableLayout]) -> Iterator[KeyLayout]:
    """The layouts of the rows in all indexes and tables without rowids."""
    for name, layout in layouts.items():
        if not layout.rowids:
            yield KeyLayout(name, layout, tuple(range(len(layout.columns))))
        places = {column.name: n for n, column in enumerate(layout.columns)}
        for index, origin in db.execute(
            "SELECT name, origin FROM pragma_index_list(?)", (name,)
        ).fetchall():
            if origin == "pk" and not layout.rowids:
                continue  # the table itself
            held = db.execute("SELECT name FROM pragma_index_xinfo(?) ORDER BY seqno", (index,))
            columns = tuple(places.get(column, layout.rowid) for (column,) in held)
            yield KeyLayout(index, layout, columns)
