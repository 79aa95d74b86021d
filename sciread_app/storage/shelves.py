"""What people do with papers: tags, nested collections, notes, what is read."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import PaperId
from sciread_app.storage import fulltext, records, schema
from sciread_app.storage.database import Database


@dataclass(frozen=True, slots=True)
class Marks:
    """What a person has done with a paper. `added` and `trashed` are seconds since 1970."""

    tags: tuple[str, ...]
    collections: tuple[str, ...]  # full paths: "thesis/chapter 2"
    notes: tuple[str, ...]
    read: bool
    rating: int
    added: float
    trashed: float | None


class Shelves:
    """A collection is named by its path, "thesis/chapter 2", and made when first used."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def marks(self, ids: Iterable[int]) -> dict[PaperId, Marks]:
        wanted = records.among(ids)
        papers = schema.papers.c
        with self._db.reading() as db:
            paths = _paths(db)
            tags, collections, notes = _lists(), _lists(), _lists()
            for paper, name in db.execute(
                select(schema.tagged.c.paper, schema.tags.c.name)
                .join(schema.tags)
                .where(schema.tagged.c.paper.in_(wanted))
                .order_by(schema.tags.c.name)
            ):
                tags[paper].append(name)
            for paper, collection in db.execute(
                select(schema.collected.c.paper, schema.collected.c.collection).where(
                    schema.collected.c.paper.in_(wanted)
                )
            ):
                collections[paper].append(paths[collection])
            for paper, text in db.execute(
                select(schema.notes.c.paper, schema.notes.c.text)
                .where(schema.notes.c.paper.in_(wanted))
                .order_by(schema.notes.c.id)
            ):
                notes[paper].append(text)
            return {
                PaperId(row.id): Marks(
                    tuple(tags[row.id]),
                    tuple(sorted(collections[row.id])),
                    tuple(notes[row.id]),
                    row.read,
                    row.rating,
                    row.added,
                    row.trashed,
                )
                for row in db.execute(
                    select(
                        papers.id, papers.read, papers.rating, papers.added, papers.trashed
                    ).where(papers.id.in_(wanted))
                )
            }

    def tags(self) -> list[str]:
        with self._db.reading() as db:
            return list(db.scalars(select(schema.tags.c.name).order_by(schema.tags.c.name)))

    def collections(self) -> list[str]:
        """The paths of all collections, in order."""
        with self._db.reading() as db:
            return sorted(_paths(db).values())

    def tag(self, ids: Iterable[int], name: str) -> None:
        with self._db.writing() as db:
            db.execute(insert(schema.tags).values(name=name).on_conflict_do_nothing())
            tag = db.scalars(select(schema.tags.c.id).where(schema.tags.c.name == name)).one()
            rows = [{"tag": tag, "paper": int(id)} for id in ids]
            if rows:
                db.execute(insert(schema.tagged).on_conflict_do_nothing(), rows)

    def untag(self, ids: Iterable[int], name: str) -> None:
        tag = select(schema.tags.c.id).where(schema.tags.c.name == name).scalar_subquery()
        with self._db.writing() as db:
            db.execute(
                delete(schema.tagged).where(
                    schema.tagged.c.tag == tag, schema.tagged.c.paper.in_(records.among(ids))
                )
            )

    def collect(self, ids: Iterable[int], path: str) -> None:
        with self._db.writing() as db:
            collection = _collection(db, path)
            rows = [{"collection": collection, "paper": int(i), "added": time.time()} for i in ids]
            if rows:
                db.execute(insert(schema.collected).on_conflict_do_nothing(), rows)

    def uncollect(self, ids: Iterable[int], path: str) -> None:
        with self._db.writing() as db:
            members = schema.collected.c
            collection = {p: id for id, p in _paths(db).items()}.get(path)
            db.execute(
                delete(schema.collected).where(
                    members.collection == collection, members.paper.in_(records.among(ids))
                )
            )

    def mark_read(self, ids: Iterable[int], read: bool = True) -> None:
        with self._db.writing() as db:
            db.execute(
                update(schema.papers)
                .where(schema.papers.c.id.in_(records.among(ids)))
                .values(read=read)
            )

    def add_note(self, id: int, text: str) -> int:
        """Add a note to a paper; returns the note's number."""
        now = time.time()
        with self._db.writing() as db:
            live = _live(db, id)
            if live:
                fulltext.forget(db, [id])
            note = db.execute(
                insert(schema.notes).values(paper=id, text=text, added=now, changed=now)
            ).lastrowid
            if live:
                fulltext.index(db, [id])
            return int(note)

    def change_note(self, note: int, text: str) -> None:
        """Give a note another text; an empty one removes it."""
        notes = schema.notes.c
        with self._db.writing() as db:
            paper = db.scalars(select(notes.paper).where(notes.id == note)).one()
            live = _live(db, paper)
            if live:
                fulltext.forget(db, [paper])
            if text:
                changed = update(schema.notes).values(text=text, changed=time.time())
                db.execute(changed.where(notes.id == note))
            else:
                db.execute(delete(schema.notes).where(notes.id == note))
            if live:
                fulltext.index(db, [paper])


def _lists() -> defaultdict[int, list[str]]:
    return defaultdict(list)


def _live(db: Connection, id: int) -> bool:
    papers = schema.papers.c
    return bool(db.scalars(select(papers.trashed.is_(None)).where(papers.id == id)).one())


def _paths(db: Connection) -> dict[int, str]:
    """The full path of each collection."""
    rows = {row.id: row for row in db.execute(select(schema.collections))}
    paths = {}
    for id in rows:
        names, at = [], id
        while at is not None:
            names.append(rows[at].name)
            at = rows[at].parent
        paths[id] = "/".join(reversed(names))
    return paths


def _collection(db: Connection, path: str) -> int:
    """The collection with this path, made with all above it where it does not exist yet."""
    table, parent = schema.collections.c, None
    for name in filter(None, (part.strip() for part in path.split("/"))):
        found = db.scalars(
            select(table.id).where(
                table.parent.is_(parent) if parent is None else table.parent == parent,
                table.name == name,
            )
        ).one_or_none()
        if found is None:
            made = db.execute(insert(schema.collections).values(parent=parent, name=name))
            found = int(made.lastrowid)
        parent = found
    if parent is None:
        raise ValueError("a collection needs a name")
    return parent
