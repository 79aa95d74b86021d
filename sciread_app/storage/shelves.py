"""What people do with papers: tags, nested collections, notes, ratings, what is read."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, literal, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import PaperId
from sciread_app.domain.renaming import with_tag_renamed
from sciread_app.domain.shelf import Shelf
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.storage import collections, fulltext, overview, queries, records, schema
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


@dataclass(frozen=True, slots=True)
class Note:
    """`added` and `changed` are seconds since 1970."""

    id: int
    text: str
    added: float
    changed: float


class Shelves:
    """A collection is named by its path, "thesis/chapter 2", and made when first used. Papers that
    are not there are passed over."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def marks(self, ids: Iterable[int]) -> dict[PaperId, Marks]:
        wanted = records.among(ids)
        papers = schema.papers.c
        with self._db.reading() as db:
            paths = collections.paths(db)
            tags, of_collections, notes = _lists(), _lists(), _lists()
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
                of_collections[paper].append(paths[collection])
            for paper, text in db.execute(
                select(schema.notes.c.paper, schema.notes.c.text)
                .where(schema.notes.c.paper.in_(wanted))
                .order_by(schema.notes.c.id)
            ):
                notes[paper].append(text)
            return {
                PaperId(row.id): Marks(
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
                    ).where(papers.id.in_(wanted))
                )
            }

    def overview(self) -> Shelf:
        with self._db.reading() as db:
            return overview.overview(db)

    def tags(self) -> list[str]:
        with self._db.reading() as db:
            return list(db.scalars(select(schema.tags.c.name).order_by(schema.tags.c.name)))

    def tag_colours(self) -> dict[str, str]:
        """The colours of the tags that have one."""
        tags = schema.tags.c
        with self._db.reading() as db:
            found = db.execute(select(tags.name, tags.colour).where(tags.colour != ""))
            return {name: colour for name, colour in found}

    def collections(self) -> list[str]:
        """The paths of all collections, in order."""
        with self._db.reading() as db:
            return sorted(collections.paths(db).values())

    def tag(self, ids: Iterable[int], name: str) -> None:
        with self._db.writing() as db:
            name = _tag_name(name)
            db.execute(insert(schema.tags).values(name=name).on_conflict_do_nothing())
            _put(db, schema.tagged, ids, tag=_tag(db, name))

    def untag(self, ids: Iterable[int], name: str) -> None:
        tag = select(schema.tags.c.id).where(schema.tags.c.name == name).scalar_subquery()
        with self._db.writing() as db:
            db.execute(
                delete(schema.tagged).where(
                    schema.tagged.c.tag == tag, schema.tagged.c.paper.in_(records.among(ids))
                )
            )

    def rename_tag(self, old: str, new: str) -> None:
        """Where there is a tag with the new name already, the two become one."""
        tags, tagged = schema.tags.c, schema.tagged
        with self._db.writing() as db:
            renamed, new = _tag(db, old), _tag_name(new)
            queries.rewrite(db, lambda query: with_tag_renamed(query, old, new))
            other = db.scalars(select(tags.id).where(tags.name == new, tags.id != renamed)).first()
            if other is None:
                db.execute(update(schema.tags).where(tags.id == renamed).values(name=new))
                return
            moved = select(literal(other), tagged.c.paper).where(tagged.c.tag == renamed)
            put = insert(tagged).from_select(["tag", "paper"], moved)
            db.execute(put.on_conflict_do_nothing())
            db.execute(delete(schema.tags).where(tags.id == renamed))

    def colour_tag(self, name: str, colour: str) -> None:
        with self._db.writing() as db:
            tag = schema.tags.c.id == _tag(db, name)
            db.execute(update(schema.tags).where(tag).values(colour=colour))

    def remove_tag(self, name: str) -> None:
        with self._db.writing() as db:
            db.execute(delete(schema.tags).where(schema.tags.c.id == _tag(db, name)))

    def collect(self, ids: Iterable[int], path: str) -> None:
        with self._db.writing() as db:
            collection = collections.made(db, path)
            _put(db, schema.collected, ids, collection=collection, added=time.time())

    def uncollect(self, ids: Iterable[int], path: str) -> None:
        with self._db.writing() as db:
            members = schema.collected.c
            collection = collections.there(db, path)
            db.execute(
                delete(schema.collected).where(
                    members.collection == collection, members.paper.in_(records.among(ids))
                )
            )

    def make_collection(self, path: str) -> None:
        with self._db.writing() as db:
            collections.made(db, path)

    def move_collection(self, path: str, new_path: str) -> None:
        """All below it goes along; where there is one with the new path, the two become one."""
        with self._db.writing() as db:
            collections.move(db, path, new_path)

    def remove_collection(self, path: str) -> None:
        """And all below it. The papers stay in the library."""
        with self._db.writing() as db:
            collections.remove(db, path)

    def set_by_hand(self, id: int) -> frozenset[str]:
        """The fields of a paper that a person set."""
        papers = schema.papers.c
        with self._db.reading() as db:
            names = db.scalars(select(papers.edited).where(papers.id == id)).one_or_none()
        return frozenset(json.loads(names or "[]"))

    def mark_read(self, ids: Iterable[int], read: bool = True) -> None:
        self._set(ids, read=read)

    def rate(self, ids: Iterable[int], stars: int) -> None:
        """From 1 to 5; 0: not rated."""
        self._set(ids, rating=stars)

    def save_search(self, name: str, query: str) -> None:
        """Under a name that there is, in place of what it was."""
        put = insert(schema.saved_searches).values(
            name=_search_name(name), query=query, added=time.time()
        )
        with self._db.writing() as db:
            db.execute(put.on_conflict_do_update(index_elements=["name"], set_={"query": query}))

    def rename_search(self, old: str, new: str) -> None:
        searches = schema.saved_searches.c
        with self._db.writing() as db:
            renamed, new = _search(db, old), _search_name(new)
            if new != old and db.scalars(select(searches.id).where(searches.name == new)).first():
                raise LibraryError(
                    tr("There is a saved search “{name}” already.", name=new),
                    tr("Choose another name."),
                )
            known = searches.id == renamed
            db.execute(update(schema.saved_searches).where(known).values(name=new))

    def remove_search(self, name: str) -> None:
        searches = schema.saved_searches
        with self._db.writing() as db:
            removed = _search(db, name)
            queries.forget(db, [f"search:{removed}"])
            db.execute(delete(searches).where(searches.c.id == removed))

    def notes(self, id: int) -> list[Note]:
        """The notes of a paper, the oldest first."""
        table = schema.notes.c
        columns = (table.id, table.text, table.added, table.changed)
        with self._db.reading() as db:
            found = db.execute(select(*columns).where(table.paper == id).order_by(table.id))
            return [Note(*row) for row in found]

    def add_note(self, id: int, text: str, added: float | None = None) -> int:
        """Add a note to a paper, which may have been `added` elsewhere before; returns the note's
        number."""
        now = time.time() if added is None else added
        with self._db.writing() as db:
            if (
                db.scalars(select(schema.papers.c.id).where(schema.papers.c.id == id)).first()
                is None
            ):
                said = tr("This paper is no longer there.")
                raise LibraryError(said, tr("Look again, and try again."))
            fulltext.forget(db, [id])
            note = db.execute(
                insert(schema.notes).values(paper=id, text=text, added=now, changed=now)
            ).lastrowid
            fulltext.index(db, [id])
            return int(note)

    def change_note(self, note: int, text: str, changed: float | None = None) -> None:
        """Give a note another text; an empty one removes it."""
        now = time.time() if changed is None else changed
        notes = schema.notes.c
        with self._db.writing() as db:
            paper = db.scalars(select(notes.paper).where(notes.id == note)).one_or_none()
            if paper is None:
                said = tr("This note is no longer there.")
                raise LibraryError(said, tr("It may have been removed."))
            fulltext.forget(db, [paper])
            if text:
                changes = update(schema.notes).values(text=text, changed=now)
                db.execute(changes.where(notes.id == note))
            else:
                db.execute(delete(schema.notes).where(notes.id == note))
            fulltext.index(db, [paper])

    def _set(self, ids: Iterable[int], **values: Any) -> None:
        papers = schema.papers.c
        with self._db.writing() as db:
            chosen = update(schema.papers).where(papers.id.in_(records.among(ids)))
            db.execute(chosen.values(values))


