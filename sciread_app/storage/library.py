"""The library: every paper we know, in one SQLite file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.identity import Verdict
from sciread_app.domain.order import Order
from sciread_app.domain.paper import Identifier, Paper, PaperId, Skipped
from sciread_app.domain.query import Condition
from sciread_app.language import trn
from sciread_app.storage import (
    arrivals,
    by_hand,
    conditions,
    fulltext,
    orders,
    records,
    schema,
    works,
)
from sciread_app.storage.active import Active
from sciread_app.storage.arrivals import Stored
from sciread_app.storage.attachments import Attachments
from sciread_app.storage.brought import Brought
from sciread_app.storage.citations import Citations
from sciread_app.storage.citekeys import Citekeys
from sciread_app.storage.database import Database
from sciread_app.storage.edits import Edits
from sciread_app.storage.facets import Grouping
from sciread_app.storage.fetches import Fetches, Step, advance
from sciread_app.storage.id_sets import Ids, distinct
from sciread_app.storage.ledger import Ledger, note
from sciread_app.storage.opinions import Opinions
from sciread_app.storage.pairs import Pairs
from sciread_app.storage.reading import Reading
from sciread_app.storage.shelves import Shelves
from sciread_app.storage.stock import Stocks
from sciread_app.storage.synced import Synced
from sciread_app.storage.traits import Traits
from sciread_app.storage.votes import Votes
from sciread_app.storage.works import Relation

# From so many papers on it is quicker to take all in their order than to look each one up.
_MANY = 20_000


class Library:
    """Values go in, values come out: no row, session or query object leaves this class.

    Safe to call from any thread and from several processes: readers never wait, writers wait for
    each other. Papers in the trash are found by `get` alone. What people do with papers is in
    `shelves`, the story of imports in `ledger`, queries to sources in `fetches`, files and their
    text in `attachments`, who cites whom in `citations`, which model answers in `active`.
    """

    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self.path = path
        self.edits = Edits(self._db)
        self.shelves = Shelves(self._db)
        self.pairs = Pairs(self._db)
        self.ledger = Ledger(self._db)
        self.fetches = Fetches(self._db)
        self.attachments = Attachments(self._db)
        self.brought = Brought(self._db)
        self.citations = Citations(self._db)
        self.opinions = Opinions(self._db)
        self.citekeys = Citekeys(self._db)
        self.synced = Synced(self._db)
        self.reading = Reading(self._db)
        self.traits = Traits(self._db)
        self.grouping = Grouping(self._db)
        self.stocks = Stocks(self._db)
        self.active = Active(self._db)
        self.votes = Votes(self._db)

    @property
    def read_only(self) -> bool:
        """Whether the library lies where nothing can be written."""
        return self._db.read_only

    def is_untouched(self) -> bool:
        """Whether nobody has put anything in yet, not even what was thrown away again."""
        ever = "SELECT count(*) FROM sqlite_sequence WHERE name = 'papers'"
        tables = ("imports", "fetches", "collections", "saved_searches")
        with self._db.reading() as db:
            counts = [ever, *(f"SELECT count(*) FROM {table}" for table in tables)]
            return not any(db.exec_driver_sql(count).scalar_one() for count in counts)

    def put(
        self,
        batch: Sequence[Paper],
        *,
        ledger: int | None = None,
        skips: Sequence[Skipped] = (),
        step: Step | None = None,
    ) -> Stored:
        """Store records, each as a new paper or as part of the one it is: see record_linkage.py.

        With the number of an import in the `ledger`, the batch and what was skipped on the way
        are noted there in the same transaction; so is the `step` of a fetch that they are.
        """
        with self._db.writing() as db:
            if step is not None:
                advance(db, step)
            stored = arrivals.take_in(db, batch, time.time(), ledger)
            if ledger is not None:
                note(db, ledger, stored.added, stored.merged, skips, stored.news)
        return stored

    def edit(self, *ids: int, **values: Any) -> None:
        """Set fields of papers by hand. No later import changes them."""
        with self._db.writing() as db:
            by_hand.edit(db, ids, values)

    def get(self, ids: Iterable[int]) -> list[Paper]:
        """The papers with these ids, in this order; unknown ids are left out."""
        ids = list(ids)
        with self._db.reading() as db:
            found = records.read(db, ids)
        return [found[i] for i in ids if i in found]

    def count(self) -> int:
        """How many papers there are, not counting the trash."""
        with self._db.reading() as db:
            return db.scalars(select(func.count()).select_from(schema.papers).where(_live())).one()

    def ids(self, order: Order = Order.added) -> Ids:
        with self._db.reading() as db:
            return orders.listed(db, order, _live())

    def ordered(self, ids: Ids, order: Order) -> Ids:
        """These papers in this order, those in the trash among them."""
        if len(ids) > _MANY:
            listed = self.ids(order)
            if np.isin(ids, listed).all():
                return listed[np.isin(listed, ids)]
        with self._db.reading() as db:
            return orders.listed(db, order, schema.papers.c.id.in_(records.among(ids.tolist())))

    def matching(self, wanted: Sequence[Condition], expression: str = "") -> Ids:
        """The papers that meet all conditions, and an FTS5 expression if there is one; ids
        ascending. Those in the trash only if they are asked for."""
        trashed = any(one.of_trash and not one.negated for one in wanted)
        selections = conditions.selections(wanted)
        if expression:
            selections.append(conditions.found_by(expression))
        with self._db.reading() as db:
            wanted_sets = [_set(db, one.sql, one.values) for one in selections if one.wanted]
            unwanted_sets = [_set(db, one.sql, one.values) for one in selections if not one.wanted]
            if not trashed and wanted_sets:
                unwanted_sets.append(_set(db, "SELECT id FROM papers WHERE trashed IS NOT NULL"))
            elif not trashed:
                wanted_sets.append(_set(db, "SELECT id FROM papers WHERE trashed IS NULL"))
        found = reduce(partial(np.intersect1d, assume_unique=True), wanted_sets)
        return reduce(partial(np.setdiff1d, assume_unique=True), unwanted_sets, found)

    def by_words(
        self, expression: str, limit: int, wanted: Sequence[Condition] = ()
    ) -> list[tuple[PaperId, float]]:
        """The papers that best match an FTS5 expression: BM25, columns weighted, best first."""
        if not expression:
            return []
        with self._db.reading() as db:
            found = fulltext.search(db, expression, limit, conditions.selections(wanted))
        return [(PaperId(id), score) for id, score in found]

    def document_frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """In how many papers each word stands, in any of its forms."""
        with self._db.reading() as db:
            return fulltext.document_frequencies(db, words)

    def with_identifier(self, identifier: Identifier) -> list[PaperId]:
        names = schema.identifiers.c
        with self._db.reading() as db:
            return [
                PaperId(id)
                for id in db.scalars(
                    select(names.paper)
                    .join(schema.papers, schema.papers.c.id == names.paper)
                    .where(names.kind == identifier.kind, names.value == identifier.value, _live())
                    .order_by(names.paper)
                )
            ]

    def works(self, ids: Iterable[int]) -> dict[PaperId, int]:
        """The work that each paper is a version of: a number that its versions share.

        Papers in the trash are left out.
        """
        with self._db.reading() as db:
            return works.works(db, ids)

    def first_of_works(self, ids: Ids) -> Ids:
        """These papers in their order, but for those of which another version stands before
        them."""
        with self._db.reading() as db:
            return works.first_of_works(db, ids)

    def versions(self, id: PaperId) -> list[PaperId]:
        """The other versions of this paper's work."""
        with self._db.reading() as db:
            return works.versions(db, id)

    def version_counts(self, ids: Iterable[int]) -> dict[PaperId, int]:
        """How many versions there are of each paper that has several."""
        with self._db.reading() as db:
            return works.version_counts(db, ids)

    def relations(self, verdict: Verdict) -> list[Relation]:
        """All pairs of papers about which this is known."""
        with self._db.reading() as db:
            return works.relations(db, verdict)

    def not_duplicates(self, a: PaperId, b: PaperId) -> None:
        """A person says that two papers are neither one paper nor one work."""
        with self._db.writing() as db:
            works.part(db, a, b, time.time())

    def trash(self, ids: Iterable[int]) -> None:
        """Put papers in the trash: out of every list and search, but not lost."""
        self._move(ids, into_trash=True)

    def untrash(self, ids: Iterable[int]) -> None:
        self._move(ids, into_trash=False)

    def trashed(self) -> Ids:
        papers = schema.papers.c
        with self._db.reading() as db:
            return _ids(
                db.scalars(
                    select(papers.id).where(papers.trashed.isnot(None)).order_by(papers.trashed)
                )
            )

    def delete_for_good(self, ids: Iterable[int] | None = None) -> int:
        """Delete papers that are in the trash (None: all), with all that hangs on them; files stay
        where they are. Returns how many."""
        papers = schema.papers.c
        gone = select(papers.id).where(papers.trashed.isnot(None))
        if ids is not None:
            gone = gone.where(papers.id.in_(records.among(ids)))
        with self._db.writing() as db:
            found = list(db.scalars(gone))
            fulltext.forget(db, found)
            db.execute(delete(schema.papers).where(papers.id.in_(records.among(found))))
        return len(found)

    def save_search(self, name: str, query: str) -> None:
        self.shelves.save_search(name, query)

    def saved_searches(self) -> Mapping[str, str]:
        """Name to query, the oldest first."""
        table = schema.saved_searches.c
        with self._db.reading() as db:
            return {
                name: query
                for name, query in db.execute(select(table.name, table.query).order_by(table.id))
            }

    def texts(self, ids: Iterable[int]) -> list[tuple[str, str]]:
        """Title and abstract of each paper, in this order; of an unknown id, two empty strings."""
        ids, papers = list(ids), schema.papers.c
        with self._db.reading() as db:
            rows = db.execute(
                select(papers.id, papers.title, papers.abstract).where(
                    papers.id.in_(records.among(ids))
                )
            )
            found = {id: (title, abstract) for id, title, abstract in rows}
        return [found.get(id, ("", "")) for id in ids]

    def missing_vectors(self, space: str) -> tuple[Ids, Ids]:
        """The papers whose text has no vector in this space, and their text hashes."""
        papers, vectors = schema.papers.c, schema.vectors.c
        fits = (vectors.paper == papers.id) & (vectors.space == space)
        with self._db.reading() as db:
            rows = db.execute(
                select(papers.id, papers.text_hash)
                .outerjoin(schema.vectors, fits)
                .where(_live(), or_(vectors.row.is_(None), vectors.text_hash != papers.text_hash))
                .order_by(papers.id)
            )
            table = _ids(chain.from_iterable(rows)).reshape(-1, 2)
        return table[:, 0].copy(), table[:, 1].copy()

    def vector_rows(self, space: str) -> tuple[Ids, Ids, Ids]:
        """Papers that have a vector for their present text, its row, and the text's hash."""
        papers, vectors = schema.papers.c, schema.vectors.c
        wanted = (
            select(vectors.paper, vectors.row, vectors.text_hash)
            .join(schema.papers, papers.id == vectors.paper)
            .where(vectors.space == space, vectors.text_hash == papers.text_hash, _live())
            .order_by(vectors.paper)
        )
        with self._db.reading() as db:
            table = _ids(chain.from_iterable(db.execute(wanted))).reshape(-1, 3)
        return table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()

    def put_vectors(
        self,
        space: str,
        ids: Sequence[int],
        text_hashes: Sequence[int],
        write: Callable[[int], None],
    ) -> None:
        """Record in which rows of the space's file the vectors of these papers stand.

        Under the write lock, `write` is called with the first free row and has to bring the
        vectors safely to disk, one row each in this order, before it returns.
        """
        table = schema.vectors.c
        with self._db.writing() as db:
            last = db.scalars(select(func.max(table.row)).where(table.space == space)).one()
            first = 0 if last is None else last + 1
            write(first)
            rows = [
                {"space": space, "paper": int(id), "row": first + n, "text_hash": int(hash)}
                for n, (id, hash) in enumerate(zip(ids, text_hashes, strict=True))
            ]
            put = insert(schema.vectors)
            new = {name: put.excluded[name] for name in ("row", "text_hash")}
            db.execute(put.on_conflict_do_update(index_elements=["space", "paper"], set_=new), rows)

    def drop_vectors(self, space: str, ids: Sequence[int] | None = None) -> None:
        """Forget the vectors of these papers (None: of all), so that they are made again."""
        table = schema.vectors.c
        gone = delete(schema.vectors).where(table.space == space)
        if ids is not None:
            gone = gone.where(table.paper.in_(records.among(ids)))
        with self._db.writing() as db:
            db.execute(gone)

    def spaces(self) -> set[str]:
        """The spaces in which papers have vectors."""
        with self._db.reading() as db:
            return set(db.scalars(select(schema.vectors.c.space).distinct()))

    def problems(self) -> list[str]:
        """What is wrong with the file itself: nothing here can be rebuilt from elsewhere."""
        problems = self._db.problems()
        with self._db.reading() as db:
            orphans = db.exec_driver_sql("PRAGMA foreign_key_check").all()
        if orphans:
            problems.append(
                trn(
                    "{n} row belongs to a paper that is not there",
                    "{n} rows belong to papers that are not there",
                    len(orphans),
                )
            )
        return problems

    def changed_texts(self) -> list[int]:
        """The papers whose title or abstract is not what was stored."""
        with self._db.reading() as db:
            return records.changed_texts(db)

    def text_index_fits(self) -> bool:
        """Whether the text index says what the library says."""
        with self._db.writing() as db:
            return fulltext.fits(db)

    def rebuild_text_index(self) -> None:
        with self._db.writing() as db:
            fulltext.rebuild(db)

    def copy_to(self, target: Path, step: Callable[[int, int], None] | None = None) -> None:
        """Write the library as it stands now to another file, whole or not at all.

        `step` is told how many pages of all are done, and may raise to stop it.
        """
        self._db.copy_to(target, step)

    def close(self) -> None:
        self._db.close()

    def _move(self, ids: Iterable[int], *, into_trash: bool) -> None:
        papers = schema.papers.c
        there = _live() if into_trash else papers.trashed.isnot(None)
        moved = update(schema.papers).where(papers.id.in_(records.among(ids)), there)
        with self._db.writing() as db:
            db.execute(moved.values(trashed=time.time() if into_trash else None))


def _live() -> Any:
    return schema.papers.c.trashed.is_(None)


def _set(db: Connection, sql: str, values: tuple[object, ...] = ()) -> Ids:
    """The ids that a SELECT gives, each once, ascending."""
    # As one text: a hundred thousand rows one by one would take five times as long.
    text = db.exec_driver_sql(f"SELECT group_concat(id) FROM ({sql})", values).scalar_one()
    return distinct(np.fromstring(text or "", np.int64, sep=","))


def _ids(values: Iterable[int]) -> Ids:
    return np.fromiter(values, dtype=np.int64)
