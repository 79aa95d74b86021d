"""Counts for the sidebar, from indexes alone: the table of papers is not read."""

from __future__ import annotations

from sqlalchemy import Connection, select

from sciread_app.domain.library_tree import Collection, LibraryTree, SavedSearch, Tag
from sciread_app.storage import schema
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


def tree(db: Connection) -> LibraryTree:
    """Collections, tags and saved searches with their counts of papers."""
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
        collections=[Collection(path, counts.get(id, 0)) for path, id in paths],
        tags=[Tag(*row) for row in db.exec_driver_sql(_TAGS)],
        searches=[
            SavedSearch(*row)
            for row in db.execute(select(searches.name, searches.query).order_by(searches.id))
        ],
    )


def _count(db: Connection, sql: str) -> int:
    return int(db.exec_driver_sql(sql).scalar_one())
