"""History of merges, so that each can be listed and undone."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from sciread_app.domain.matching.duplicate_reasons import translated
from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.matching.record_keys import from_record, record
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import trn
from sciread_app.storage import paper_rows, schema

_NAME_LENGTH = 60
_WHOLE = (schema.merges.c.own != "") & (schema.merges.c.other != "")  # lost if the JSON is damaged
_LISTED = """
SELECT m.id, m.paper, p.title, m.other, m.reason, m.at, coalesce(i.what, '')
FROM merges AS m JOIN papers AS p ON p.id = m.paper LEFT JOIN imports AS i ON i.id = m."import"
WHERE m.within IS NULL AND m.own <> '' AND m.other <> '' ORDER BY m.id DESC
"""


@dataclass(frozen=True, slots=True)
class MergeSide:
    """The state of one side of a merge before it: the record and the rows that refer to it.

    Tags, collections, notes and the like are row ids; `relations` are papers, verdicts and reasons.
    A record from an import has no id and no organization yet: `id` is 0 and `added` None.
    """

    paper: Paper
    origins: Sequence[int] = ()
    tags: Sequence[int] = ()
    collections: Sequence[int] = ()
    notes: Sequence[int] = ()
    highlights: Sequence[int] = ()
    news: Sequence[int] = ()
    relations: Sequence[tuple[int, str, str]] = ()
    opinions: Sequence[tuple[str, bool, float]] = ()  # subject, liked, time
    edited: Sequence[str] = ()
    citekey: str = ""
    read: bool = False
    rating: int = 0
    added: float | None = None
    id: int = 0


@dataclass(frozen=True, slots=True)
class NewMerge:
    """A merge to record. `by_import` is the id of the import that made it."""

    paper: int  # the surviving one
    own: MergeSide
    other: MergeSide
    reason: str = ""
    by_import: int | None = None


@dataclass(frozen=True, slots=True)
class StoredMerge:
    id: int
    paper: int  # the surviving one
    at: float
    own: MergeSide
    other: MergeSide


def remember(db: Connection, notes: Sequence[NewMerge], now: float) -> None:
    rows = [
        (note.paper, note.by_import, now, note.reason, _written(note.own), _written(note.other))
        for note in notes
    ]
    columns = ("paper", '"import"', "at", "reason", "own", "other")
    paper_rows.insert(db, "merges", columns, rows)


def listed(db: Connection) -> list[Merge]:
    """All merges that can be undone, latest first."""
    return [
        Merge(id, PaperId(paper), title, _read(other).paper.title, translated(reason), at, came)
        for id, paper, title, other, reason, at, came in db.exec_driver_sql(_LISTED)
    ]


def of_papers(db: Connection, papers: Iterable[int]) -> dict[int, list[StoredMerge]]:
    """The merges of each of these papers, latest first."""
    table, found = schema.merges.c, defaultdict[int, list[StoredMerge]](list)
    for one in _remembered(db, table.paper.in_(paper_rows.among(papers)) & table.within.is_(None)):
        found[one.paper].append(one)
    return found


def has_of_import(db: Connection, number: int) -> bool:
    """Return whether `of_import` has any merges to list."""
    table = schema.merges.c
    which = (table["import"] == number) & table.within.is_(None) & _WHOLE
    return db.scalars(select(table.id).where(which).limit(1)).one_or_none() is not None


def of_import(db: Connection, number: int) -> list[StoredMerge]:
    """The merges made by an import and not undone, latest first."""
    table = schema.merges.c
    return _remembered(db, (table["import"] == number) & table.within.is_(None))


def forget(db: Connection, taken: Mapping[int, int]) -> None:
    """Delete undone merges, given with the papers that they had merged.

    Merges that such a paper had before become its own again.
    """
    table = schema.merges
    outer = set(db.scalars(select(table.c.within).where(table.c.within.is_not(None)).distinct()))
    for id in outer & taken.keys():
        inside = table.c.id.in_(_within(db, id))
        db.execute(update(table).where(inside).values(paper=taken[id]))
        db.execute(update(table).where(table.c.within == id).values(within=None))
    db.execute(delete(table).where(table.c.id.in_(paper_rows.among(taken))))


def set_state_before(db: Connection, merge: int, own: MergeSide) -> None:
    """Change the recorded state of the kept paper before a merge."""
    table = schema.merges
    db.execute(update(table).where(table.c.id == merge).values(own=_written(own)))


def reassign(db: Connection, kept: int, other: int) -> None:
    """Nest the merges of a paper that is merged into another inside that paper's last merge."""
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
        select(tagged.paper, tagged.tag).where(tagged.paper.in_(paper_rows.among(found)))
    ):
        found[paper][0].append(tag)
    for paper, collection in db.execute(
        select(collected.paper, collected.collection).where(
            collected.paper.in_(paper_rows.among(found))
        )
    ):
        found[paper][1].append(collection)
    return found


