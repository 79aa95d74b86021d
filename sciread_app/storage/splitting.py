"""Papers taken apart again into the records that were merged into them."""

from __future__ import annotations

import json
from dataclasses import replace

from sqlalchemy import Connection, delete, select, update

from sciread_app.domain import apart, identity
from sciread_app.domain.identity import Verdict
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import fulltext, journal, merges, records, schema, works
from sciread_app.storage.merges import Remembered, State

# What was changed to and fro within an edit, and is as it was before.
AS_BEFORE = """
WITH often (first, last) AS (
    SELECT min(id), max(id) FROM edited_rows WHERE edit = ?
    GROUP BY "table", "key", "column" HAVING count(*) > 1)
DELETE FROM edited_rows WHERE (edit, "table", "key", coalesce("column", '')) IN (
    SELECT f.edit, f."table", f."key", coalesce(f."column", '')
    FROM often JOIN edited_rows AS f ON f.id = first JOIN edited_rows AS l ON l.id = last
    WHERE f.before IS l.after)
"""


def split(db: Connection, id: int, now: float, merge: int | None = None) -> list[int]:
    """Make each record that was merged into a paper a paper of its own, or only that of one merge;
    returns the new papers. Each is as it was; what has been put on the paper since holds of all."""
    found = merges.of_paper(db, id)
    wanted = [one for one in found if merge in (None, one.id)]
    if not records.read(db, [id]):
        raise LibraryError(tr("This paper is no longer there."), tr("Look again, and try again."))
    if not wanted:
        raise LibraryError(
            tr("This paper was not merged from others: there is nothing to take apart."),
            tr("`sciread duplicates --merged` lists the papers that were."),
        )
    return [_take_out(db, one, now) for one in wanted]


def take_back_import(db: Connection, edit: int, number: int, now: float) -> None:
    """Take back all merges of an import, and write down how to make them again.

    The changes are recorded as those of `edit`, and then turned round: the edit that merges them
    is the one that leads from what is now to what was before.
    """
    sqlite = db.connection.dbapi_connection
    assert sqlite
    for statement in journal.begin(edit):
        sqlite.execute(statement)
    for merge in merges.of_import(db, number):
        _take_out(db, merge, now)
    for statement in journal.end():
        sqlite.execute(statement)
    db.exec_driver_sql(AS_BEFORE, (edit,))
    ends = db.exec_driver_sql("SELECT min(id) + max(id) FROM edited_rows WHERE edit = ?", (edit,))
    turned = "UPDATE edited_rows SET id = -id, before = after, after = before WHERE edit = ?"
    total = ends.scalar_one()
    db.exec_driver_sql(turned, (edit,))
    db.exec_driver_sql("UPDATE edited_rows SET id = ? + id WHERE edit = ?", (total, edit))


def _take_out(db: Connection, merge: Remembered, now: float) -> int:
    id, own, other = merge.kept, merge.own, merge.other
    paper = records.read(db, [id])[id]
    theirs = other.paper
    if other.citekey:
        key = Identifier("citekey", other.citekey)
        theirs = replace(theirs, identifiers=(*theirs.identifiers, key))
    left = apart.rest(paper, _without(db, merge, theirs), theirs)
    fulltext.forget(db, [id])
    records.change(db, {id: left}, now)
    [made] = records.add(db, [other.paper], now)
    _part_files(db, id, made, left)
    _part_rows(db, made, other)
    _part_filed(db, id, made, own, other)
    if own.added is not None:  # merged by hand: an import sets no marks
        _restore_marks(db, id, merge, paper, left)
    _restore_relations(db, id, made, merge, now)
    _set(db, made, read=other.read, rating=other.rating, added=other.added or merge.at)
    _set(db, made, edited=json.dumps(list(other.edited)))
    _restore_citekey(db, id, made, own, other)
    merges.forget(db, merge, made)
    fulltext.index(db, [id, made])
    return made


def _without(db: Connection, merge: Remembered, theirs: Paper) -> Paper:
    """What the paper would say if this merge had not been made, but those after it. These are
    changed to lead from there."""
    alone, foreign = merge.own.paper, set(merge.other.tags) - set(merge.own.tags)
    elsewhere = set(merge.other.collections) - set(merge.own.collections)
    for later in reversed(merges.of_paper(db, merge.kept)):
        if later.id > merge.id:
            own = replace(
                later.own,
                paper=apart.rest(later.own.paper, alone, theirs),
                tags=sorted(set(later.own.tags) - foreign),
                collections=sorted(set(later.own.collections) - elsewhere),
            )
            merges.restate(db, later.id, own)
            alone = identity.merge(alone, later.other.paper)
    return alone


