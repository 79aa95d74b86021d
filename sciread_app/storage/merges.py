"""Merges as they are remembered, so that each can be listed and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from sciread_app.domain.duplicates import Merge
from sciread_app.domain.identity import from_record, record
from sciread_app.domain.judgements import said
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import trn
from sciread_app.storage import records, schema

_NAME_LENGTH = 60
_LISTED = """
SELECT m.id, m.paper, p.title, m.other, m.reason, m.at, coalesce(i.what, '')
FROM merges AS m JOIN papers AS p ON p.id = m.paper LEFT JOIN imports AS i ON i.id = m."import"
WHERE m.within IS NULL AND m.own <> '' AND m.other <> '' ORDER BY m.id DESC
"""


@dataclass(frozen=True, slots=True)
class State:
    """One side of a merge as it was before: the record, and what hung on it. Tags, collections,
    notes and the like are numbers of rows; `relations` are papers, verdicts and reasons. A record
    that an import has brought has no marks yet: `added` is None."""

    paper: Paper
    origins: Sequence[int] = ()
    tags: Sequence[int] = ()
    collections: Sequence[int] = ()
    notes: Sequence[int] = ()
    highlights: Sequence[int] = ()
    news: Sequence[int] = ()
    relations: Sequence[tuple[int, str, str]] = ()
    edited: Sequence[str] = ()
    citekey: str = ""
    read: bool = False
    rating: int = 0
    added: float | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A merge to remember. `by_import` is the number of the import that made it."""

    kept: int
    own: State
    other: State
    reason: str = ""
    by_import: int | None = None


@dataclass(frozen=True, slots=True)
class Remembered:
    id: int
    kept: int
    at: float
    own: State
    other: State


def remember(db: Connection, notes: Sequence[Note], now: float) -> None:
    rows = [
        (note.kept, note.by_import, now, note.reason, _written(note.own), _written(note.other))
        for note in notes
    ]
    columns = ("paper", '"import"', "at", "reason", "own", "other")
    records.insert(db, "merges", columns, rows)


def listed(db: Connection) -> list[Merge]:
    """All merges that can be taken back, the last first."""
    return [
        Merge(id, PaperId(paper), title, _read(other).paper.title, said(reason), at, came)
        for id, paper, title, other, reason, at, came in db.exec_driver_sql(_LISTED)
    ]


def of_paper(db: Connection, paper: int) -> list[Remembered]:
    """The merges of a paper, the last first."""
    table = schema.merges.c
    return _remembered(db, (table.paper == paper) & table.within.is_(None))


def of_import(db: Connection, number: int) -> list[Remembered]:
    """The merges that an import has made and nobody has taken back, the last first."""
    table = schema.merges.c
    return _remembered(db, (table["import"] == number) & table.within.is_(None))


def forget(db: Connection, merge: Remembered, made: int) -> None:
    """Forget a merge that was taken back. What was merged into `made` before is its own again."""
    table = schema.merges
    for id in _within(db, merge.id):
        db.execute(update(table).where(table.c.id == id).values(paper=made))
    db.execute(update(table).where(table.c.within == merge.id).values(within=None))
    db.execute(delete(table).where(table.c.id == merge.id))


def restate(db: Connection, merge: int, own: State) -> None:
    """Change what the paper said before a merge."""
    table = schema.merges
    db.execute(update(table).where(table.c.id == merge).values(own=_written(own)))


def hand_over(db: Connection, kept: int, other: int) -> None:
    """Keep the merges of a paper that becomes part of another, inside the last of that one's."""
    table = schema.merges.c
    last = select(table.id).where(table.paper == kept, table.within.is_(None))
    number = db.scalars(last.order_by(table.id.desc()).limit(1)).one()
    own = (table.paper == other) & table.within.is_(None)
    db.execute(update(schema.merges).where(own).values(within=number))
    db.execute(update(schema.merges).where(table.paper == other).values(paper=kept))


