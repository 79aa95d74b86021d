"""How papers belong together: versions of one work, perhaps one paper, or certainly not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.identity import Verdict
from sciread_app.domain.paper import PaperId
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import schema
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.records import among

SAID = "said by you"  # kept as it is: identity.said says it
_WEIGHT = {Verdict.maybe: 1, Verdict.versions: 2, Verdict.different: 3}


@dataclass(frozen=True, slots=True)
class Relation:
    """What is known of two papers."""

    a: PaperId
    b: PaperId
    verdict: Verdict
    reason: str


def works(db: Connection, ids: Iterable[int]) -> dict[PaperId, int]:
    """The work of each paper that is not in the trash: a number that its versions share."""
    papers = schema.papers.c
    own = func.coalesce(papers.work, papers.id)
    live = papers.id.in_(among(ids)) & papers.trashed.is_(None)
    return {PaperId(id): work for id, work in db.execute(select(papers.id, own).where(live))}


def first_of_works(db: Connection, ids: Ids) -> Ids:
    """These papers in their order, but for those of which another version stands before them.

    Few of many papers have versions, so this asks for those alone.
    """
    papers = schema.papers.c
    rows = db.execute(select(papers.id, papers.work).where(papers.work.is_not(None))).all()
    found = dict(map(tuple, rows))
    places = np.flatnonzero(np.isin(ids, list(found)))
    _, first = np.unique([found[id] for id in ids[places].tolist()], return_index=True)
    kept = np.ones(len(ids), bool)
    kept[places] = False
    kept[places[first]] = True
    return ids[kept]


def versions(db: Connection, id: int) -> list[PaperId]:
    """The other versions of this paper's work, but for those in the trash."""
    papers = schema.papers.c
    work = select(papers.work).where(papers.id == id).scalar_subquery()
    others = (papers.work == work) & (papers.id != id) & papers.trashed.is_(None)
    return [PaperId(other) for other in db.scalars(select(papers.id).where(others))]


def version_counts(db: Connection, ids: Iterable[int]) -> dict[PaperId, int]:
    """How many versions there are of each paper that has several, itself among them."""
    papers, others = schema.papers.c, schema.papers.alias()
    counted = (
        select(papers.id, func.count())
        .join(others, (others.c.work == papers.work) & others.c.trashed.is_(None))
        .where(papers.id.in_(among(ids)), papers.work.isnot(None))
        .group_by(papers.id)
    )
    return {PaperId(id): count for id, count in db.execute(counted) if count > 1}


def relations(db: Connection, verdict: Verdict) -> list[Relation]:
    """All pairs of papers about which this is known."""
    table = schema.relations
    rows = db.execute(select(table).where(table.c.verdict == verdict))
    return [Relation(row.a, row.b, Verdict(row.verdict), row.reason) for row in rows]


def relate(db: Connection, a: int, b: int, verdict: Verdict, reason: str, now: float) -> None:
    """Remember what is known of two papers. What a person decided is not overruled by a rule."""
    _put(db, a, b, verdict, reason, now, over=schema.relations.c.verdict == Verdict.maybe)
    if verdict == Verdict.versions:
        _join(db, a, b)


def part(db: Connection, a: int, b: int, now: float) -> None:
    """A person says: these two are not one paper, nor versions of one work. This stays so."""
    _decide(db, a, b, Verdict.different, SAID, now)
    regroup(db, members(db, (a, b)))


def unite(db: Connection, a: int, b: int, now: float) -> None:
    """A person says: these two are versions of one work."""
    _decide(db, a, b, Verdict.versions, SAID, now)
    _join(db, a, b)


def hand_over(db: Connection, kept: int, other: int, now: float) -> None:
    """What is known of `other` holds of `kept` from now on, but where more is known of it."""
    table = schema.relations.c
    rows = db.execute(select(schema.relations).where((table.a == other) | (table.b == other))).all()
    own = select(schema.relations).where((table.a == kept) | (table.b == kept))
    known = {row.a if row.b == kept else row.b: row.verdict for row in db.execute(own)}
    for row in rows:
        third = row.a if row.b == other else row.b
        if third != kept and _WEIGHT[row.verdict] > _WEIGHT.get(known.get(third, ""), 0):
            _decide(db, kept, third, Verdict(row.verdict), row.reason, now)


def members(db: Connection, ids: Iterable[int]) -> set[int]:
    """These papers, and all versions of their works."""
    papers = schema.papers.c
    own = select(papers.work).where(papers.id.in_(among(ids)), papers.work.isnot(None))
    return {*ids, *db.scalars(select(papers.id).where(papers.work.in_(own)))}


def regroup(db: Connection, papers: Iterable[int]) -> None:
    """Take works apart, whose versions these are, and join again what still belongs together."""
    table, relations = schema.papers.c, schema.relations.c
    taken = among(papers)
    db.execute(update(schema.papers).where(table.id.in_(taken)).values(work=None))
    pairs = db.execute(
        select(relations.a, relations.b).where(
            relations.verdict == Verdict.versions, relations.a.in_(taken), relations.b.in_(taken)
        )
    ).all()
    for first, second in pairs:
        _join(db, first, second)


def _decide(db: Connection, a: int, b: int, verdict: Verdict, reason: str, now: float) -> None:
    found = select(schema.papers.c.id).where(schema.papers.c.id.in_((a, b)))
    if len(db.scalars(found).all()) < 2:
        said = tr("One of these papers is no longer there.")
        raise LibraryError(said, tr("Look again, and try again."))
    _put(db, a, b, verdict, reason, now)


def _put(
    db: Connection,
    a: int,
    b: int,
    verdict: Verdict,
    reason: str,
    now: float,
    *,
    over: ColumnElement[bool] | None = None,
) -> None:
    """`over`: what is known already and may be replaced; None: all."""
    first, second = sorted((a, b))
    row = {"a": first, "b": second, "verdict": verdict, "reason": reason, "decided": now}
    put = insert(schema.relations).values(row)
    db.execute(
        put.on_conflict_do_update(
            index_elements=["a", "b"],
            set_={name: put.excluded[name] for name in ("verdict", "reason", "decided")},
            where=over,
        )
    )


def _join(db: Connection, a: int, b: int) -> None:
    papers = schema.papers.c
    own = func.coalesce(papers.work, papers.id)
    groups = list(db.scalars(select(own).where(papers.id.in_((a, b)))))
    db.execute(
        update(schema.papers)
        .where(papers.id.in_((a, b)) | papers.work.in_(groups))
        .values(work=min(groups))
    )
