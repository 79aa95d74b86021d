"""Papers by year, field and collection, for the colours of the map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sqlalchemy import Connection, select

from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.organisation.collections import PATHS

_YEARS = """
    SELECT year, group_concat(id) FROM papers
    WHERE trashed IS NULL AND year IS NOT NULL GROUP BY year
"""
_FIELDS = """
    SELECT field, group_concat(paper) FROM fields
    WHERE position = 0 GROUP BY field
"""
_READ = "SELECT 1, group_concat(id) FROM papers WHERE read AND trashed IS NULL"
_COLLECTIONS = f"""
    WITH RECURSIVE {PATHS}
    SELECT path, group_concat(paper) FROM paths JOIN collected ON collection = paths.id
    GROUP BY path ORDER BY path
"""


class PaperAttributes:
    """Returns sets of ids, which may include papers in the trash."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def years(self) -> dict[int, Ids]:
        with self._db.reading() as db:
            return {int(year): ids for year, ids in _sets(db, _YEARS)}

    def fields(self) -> dict[str, Ids]:
        """By the first field of each paper."""
        with self._db.reading() as db:
            return {str(field): ids for field, ids in _sets(db, _FIELDS)}

    def collections(self) -> dict[str, Ids]:
        """By full path; a paper may be in several."""
        with self._db.reading() as db:
            return {str(path): ids for path, ids in _sets(db, _COLLECTIONS)}

    def read(self) -> Ids:
        with self._db.reading() as db:
            return next(iter(_sets(db, _READ)))[1]

    def titles(self, ids: Iterable[int]) -> list[str]:
        """Titles in this order; empty for an unknown id."""
        ids, papers = list(ids), schema.papers.c
        with self._db.reading() as db:
            rows = db.execute(
                select(papers.id, papers.title).where(papers.id.in_(paper_rows.among(ids)))
            )
            found = {id: title for id, title in rows}
        return [found.get(id, "") for id in ids]


def _sets(db: Connection, sql: str) -> list[tuple[Any, Ids]]:
    # Each set as one text: a hundred thousand separate rows would take five times as long.
    rows = db.exec_driver_sql(sql)
    return [(value, np.fromstring(ids or "", np.int64, sep=",")) for value, ids in rows]
