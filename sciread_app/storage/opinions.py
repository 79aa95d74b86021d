"""What people follow, what they think of papers that were recommended, and what came lately."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, select
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import Subject, SubjectKind, Wishes
from sciread_app.storage import records, schema
from sciread_app.storage.collections import BELOW, BELOW_ONE, PATHS
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids

# Each collection with its path, and how many papers it and those below it hold.
_COLLECTIONS = f"""
WITH RECURSIVE {PATHS}, {BELOW}
SELECT paths.id, paths.path, (
    SELECT count(DISTINCT collected.paper)
    FROM below JOIN collected ON collected.collection = below.id
        JOIN papers ON papers.id = collected.paper AND papers.trashed IS NULL
    WHERE below.top = paths.id)
FROM paths ORDER BY paths.path COLLATE NOCASE
"""
_MEMBERS = f"""
WITH RECURSIVE {BELOW_ONE}
SELECT collected.paper, max(collected.added)
FROM below JOIN collected ON collected.collection = below.id
    JOIN papers ON papers.id = collected.paper AND papers.trashed IS NULL
GROUP BY collected.paper ORDER BY max(collected.added) DESC, collected.paper
"""
# When a fetch began says nothing of when a page of it came.
_FETCHED = """
SELECT id, added FROM papers
WHERE trashed IS NULL AND added >= ? AND id IN (
    SELECT news.paper FROM imports JOIN news ON news."import" = imports.id
    WHERE imports.fetch IS NOT NULL AND news.what = 'added')
ORDER BY id
"""
_ADDED = "SELECT id, added FROM papers WHERE trashed IS NULL AND added >= ? ORDER BY id"


class Arrivals(NamedTuple):
    """Papers, ids ascending, and when each came: seconds since 1970; nan: nobody has asked."""

    ids: Ids
    came: NDArray[np.float64]


class LastFetch(NamedTuple):
    source: str
    started: float
    fetches: int  # how many there are
    finished: bool = True
    problem: str = ""  # why it, or else another fetch, failed; empty if none did


class Opinions:
    """A subject is named by its key (see domain.recommend.Subject)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def subjects(self) -> list[Subject]:
        """All collections by path, then all saved searches by age."""
        with self._db.reading() as db:
            collections = [
                Subject(f"collection:{id}", SubjectKind.collection, path, f'in:"{path}"', papers)
                for id, path, papers in db.exec_driver_sql(_COLLECTIONS)
            ]
            table = schema.saved_searches.c
            searches = [
                Subject(f"search:{id}", SubjectKind.search, name, query)
                for id, name, query in db.execute(
                    select(table.id, table.name, table.query).order_by(table.id)
                )
            ]
        return collections + searches

    def members(self, collection: int) -> list[PaperId]:
        """The papers of a collection and of those below it, the latest put there first."""
        with self._db.reading() as db:
            return [PaperId(id) for id, _ in db.exec_driver_sql(_MEMBERS, (collection,))]

    def fetched(self, since: float) -> Arrivals:
        """The papers that fetches have brought since then, and when."""
        return self._arrivals(_FETCHED, since)

    def added(self, since: float) -> Arrivals:
        """The papers that came since then, by whichever way, and when."""
        return self._arrivals(_ADDED, since)

    def came(self, papers: Ids) -> Arrivals:
        """When these papers came; those in the trash are left out."""
        table = schema.papers.c
        wanted = table.id.in_(records.among(papers.tolist()))
        query = select(table.id, table.added).where(wanted, table.trashed.is_(None))
        with self._db.reading() as db:
            rows = db.execute(query.order_by(table.id)).all()
        return _arrivals(rows)

    def last_fetch(self) -> LastFetch | None:
        """The fetch that ran last; None if there never was one."""
        query = """
            SELECT fetches.source, imports.started, (SELECT count(*) FROM fetches),
                   imports.finished IS NOT NULL, coalesce(nullif(fetches.message, ''),
                   (SELECT message FROM fetches WHERE message != '' LIMIT 1), '')
            FROM imports JOIN fetches ON fetches.id = imports.fetch
            ORDER BY imports.started DESC LIMIT 1
        """
        with self._db.reading() as db:
            row = db.exec_driver_sql(query).one_or_none()
        return LastFetch(row[0], row[1], row[2], bool(row[3]), row[4]) if row else None

    def say(self, subject: str, papers: Iterable[int], *, liked: bool) -> None:
        """Note what somebody thinks of papers for this subject; a later word counts."""
        rows = [
            {"subject": subject, "paper": int(paper), "liked": liked, "at": time.time()}
            for paper in papers
        ]
        put = insert(schema.opinions)
        changed = {name: put.excluded[name] for name in ("liked", "at")}
        put = put.on_conflict_do_update(index_elements=["subject", "paper"], set_=changed)
        if rows:
            with self._db.writing() as db:
                db.execute(put, rows)

    def take_back(self, subject: str, papers: Iterable[int]) -> None:
        table = schema.opinions.c
        with self._db.writing() as db:
            db.execute(
                delete(schema.opinions).where(
                    table.subject == subject, table.paper.in_(records.among(papers))
                )
            )

    def of(self, subject: str) -> tuple[dict[PaperId, float], dict[PaperId, float]]:
        """The papers that were liked and those that were waved away, and when; the latest first.

        Papers in the trash are left out.
        """
        table, papers = schema.opinions.c, schema.papers.c
        wanted = (
            select(table.paper, table.liked, table.at)
            .join(schema.papers, papers.id == table.paper)
            .where(table.subject == subject, papers.trashed.is_(None))
            .order_by(table.at.desc(), table.paper)
        )
        liked, waved = dict[PaperId, float](), dict[PaperId, float]()
        with self._db.reading() as db:
            for paper, likes, at in db.execute(wanted):
                (liked if likes else waved)[PaperId(paper)] = at
        return liked, waved

    def wishes(self) -> Mapping[str, Wishes]:
        """By subject; one that is not there has none."""
        with self._db.reading() as db:
            return {
                row.subject: Wishes(row.must, row.never, row.half_life, row.seen)
                for row in db.execute(select(schema.subjects))
            }

    def wish(self, subject: str, wishes: Wishes) -> None:
        put = insert(schema.subjects).values(
            subject=subject,
            must=wishes.must,
            never=wishes.never,
            half_life=wishes.half_life,
            seen=wishes.seen,
        )
        changed = {name: put.excluded[name] for name in ("must", "never", "half_life", "seen")}
        with self._db.writing() as db:
            db.execute(put.on_conflict_do_update(index_elements=["subject"], set_=changed))

    def _arrivals(self, query: str, since: float) -> Arrivals:
        with self._db.reading() as db:
            rows = db.exec_driver_sql(query, (since,)).all()
        return _arrivals(rows)


def _arrivals(rows: Sequence[Any]) -> Arrivals:
    """Of rows of an id and a time."""
    ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    return Arrivals(ids, np.fromiter((row[1] for row in rows), np.float64, len(rows)))
