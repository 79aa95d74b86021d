"""Tags, collections, notes, read flag and rating of papers, read together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from sciread_app.domain.library_tree import Collection, LibraryTree, SavedSearch, Tag
from sciread_app.domain.paper import PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.filter_sql import PROBLEMS
from sciread_app.storage.organisation import collections

_TRASH = "SELECT id FROM papers WHERE trashed IS NOT NULL"
# Each paper counts once for a collection and each of its ancestors, however often it lies below.
_IN_COLLECTIONS = f"""
WITH RECURSIVE above (id, top) AS (
    SELECT id, id FROM collections
    UNION ALL
    SELECT above.id, parent FROM above JOIN collections ON collections.id = top
    WHERE parent IS NOT NULL)
SELECT top, count(DISTINCT paper) FROM above CROSS JOIN collected ON collection = above.id
WHERE paper NOT IN ({_TRASH}) GROUP BY top
"""
_TAGS = f"""
SELECT name, colour,
    (SELECT count(*) FROM tagged WHERE tag = tags.id AND paper NOT IN ({_TRASH}))
FROM tags ORDER BY name
"""
_TO_REVIEW = f"""
SELECT count(*) FROM relations
WHERE verdict = 'maybe' AND a NOT IN ({_TRASH}) AND b NOT IN ({_TRASH})
"""
_WITH_PROBLEMS = f"SELECT count(*) FROM ({PROBLEMS}) WHERE id NOT IN ({_TRASH})"
_WITHOUT_ABSTRACT = f"SELECT count(*) FROM papers WHERE abstract = '' AND id NOT IN ({_TRASH})"
_WITH_DOI = f"""
SELECT count(DISTINCT paper) FROM identifiers WHERE kind = 'doi' AND paper NOT IN ({_TRASH})
"""


@dataclass(frozen=True, slots=True)
class PaperOrganisation:
    """The tags, collections, notes, reading status, rating and dates of a paper.

    `added` and `trashed` are in seconds since 1970; `trashed` is None outside the trash.
    """

    tags: tuple[str, ...]
    collections: tuple[str, ...]  # full paths: "thesis/chapter 2"
    notes: tuple[str, ...]
    read: bool
    rating: int
    added: float
    trashed: float | None


class OrganisationStore:
    """Reads the organization of many papers at once."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> dict[PaperId, PaperOrganisation]:
        """By paper id; ids of papers that do not exist are left out."""
        chosen = paper_rows.among(ids)
        papers, tagged, collected = schema.papers.c, schema.tagged.c, schema.collected.c
        notes = schema.notes.c
        with self._db.reading() as db:
            paths = collections.paths(db)
            tags = _grouped(
                db,
                select(tagged.paper, schema.tags.c.name)
                .join(schema.tags)
                .where(tagged.paper.in_(chosen))
                .order_by(schema.tags.c.name),
            )
            within = _grouped(
                db,
                select(collected.paper, collected.collection).where(collected.paper.in_(chosen)),
            )
            texts = _grouped(
                db,
                select(notes.paper, notes.text).where(notes.paper.in_(chosen)).order_by(notes.id),
            )
            marks = select(papers.id, papers.read, papers.rating, papers.added, papers.trashed)
            return {
                PaperId(id): PaperOrganisation(
                    tuple(tags[id]),
                    tuple(sorted(paths[collection] for collection in within[id])),
                    tuple(texts[id]),
                    *own,
                )
                for id, *own in db.execute(marks.where(papers.id.in_(chosen)))
            }

    def tree(self) -> LibraryTree:
        """Collections, tags and saved searches with their counts of papers.

        Only indexes are read, not the table of papers.
        """
        with self._db.reading() as db:
            papers = _count(db, "SELECT count(*) FROM papers WHERE trashed IS NULL")
            read = _count(db, f"SELECT count(*) FROM papers WHERE read AND id NOT IN ({_TRASH})")
            counts = {top: count for top, count in db.exec_driver_sql(_IN_COLLECTIONS)}
            paths = sorted((path, id) for id, path in collections.paths(db).items())
            searches = schema.saved_searches.c
            return LibraryTree(
                papers=papers,
                unread=papers - read,
                trash=_count(db, f"SELECT count(*) FROM ({_TRASH})"),
                duplicates=_count(db, _TO_REVIEW),
                problems=_count(db, _WITH_PROBLEMS),
                without_abstract=_count(db, _WITHOUT_ABSTRACT),
                without_doi=papers - _count(db, _WITH_DOI),
                collections=[Collection(path, counts.get(id, 0)) for path, id in paths],
                tags=[Tag(*row) for row in db.exec_driver_sql(_TAGS)],
                searches=[
                    SavedSearch(*row)
                    for row in db.execute(
                        select(searches.name, searches.query).order_by(searches.id)
                    )
                ],
            )


def _grouped(db: Connection, query: Select[tuple[int, Any]]) -> dict[int, list[Any]]:
    """The values that a query returns for each paper."""
    found = defaultdict(list)
    for paper, value in db.execute(query):
        found[paper].append(value)
    return found


def _count(db: Connection, sql: str) -> int:
    return int(db.exec_driver_sql(sql).scalar_one())
