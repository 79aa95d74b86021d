"""Merging of papers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, select, update

from sciread_app.domain.matching import record_keys
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import fulltext, paper_rows, schema
from sciread_app.storage.papers import merge_history, versions
from sciread_app.storage.papers.merge_history import MergeSide, NewMerge

# Tables whose rows move to the kept paper, and those in which it may have equal rows already.
_FOLLOW = ("notes", "highlights", "news", "origins")
_FOLLOW_ONCE = {
    "tagged": "tag",
    "collected": "collection, added",
    "opinions": "subject, liked, at",
    "brought": "kind, name",
    "digested": "subject, digest, position, reasons",
}

# The user who merges papers wants the identifiers, keywords and other details of all, also where
# those of the kept paper were edited.
_PLAIN = frozenset(record_keys.PLAIN)


def merge(
    db: Connection, kept: int, others: Sequence[int], chosen: Mapping[str, Any], now: float
) -> None:
    """Merge `others` into `kept`: fields that it lacks, and notes, tags and other rows.

    `chosen` are values for fields in which the papers differ; without a choice, manually edited
    values win over those of the kept paper, and those over the rest.
    """
    ids = [kept, *others]
    papers = paper_rows.read(db, ids)
    if kept in others or len(papers) < len(ids):
        message = tr("One of these papers is no longer in the library.")
        raise LibraryError(message, tr("Refresh the list, then try again."))
    fulltext.remove(db, ids)
    states = {id: merge_history.state(db, id, paper) for id, paper in papers.items()}
    merged, by_hand = _merged(db, papers, kept, chosen)
    groups = versions.members(db, ids)
    own = states[kept]
    for other in others:
        merge_history.remember(db, [NewMerge(kept, own, states[other])], now)
        merge_history.reassign(db, kept, other)
        own = _with(own, states[other])
        _move(db, kept, other)
        versions.reassign(db, kept, other, now)
    _take_marks(db, kept, others)
    keys = _take_citekeys(db, kept, others)
    names = (Identifier("citekey", key) for key in keys)
    merged = replace(merged, identifiers=tuple(dict.fromkeys((*merged.identifiers, *names))))
    db.execute(delete(schema.papers).where(schema.papers.c.id.in_(paper_rows.among(others))))
    paper_rows.change(db, {kept: merged}, now)
    _set(db, kept, edited=json.dumps(sorted(by_hand)))
    versions.regroup(db, {*groups, kept} - set(others))
    fulltext.index(db, [kept])


def _merged(
    db: Connection, papers: Mapping[int, Paper], kept: int, chosen: Mapping[str, Any]
) -> tuple[Paper, set[str]]:
    """The merged record and the names of its manually edited fields."""
    table = schema.papers.c
    found = db.execute(select(table.id, table.edited).where(table.id.in_(paper_rows.among(papers))))
    edited = {id: frozenset[str](json.loads(names)) for id, names in found}
    merged, by_hand = papers[kept], set(edited[kept])
    for id, paper in papers.items():
        if id != kept:
            theirs = (edited[id] - by_hand) & _PLAIN
            merged = record_keys.merge(merged, paper, edited=_PLAIN.intersection(by_hand))
            merged = replace(merged, **{name: getattr(paper, name) for name in theirs})
            by_hand |= theirs
    differ = {name for name, value in chosen.items() if getattr(merged, name) != value}
    return replace(merged, **chosen), by_hand | differ


def _with(own: MergeSide, other: MergeSide) -> MergeSide:
    """The state of the kept paper after merging `other` and before the next."""
    known = {subject for subject, _, _ in own.opinions}
    return replace(
        own,
        paper=record_keys.merge(own.paper, other.paper, edited=_PLAIN.intersection(own.edited)),
        tags=sorted({*own.tags, *other.tags}),
        collections=sorted({*own.collections, *other.collections}),
        opinions=[*own.opinions, *(one for one in other.opinions if one[0] not in known)],
    )


def _move(db: Connection, kept: int, other: int) -> None:
    for table in _FOLLOW:
        db.exec_driver_sql(f"UPDATE {table} SET paper = ? WHERE paper = ?", (kept, other))
    # Of a file that both have, the kept paper's own row stays.
    db.exec_driver_sql("UPDATE OR IGNORE attachments SET paper = ? WHERE paper = ?", (kept, other))
    for table, columns in _FOLLOW_ONCE.items():
        db.exec_driver_sql(
            f"INSERT OR IGNORE INTO {table} (paper, {columns})"
            f" SELECT ?, {columns} FROM {table} WHERE paper = ?",
            (kept, other),
        )


def _take_marks(db: Connection, kept: int, others: Sequence[int]) -> None:
    papers = schema.papers.c
    columns = (papers.id, papers.read, papers.rating, papers.added)
    rows = db.execute(
        select(*columns).where(papers.id.in_(paper_rows.among([kept, *others])))
    ).all()
    own = next(row.rating for row in rows if row.id == kept)
    _set(
        db,
        kept,
        read=any(row.read for row in rows),
        rating=own or max(row.rating for row in rows),
        added=min(row.added for row in rows),
    )


def _take_citekeys(db: Connection, kept: int, others: Iterable[int]) -> list[str]:
    """The keys of the others. The kept paper gets the first of them if it has none."""
    table = schema.citekeys
    query = select(table).where(table.c.paper.in_(paper_rows.among(others))).order_by(table.c.paper)
    keys = [row.citekey for row in db.execute(query)]
    if keys:
        db.execute(delete(table).where(table.c.paper.in_(paper_rows.among(others))))
        paper_rows.insert(db, "citekeys", ("paper", "citekey"), [(kept, keys[0])])
    return keys


def _set(db: Connection, id: int, **values: Any) -> None:
    db.execute(update(schema.papers).where(schema.papers.c.id == id).values(values))
