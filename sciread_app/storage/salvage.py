"""Salvage of a damaged library into a new one.

The damaged file is read page by page, without SQLite. A B-tree whose root page is not known is
recognized by its rows, but only if they can belong to no other table or index: a wrong row is worse
than a lost one. Indexes and the full-text index are rebuilt.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from sciread_app.language import tr
from sciread_app.storage import fulltext, paper_rows
from sciread_app.storage.database import Database
from sciread_app.storage.files import opening
from sciread_app.storage.files.sqlite_pages import SqlitePages, SqliteRow, UnreadableCount, Value
from sciread_app.storage.migrations import HEAD
from sciread_app.storage.table_layout import (
    KeyLayout,
    TableLayout,
    key_layouts,
    table_layouts,
)

_ROWS = 5_000  # rows inserted at a time
_SAMPLE = 2_000  # rows by which a B-tree is recognized
# Tables with an index that covers all important columns: a second copy in another order.
_TWICE = ("identifiers", "tagged", "collected", "fields")
_OF_PEOPLE = ("notes", "tagged", "collected", "attachments", "highlights", "citekeys", "opinions")
_FAR = 1_000_000  # no paper id exceeds the others by more than this

Step = Callable[[int, int], None]


class SchemaEntry(NamedTuple):
    """A table or index in the schema of the damaged file."""

    kind: str
    name: str
    table: str  # the indexed table, or the table itself
    root: int
    sql: str

    @property
    def rowids(self) -> bool:
        return self.kind == "table" and "WITHOUT ROWID" not in self.sql.upper()


@dataclass
class FoundSchema:
    """The readable entries of the schema, its pages, and what is lost of it."""

    entries: list[SchemaEntry] = field(default_factory=list)
    pages: set[int] = field(default_factory=set)
    tally: UnreadableCount = field(default_factory=UnreadableCount)


@dataclass
class Salvaged:
    """Rows by table, and what is known of lost or changed papers."""

    recovered: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    pages: int = 0  # number of unreadable pages
    uncounted: int = 0  # those whose number of rows is unknown
    unrecognised: int = 0  # rows that may belong to two tables, or to a table or an index
    placeholders: dict[int, str] = field(default_factory=dict)  # papers of which only this is known
    gone: list[int] = field(default_factory=list)  # papers that are lost completely
    altered: dict[int, str] = field(default_factory=dict)  # titles of papers with damaged texts


def salvage(
    source: Path,
    target: Path,
    step: Step = lambda done, all: None,
    index_step: Step = lambda done, all: None,
) -> Salvaged:
    """Write everything readable in a library to a new file.

    `step` is called with the number of pages read and their total, then `index_step` with the
    number of papers indexed and their total; both may raise to stop. Raises OSError and
    LibraryError.
    """
    with SqlitePages.of(source) as pages:
        schema = _read_schema(pages)
        opening.begin(target, _revision(pages, schema))
        with closing(sqlite3.connect(target)) as db:
            done = _Salvage(pages, db, step, schema).run()
            db.commit()
    database = Database(target)  # migrates it
    try:
        with database.writing() as connection:
            _finish(connection, done, index_step)
    finally:
        database.close()
    target.with_suffix(".backup" + target.suffix).unlink(missing_ok=True)
    return done


def _read_schema(pages: SqlitePages) -> FoundSchema:
    """Read which tables and indexes the file has.

    Page 1 is only the inner page above the others of the schema. If one of them is lost, the others
    are found by their rows. Entries of one name with different root pages are dropped: all but one
    of them are out of date.
    """
    schema = FoundSchema()
    rows = pages.tree(1, rowids=True, seen=schema.pages, tally=schema.tally)
    entries = {entry.name: entry for row in rows if (entry := _schema_entry(row))}
    if schema.tally.holes:
        found: dict[str, set[SchemaEntry]] = {}
        passed = schema.pages | pages.free()
        for number in range(2, pages.count + 1):
            if number in passed:
                continue
            those = [_schema_entry(row) for row in pages.leaf(number, rowids=True)]
            if _is_most(entry is not None for entry in those):
                schema.pages.add(number)
                for entry in filter(None, those):
                    found.setdefault(entry.name, set()).add(entry)
        for name, versions in found.items():
            if len({entry.root for entry in versions}) == 1:
                entries.setdefault(name, versions.pop())
    schema.entries = [entry for entry in entries.values() if entry.root > 1]
    return schema


def _schema_entry(row: SqliteRow) -> SchemaEntry | None:
    """The entry in a row of the schema; None if it is not one."""
    match row.values:
        case [
            "table" | "index" | "trigger" | "view" as kind,
            str(name),
            str(table),
            int(root),
            None | str() as sql,
        ] if not sql or sql.startswith("CREATE "):
            return SchemaEntry(kind, name, table, root, sql or "")
    return None


def _revision(pages: SqlitePages, schema: FoundSchema) -> int:
    """The revision of the library, from the header or, if that is lost, from Alembic's table."""
    numbers = [pages.header(60)]
    for entry in schema.entries:
        if entry.name == "alembic_version" and entry.kind == "table":
            rows = pages.tree(entry.root, rowids=True, seen=set(), tally=UnreadableCount())
            numbers += [
                int(text) for row in rows for text in map(str, row.values) if text.isdigit()
            ]
    return next((number for number in numbers if 1 <= number <= HEAD), HEAD)


