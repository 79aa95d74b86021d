"""Possible duplicates and versions: review, search, merges."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from sciread_app.domain.matching.field_comparison import Merge
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.paper import PaperId
from sciread_app.storage import schema
from sciread_app.storage.database import Database
from sciread_app.storage.papers import merge as merging
from sciread_app.storage.papers import merge_history, unmerge, upsert, versions

_PAIRS = """
SELECT r.a, r.b, r.reason, a.title, a.changed, b.changed
FROM relations AS r JOIN papers AS a ON a.id = r.a JOIN papers AS b ON b.id = r.b
WHERE r.verdict = ? AND a.trashed IS NULL AND b.trashed IS NULL
ORDER BY r.a, r.b
"""
_CAME = """
SELECT paper, imports.what FROM news JOIN imports ON imports.id = news."import"
WHERE news.what = 'added' AND paper IN (SELECT value FROM json_each(?)) ORDER BY news.id
"""
_NEXT = "SELECT id FROM papers WHERE id > ? AND trashed IS NULL ORDER BY id LIMIT ?"
_HOW_FAR = "SELECT coalesce(sum(id <= ?), 0), count(*) FROM papers WHERE trashed IS NULL"


class PairState(NamedTuple):
    """A pair of papers. `state` differs when either has changed."""

    a: PaperId
    b: PaperId
    reason: str
    title: str
    state: tuple[float, float]


class SearchProgress(NamedTuple):
    """Progress of the search: papers compared, all papers, and new pairs of the last batch."""

    done: int
    total: int
    pairs: int


class DuplicatePairStore:
    """The pairs of papers that may be duplicates or versions, the decisions on them, and merges.
    The search of the whole library stores its position, so that it can be interrupted."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, verdict: MatchVerdict) -> list[PairState]:
        """The pairs with this verdict, without papers in the trash."""
        with self._db.reading() as db:
            rows = db.exec_driver_sql(_PAIRS, (verdict.value,))
            return [
                PairState(PaperId(a), PaperId(b), reason, title, (changed_a, changed_b))
                for a, b, reason, title, changed_a, changed_b in rows
            ]

    def import_names(self, ids: Iterable[int]) -> dict[PaperId, tuple[str, ...]]:
        """The names of the imports that added these papers."""
        found: dict[PaperId, list[str]] = defaultdict(list)
        with self._db.reading() as db:
            for paper, what in db.exec_driver_sql(_CAME, (json.dumps([int(i) for i in ids]),)):
                found[PaperId(paper)].append(what)
        return {id: tuple(dict.fromkeys(names)) for id, names in found.items()}

    def is_search_due(self) -> bool:
        """Return whether the search is due: after an upgrade, or because it was interrupted."""
        with self._db.reading() as db:
            return _compared(db) is not None

    def begin_search(self) -> None:
        """Start a search of the whole library for pairs, or resume an interrupted one."""
        with self._db.writing() as db:
            db.exec_driver_sql("INSERT OR IGNORE INTO duplicate_search VALUES (1, 0)")

    def search_batch(self, count: int) -> SearchProgress | None:
        """Compare the next `count` papers with those before them and store the new pairs.

        Returns None at the end of the search.
        """
        with self._db.reading() as db:
            compared = _compared(db)
            ids = db.exec_driver_sql(_NEXT, (compared, count)).scalars().all()
            found = upsert.find_matches(db, ids)
        with self._db.writing() as db:
            if not ids:
                db.exec_driver_sql("DELETE FROM duplicate_search")
                return None
            new = versions.relate_new(db, found, time.time())
            db.exec_driver_sql("UPDATE duplicate_search SET compared = ?", (ids[-1],))
            done, total = db.exec_driver_sql(_HOW_FAR, (ids[-1],)).one()
        return SearchProgress(done, total, new)

    def mark_as_different(self, a: PaperId, b: PaperId) -> None:
        """Record the user's decision that two papers are neither duplicates nor versions."""
        with self._db.writing() as db:
            versions.mark_different(db, a, b, time.time())

    def mark_as_versions(self, a: PaperId, b: PaperId) -> None:
        """Record the user's decision that two papers are versions of one work."""
        with self._db.writing() as db:
            versions.link_versions(db, a, b, time.time())

    def merge(self, kept: PaperId, others: Sequence[PaperId], **chosen: Any) -> None:
        """See merge.merge."""
        with self._db.writing() as db:
            merging.merge(db, kept, others, chosen, time.time())

    def split(self, id: PaperId, merge: int | None = None) -> list[PaperId]:
        """See unmerge.split. Returns the new papers."""
        with self._db.writing() as db:
            return [PaperId(made) for made in unmerge.split(db, int(id), time.time(), merge)]

    def merges(self) -> list[Merge]:
        """All merges that can be undone, latest first."""
        with self._db.reading() as db:
            return merge_history.listed(db)


def _compared(db: Connection) -> int | None:
    """The last paper that the search has compared; None if no search is due."""
    return db.scalars(select(schema.duplicate_search.c.compared)).one_or_none()
