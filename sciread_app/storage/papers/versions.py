"""Relations of papers: versions of one work, possible duplicates, different papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, func, select, update

from sciread_app.domain.matching.duplicate_reasons import Judgement
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import schema
from sciread_app.storage.paper_rows import among, upsert

USER_DECISION = "your decision"  # stored in English; translated by duplicate_reasons.translated
_WEIGHT = {MatchVerdict.maybe: 1, MatchVerdict.versions: 2, MatchVerdict.different: 3}


def relate(db: Connection, a: int, b: int, verdict: MatchVerdict, reason: str, now: float) -> None:
    """Store a verdict on two papers. Decisions of the user are not overwritten."""
    _put(db, [(a, b)], verdict, reason, now, over=schema.relations.c.verdict == MatchVerdict.maybe)
    if verdict == MatchVerdict.versions:
        _join(db, a, b)


def relate_new(db: Connection, pairs: Sequence[tuple[int, int, Judgement]], now: float) -> int:
    """Store the verdicts on new pairs, a < b, of papers that still exist. Returns their number."""
    ids = {id for a, b, _ in pairs for id in (a, b)}
    there = set(db.scalars(select(schema.papers.c.id).where(schema.papers.c.id.in_(among(ids)))))
    table = schema.relations.c
    known = set(map(tuple, db.execute(select(table.a, table.b).where(table.b.in_(among(ids))))))
    new = [one for one in pairs if one[:2] not in known and {one[0], one[1]} <= there]
    for a, b, why in new:
        relate(db, a, b, why.verdict, why.reason, now)
    return len(new)


def mark_different(db: Connection, a: int, b: int, now: float) -> None:
    """Record the user's decision that two papers are neither duplicates nor versions."""
    _decide(db, a, b, MatchVerdict.different, USER_DECISION, now)
    regroup(db, members(db, (a, b)))


def mark_different_pairs(db: Connection, pairs: Iterable[tuple[int, int]], now: float) -> None:
    """Store that decision for several pairs, after their works were regrouped."""
    _put(db, pairs, MatchVerdict.different, USER_DECISION, now)


def link_versions(db: Connection, a: int, b: int, now: float) -> None:
    """Record the user's decision that two papers are versions of one work."""
    _decide(db, a, b, MatchVerdict.versions, USER_DECISION, now)
    _join(db, a, b)


def reassign(db: Connection, kept: int, other: int, now: float) -> None:
    """Move the relations of `other` to `kept`, unless `kept` has a stronger verdict."""
    table = schema.relations.c
    rows = db.execute(select(schema.relations).where((table.a == other) | (table.b == other))).all()
    own = select(schema.relations).where((table.a == kept) | (table.b == kept))
    known = {row.a if row.b == kept else row.b: row.verdict for row in db.execute(own)}
    for row in rows:
        third = row.a if row.b == other else row.b
        if third != kept and _WEIGHT[row.verdict] > _WEIGHT.get(known.get(third, ""), 0):
            _decide(db, kept, third, MatchVerdict(row.verdict), row.reason, now)


def members(db: Connection, ids: Iterable[int]) -> set[int]:
    """These papers and all versions of their works."""
    papers = schema.papers.c
    own = select(papers.work).where(papers.id.in_(among(ids)), papers.work.isnot(None))
    return {*ids, *db.scalars(select(papers.id).where(papers.work.in_(own)))}


def regroup(db: Connection, papers: Iterable[int]) -> None:
    """Recompute the works of these papers from the relations between them."""
    table, relations = schema.papers.c, schema.relations.c
    taken = among(papers)
    db.execute(update(schema.papers).where(table.id.in_(taken)).values(work=None))
    pairs = db.execute(
        select(relations.a, relations.b).where(
            relations.verdict == MatchVerdict.versions,
            relations.a.in_(taken),
            relations.b.in_(taken),
        )
    ).all()
    for first, second in pairs:
        _join(db, first, second)


def _decide(db: Connection, a: int, b: int, verdict: MatchVerdict, reason: str, now: float) -> None:
    found = select(schema.papers.c.id).where(schema.papers.c.id.in_((a, b)))
    if len(db.scalars(found).all()) < 2:
        message = tr("One of these papers is no longer in the library.")
        raise LibraryError(message, tr("Refresh the list, then try again."))
    _put(db, [(a, b)], verdict, reason, now)


def _put(
    db: Connection,
    pairs: Iterable[tuple[int, int]],
    verdict: MatchVerdict,
    reason: str,
    now: float,
    *,
    over: ColumnElement[bool] | None = None,
) -> None:
    """`over`: condition under which an existing verdict is replaced; None: always."""
    rows = [
        {"a": min(pair), "b": max(pair), "verdict": verdict, "reason": reason, "decided": now}
        for pair in pairs
    ]
    upsert(db, schema.relations, ["a", "b"], rows, over=over)


def _join(db: Connection, a: int, b: int) -> None:
    papers = schema.papers.c
    own = func.coalesce(papers.work, papers.id)
    groups = list(db.scalars(select(own).where(papers.id.in_((a, b)))))
    db.execute(
        update(schema.papers)
        .where(papers.id.in_((a, b)) | papers.work.in_(groups))
        .values(work=min(groups))
    )
