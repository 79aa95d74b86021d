"""Facet groups: the papers of each year, field, venue, author and collection.

They are arrays, so that the groups of any list are counted in milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from sciread_app.domain.query.ast import Condition
from sciread_app.domain.query.parser import words_in
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.filter_sql import LIKE_SIGNS
from sciread_app.storage.id_sets import Ids, parsed
from sciread_app.storage.organisation.collections import BELOW, PATHS

# Papers whose authors are read at a time, so that no step holds the interpreter lock for long.
_AUTHORS_OF = 10_000
_SEPARATOR = "\x1e"

_YEARS = """
SELECT year, group_concat(id) FROM papers
WHERE trashed IS NULL AND year IS NOT NULL GROUP BY year
"""
_FIELDS = "SELECT min(field), group_concat(paper) FROM fields GROUP BY field COLLATE NOCASE"
_VENUES = """
SELECT min(venue), group_concat(id) FROM papers WHERE venue != '' GROUP BY venue COLLATE NOCASE
"""
_TAGS = "SELECT name, group_concat(paper) FROM tagged JOIN tags ON tags.id = tag GROUP BY tag"
# Each collection with all papers in it and its descendants.
_COLLECTIONS = f"""
WITH RECURSIVE {PATHS}, {BELOW},
    held (top, paper) AS (
        SELECT DISTINCT top, paper FROM below JOIN collected ON collection = below.id)
SELECT path, group_concat(paper) FROM held JOIN paths ON paths.id = top GROUP BY top
"""
_NAMED = {"cat": _FIELDS, "venue": _VENUES, "tag": _TAGS, "in": _COLLECTIONS}
# The query expression that finds exactly this author; see filter_sql.py.
_NAME = "trim(replace(given || ' ' || particle || ' ' || family || ' ' || suffix, '  ', ' '))"
_AUTHORS = f"""
SELECT group_concat(paper), group_concat(replace({_NAME}, char(30), ' '), char(30))
FROM authors WHERE paper BETWEEN ? AND ?
"""
_AUTHORS_AMONG = f"""
SELECT replace({_NAME}, char(30), ' ') FROM authors
WHERE paper IN (SELECT value FROM json_each(?))
"""


# Maximum number of papers searched for names that begin with the typed text.
_LOOKED_THROUGH = 5_000
_AUTHOR_NAMES = f"""
SELECT {_NAME} AS name, count(*) AS papers FROM authors
WHERE paper IN (SELECT rowid FROM fulltext WHERE fulltext MATCH ? LIMIT ?)
AND name LIKE ? ESCAPE '\\' GROUP BY name COLLATE NOCASE ORDER BY papers DESC, name LIMIT ?
"""
_MOST_FIRST = "LIKE ? ESCAPE '\\' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?"
_NAMES = {
    "cat": f"SELECT field COLLATE NOCASE, count(*) FROM fields WHERE field {_MOST_FIRST}",
    "venue": "SELECT venue COLLATE NOCASE, count(*) FROM papers "
    f"WHERE venue != '' AND trashed IS NULL AND venue {_MOST_FIRST}",
    "year": "SELECT year, count(*) FROM papers WHERE trashed IS NULL AND year LIKE ? "
    "GROUP BY year ORDER BY year DESC LIMIT ?",
    "tag": "SELECT name, count(paper) FROM tags LEFT JOIN tagged ON tag = tags.id "
    f"WHERE name {_MOST_FIRST}",
    "in": f"""
        WITH RECURSIVE {PATHS}
        SELECT path, count(paper) FROM paths LEFT JOIN collected ON collection = paths.id
        WHERE path {_MOST_FIRST}
    """,
}

# Sets of papers for the map.
_FIRST_FIELDS = """
    SELECT field, group_concat(paper) FROM fields
    WHERE position = 0 GROUP BY field
"""
_READ = "SELECT 1, group_concat(id) FROM papers WHERE read AND trashed IS NULL"
_DIRECT_COLLECTIONS = f"""
    WITH RECURSIVE {PATHS}
    SELECT path, group_concat(paper) FROM paths JOIN collected ON collection = paths.id
    GROUP BY path ORDER BY path
"""


@dataclass(frozen=True)
class Groups:
    """Paper `papers[n]` is in group `numbers[n]`; `names` are the names of the groups."""

    papers: NDArray[np.int32]
    numbers: NDArray[np.int32]
    size: int
    names: Callable[[Ids], list[str]]

    def count(self, listed: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Number of listed papers in each group; `listed` is a boolean mask over all ids."""
        return np.bincount(self.numbers[listed[self.papers]], minlength=self.size)


