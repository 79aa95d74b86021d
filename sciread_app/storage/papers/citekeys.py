"""Citation keys, fixed once assigned: documents that cite a key must not break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, select

from sciread_app.domain import citekeys
from sciread_app.domain.paper import Paper, PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


class Citekeys:
    """`pattern` is that of new keys."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self.pattern = citekeys.PATTERN

    def pin(self, ids: Iterable[int]) -> Mapping[PaperId, str]:
        """The key of each of these papers, assigned now if it has none.

        A new key is the one in its record if that is free, or else a generated one; it stays when
        the title changes. No two keys of a library are equal in lower case, and no generated key
        equals one from another record. In a read-only library the same keys are returned but not
        stored.
        """
        ids = list(ids)
        with self._db.reading() as db:
            pinned = _pinned(db, ids)
        missing = [id for id in ids if id not in pinned]
        if not missing:
            return pinned
        if self._db.read_only:
            with self._db.reading() as db:
                return {**pinned, **_new(db, missing, self.pattern)}
        with self._db.writing() as db:
            _pin(db, missing, self.pattern)
            return _pinned(db, ids)


def _pinned(db: Connection, ids: Sequence[int]) -> dict[PaperId, str]:
    table = schema.citekeys.c
    rows = db.execute(
        select(table.paper, table.citekey).where(table.paper.in_(paper_rows.among(ids)))
    )
    return {PaperId(paper): key for paper, key in rows}


def _pin(db: Connection, ids: Sequence[int], pattern: str) -> None:
    keys = _new(db, ids, pattern)
    paper_rows.insert(db, "citekeys", ("paper", "citekey"), list(keys.items()))


def _new(db: Connection, ids: Sequence[int], pattern: str) -> dict[PaperId, str]:
    """New keys for those of these papers that have none."""
    pinned = _pinned(db, ids)  # another process may have been quicker
    papers = paper_rows.read(db, [id for id in ids if id not in pinned])
    taken = {key.lower() for key in db.scalars(select(schema.citekeys.c.citekey))}
    names = schema.identifiers.c
    brought = select(names.value).where(names.kind == "citekey")
    theirs = {citekeys.cleaned(key).lower() for key in db.scalars(brought)}
    keys = {}
    for id in sorted(papers):
        keys[PaperId(id)] = key = _free(papers[id], pattern, taken, theirs)
        taken.add(key.lower())
    return keys


def _free(paper: Paper, pattern: str, taken: set[str], theirs: set[str]) -> str:
    own = citekeys.own(paper)
    if own and own.lower() not in taken:
        return own
    keys = citekeys.variants(own or citekeys.generated(paper, pattern))
    return next(key for key in keys if key.lower() not in taken and key.lower() not in theirs)