class _Salvage:
    def __init__(
        self, pages: SqlitePages, db: sqlite3.Connection, step: Step, schema: FoundSchema
    ) -> None:
        self._pages = pages
        self._step = step
        self._db = db
        self._schema_tally = schema.tally
        self._layouts = {layout.name: layout for layout in table_layouts(db)}
        tables = {
            entry.name: entry
            for entry in schema.entries
            if entry.kind == "table" and entry.name in self._layouts
        }
        self._roots = {name: entry.root for name, entry in tables.items()}
        self._others = [entry for entry in schema.entries if tables.get(entry.name) is not entry]
        self._seen = schema.pages
        self._tallies = {name: UnreadableCount() for name in self._layouts}
        self._whole_indexes: set[str] = set()
        self._ids: set[int] = set()  # ids of papers found in indexes
        self._last = 0  # the highest of these; 0 if there are none
        self._expected: Counter[str] = Counter()
        self._sequence = 0
        self._done = Salvaged()

    def run(self) -> Salvaged:
        """Copy all readable rows to the new library, and return what was recovered and lost.

        Indexes are read first, as they name the papers that must have existed. Papers of which only
        an id is left get placeholders, and rows that refer to lost papers are dropped.
        """
        named: Counter[int] = Counter()
        for entry in self._others:
            named.update(self._read_other(entry))
            self._step(len(self._seen), self._pages.count)
        self._ids = self._plausible(named)
        self._last = max(self._ids, default=0)
        for name, layout in self._layouts.items():
            if root := self._roots.get(name, 0):
                self._keep(layout, self._tree(root, layout))
            else:
                self._tallies[name].holes = True
        self._read_strays()
        self._read_indexes()
        self._count()
        self._add_placeholders()
        self._drop_orphans()
        return self._done

    def _tree(self, root: int, layout: TableLayout) -> Iterator[SqliteRow]:
        tally = self._tallies[layout.name]
        return self._pages.tree(root, rowids=layout.rowids, seen=self._seen, tally=tally)

    def _plausible(self, named: Mapping[int, int]) -> set[int]:
        """The ids that papers can have had, from the number of trees that name each.

        A damaged page may name any id. Two damaged trees do not agree, and no id exceeds the last
        one assigned.
        """
        last = max((id for id, trees in named.items() if trees > 1), default=0)
        if last < self._sequence < last + _FAR:
            last = self._sequence
        return {id for id in named if 0 < id <= last}

    def _read_other(self, entry: SchemaEntry) -> set[int]:
        """Mark the pages of an index and collect the rowids it expects. Returns the paper ids in
        it."""
        owner = entry.table
        count = 0
        ids: set[int] = set()
        tally = UnreadableCount()
        with_values = owner in ("sqlite_sequence", "papers")
        rows = self._pages.tree(
            entry.root, rowids=entry.rowids, seen=self._seen, tally=tally, values=with_values
        )
        for row in rows:
            count += 1
            if owner == "sqlite_sequence" and row.values[:1] == ["papers"]:
                last = row.values[-1]
                self._sequence = last if isinstance(last, int) else 0
            elif owner == "fulltext_docsize" and row.key is not None:
                ids.add(row.key)
            elif owner == "papers" and row.values and isinstance(row.values[-1], int):
                ids.add(row.values[-1])
        if not tally.holes:
            self._whole_indexes.add(entry.name)
        if not entry.rowids and " WHERE " not in entry.sql.upper():
            self._expected[owner] = max(self._expected[owner], count)
        return ids

    def _keep(self, layout: TableLayout, rows: Iterable[SqliteRow]) -> None:
        tally, batch = self._tallies[layout.name], []
        for row in rows:
            fitted = layout.fit(row)
            if fitted is None or not self._is_near(layout, row):
                tally.rows += 1
                continue
            values, altered = fitted
            if altered and layout.name == "papers":
                self._done.altered[int(str(values[0]))] = ""
            batch.append(values)
            if len(batch) == _ROWS:
                self._insert(layout, batch)
                batch = []
        self._insert(layout, batch)

    def _is_near(self, layout: TableLayout, row: SqliteRow) -> bool:
        """Return whether the id of a row is plausible for a paper."""
        if layout.name != "papers" or not self._last:
            return True
        return row.key is not None and 0 < row.key < self._last + _FAR

    def _insert(self, layout: TableLayout, rows: list[tuple[Value, ...]]) -> None:
        names = ", ".join(f'"{column.name}"' for column in layout.columns)
        marks = ", ".join("?" * len(layout.columns))
        self._db.executemany(
            f'INSERT OR IGNORE INTO "{layout.name}" ({names}) VALUES ({marks})', rows
        )
        self._step(len(self._seen), self._pages.count)

    def _read_strays(self) -> None:
        """Read B-trees that no known page refers to, for tables that have lost pages.

        If the schema is lost, indexes are among them. They look like tables without rowids, so such
        tables are read last, when the rows that theirs refer to are known.
        """
        holed = [self._layouts[name] for name, tally in self._tallies.items() if tally.holes]
        if not holed:
            return
        passed = self._seen | self._pages.free()
        strays = [n for n in range(2, self._pages.count + 1) if n not in passed]
        self._done.uncounted += sum(not self._pages.can_read(number) for number in strays)
        keys = [
            key
            for key in key_layouts(self._db, self._layouts)
            if key.name not in self._whole_indexes
        ]
        for rowids in (True, False):
            layouts = [layout for layout in holed if layout.rowids == rowids]
            for root in self._pages.roots(strays, rowids=rowids):
                tree = self._pages.tree(root, rowids=rowids, seen=set(), tally=UnreadableCount())
                rows = list(islice(tree, _SAMPLE))
                fits = [layout for layout in layouts if self._are_rows_of(layout, rows)]
                rivals = len(fits)
                if not rowids:
                    rivals = sum(
                        _is_most(self._may_be_of(key, row) for row in rows) for key in keys
                    )
                if fits and rivals == 1:
                    self._keep(fits[0], self._tree(root, fits[0]))
                elif fits:
                    self._done.unrecognised += len(rows) + sum(1 for _ in tree)

    def _are_rows_of(self, layout: TableLayout, rows: list[SqliteRow]) -> bool:
        """Return whether most rows fit a table and, if it has no rowids, refer to known rows."""
        return _is_most(
            layout.is_exact(row)
            and (
                layout.rowids
                or all(
                    self._has(parent, key, row.values[n]) for n, parent, key in layout.references
                )
            )
            for row in rows
        )

    def _may_be_of(self, key: KeyLayout, row: SqliteRow) -> bool:
        """Return whether nothing speaks against a row being one of an index or table."""
        table, columns = key.table, key.columns
        if len(row.values) != len(columns):
            return False
        known = {n: value for n, value in zip(columns, row.values, strict=True) if n is not None}
        for n, value in known.items():
            column = table.columns[n]
            if not table.accepts(column, value):
                return False
        whole = not self._tallies[table.name].holes
        if table.rowid is not None or whole:  # compare it with the row of the table
            by = [table.rowid] if table.rowid is not None else list(known)
            names = ", ".join(f'"{table.columns[n].name}"' for n in known)
            where = " AND ".join(f'"{table.columns[n].name}" IS ?' for n in by)
            found = self._db.execute(
                f'SELECT {names} FROM "{table.name}" WHERE {where}', [known[n] for n in by]
            ).fetchone()
            return not whole if found is None else found == tuple(known.values())
        return all(
            n not in known
            or self._tallies[parent].holes
            or known[n] is None
            or self._has(parent, column, known[n])
            for n, parent, column in table.references
        )

    def _has(self, table: str, column: str, value: Value) -> bool:
        if table == "papers" and value in self._ids:
            return True
        query = f'SELECT 1 FROM "{table}" WHERE "{column}" = ?'
        return self._db.execute(query, (value,)).fetchone() is not None

    def _read_indexes(self) -> None:
        """Rows missing from their table that an index still holds."""
        indexes = {key.name: key for key in key_layouts(self._db, self._layouts)}
        for entry in self._others:
            if (
                entry.table not in _TWICE
                or entry.name not in indexes
                or not self._lacks(entry.table)
            ):
                continue
            layout, columns = self._layouts[entry.table], indexes[entry.name].columns
            rows = []
            for row in self._pages.tree(
                entry.root, rowids=False, seen=set(), tally=UnreadableCount()
            ):
                known = dict(zip(columns, row.values, strict=False))
                values = [known.get(n, one.substitute()) for n, one in enumerate(layout.columns)]
                rows.append(SqliteRow(None, values, row.altered))
            self._keep(layout, rows)

    def _lacks(self, table: str) -> bool:
        count = self._db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        return bool(count < self._expected[table])

    def _count(self) -> None:
        unread = set(self._pages.unread) | self._schema_tally.pages
        for name, tally in self._tallies.items():
            kept = self._db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            self._done.recovered[name] = kept
            if name == "papers" and self._ids:  # random bytes may look like any number of rows
                lost = len(self._ids) - kept
            else:
                lost = max(tally.rows, self._expected[name] - kept)
            if lost > 0:
                self._done.lost[name] = lost
            unread |= tally.pages
            if not (self._ids if name == "papers" else self._expected[name]):
                self._done.uncounted += len(tally.pages)
        self._done.pages = len(unread)

    def _add_placeholders(self) -> None:
        """Insert placeholders for papers whose record is lost but not everything else.

        They keep their id and get a title that says so: their notes, tags and identifiers stay, and
        an import may complete them.
        """
        there = {row[0] for row in self._db.execute("SELECT id FROM papers")}
        for id in sorted(self._ids - there):
            about = _known_of(self._db, id, self._layouts)
            if about is None:
                self._done.gone.append(id)
                continue
            self._done.placeholders[id] = about
            title = tr("[Record {id} was damaged]", id=id)
            self._db.execute(
                "INSERT INTO papers (id, title, abstract, kind, published, venue, keywords, extra, "
                "source, source_id, text_hash, head_key, tail_key, added, changed) "
                "VALUES (?, ?, '', '', '', '', '', '{}', '', '', 0, 0, 0, ?, ?)",
                (id, title, time.time(), time.time()),
            )
        last = max(self._ids | there, default=0)
        if last < self._sequence < last + _FAR:  # ids of deleted papers are never reused
            self._db.execute(
                "UPDATE sqlite_sequence SET seq = ? WHERE name = 'papers'", (self._sequence,)
            )

    def _drop_orphans(self) -> None:
        """Remove rows that refer to lost rows, or these references where rows can do without."""
        self._db.execute(
            "UPDATE collections SET parent = NULL WHERE parent NOT IN (SELECT id FROM collections)"
        )
        changed = True
        while changed:
            changed = False
            for name in self._layouts:
                for key in self._db.execute(f'PRAGMA foreign_key_list("{name}")').fetchall():
                    _, _, parent, column, other, _, on_delete = key[:7]
                    lost = (
                        f'WHERE "{column}" IS NOT NULL AND "{column}" NOT IN '
                        f'(SELECT "{other or "id"}" FROM "{parent}")'
                    )
                    if on_delete == "SET NULL":
                        self._db.execute(f'UPDATE "{name}" SET "{column}" = NULL {lost}')
                        continue
                    gone = self._db.execute(f'DELETE FROM "{name}" {lost}').rowcount
                    if gone:
                        changed = True
                        self._done.recovered[name] -= gone
                        self._done.lost[name] += gone


