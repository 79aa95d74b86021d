"""How papers belong together: versions of one work, perhaps one paper, or certainly not."""

from __future__ import annotations

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.identity import Verdict
from sciread_app.storage import schema


def relate(db: Connection, a: int, b: int, verdict: Verdict, reason: str, now: float) -> None:
    """Remember what is known of two papers. What a person decided is not overruled by a rule."""
    first, second = sorted((a, b))
    row = {"a": first, "b": second, "verdict": verdict, "reason": reason, "decided": now}
    put = insert(schema.relations).values(row)
    db.execute(
        put.on_conflict_do_update(
            index_elements=["a", "b"],
            set_={name: put.excluded[name] for name in ("verdict", "reason", "decided")},
            where=schema.relations.c.verdict == Verdict.maybe,
        )
    )
    if verdict == Verdict.versions:
        _join(db, first, second)


def part(db: Connection, a: int, b: int, now: float) -> None:
    """A person says: these two are not one paper, nor versions of one work. This stays so."""
    first, second = sorted((a, b))
    row = {"a": first, "b": second, "verdict": Verdict.different, "decided": now}
    put = insert(schema.relations).values(row | {"reason": "said by you"})
    db.execute(
        put.on_conflict_do_update(
            index_elements=["a", "b"],
            set_={name: put.excluded[name] for name in ("verdict", "reason", "decided")},
        )
    )
    _regroup(db, first, second)


def _join(db: Connection, a: int, b: int) -> None:
    papers = schema.papers.c
    own = func.coalesce(papers.work, papers.id)
    groups = list(db.scalars(select(own).where(papers.id.in_((a, b)))))
    db.execute(
        update(schema.papers)
        .where(papers.id.in_((a, b)) | papers.work.in_(groups))
        .values(work=min(groups))
    )


def _regroup(db: Connection, a: int, b: int) -> None:
    """Take the group of `a` and `b` apart and join again what still belongs together."""
    papers, relations = schema.papers.c, schema.relations.c
    groups = [w for w in db.scalars(select(papers.work).where(papers.id.in_((a, b)))) if w]
    members = list(db.scalars(select(papers.id).where(papers.work.in_(groups))))
    db.execute(update(schema.papers).where(papers.id.in_(members)).values(work=None))
    pairs = db.execute(
        select(relations.a, relations.b).where(
            relations.verdict == Verdict.versions,
            relations.a.in_(members),
            relations.b.in_(members),
        )
    ).all()
    for first, second in pairs:
        _join(db, first, second)
