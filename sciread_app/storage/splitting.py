"""One paper taken apart again into the records that were merged into it."""

from __future__ import annotations

import json
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from sciread_app.domain import apart
from sciread_app.domain.identity import from_record
from sciread_app.domain.paper import Paper
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import fulltext, records, schema, works

# What a paper is filed under holds for each of its parts, until somebody says otherwise.
_FILED = {"tagged": "tag", "collected": "collection, added", "brought": "kind, name"}


class _Part(NamedTuple):
    paper: Paper
    origins: list[int]


def split(db: Connection, id: int, now: float) -> list[int]:
    """Make each record that has no name in common with the paper's own a paper of its own; returns
    the new papers. What hangs on the paper stays with it."""
    papers = records.read(db, [id])
    if not papers:
        raise LibraryError(tr("This paper is no longer there."), tr("Look again, and try again."))
    own, parts = _parts(db, id, papers[id])
    if not parts:
        raise LibraryError(
            tr("This paper was not merged from others: there is nothing to take apart."),
            tr("What was merged in this library can be taken back with undo."),
        )
    edited = db.scalars(select(schema.papers.c.edited).where(schema.papers.c.id == id)).one()
    others = [part.paper for part in parts]
    left = apart.rest(papers[id], own, others, frozenset(json.loads(edited)))
    fulltext.forget(db, [id])
    _drop_files(db, id, left)
    records.change(db, {id: left}, now)
    new = records.add(db, others, now)
    for part, made in zip(parts, new, strict=True):
        _settle(db, id, made, part, now)
    fulltext.index(db, [id, *new])
    return new


def _parts(db: Connection, id: int, paper: Paper) -> tuple[Paper | None, list[_Part]]:
    """What the paper's own records say, if that is known, and the parts that are not its own."""
    table = schema.origins.c
    wanted = select(table.fingerprint, table.record).where(table.paper == id)
    rows = db.execute(wanted.order_by(table.fingerprint)).all()
    told = [(row.fingerprint, from_record(row.record)) for row in rows if row.record]
    groups = apart.groups([record for _, record in told])
    parts = [
        _Part(apart.joined(told[place][1] for place in places), [told[p][0] for p in places])
        for places in groups
    ]
    if len(told) < len(rows):  # its own is not written down: the paper itself says it
        return None, [part for part in parts if part.paper.source_id != paper.source_id]
    own = max(parts, key=lambda part: _likeness(part.paper, paper), default=None)
    return (own.paper if own else None), [part for part in parts if part is not own]


def _likeness(part: Paper, paper: Paper) -> int:
    """In how much a part says what the paper says. The paper's own names come first in it."""
    kept = sum(getattr(part, name) == getattr(paper, name) for name in apart.PLAIN)
    own = (part.source, part.source_id) == (paper.source, paper.source_id)
    first = paper.identifiers[: len(part.identifiers)] == part.identifiers
    return 4 * int(own) + 2 * int(first) + int(kept)


def _drop_files(db: Connection, id: int, left: Paper) -> None:
    table = schema.attachments
    gone = table.c.path.not_in(records.among_texts(left.files))
    db.execute(delete(table).where(table.c.paper == id, gone))


def _settle(db: Connection, id: int, made: int, part: _Part, now: float) -> None:
    origins = schema.origins
    moved = origins.c.fingerprint.in_(records.among(part.origins))
    db.execute(update(origins).where(moved).values(paper=made))
    for table, columns in _FILED.items():
        db.exec_driver_sql(
            f"INSERT INTO {table} (paper, {columns}) SELECT ?, {columns} FROM {table}"
            " WHERE paper = ?",
            (made, id),
        )
    works.part(db, id, made, now)
