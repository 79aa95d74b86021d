"""Tags, collections, notes, read flag and rating of papers, read together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.paper import PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.organisation import collections, sidebar_counts


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
    """Reads the organisation of many papers at once."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> dict[PaperId, PaperOrganisation]:
        """By paper id; ids of papers that do not exist are left out."""
        chosen = paper_rows.among(ids)
        papers = schema.papers.c
        with self._db.reading() as db:
            paths = collections.paths(db)
            tags, of_collections, notes = _lists(), _lists(), _lists()
            for paper, name in db.execute(
                select(schema.tagged.c.paper, schema.tags.c.name)
                .join(schema.tags)
                .where(schema.tagged.c.paper.in_(chosen))
                .order_by(schema.tags.c.name)
            ):
                tags[paper].append(name)
            for paper, collection in db.execute(
                select(schema.collected.c.paper, schema.collected.c.collection).where(
                    schema.collected.c.paper.in_(chosen)
                )
            ):
                of_collections[paper].append(paths[collection])
            for paper, text in db.execute(
                select(schema.notes.c.paper, schema.notes.c.text)
                .where(schema.notes.c.paper.in_(chosen))
                .order_by(schema.notes.c.id)
            ):
                notes[paper].append(text)
            return {
                PaperId(row.id): PaperOrganisation(
                    tuple(tags[row.id]),
                    tuple(sorted(of_collections[row.id])),
                    tuple(notes[row.id]),
                    row.read,
                    row.rating,
                    row.added,
                    row.trashed,
                )
                for row in db.execute(
                    select(
                        papers.id, papers.read, papers.rating, papers.added, papers.trashed
                    ).where(papers.id.in_(chosen))
                )
            }

    def tree(self) -> LibraryTree:
        """Collections, tags and saved searches with their counts."""
        with self._db.reading() as db:
            return sidebar_counts.tree(db)


def _lists() -> defaultdict[int, list[str]]:
    return defaultdict(list)