def _part_files(db: Connection, id: int, made: int, left: Paper) -> None:
    """What is known of the files of the new paper is known of them already."""
    known = "sha256, size, pages, modified, problem, added"
    db.exec_driver_sql(
        f"UPDATE attachments SET ({known}) = (SELECT {known} FROM attachments AS kept"
        " WHERE kept.paper = ? AND kept.path = attachments.path)"
        " WHERE paper = ? AND path IN (SELECT path FROM attachments WHERE paper = ?)",
        (id, made, id),
    )
    table = schema.attachments
    gone = table.c.path.not_in(records.among_texts(left.files))
    db.execute(delete(table).where(table.c.paper == id, gone))


def _part_rows(db: Connection, made: int, other: State) -> None:
    """Give the new paper back what hung on it, as far as that is still there."""
    for table, column, numbers in (
        (schema.origins, schema.origins.c.fingerprint, other.origins),
        (schema.notes, schema.notes.c.id, other.notes),
        (schema.highlights, schema.highlights.c.id, other.highlights),
        (schema.news, schema.news.c.id, other.news),
    ):
        if numbers:
            its = column.in_(records.among(numbers))
            db.execute(update(table).where(its).values(paper=made))


def _part_filed(db: Connection, id: int, made: int, own: State, other: State) -> None:
    """What each was filed under stays its own; what was added since the merge holds of both."""
    for table, column, ours, theirs in (
        ("tagged", "tag", own.tags, other.tags),
        ("collected", "collection", own.collections, other.collections),
    ):
        more = ", added" if table == "collected" else ""
        db.exec_driver_sql(
            f"INSERT INTO {table} (paper, {column}{more}) SELECT ?, {column}{more} FROM {table}"
            f" WHERE paper = ? AND {column} NOT IN (SELECT value FROM json_each(?))",
            (made, id, json.dumps(sorted(set(ours) - set(theirs)))),
        )
        db.exec_driver_sql(
            f"DELETE FROM {table} WHERE paper = ? AND {column} IN (SELECT value FROM json_each(?))",
            (id, json.dumps(sorted(set(theirs) - set(ours)))),
        )
    db.exec_driver_sql(
        "INSERT INTO brought (paper, kind, name) SELECT ?, kind, name FROM brought WHERE paper = ?",
        (made, id),
    )


def _restore_marks(db: Connection, id: int, merge: Remembered, before: Paper, left: Paper) -> None:
    """Stars, the read mark and the date of the kept paper, where the other had set them."""
    own, other = merge.own, merge.other
    papers = schema.papers.c
    row = db.execute(select(schema.papers).where(papers.id == id)).one()
    by_hand = [
        name
        for name in json.loads(row.edited)
        if name in own.edited or getattr(before, name) == getattr(left, name)
    ]
    _set(
        db,
        id,
        rating=own.rating if row.rating == (own.rating or other.rating) else row.rating,
        read=own.read if row.read == (own.read or other.read) else row.read,
        added=own.added,
        edited=json.dumps(by_hand),
    )


def _restore_relations(db: Connection, id: int, made: int, merge: Remembered, now: float) -> None:
    relations = schema.relations
    known = {third for third, _, _ in merge.own.relations}
    thirds = records.read(db, [third for third, _, _ in merge.other.relations])
    touched = works.members(db, [id, made, *thirds])
    for third, verdict, reason in merge.other.relations:
        if third not in thirds or third == id:
            continue
        works.relate(db, made, third, Verdict(verdict), reason, now)
        if third not in known:
            pair = relations.c.a.in_((id, third)) & relations.c.b.in_((id, third))
            db.execute(delete(relations).where(pair, relations.c.verdict == verdict))
    works.part(db, id, made, now)
    works.regroup(db, touched)


def _restore_citekey(db: Connection, id: int, made: int, own: State, other: State) -> None:
    if not other.citekey:
        return
    table = schema.citekeys
    if own.citekey != other.citekey:
        given = (table.c.paper == id) & (table.c.citekey == other.citekey)
        db.execute(delete(table).where(given))
    records.insert(db, "citekeys", ("paper", "citekey"), [(made, other.citekey)])


def _set(db: Connection, id: int, **values: object) -> None:
    db.execute(update(schema.papers).where(schema.papers.c.id == id).values(values))
