"""Papers that may be one, or are versions of one work, and where each came from."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sciread_app.domain.duplicates import Merge
from sciread_app.domain.identity import Verdict
from sciread_app.domain.paper import PaperId
from sciread_app.storage import merges, merging, splitting, works
from sciread_app.storage.database import Database

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


class Known(NamedTuple):
    """What is known of two papers. `state` is another one when either has changed."""

    a: PaperId
    b: PaperId
    reason: str
    title: str
    state: tuple[float, float]


class Pairs:
    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, verdict: Verdict) -> list[Known]:
        """The pairs of which this is known; none with a paper in the trash."""
        with self._db.reading() as db:
            rows = db.exec_driver_sql(_PAIRS, (verdict.value,))
            return [
                Known(PaperId(a), PaperId(b), reason, title, (changed_a, changed_b))
                for a, b, reason, title, changed_a, changed_b in rows
            ]

    def came(self, ids: Iterable[int]) -> dict[PaperId, tuple[str, ...]]:
        """The names of the imports that have brought these papers."""
        found: dict[PaperId, list[str]] = defaultdict(list)
        with self._db.reading() as db:
            for paper, what in db.exec_driver_sql(_CAME, (json.dumps([int(i) for i in ids]),)):
                found[PaperId(paper)].append(what)
        return {id: tuple(dict.fromkeys(names)) for id, names in found.items()}

    def versions_of_one_work(self, a: PaperId, b: PaperId) -> None:
        """A person says that two papers are versions of one work."""
        with self._db.writing() as db:
            works.unite(db, a, b, time.time())

    def merge(self, kept: PaperId, others: Sequence[PaperId], **chosen: Any) -> None:
        """Make papers part of another; see merging.merge."""
        with self._db.writing() as db:
            merging.merge(db, kept, others, chosen, time.time())

    def split(self, id: PaperId, merge: int | None = None) -> list[PaperId]:
        """Take a paper apart into what was merged into it; see splitting.split."""
        with self._db.writing() as db:
            return [PaperId(made) for made in splitting.split(db, int(id), time.time(), merge)]

    def merges(self) -> list[Merge]:
        """All merges that can be taken back, the last first."""
        with self._db.reading() as db:
            return merges.listed(db)