def filed(db: Connection, ids: Iterable[int]) -> dict[int, tuple[list[int], list[int]]]:
    """The tags and collections of each of these papers."""
    found: dict[int, tuple[list[int], list[int]]] = {id: ([], []) for id in ids}
    tagged, collected = schema.tagged.c, schema.collected.c
    for paper, tag in db.execute(
        select(tagged.paper, tagged.tag).where(tagged.paper.in_(records.among(found)))
    ):
        found[paper][0].append(tag)
    for paper, collection in db.execute(
        select(collected.paper, collected.collection).where(
            collected.paper.in_(records.among(found))
        )
    ):
        found[paper][1].append(collection)
    return found


def state(db: Connection, id: int, paper: Paper) -> State:
    """What hangs on a paper now."""
    tags, collections = filed(db, [id])[id]
    papers, relations, citekeys = schema.papers.c, schema.relations.c, schema.citekeys.c
    own = db.execute(select(schema.papers).where(papers.id == id)).one()
    known = db.execute(select(schema.relations).where((relations.a == id) | (relations.b == id)))
    key = db.scalars(select(citekeys.citekey).where(citekeys.paper == id)).one_or_none()
    return State(
        paper,
        tags=tags,
        collections=collections,
        origins=_numbers(db, "origins", "fingerprint", id),
        notes=_numbers(db, "notes", "id", id),
        highlights=_numbers(db, "highlights", "id", id),
        news=_numbers(db, "news", "id", id),
        relations=[(r.b if r.a == id else r.a, r.verdict, r.reason) for r in known],
        edited=json.loads(own.edited),
        citekey=key or "",
        read=own.read,
        rating=own.rating,
        added=own.added,
    )


def as_edit(db: Connection, number: int, count: int, now: float) -> None:
    """Have the merges of an import, of which there are so many more, taken back by undo."""
    table = schema.edits
    own = (table.c["import"] == number) & ~table.c.undone
    known = db.execute(select(table.c.id, table.c.rows).where(own)).one_or_none()
    count += known.rows if known else 0
    what = db.scalars(select(schema.imports.c.what).where(schema.imports.c.id == number)).one()
    said = trn(
        "Merged {n:,} record on import of {name}",
        "Merged {n:,} records on import of {name}",
        count,
        name=what.replace("\\", "/").rsplit("/", 1)[-1][:_NAME_LENGTH],
    )
    if known:
        db.execute(update(table).where(table.c.id == known.id).values(what=said, rows=count))
        return
    db.execute(delete(table).where(table.c.undone))
    db.execute(insert(table).values({"at": now, "what": said, "rows": count, "import": number}))


def _remembered(db: Connection, which: Any) -> list[Remembered]:
    table = schema.merges
    whole = (table.c.own != "") & (table.c.other != "")  # after damage a side may be lost
    rows = db.execute(select(table).where(which, whole).order_by(table.c.id.desc()))
    return [Remembered(row.id, row.paper, row.at, _read(row.own), _read(row.other)) for row in rows]


def _within(db: Connection, merge: int) -> list[int]:
    """The merges inside this one, and those inside them."""
    sql = (
        "WITH RECURSIVE inside (id) AS (SELECT id FROM merges WHERE within = ?"
        " UNION SELECT merges.id FROM merges JOIN inside ON merges.within = inside.id)"
        " SELECT id FROM inside"
    )
    return [id for (id,) in db.exec_driver_sql(sql, (merge,))]


def _numbers(db: Connection, table: str, column: str, paper: int) -> list[int]:
    sql = f"SELECT {column} FROM {table} WHERE paper = ?"
    return [number for (number,) in db.exec_driver_sql(sql, (paper,))]


def _written(state: State) -> str:
    values = {one.name: getattr(state, one.name) for one in fields(State)}
    paper = values.pop("paper")
    said = {name: value for name, value in values.items() if value}
    return json.dumps({"record": record(paper), **said}, ensure_ascii=False)


def _read(text: str) -> State:
    values = json.loads(text)
    return State(from_record(values.pop("record")), **values)