class Grouping:
    """Reads the facet groups, which may include papers in the trash."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def stamp(self) -> tuple[int, ...]:
        """A value that differs after any change of the library."""
        path = self._db.path
        stamps: list[int] = []
        for file in (path, path.with_name(path.name + "-wal")):
            if file.exists():
                status = file.stat()
                stamps += (status.st_mtime_ns, status.st_size)
        return tuple(stamps)

    def years(self) -> Groups:
        return self._named(_YEARS)

    def by_field(self, field: str) -> Groups:
        """Groups of a field of the query language; see domain.query.facets.COUNTED."""
        if field == "author":
            return self._authors()
        return self._named(_NAMED[field])

    def names(self, field: str, written: str, most: int) -> list[tuple[str, int]]:
        """Values of a field of the query language that contain the typed text, most frequent first;
        years that begin with it, latest first.

        Each with its number of papers, at most `most`.
        """
        like = f"%{written.strip().translate(LIKE_SIGNS)}%"
        if field == "year":
            like = like[1:]
        values: tuple[object, ...]
        if field != "author":
            sql, values = _NAMES[field], (like, most)
        elif expression := _beginning(written):
            sql, values = _AUTHOR_NAMES, (expression, _LOOKED_THROUGH, like, most)
        else:
            return []
        with self._db.reading() as db:
            return [(str(name), int(count)) for name, count in db.exec_driver_sql(sql, values)]

    def with_pdf(self) -> Ids:
        return self._ids("SELECT group_concat(DISTINCT paper) FROM attachments")

    def read(self) -> Ids:
        return self._ids("SELECT group_concat(id) FROM papers WHERE read")

    def _ids(self, sql: str) -> Ids:
        with self._db.reading() as db:
            return parsed(db.exec_driver_sql(sql).scalar_one(), np.int64)

    def _named(self, sql: str) -> Groups:
        with self._db.reading() as db:
            rows = [(str(name), parsed(ids, np.int32)) for name, ids in db.exec_driver_sql(sql)]
        names = [name for name, _ in rows]
        sizes = [len(ids) for _, ids in rows]
        papers = np.concatenate([np.empty(0, np.int32), *(ids for _, ids in rows)])
        numbers = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
        return Groups(papers, numbers, len(rows), lambda some: [names[n] for n in some.tolist()])

    def _authors(self) -> Groups:
        """Authors, identified by a hash of the name: there may be hundreds of thousands, and only
        the most frequent are ever shown."""
        papers, hashes = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        with self._db.reading() as db:
            last = db.exec_driver_sql("SELECT coalesce(max(id), 0) FROM papers").scalar_one()
            for first in range(0, int(last) + 1, _AUTHORS_OF):
                ids, names = db.exec_driver_sql(_AUTHORS, (first, first + _AUTHORS_OF - 1)).one()
                each = names.split(_SEPARATOR) if ids else []
                papers.append(parsed(ids, np.int32))
                hashes.append(np.fromiter(map(hash, each), np.int64, len(each)))
        every = np.concatenate(papers)
        told_apart, first_at, numbers = np.unique(
            np.concatenate(hashes), return_index=True, return_inverse=True
        )

        def names_of(some: Ids) -> list[str]:
            listed = json.dumps(every[first_at[some]].tolist())
            with self._db.reading() as db:
                names = db.exec_driver_sql(_AUTHORS_AMONG, (listed,)).scalars().all()
            known = {hash(name): str(name) for name in names}
            return [known.get(hashed, "") for hashed in told_apart[some].tolist()]

        return Groups(every, numbers.astype(np.int32), len(told_apart), names_of)


class PaperAttributes:
    """Papers by year, field and collection, for the colors of the map.

    The sets of ids may include papers in the trash.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def years(self) -> dict[int, Ids]:
        with self._db.reading() as db:
            return {int(year): ids for year, ids in _sets(db, _YEARS)}

    def fields(self) -> dict[str, Ids]:
        """By the first field of each paper."""
        with self._db.reading() as db:
            return {str(field): ids for field, ids in _sets(db, _FIRST_FIELDS)}

    def collections(self) -> dict[str, Ids]:
        """By full path; a paper may be in several."""
        with self._db.reading() as db:
            return {str(path): ids for path, ids in _sets(db, _DIRECT_COLLECTIONS)}

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


def _beginning(written: str) -> str:
    """The FTS5 expression for authors whose name begins like this; empty if it has no words."""
    words = words_in(written)
    if not words or len(words[-1]) < 2:
        return ""
    return Condition("author", " ".join(words) + "*").expression


def _sets(db: Connection, sql: str) -> list[tuple[Any, Ids]]:
    rows = db.exec_driver_sql(sql)
    return [(value, parsed(ids, np.int64)) for value, ids in rows]