def state(db: Connection, id: int, paper: Paper) -> MergeSide:
    """The present state of a paper and the rows that refer to it."""
    tags, collections = filed(db, [id])[id]
    papers, relations, citekeys = schema.papers.c, schema.relations.c, schema.citekeys.c
    own = db.execute(select(schema.papers).where(papers.id == id)).one()
    known = db.execute(select(schema.relations).where((relations.a == id) | (relations.b == id)))
    key = db.scalars(select(citekeys.citekey).where(citekeys.paper == id)).one_or_none()
    return MergeSide(
        paper,
        tags=tags,
        collections=collections,
        origins=_numbers(db, "origins", "fingerprint", id),
        notes=_numbers(db, "notes", "id", id),
        highlights=_numbers(db, "highlights", "id", id),
        news=_numbers(db, "news", "id", id),
        relations=[(r.b if r.a == id else r.a, r.verdict, r.reason) for r in known],
        opinions=opinions(db, id),
        edited=json.loads(own.edited),
        citekey=key or "",
        read=own.read,
        rating=own.rating,
        added=own.added,
        id=id,
    )


def opinions(db: Connection, paper: int) -> list[tuple[str, bool, float]]:
    """The feedback on a paper: subject, liked, time."""
    table = schema.opinions.c
    found = select(table.subject, table.liked, table.at).where(table.paper == paper)
    return [(subject, liked, at) for subject, liked, at in db.execute(found)]


def record_import_edit(db: Connection, number: int, count: int, now: float) -> None:
    """Make the `count` further merges of an import undoable as edit `number`."""
    table = schema.edits
    own = (table.c["import"] == number) & ~table.c.undone
    known = db.execute(select(table.c.id, table.c.rows).where(own)).one_or_none()
    count += known.rows if known else 0
    what = db.scalars(select(schema.imports.c.what).where(schema.imports.c.id == number)).one()
    description = trn(
        "Merged {n:,} record while importing {name}",
        "Merged {n:,} records while importing {name}",
        count,
        name=what.replace("\\", "/").rsplit("/", 1)[-1][:_NAME_LENGTH],
    )
    if known:
        db.execute(update(table).where(table.c.id == known.id).values(what=description, rows=count))
        return
    db.execute(delete(table).where(table.c.undone))
    db.execute(
        insert(table).values({"at": now, "what": description, "rows": count, "import": number})
    )


def _remembered(db: Connection, which: Any) -> list[StoredMerge]:
    table = schema.merges
    rows = db.execute(select(table).where(which, _WHOLE).order_by(table.c.id.desc()))
    return [
        StoredMerge(row.id, row.paper, row.at, _read(row.own), _read(row.other)) for row in rows
    ]


def _within(db: Connection, merge: int) -> list[int]:
    """The merges nested in this one, recursively."""
    sql = (
        "WITH RECURSIVE inside (id) AS (SELECT id FROM merges WHERE within = ?"
        " UNION SELECT merges.id FROM merges JOIN inside ON merges.within = inside.id)"
        " SELECT id FROM inside"
    )
    return [id for (id,) in db.exec_driver_sql(sql, (merge,))]


def _numbers(db: Connection, table: str, column: str, paper: int) -> list[int]:
    sql = f"SELECT {column} FROM {table} WHERE paper = ?"
    return [number for (number,) in db.exec_driver_sql(sql, (paper,))]


def _written(state: MergeSide) -> str:
    values = {one.name: getattr(state, one.name) for one in fields(MergeSide)}
    paper = values.pop("paper")
    filled = {name: value for name, value in values.items() if value}
    return json.dumps({"record": record(paper), **filled}, ensure_ascii=False)


def _read(text: str) -> MergeSide:
    values = json.loads(text)
    values["opinions"] = [tuple(one) for one in values.get("opinions", ())]
    return MergeSide(from_record(values.pop("record")), **values)
