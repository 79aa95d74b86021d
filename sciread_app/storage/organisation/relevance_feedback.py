"""Followed topics, relevance feedback on recommended papers, and recently added papers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import delete, select

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import (
    CandidateScope,
    FollowedTopic,
    TopicKind,
    TopicPreferences,
)
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.id_sets import Ids, select_ids, select_times
from sciread_app.storage.organisation.collections import BELOW, BELOW_ONE, PATHS

# Each collection with its path and the number of papers in it and its descendants.
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
# Without queries that end at a date: they find nothing new.
_QUERIES = "SELECT id, text, source FROM fetches WHERE until = '' ORDER BY text COLLATE NOCASE, id"
# The time of each page counts, not the start of the fetch.
_FETCHED = """
SELECT id, added AS at FROM papers
WHERE trashed IS NULL AND added >= ? AND id IN (
    SELECT news.paper FROM imports JOIN news ON news."import" = imports.id
    WHERE imports.fetch {these} AND news.what = 'added')
"""
_LAST_FETCH = """
SELECT fetches.source, imports.started, (SELECT count(*) FROM fetches),
       imports.finished IS NOT NULL, coalesce(nullif(fetches.message, ''), {other}, '')
FROM imports JOIN fetches ON fetches.id = imports.fetch
WHERE {these} ORDER BY imports.started DESC LIMIT 1
"""
_ANY_MESSAGE = "(SELECT message FROM fetches WHERE message != '' LIMIT 1)"
_ADDED = "SELECT id, added AS at FROM papers WHERE trashed IS NULL AND added >= ?"


class AddedPapers(NamedTuple):
    """Papers, ids ascending, and when each was added: seconds since 1970; nan if not looked up."""

    ids: Ids
    came: NDArray[np.float64]


class LastFetch(NamedTuple):
    source: str
    started: float
    fetches: int  # number of all fetches
    finished: bool = True
    problem: str = ""  # error of this or, if any fetch counts, of another one; empty: none failed


def _named(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, str]]:
    """The ids of queries with their texts; with the source, or also the id, where several have the
    same text."""
    queries = [
        (id, " ".join(text.split()) or tr("all papers"), source) for id, text, source in rows
    ]
    alike = Counter(text.casefold() for _, text, _ in queries)
    twins = Counter((text.casefold(), source) for _, text, source in queries)
    for id, text, source in queries:
        if twins[text.casefold(), source] > 1:
            yield id, f"{text} ({source}, {id})"
        elif alike[text.casefold()] > 1:
            yield id, f"{text} ({source})"
        else:
            yield id, text


class RelevanceFeedback:
    """A subject is named by its key (see domain.recommend.FollowedTopic)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def subjects(self) -> list[FollowedTopic]:
        """All queries to online sources by text, then all collections by path, then all saved
        searches by age."""
        with self._db.reading() as db:
            queries = [
                FollowedTopic(f"query:{id}", TopicKind.query, name)
                for id, name in _named(db.exec_driver_sql(_QUERIES))
            ]
            collections = [
                FollowedTopic(
                    f"collection:{id}", TopicKind.collection, path, f'in:"{path}"', papers
                )
                for id, path, papers in db.exec_driver_sql(_COLLECTIONS)
            ]
            table = schema.saved_searches.c
            searches = [
                FollowedTopic(f"search:{id}", TopicKind.search, name, query)
                for id, name, query in db.execute(
                    select(table.id, table.name, table.query).order_by(table.id)
                )
            ]
        return queries + collections + searches

    def subject(self, name: str) -> FollowedTopic:
        """Return the topic with this key, path or name. Raises LibraryError if there is none."""
        known = self.subjects()
        for subject in known:
            if name in (subject.key, subject.name):
                return subject
        for subject in known:
            if name.casefold().strip("/ ") == subject.name.casefold():
                return subject
        raise LibraryError(
            tr("No query, collection, or saved search is named “{name}”.", name=name),
            tr("Run `sciread recommend` without a name to list them."),
        )

    def members(self, collection: int) -> list[PaperId]:
        """The papers of a collection and its descendants, latest added first."""
        with self._db.reading() as db:
            return [PaperId(id) for id, _ in db.exec_driver_sql(_MEMBERS, (collection,))]

    def fetched(self, since: float, query: int | None = None) -> AddedPapers:
        """Papers added since then by fetches of this query, else of any, with their times."""
        if query is None:
            return self._added_papers(_FETCHED.format(these="IS NOT NULL"), since)
        return self._added_papers(_FETCHED.format(these="= ?"), since, query)

    def added(self, since: float) -> AddedPapers:
        """Papers added in any way since then, with their times."""
        return self._added_papers(_ADDED, since)

    def read(self) -> Ids:
        """The papers that are marked as read, ids ascending."""
        with self._db.reading() as db:
            return select_ids(db, "SELECT id FROM papers WHERE read")

    def added_times(self, papers: Ids) -> AddedPapers:
        """The times at which these papers were added; without the trash."""
        table = schema.papers.c
        wanted = table.id.in_(paper_rows.among(papers.tolist()))
        query = select(table.id, table.added).where(wanted, table.trashed.is_(None))
        with self._db.reading() as db:
            rows = db.execute(query.order_by(table.id)).all()
        ids = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        return AddedPapers(ids, np.fromiter((row[1] for row in rows), np.float64, len(rows)))

    def last_fetch(self, query: int | None = None) -> LastFetch | None:
        """The latest run of this query, else of any; None if there never was one."""
        one = query is not None
        sql = _LAST_FETCH.format(
            these="fetches.id = ?" if one else "true", other="NULL" if one else _ANY_MESSAGE
        )
        with self._db.reading() as db:
            row = db.exec_driver_sql(sql, (query,) if one else ()).one_or_none()
        return LastFetch(row[0], row[1], row[2], bool(row[3]), row[4]) if row else None

    def default_scope(self) -> CandidateScope:
        """Fetched papers, or papers added in any way as long as nothing was fetched."""
        return CandidateScope.fetched if self.last_fetch() else CandidateScope.added

    def set(self, subject: str, papers: Iterable[int], *, liked: bool) -> None:
        """Store feedback on papers for a subject, replacing earlier feedback."""
        rows = [
            {"subject": subject, "paper": int(paper), "liked": liked, "at": time.time()}
            for paper in papers
        ]
        with self._db.writing() as db:
            paper_rows.upsert(db, schema.opinions, ["subject", "paper"], rows)

    def remove(self, subject: str, papers: Iterable[int]) -> None:
        table = schema.opinions.c
        with self._db.writing() as db:
            db.execute(
                delete(schema.opinions).where(
                    table.subject == subject, table.paper.in_(paper_rows.among(papers))
                )
            )

    def of(self, subject: str) -> tuple[dict[PaperId, float], dict[PaperId, float]]:
        """Times of feedback by paper, latest first: liked papers and dismissed papers.

        Papers in the trash are left out.
        """
        table, papers = schema.opinions.c, schema.papers.c
        wanted = (
            select(table.paper, table.liked, table.at)
            .join(schema.papers, papers.id == table.paper)
            .where(table.subject == subject, papers.trashed.is_(None))
            .order_by(table.at.desc(), table.paper)
        )
        liked, dismissed = dict[PaperId, float](), dict[PaperId, float]()
        with self._db.reading() as db:
            for paper, likes, at in db.execute(wanted):
                (liked if likes else dismissed)[PaperId(paper)] = at
        return liked, dismissed

    def preferences(self) -> Mapping[str, TopicPreferences]:
        """Preferences by subject, for the subjects that have any."""
        with self._db.reading() as db:
            return {
                row.subject: TopicPreferences(row.must, row.never, row.half_life, row.seen)
                for row in db.execute(select(schema.subjects))
            }

    def set_preferences(self, subject: str, preferences: TopicPreferences) -> None:
        row = {"subject": subject, **asdict(preferences)}
        with self._db.writing() as db:
            paper_rows.upsert(db, schema.subjects, ["subject"], [row])

    def _added_papers(self, query: str, *values: float) -> AddedPapers:
        with self._db.reading() as db:
            return AddedPapers(*select_times(db, query, values))