def _lists() -> defaultdict[int, list[str]]:
    return defaultdict(list)


def _put(db: Connection, table: Table, ids: Iterable[int], **values: Any) -> None:
    """A row with these values for each paper that has none."""
    chosen = schema.papers.c.id.in_(records.among(ids))
    rows = select(schema.papers.c.id, *map(literal, values.values())).where(chosen)
    put = insert(table).from_select(["paper", *values], rows)
    db.execute(put.on_conflict_do_nothing())


def _tag_name(name: str) -> str:
    if not name.strip():
        raise LibraryError(tr("A tag needs a name."), tr("Write one, and try again."))
    return name.strip()


def _search_name(name: str) -> str:
    if not name.strip():
        raise LibraryError(tr("A search needs a name."), tr("Write one, and try again."))
    return name.strip()


def _tag(db: Connection, name: str) -> int:
    found = db.scalars(select(schema.tags.c.id).where(schema.tags.c.name == name)).one_or_none()
    if found is None:
        said = tr("There is no tag “{tag}”.", tag=name)
        raise LibraryError(said, tr("It may have been renamed."))
    return int(found)


def _search(db: Connection, name: str) -> int:
    searches = schema.saved_searches.c
    found = db.scalars(select(searches.id).where(searches.name == name)).one_or_none()
    if found is None:
        said = tr("There is no saved search “{name}”.", name=name)
        raise LibraryError(said, tr("It may have been renamed."))
    return int(found)
