"""Unmerging: papers split again into the records that were merged into them.

Also undoes the merges of an import. A merge made by hand is undone like every other edit
(storage/history/undo.py).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import NamedTuple

from sqlalchemy import Connection, delete, select, update

from sciread_app.domain.matching import record_keys
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import change_capture, fulltext, paper_rows, schema
from sciread_app.storage.papers import merge_history, versions
from sciread_app.storage.papers.merge_history import StoredMerge

# Tables whose rows move back, the columns that identify these rows, and whether they are dated.
_FOLLOWED = {
    "origins": ("fingerprint", False),
    "notes": ("id", True),
    "highlights": ("id", True),
    "news": ("id", False),
}


class _Unmerge(NamedTuple):
    """A merge to undo, the paper it restores, and the kept paper before and after."""

    merge: StoredMerge
    made: int
    before: Paper
    left: Paper


def split(db: Connection, id: int, now: float, merge: int | None = None) -> list[int]:
    """Restore each record that was merged into a paper, or only that of one merge.

    Returns the new papers. Each is as it was; everything added to the paper since applies to
    all of them.
    """
    found = merge_history.of_papers(db, [id])[id]
    merges = [one for one in found if merge in (None, one.id)]
    if not paper_rows.read(db, [id]):
        raise LibraryError(
            tr("This paper is no longer in the library."), tr("Refresh the list, then try again.")
        )
    if not merges:
        raise LibraryError(
            tr("This paper cannot be split: it was not merged from other papers."),
            tr("`sciread duplicates --merged` lists the merged papers."),
        )
    return _take_out(db, merges, now)


def take_back_import(db: Connection, edit: int, number: int, now: float) -> None:
    """Undo all merges of an import and record how to redo them.

    The changes are recorded for `edit` and then inverted: the edit that merges them leads from the
    present state back to the one before.
    """
    with change_capture.capturing(db, edit):
        _take_out(db, merge_history.of_import(db, number), now)
    ends = db.exec_driver_sql("SELECT min(id) + max(id) FROM edited_rows WHERE edit = ?", (edit,))
    turned = "UPDATE edited_rows SET id = -id, before = after, after = before WHERE edit = ?"
    total = ends.scalar_one()
    db.exec_driver_sql(turned, (edit,))
    db.exec_driver_sql("UPDATE edited_rows SET id = ? + id WHERE edit = ?", (total, edit))


def _take_out(db: Connection, merges: Sequence[StoredMerge], now: float) -> list[int]:
    """Undo these merges, the later ones of a paper first; returns the restored papers.

    Merges of different papers are independent and undone together.
    """
    kept = {merge.paper for merge in merges}
    papers = paper_rows.read(db, kept)
    known = merge_history.of_papers(db, kept)
    made = _ids(db, merges)
    fulltext.remove(db, list(kept))
    for turn in _turns(zip(merges, made, strict=True)):
        taken = []
        for merge, id in turn:
            before = papers[merge.paper]
            papers[merge.paper] = left = _left(db, merge, before, known[merge.paper])
            taken.append(_Unmerge(merge, id, before, left))
        _take_out_at_once(db, taken, now)
    merge_history.forget(db, dict(zip((merge.id for merge in merges), made, strict=True)))
    fulltext.index(db, [*kept, *made])
    return made


def _turns(
    merges: Iterable[tuple[StoredMerge, int]],
) -> Iterable[Sequence[tuple[StoredMerge, int]]]:
    """The first merge of each paper, then the second of each, and so on."""
    turns: list[list[tuple[StoredMerge, int]]] = []
    seen: Counter[int] = Counter()
    for merge, made in merges:
        if seen[merge.paper] == len(turns):
            turns.append([])
        turns[seen[merge.paper]].append((merge, made))
        seen[merge.paper] += 1
    return turns


def _ids(db: Connection, merges: Sequence[StoredMerge]) -> list[int]:
    """The ids of the papers to restore: their former ones, if these are free."""
    old = [merge.other.id for merge in merges if merge.other.id]
    papers = schema.papers.c.id
    taken = set(db.scalars(select(papers).where(papers.in_(paper_rows.among(old)))))
    fresh = count(paper_rows.next_id(db))
    return [
        merge.other.id if merge.other.id and merge.other.id not in taken else next(fresh)
        for merge in merges
    ]


def _left(db: Connection, merge: StoredMerge, paper: Paper, known: list[StoredMerge]) -> Paper:
    """The paper without this merge.

    `known` are its merges, latest first: this one is dropped, and those after it are applied again.
    """
    theirs = merge.other.paper
    if merge.other.citekey:
        key = Identifier("citekey", merge.other.citekey)
        theirs = replace(theirs, identifiers=(*theirs.identifiers, key))
    alone, foreign = merge.own.paper, set(merge.other.tags) - set(merge.own.tags)
    elsewhere = set(merge.other.collections) - set(merge.own.collections)
    opinions = _brought_opinions(merge)
    place = next(n for n, one in enumerate(known) if one.id == merge.id)
    for n in reversed(range(place)):
        later = known[n]
        own = replace(
            later.own,
            paper=record_keys.unmerge(later.own.paper, alone, theirs),
            tags=sorted(set(later.own.tags) - foreign),
            collections=sorted(set(later.own.collections) - elsewhere),
            opinions=[one for one in later.own.opinions if one not in opinions],
        )
        merge_history.set_state_before(db, later.id, own)
        known[n] = replace(later, own=own)
        alone = record_keys.merge(alone, later.other.paper)
    del known[place]
    return record_keys.unmerge(paper, alone, theirs)


def _take_out_at_once(db: Connection, taken: Sequence[_Unmerge], now: float) -> None:
    """Undo at most one merge of each paper."""
    by_hand = [one for one in taken if one.merge.own.added is not None]
    paper_rows.change(db, {one.merge.paper: one.left for one in taken}, now)
    paper_rows.add_as(
        db, [one.made for one in taken], [one.merge.other.paper for one in taken], now
    )
    _part_files(db, taken)
    _part_rows(db, taken)
    _part_filed(db, taken)
    for one in by_hand:  # imports set no marks
        _restore_marks(db, one)
    _part_opinions(db, taken)
    _restore_relations(db, taken, now)
    states = ((one.made, one.merge.other, one.merge.at) for one in taken)
    _run(
        db,
        "UPDATE papers SET read = ?, rating = ?, added = ?, edited = ? WHERE id = ?",
        [
            (other.read, other.rating, other.added or at, json.dumps(list(other.edited)), made)
            for made, other, at in states
        ],
    )
    for one in by_hand:
        _restore_citekey(db, one)


def _part_files(db: Connection, taken: Sequence[_Unmerge]) -> None:
    """The restored papers share the metadata of their files with the kept paper."""
    known = "sha256, size, pages, modified, problem, added"
    filed = [one for one in taken if one.merge.other.paper.files]
    _run(
        db,
        f"UPDATE attachments SET ({known}) = (SELECT {known} FROM attachments AS kept"
        " WHERE kept.paper = ? AND kept.path = attachments.path)"
        " WHERE paper = ? AND path IN (SELECT path FROM attachments WHERE paper = ?)",
        [(one.merge.paper, one.made, one.merge.paper) for one in filed],
    )
    _run(
        db,
        "DELETE FROM attachments WHERE paper = ? AND path NOT IN (SELECT value FROM json_each(?))",
        [(one.merge.paper, json.dumps(one.left.files)) for one in filed],
    )


def _part_rows(db: Connection, taken: Sequence[_Unmerge]) -> None:
    """Move rows back to the restored papers, as far as they still exist.

    SQLite gives the id of a deleted row to a later one, which must stay where it is.
    """
    for table, (column, dated) in _FOLLOWED.items():
        _run(
            db,
            f"UPDATE {table} SET paper = ? WHERE paper = ?"
            f" AND {'added' if dated else 0} <= ? AND {column} IN (SELECT value FROM json_each(?))",
            [
                (one.made, one.merge.paper, one.merge.at, json.dumps(list(its)))
                for one in taken
                if (its := getattr(one.merge.other, table))
            ],
        )


def _part_filed(db: Connection, taken: Sequence[_Unmerge]) -> None:
    """Each paper keeps its tags and collections; those added since the merge apply to both."""
    for table, column, more, name in (
        ("tagged", "tag", "", "tags"),
        ("collected", "collection", ", added", "collections"),
    ):
        its = [
            (one, set(getattr(one.merge.own, name)), set(getattr(one.merge.other, name)))
            for one in taken
        ]
        _run(
            db,
            f"INSERT INTO {table} (paper, {column}{more}) SELECT ?, {column}{more} FROM {table}"
            f" WHERE paper = ? AND {column} NOT IN (SELECT value FROM json_each(?))",
            [
                (one.made, one.merge.paper, json.dumps(sorted(ours - theirs)))
                for one, ours, theirs in its
            ],
        )
        _run(
            db,
            f"DELETE FROM {table} WHERE paper = ? AND {'added' if more else 0} <= ?"
            f" AND {column} IN (SELECT value FROM json_each(?))",
            [
                (one.merge.paper, one.merge.at, json.dumps(sorted(theirs - ours)))
                for one, ours, theirs in its
                if theirs - ours
            ],
        )
    _run(
        db,
        "INSERT INTO brought (paper, kind, name) SELECT ?, kind, name FROM brought WHERE paper = ?",
        [(one.made, one.merge.paper) for one in taken],
    )
    _run(
        db,
        "INSERT INTO digested (paper, subject, digest, position, reasons)"
        " SELECT ?, subject, digest, position, reasons FROM digested WHERE paper = ?",
        [(one.made, one.merge.paper) for one in taken],
    )


def _part_opinions(db: Connection, taken: Sequence[_Unmerge]) -> None:
    """Restore the feedback of each paper.

    Feedback given or changed since applies to both, and feedback removed since to neither.
    """
    _run(
        db,
        "INSERT INTO opinions (subject, paper, liked, at) SELECT subject, ?, liked, at"
        " FROM opinions WHERE paper = ? AND at > ?",
        [(one.made, one.merge.paper, one.merge.at) for one in taken],
    )
    _run(
        db,
        "INSERT OR IGNORE INTO opinions (paper, subject, liked, at) SELECT ?, ?, ?, ?"
        " WHERE EXISTS (SELECT 1 FROM opinions WHERE paper = ? AND subject = ?)",
        [
            (one.made, *opinion, one.merge.paper, opinion[0])
            for one in taken
            for opinion in one.merge.other.opinions
        ],
    )
    _run(
        db,
        "DELETE FROM opinions WHERE paper = ? AND subject = ? AND liked = ? AND at = ?",
        [(one.merge.paper, *opinion) for one in taken for opinion in _brought_opinions(one.merge)],
    )


def _brought_opinions(merge: StoredMerge) -> set[tuple[str, bool, float]]:
    """The feedback that the kept paper has from the other."""
    own = {subject for subject, _, _ in merge.own.opinions}
    return {one for one in merge.other.opinions if one[0] not in own}


def _restore_marks(db: Connection, taken: _Unmerge) -> None:
    """Restore rating, read flag and date of the kept paper where they came from the other."""
    id, own, other = taken.merge.paper, taken.merge.own, taken.merge.other
    papers = schema.papers.c
    row = db.execute(select(schema.papers).where(papers.id == id)).one()
    by_hand = [
        name
        for name in json.loads(row.edited)
        if name in own.edited or getattr(taken.before, name) == getattr(taken.left, name)
    ]
    values = {
        "rating": own.rating if row.rating == (own.rating or other.rating) else row.rating,
        "read": own.read if row.read == (own.read or other.read) else row.read,
        "added": own.added,
        "edited": json.dumps(by_hand),
    }
    db.execute(update(schema.papers).where(papers.id == id).values(values))


def _restore_relations(db: Connection, taken: Sequence[_Unmerge], now: float) -> None:
    relations = schema.relations
    pairs = [(one.merge.paper, one.made) for one in taken]
    known = [relation for one in taken for relation in one.merge.other.relations]
    thirds = paper_rows.read(db, [third for third, _, _ in known]) if known else {}
    touched = versions.members(db, [*chain.from_iterable(pairs), *thirds])
    for merge, made, _, _ in taken:
        own = {third for third, _, _ in merge.own.relations}
        for third, verdict, reason in merge.other.relations:
            if third not in thirds or third == merge.paper:
                continue
            versions.relate(db, made, third, MatchVerdict(verdict), reason, now)
            if third not in own:
                both = (merge.paper, third)
                pair = relations.c.a.in_(both) & relations.c.b.in_(both)
                db.execute(delete(relations).where(pair, relations.c.verdict == verdict))
    versions.mark_different_pairs(db, pairs, now)
    versions.regroup(db, touched)


def _restore_citekey(db: Connection, taken: _Unmerge) -> None:
    own, other = taken.merge.own, taken.merge.other
    if not other.citekey:
        return
    table = schema.citekeys
    if own.citekey != other.citekey:
        given = (table.c.paper == taken.merge.paper) & (table.c.citekey == other.citekey)
        db.execute(delete(table).where(given))
    paper_rows.insert(db, "citekeys", ("paper", "citekey"), [(taken.made, other.citekey)])


def _run(db: Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        db.exec_driver_sql(statement, list(rows))
