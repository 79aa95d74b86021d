"""Conversion between Paper values and rows of the tables."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, literal, select
from sqlalchemy.dialects import sqlite

from sciread_app.domain.matching.record_keys import author_key, block_keys, text_hash
from sciread_app.domain.paper import Author, Identifier, Paper, PaperId
from sciread_app.storage import schema

_as_json = json.JSONEncoder(ensure_ascii=False).encode


def among(ids: Iterable[int]) -> Select[tuple[int]]:
    """A SELECT of these numbers, passed as one bound value however many there are."""
    return _each(json.dumps([int(i) for i in ids]))


def among_texts(texts: Iterable[str]) -> Select[tuple[str]]:
    return _each(json.dumps(list(texts)))


def _each(listed: str) -> Select[Any]:
    return select(func.json_each(listed).table_valued("value").c.value)


def read(db: Connection, ids: Iterable[int]) -> dict[int, Paper]:
    """The papers with these ids, including those in the trash."""
    ids = list(ids)
    by_author = _grouped(db, schema.authors, ids)
    by_identifier = _grouped(db, schema.identifiers, ids)
    by_field = _grouped(db, schema.fields, ids)
    files: dict[int, list[str]] = defaultdict(list)
    for paper, path in db.execute(
        select(schema.attachments.c.paper, schema.attachments.c.path)
        .where(schema.attachments.c.paper.in_(among(ids)))
        .order_by(schema.attachments.c.id)
    ):
        files[paper].append(path)
    found = db.execute(select(schema.papers).where(schema.papers.c.id.in_(among(ids))))
    return {
        row.id: Paper(
            id=PaperId(row.id),
            title=row.title,
            abstract=row.abstract,
            authors=tuple(
                Author(a.family, a.given, a.particle, a.suffix, a.literal)
                for a in by_author[row.id]
            ),
            kind=row.kind,
            published=row.published,
            venue=row.venue,
            identifiers=tuple(Identifier(i.kind, i.value) for i in by_identifier[row.id]),
            fields=tuple(f.field for f in by_field[row.id]),
            keywords=tuple(row.keywords.split("\n")) if row.keywords else (),
            extra=json.loads(row.extra),
            files=tuple(files[row.id]),
            source=row.source,
            source_id=row.source_id,
        )
        for row in found
    }


def add(db: Connection, papers: Sequence[Paper], now: float) -> list[int]:
    """Insert new papers. Returns their ids in this order, ascending."""
    if not papers:
        return []
    first = next_id(db)
    ids = range(first, first + len(papers))
    add_as(db, ids, papers, now)
    return list(ids)


def next_id(db: Connection) -> int:
    """The id of the next new paper. Ids are never reused."""
    last = db.exec_driver_sql("SELECT seq FROM sqlite_sequence WHERE name = 'papers'").scalar()
    return 1 + (last or 0)


def add_as(db: Connection, ids: Sequence[int], papers: Sequence[Paper], now: float) -> None:
    """Insert papers under these ids, which must be free."""
    rows = [(*_row(paper, now), id, now) for id, paper in zip(ids, papers, strict=True)]
    insert(db, "papers", (*_COLUMNS, "id", "added"), rows)
    _add_parts(db, dict(zip(ids, papers, strict=True)), now)


def change(db: Connection, papers: Mapping[int, Paper], now: float) -> None:
    """Replace the records of papers, by id. Files are added, never removed."""
    if not papers:
        return
    values = ", ".join(f"{name} = ?" for name in _COLUMNS)
    rows = [(*_row(paper, now), id) for id, paper in papers.items()]
    db.exec_driver_sql(f"UPDATE papers SET {values} WHERE id = ?", rows)
    for table in (schema.authors, schema.identifiers, schema.fields):
        db.execute(delete(table).where(table.c.paper.in_(among(papers))))
    _add_parts(db, papers, now)


def renew(db: Connection, ids: Iterable[int], now: float) -> None:
    """Recompute derived columns (year, text hash, keys) after single fields were set."""
    papers = schema.papers.c
    ids = list(ids)
    first = _first_authors(db, ids)
    query = select(papers.id, papers.title, papers.abstract, papers.published)
    rows = []
    for row in db.execute(query.where(papers.id.in_(among(ids)))):
        paper = Paper(
            title=row.title,
            abstract=row.abstract,
            published=row.published,
            authors=first.get(row.id, ()),
        )
        rows.append((paper.year, *_made(paper), now, row.id))
    if rows:
        db.exec_driver_sql(
            "UPDATE papers SET year = ?, text_hash = ?, head_key = ?, tail_key = ?, author_key = ?,"
            " changed = ? WHERE id = ?",
            rows,
        )


def changed_texts(db: Connection) -> list[int]:
    """The papers whose title or abstract no longer matches the text hash stored with them."""
    papers = schema.papers.c
    rows = db.execute(select(papers.id, papers.title, papers.abstract, papers.text_hash))
    return [
        row.id
        for row in rows
        if text_hash(Paper(title=row.title, abstract=row.abstract)) != row.text_hash
    ]


def _first_authors(db: Connection, ids: Sequence[int]) -> dict[int, tuple[Author, ...]]:
    authors = schema.authors.c
    query = select(authors.paper, authors.family, authors.given, authors.particle)
    found = query.where(authors.paper.in_(among(ids)), authors.position == 0)
    return {row.paper: (Author(*row[1:]),) for row in db.execute(found)}


def insert(
    db: Connection, table: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> None:
    """Insert rows, ignoring those that exist.

    Bypasses SQLAlchemy's processing of each value, which takes as long as SQLite's own work when a
    hundred thousand papers are imported.
    """
    if rows:
        marks = ", ".join("?" * len(columns))
        names = ", ".join(columns)
        db.exec_driver_sql(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", list(rows))


def insert_for_papers(db: Connection, table: Table, ids: Iterable[int], **values: Any) -> None:
    """Insert a row with these values for each existing paper that has no such row yet."""
    chosen = schema.papers.c.id.in_(among(ids))
    rows = select(schema.papers.c.id, *map(literal, values.values())).where(chosen)
    put = sqlite.insert(table).from_select(["paper", *values], rows)
    db.execute(put.on_conflict_do_nothing())


def upsert(
    db: Connection,
    table: Table,
    keys: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    *,
    over: ColumnElement[bool] | None = None,
) -> None:
    """Insert rows; of a row whose keys exist, the other given values are replaced.

    `over`: condition under which an existing row is changed; None: always.
    """
    if rows:
        put = sqlite.insert(table)
        changed = {name: put.excluded[name] for name in rows[0] if name not in keys}
        put = put.on_conflict_do_update(index_elements=keys, set_=changed, where=over)
        db.execute(put, list(rows))


def _grouped(db: Connection, table: Table, ids: Sequence[int]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = defaultdict(list)
    rows = select(table).where(table.c.paper.in_(among(ids))).order_by(table.c.position)
    for row in db.execute(rows):
        groups[row.paper].append(row)
    return groups


_AS_THEY_ARE = ("title", "abstract", "kind", "published", "year", "venue", "source", "source_id")
_MADE = ("keywords", "extra", "text_hash", "head_key", "tail_key", "author_key", "changed")
_COLUMNS = _AS_THEY_ARE + _MADE
_as_they_are = attrgetter(*_AS_THEY_ARE)


def _row(paper: Paper, now: float) -> tuple[object, ...]:
    """The values of a paper in the order of _COLUMNS."""
    return (
        *_as_they_are(paper),
        "\n".join(paper.keywords),
        _as_json(dict(paper.extra)),
        *_made(paper),
        now,
    )


def _made(paper: Paper) -> tuple[int, ...]:
    return text_hash(paper), *block_keys(paper.title), author_key(paper)


def _add_parts(db: Connection, papers: Mapping[int, Paper], now: float) -> None:
    authors = [
        (id, n, *author) for id, paper in papers.items() for n, author in enumerate(paper.authors)
    ]
    insert(db, "authors", ("paper", "position", *Author._fields), authors)
    identifiers = [
        (id, n, kind, value)
        for id, paper in papers.items()
        for n, (kind, value) in enumerate(dict.fromkeys(paper.identifiers))
    ]
    insert(db, "identifiers", ("paper", "position", "kind", "value"), identifiers)
    fields = [
        (id, n, field) for id, paper in papers.items() for n, field in enumerate(paper.fields)
    ]
    insert(db, "fields", ("paper", "position", "field"), fields)
    files = [(id, path, now) for id, paper in papers.items() for path in paper.files]
    insert(db, "attachments", ("paper", "path", "added"), files)
