"""What can still be read of a damaged library, as a new one.

The damaged file is read page by page, without SQLite. Rows on pages that no other page leads to any
more are told by their columns. Indexes and the text index are made again.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from sciread_app.domain.identity import Verdict
from sciread_app.domain.news import What
from sciread_app.language import tr
from sciread_app.storage import fulltext, opening, records
from sciread_app.storage.database import Database
from sciread_app.storage.migrations import HEAD
from sciread_app.storage.pages import Pages, Record, Tally, Value

_ROWS = 5_000  # inserted at a time
_NUMBERS = {"INTEGER": (int,), "BOOLEAN": (int,), "FLOAT": (int, float)}
_EMPTY: dict[str, Value] = {"INTEGER": 0, "BOOLEAN": 0, "FLOAT": 0.0, "TEXT": ""}
# Texts that a program reads: JSON, and what stands in its place if it is damaged.
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
# Tables of which an index holds all that counts: kept once more, in another order.
_TWICE = ("identifiers", "tagged", "collected", "fields")
_ONE_OF = {
    ("relations", "verdict"): frozenset(Verdict),
    ("news", "what"): frozenset(What),
}
_OF_PEOPLE = ("notes", "tagged", "collected", "attachments", "highlights", "citekeys", "opinions")
_FAR = 1_000_000  # no number of a paper is so much larger than the others

# A tree that is no table of papers: where it begins, whether it has rowids, and of which table it
# is an index, or its own name, with its SQL.
Other = tuple[int, bool, tuple[str, str]]
Step = Callable[[int, int], None]


class Column(NamedTuple):
    name: str
    type: str
    required: bool
    default: Value
    key: bool  # part of the primary key, or a reference to another table


@dataclass(frozen=True)
class Layout:
    """How the rows of a table are stored: the columns in the order of the record."""

    name: str
    columns: tuple[Column, ...]
    rowids: bool
    rowid: int | None  # which column is the rowid itself


@dataclass
class Salvaged:
    """Rows by table, and what is known of papers that are lost or are not what they were."""

    kept: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    pages: int = 0  # that could not be read
    placeholders: dict[int, str] = field(default_factory=dict)  # papers of which only this is known
    gone: list[int] = field(default_factory=list)  # papers of which nothing is left
    altered: dict[int, str] = field(default_factory=dict)  # papers with damaged texts: titles


def salvage(source: Path, target: Path, step: Step = lambda done, all: None) -> Salvaged:
    """Write all that can be read of a library to a new file. `step` is told how many tables of all
    are done, and may raise. Raises OSError and LibraryError."""
    pages = Pages.of(source)
    revision = pages.header(60)
    opening.begin(target, revision if 1 <= revision <= HEAD else HEAD)
    with closing(sqlite3.connect(target)) as db:
        done = _Salvage(pages, db).run(step)
        db.commit()
    database = Database(target)  # brings it up to date
    try:
        with database.writing() as connection:
            _finish(connection, done)
    finally:
        database.close()
    target.with_suffix(".backup" + target.suffix).unlink(missing_ok=True)
    return done


class _Salvage:
    def __init__(self, pages: Pages, db: sqlite3.Connection) -> None:
        self._pages = pages
        self._db = db
        self._layouts = {layout.name: layout for layout in _layouts(db)}
        self._seen: set[int] = set()
        self._tallies = {name: Tally() for name in self._layouts}
        self._ids: set[int] = set()  # of papers, as indexes tell them
        self._expected: Counter[str] = Counter()
        self._sequence = 0
        self._done = Salvaged()

    def run(self, step: Step) -> Salvaged:
        roots, others = self._schema()
        for root, rowids, about in others:
            self._read_other(root, rowids, about)
        for number, (name, layout) in enumerate(self._layouts.items()):
            step(number, len(self._layouts))
            tally = self._tallies[name]
            if root := roots.get(name, 0):
                rows = self._pages.tree(root, rowids=layout.rowids, seen=self._seen, tally=tally)
                self._keep(layout, rows)
            else:
                tally.holes = True
        self._read_strays()
        self._read_indexes(others)
        self._count()
        self._add_placeholders()
        self._drop_orphans()
        return self._done

    def _schema(self) -> tuple[dict[str, int], list[Other]]:
        """Where the tables begin, and all else."""
        roots: dict[str, int] = {}
        others = []
        for row in self._pages.tree(1, rowids=True, seen=self._seen, tally=Tally()):
            if len(row.values) != 5:
                continue
            kind, name, table, root, sql = row.values
            if not isinstance(root, int) or root < 2:
                continue
            if kind == "table" and name in self._layouts:
                roots[str(name)] = root
            else:
                rowids = kind == "table" and "WITHOUT ROWID" not in str(sql).upper()
                owner = str(table) if kind == "index" else str(name)
                others.append((root, rowids, (owner, str(sql or ""))))
        return roots, others

    def _read_other(self, root: int, rowids: bool, about: tuple[str, str]) -> None:
        """Mark the pages of an index or of the text index, and learn what rows there should be."""
        owner, sql = about
        count = 0
        for row in self._pages.tree(root, rowids=rowids, seen=self._seen, tally=Tally()):
            count += 1
            if owner == "sqlite_sequence" and row.values[:1] == ["papers"]:
                self._sequence = row.values[1] if isinstance(row.values[1], int) else 0
            elif owner == "fulltext_docsize" and row.key is not None:
                self._ids.add(row.key)
            elif owner == "papers" and row.values and isinstance(row.values[-1], int):
                self._ids.add(row.values[-1])
        if not rowids and " WHERE " not in sql.upper():
            self._expected[owner] = max(self._expected[owner], count)

    def _keep(self, layout: Layout, rows: Iterable[Record]) -> None:
        tally, batch = self._tallies[layout.name], []
        for row in rows:
            fitted = _fitted(layout, row)
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

    def _is_near(self, layout: Layout, row: Record) -> bool:
        """Whether the number of a paper can be one."""
        if layout.name != "papers" or not self._ids:
            return True
        return row.key is not None and 0 < row.key < max(self._ids) + _FAR

    def _insert(self, layout: Layout, rows: list[tuple[Value, ...]]) -> None:
        names = ", ".join(f'"{column.name}"' for column in layout.columns)
        marks = ", ".join("?" * len(layout.columns))
        self._db.executemany(
            f'INSERT OR IGNORE INTO "{layout.name}" ({names}) VALUES ({marks})', rows
        )

    def _read_strays(self) -> None:
        """Rows on pages that no tree leads to any more, where a table has lost some."""
        holed = [self._layouts[name] for name, tally in self._tallies.items() if tally.holes]
        if not holed:
            return
        passed = self._seen | self._pages.free()
        for number in range(2, self._pages.count + 1):
            if number in passed:
                continue
            fits = []
            for layout in holed:
                rows = self._pages.leaf(number, rowids=layout.rowids)
                if rows and 2 * sum(_is_exact(layout, row) for row in rows) > len(rows):
                    fits.append((layout, rows))
            if len(fits) == 1:
                self._keep(*fits[0])
            elif fits:
                self._done.lost["?"] += len(fits[0][1])

    def _read_indexes(self, others: list[Other]) -> None:
        """Rows that are lost in their table and still stand in an index of it."""
        for root, _, (table, sql) in others:
            name = re.match(r"CREATE INDEX (\w+)", sql)
            if table not in _TWICE or not name or not self._lacks(table):
                continue
            layout, held = (
                self._layouts[table],
                self._db.execute(
                    "SELECT name FROM pragma_index_xinfo(?) ORDER BY seqno", (name[1],)
                ),
            )
            columns = [row[0] for row in held]
            rows = []
            for row in self._pages.tree(root, rowids=False, seen=set(), tally=Tally()):
                known = dict(zip(columns, row.values, strict=False))
                values = [known.get(one.name, _substitute(one)) for one in layout.columns]
                rows.append(Record(None, values, row.altered))
            self._keep(layout, rows)

    def _lacks(self, table: str) -> bool:
        count = self._db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
        return bool(count < self._expected[table])

    def _count(self) -> None:
        for name, tally in self._tallies.items():
            kept = self._db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            self._done.kept[name] = kept
            expected = len(self._ids) if name == "papers" else self._expected[name]
            if lost := max(tally.rows, expected - kept):
                self._done.lost[name] = lost
            self._done.pages += tally.pages

    def _add_placeholders(self) -> None:
        """A paper of which something is left, but not its record, keeps its number and gets a title
        that says so: its notes, tags and identifiers stay, and an import may complete it."""
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
        if last < self._sequence < last + _FAR:  # numbers of deleted papers are never used again
            self._db.execute(
                "UPDATE sqlite_sequence SET seq = ? WHERE name = 'papers'", (self._sequence,)
            )

    def _drop_orphans(self) -> None:
        """Rows that refer to what is lost."""
        self._db.execute(
            "UPDATE collections SET parent = NULL WHERE parent NOT IN (SELECT id FROM collections)"
        )
        changed = True
        while changed:
            changed = False
            for name in self._layouts:
                for key in self._db.execute(f'PRAGMA foreign_key_list("{name}")').fetchall():
                    _, _, parent, column, other = key[:5]
                    gone = self._db.execute(
                        f'DELETE FROM "{name}" WHERE "{column}" IS NOT NULL AND "{column}" NOT IN '
                        f'(SELECT "{other or "id"}" FROM "{parent}")'
                    ).rowcount
                    if gone:
                        changed = True
                        self._done.kept[name] -= gone
                        self._done.lost[name] += gone


def _finish(db: Connection, done: Salvaged) -> None:
    """Make again what is made from the texts of papers, and tell which of them have changed."""
    changed = {*records.changed_texts(db), *done.altered} - done.placeholders.keys()
    records.renew(db, changed | done.placeholders.keys(), time.time())
    titles = db.exec_driver_sql("SELECT id, title FROM papers")
    done.altered = {id: title for id, title in titles if id in changed}
    fulltext.rebuild(db)


def _layouts(db: sqlite3.Connection) -> Iterator[Layout]:
    tables = db.execute(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
        "AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'alembic%'"
    ).fetchall()
    for name, without_rowid in tables:
        refers = {row[3] for row in db.execute(f'PRAGMA foreign_key_list("{name}")')}
        rows = db.execute(f'PRAGMA table_info("{name}")').fetchall()
        if without_rowid:  # the primary key comes first
            rows.sort(key=lambda row: (row[5] == 0, row[5]))
        columns = tuple(
            Column(
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
        yield Layout(name, columns, not without_rowid, rowid)


def _fitted(layout: Layout, row: Record) -> tuple[tuple[Value, ...], bool] | None:
    """The values of a row as they can be stored, and whether some are not what they were; None if
    it is no row of this table, or one without its key."""
    if not 0 < len(row.values) <= len(layout.columns):
        return None
    altered, values = row.altered, list(row.values)
    values += [column.default for column in layout.columns[len(values) :]]
    for n, column in enumerate(layout.columns):
        if n == layout.rowid:
            if values[n] is not None:
                return None
            values[n] = row.key
        elif not _is_of(column, values[n]) or not _is_known(layout.name, column.name, values[n]):
            if column.key or (layout.name, column.name) in _ONE_OF:
                return None
            values[n] = _JSON.get((layout.name, column.name), _substitute(column))
            altered = True
    return tuple(values), altered


def _is_exact(layout: Layout, row: Record) -> bool:
    """Whether a row can be told to be one of this table."""
    if len(row.values) != len(layout.columns):
        return False
    fitted = _fitted(layout, row)
    return fitted is not None and not fitted[1]


def _is_of(column: Column, value: Value) -> bool:
    if value is None:
        return not column.required
    if column.type in _NUMBERS:
        return isinstance(value, _NUMBERS[column.type])
    return column.type != "TEXT" or isinstance(value, str)


def _is_known(table: str, column: str, value: Value) -> bool:
    if (allowed := _ONE_OF.get((table, column))) is not None:
        return value in allowed
    if (table, column) == ("papers", "published"):
        return _DATE.fullmatch(str(value)) is not None
    if (table, column) in _JSON and value:
        try:
            json.loads(str(value))
        except ValueError:
            return False
    return True


def _substitute(column: Column) -> Value:
    if column.default is not None:
        return column.default
    return _EMPTY.get(column.type, "") if column.required else None


def _known_of(db: sqlite3.Connection, id: int, layouts: Iterable[str]) -> str | None:
    """Authors and identifiers of a paper whose record is lost; None if nothing of it is left."""
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