def _finish(db: Connection, done: Salvaged, index_step: Step) -> None:
    """Recompute what derives from the texts of papers, and list those whose text changed."""
    changed = {*paper_rows.changed_texts(db), *done.altered} - done.placeholders.keys()
    paper_rows.renew(db, changed | done.placeholders.keys(), time.time())
    titles = db.exec_driver_sql("SELECT id, title FROM papers")
    done.altered = {id: title for id, title in titles if id in changed}
    fulltext.rebuild(db, index_step)


def _is_most(hits: Iterable[bool]) -> bool:
    found = list(hits)
    return 2 * sum(found) > len(found)


def _known_of(db: sqlite3.Connection, id: int, layouts: Iterable[str]) -> str | None:
    """Authors and identifiers of a paper whose record is lost; None if there are none."""
    authors = db.execute("SELECT family FROM authors WHERE paper = ? ORDER BY position", (id,))
    names = [row[0] for row in authors]
    named = db.execute("SELECT kind, value FROM identifiers WHERE paper = ?", (id,))
    names += [f"{kind} {value}" for kind, value in named]
    there = set(layouts)
    hangs = any(
        db.execute(f'SELECT 1 FROM "{table}" WHERE paper = ? LIMIT 1', (id,)).fetchone()
        for table in _OF_PEOPLE
        if table in there
    )
    return ", ".join(names) if names or hangs else None
