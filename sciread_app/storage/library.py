"""The library: all papers, in one SQLite file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    delete,
    func,
    literal_column,
    or_,
    select,
    update,
)

from sciread_app.domain.paper import Identifier, Order, Paper, PaperId, Skipped
from sciread_app.domain.query.parser import Condition
from sciread_app.language import trn
from sciread_app.storage import filter_sql, fulltext, paper_rows, schema
from sciread_app.storage.database import Database
from sciread_app.storage.history.fetches import Fetches, Step, advance
from sciread_app.storage.history.import_log import ImportLog, note
from sciread_app.storage.history.undo import UndoLog
from sciread_app.storage.id_sets import Ids, select_columns, select_ids
from sciread_app.storage.organisation.active_model import ActiveModelStore
from sciread_app.storage.organisation.annotations import AnnotationStore
from sciread_app.storage.organisation.attachments import Attachments
from sciread_app.storage.organisation.blind_votes import VoteStore
from sciread_app.storage.organisation.collections import CollectionStore
from sciread_app.storage.organisation.digests import DigestStore
from sciread_app.storage.organisation.notes import NoteStore
from sciread_app.storage.organisation.organisation import OrganisationStore
from sciread_app.storage.organisation.reading_state import ReadingStateStore
from sciread_app.storage.organisation.relevance_feedback import RelevanceFeedback
from sciread_app.storage.organisation.saved_searches import SavedSearchStore
from sciread_app.storage.organisation.sync.auto_exports import AutoExportStore
from sciread_app.storage.organisation.sync.watched_folders import WatchedFolderStore
from sciread_app.storage.organisation.sync.zotero_imports import ImportedItems
from sciread_app.storage.organisation.tags import TagStore
from sciread_app.storage.papers import manual_edits, upsert
from sciread_app.storage.papers.citations import CitationStore
from sciread_app.storage.papers.citekeys import Citekeys
from sciread_app.storage.papers.corpus_stats import CorpusStatsStore
from sciread_app.storage.papers.duplicate_pairs import DuplicatePairStore
from sciread_app.storage.papers.looked_up import LookedUpFields
from sciread_app.storage.papers.upsert import UpsertResult
from sciread_app.storage.search.facet_groups import Grouping, PaperAttributes

# From this many papers on, sorting the whole library is quicker than looking up each paper.
_MANY = 20_000


class Library:
    """Takes and returns plain values: no row, session or query object leaves this class.

    Safe to call from any thread and from several processes: readers never wait, writers wait for
    each other. Only `get` returns papers in the trash. The stores are public attributes: tags,
    collections, notes, reading_state and saved_searches (`organisation` reads those of a paper
    together), import_log, fetches, attachments and their texts, citations, active_model and so on.
    """

    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self.path = path
        self.edits = UndoLog(self._db)
        self.organisation = OrganisationStore(self._db)
        self.tags = TagStore(self._db)
        self.collections = CollectionStore(self._db)
        self.notes = NoteStore(self._db)
        self.reading_state = ReadingStateStore(self._db)
        self.saved_searches = SavedSearchStore(self._db)
        self.duplicates = DuplicatePairStore(self._db)
        self.import_log = ImportLog(self._db)
        self.fetches = Fetches(self._db)
        self.attachments = Attachments(self._db)
        self.imported_items = ImportedItems(self._db)
        self.citations = CitationStore(self._db)
        self.feedback = RelevanceFeedback(self._db)
        self.digests = DigestStore(self._db)
        self.citekeys = Citekeys(self._db)
        self.auto_exports = AutoExportStore(self._db)
        self.watched_folders = WatchedFolderStore(self._db)
        self.annotations = AnnotationStore(self._db)
        self.attributes = PaperAttributes(self._db)
        self.facets = Grouping(self._db)
        self.corpus_stats = CorpusStatsStore(self._db)
        self.active_model = ActiveModelStore(self._db)
        self.votes = VoteStore(self._db)
        self.looked_up = LookedUpFields(self._db)

    @property
    def read_only(self) -> bool:
        """Whether the library is in a read-only location."""
        return self._db.read_only

    def changed_elsewhere(self) -> bool:
        """Return whether another process has changed the library since the last call."""
        return self._db.changed_elsewhere()

    def is_untouched(self) -> bool:
        """Return whether nothing has ever been added, including papers deleted since."""
        ever = "SELECT count(*) FROM sqlite_sequence WHERE name = 'papers'"
        tables = ("imports", "fetches", "collections", "saved_searches")
        with self._db.reading() as db:
            counts = [ever, *(f"SELECT count(*) FROM {table}" for table in tables)]
            return not any(db.exec_driver_sql(count).scalar_one() for count in counts)

    def put(
        self,
        batch: Sequence[Paper],
        *,
        import_id: int | None = None,
        skips: Sequence[Skipped] = (),
        step: Step | None = None,
        unasked: bool = False,
    ) -> UpsertResult:
        """Store records, each as a new paper or merged into an existing one; see record_linkage.py.

        `import_id`: id of an import, to whose log the batch and `skips` are added in the same
        transaction. `step`: the progress of a fetch, stored in that transaction too.
        `unasked`: the user did not start the import. Then it moves no paper out of the trash, and
        its merges are part of the edit that is being recorded.
        """
        with self._db.writing() as db:
            if step is not None:
                advance(db, step)
            stored = upsert.store(db, batch, time.time(), import_id, unasked=unasked)
            if import_id is not None:
                note(db, import_id, stored.added, stored.merged, skips, stored.news)
        return stored

    def edit(self, *ids: int, **values: Any) -> None:
        """Set fields of papers as manual edits, which no later import overwrites."""
        with self._db.writing() as db:
            manual_edits.edit(db, ids, values)

    def fill(self, id: int, **values: Any) -> None:
        """Set fields of a paper, as an import would."""
        with self._db.writing() as db:
            manual_edits.edit(db, [id], values, manual=False)

    def manually_edited_fields(self, id: int) -> frozenset[str]:
        """The names of the fields of a paper that were set by `edit`."""
        papers = schema.papers.c
        with self._db.reading() as db:
            names = db.scalars(select(papers.edited).where(papers.id == id)).one_or_none()
        return frozenset(json.loads(names or "[]"))

    def get(self, ids: Iterable[int]) -> list[Paper]:
        """The papers with these ids, in this order; unknown ids are left out."""
        ids = list(ids)
        with self._db.reading() as db:
            found = paper_rows.read(db, ids)
        return [found[i] for i in ids if i in found]

    def count(self) -> int:
        """Number of papers, without the trash."""
        with self._db.reading() as db:
            return db.scalars(select(func.count()).select_from(schema.papers).where(_live())).one()

    def ids(self, order: Order = Order.added, limit: int | None = None) -> Ids:
        """All papers, or the first `limit`, without the trash."""
        return self._listed(order, _live(), limit)

    def ordered(self, ids: Ids, order: Order) -> Ids:
        """These papers in this order, including those in the trash."""
        if len(ids) > _MANY:
            listed = self.ids(order)
            if np.isin(ids, listed).all():
                return listed[np.isin(listed, ids)]
        return self._listed(order, schema.papers.c.id.in_(paper_rows.among(ids.tolist())))

    def matching(self, conditions: Sequence[Condition], expression: str = "") -> Ids:
        """Ids of the papers that meet all conditions and match the FTS5 expression, ascending.

        Papers in the trash are included only if a condition selects the trash.
        """
        trashed = any(one.of_trash and not one.negated for one in conditions)
        selections = filter_sql.selections(conditions)
        if expression:
            selections.append(filter_sql.matching(expression))
        with self._db.reading() as db:
            included_sets = [
                select_ids(db, one.sql, one.values) for one in selections if one.included
            ]
            excluded_sets = [
                select_ids(db, one.sql, one.values) for one in selections if not one.included
            ]
            if not trashed and included_sets:
                excluded_sets.append(
                    select_ids(db, "SELECT id FROM papers WHERE trashed IS NOT NULL")
                )
            elif not trashed:
                included_sets.append(select_ids(db, "SELECT id FROM papers WHERE trashed IS NULL"))
        found = reduce(partial(np.intersect1d, assume_unique=True), included_sets)
        return reduce(partial(np.setdiff1d, assume_unique=True), excluded_sets, found)

    def search_text(
        self, expression: str, limit: int, conditions: Sequence[Condition] = ()
    ) -> list[tuple[PaperId, float]]:
        """The papers that best match an FTS5 expression, best first, with their weighted BM25
        scores."""
        if not expression:
            return []
        with self._db.reading() as db:
            found = fulltext.search(db, expression, limit, filter_sql.selections(conditions))
        return [(PaperId(id), score) for id, score in found]

    def newest_with_text(self, expression: str, limit: int) -> list[PaperId]:
        """The papers added last that match an FTS5 expression, newest first; faster than
        `search_text` where many papers match."""
        with self._db.reading() as db:
            return [PaperId(id) for id in fulltext.newest(db, expression, limit)]

    def document_frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """Number of papers that contain each word in any of its forms."""
        with self._db.reading() as db:
            return fulltext.document_frequencies(db, words)

    def with_identifier(self, identifier: Identifier) -> list[PaperId]:
        names = schema.identifiers.c
        return self._identified(names.kind == identifier.kind, names.value == identifier.value)

    def with_citekey_like(self, key: str) -> list[PaperId]:
        """The papers with this citation key, compared without regard to ASCII case."""
        names = schema.identifiers.c
        return self._identified(names.kind == "citekey", func.lower(names.value) == func.lower(key))

    def titled_like(self, keys: Iterable[int]) -> list[PaperId]:
        """The papers whose title begins with one of these keys; see record_keys.block_keys."""
        papers = schema.papers.c
        query = select(papers.id).where(papers.head_key.in_(paper_rows.among(keys)), _live())
        with self._db.reading() as db:
            return [PaperId(id) for id in db.scalars(query)]

    def works(self, ids: Iterable[int]) -> dict[PaperId, int]:
        """The work id of each paper, which all versions of a work share; without the trash."""
        papers = schema.papers.c
        own = func.coalesce(papers.work, papers.id)
        query = select(papers.id, own).where(papers.id.in_(paper_rows.among(ids)), _live())
        with self._db.reading() as db:
            return {PaperId(id): work for id, work in db.execute(query)}

    def first_of_works(self, ids: Ids) -> Ids:
        """These papers in their order, keeping only the first version of each work.

        Few papers have several versions, so only those are queried.
        """
        papers = schema.papers.c
        with self._db.reading() as db:
            rows = db.execute(select(papers.id, papers.work).where(papers.work.is_not(None)))
            found = dict(map(tuple, rows))
        places = np.flatnonzero(np.isin(ids, list(found)))
        _, first = np.unique([found[id] for id in ids[places].tolist()], return_index=True)
        kept = np.ones(len(ids), bool)
        kept[places] = False
        kept[places[first]] = True
        return ids[kept]

    def versions(self, id: PaperId) -> list[PaperId]:
        """The other versions of this paper's work, without the trash."""
        papers = schema.papers.c
        work = select(papers.work).where(papers.id == id).scalar_subquery()
        others = select(papers.id).where(papers.work == work, papers.id != id, _live())
        with self._db.reading() as db:
            return [PaperId(other) for other in db.scalars(others)]

    def version_counts(self, ids: Iterable[int]) -> dict[PaperId, int]:
        """Number of versions, itself included, of each paper that has several."""
        papers, others = schema.papers.c, schema.papers.alias()
        counted = (
            select(papers.id, func.count())
            .join(others, (others.c.work == papers.work) & others.c.trashed.is_(None))
            .where(papers.id.in_(paper_rows.among(ids)), papers.work.isnot(None))
            .group_by(papers.id)
        )
        with self._db.reading() as db:
            return {PaperId(id): count for id, count in db.execute(counted) if count > 1}

    def trash(self, ids: Iterable[int]) -> None:
        """Move papers to the trash, which hides them from lists and searches."""
        self._move(ids, into_trash=True)

    def untrash(self, ids: Iterable[int]) -> None:
        self._move(ids, into_trash=False)

    def trashed(self) -> Ids:
        papers = schema.papers.c
        with self._db.reading() as db:
            query = select(papers.id).where(papers.trashed.isnot(None)).order_by(papers.trashed)
            return select_columns(db, query)[0]

    def delete_permanently(self, ids: Iterable[int] | None = None) -> int:
        """Delete papers in the trash (None: all) with their notes, tags and other data.

        Attached files stay on disk. Returns the number of papers deleted.
        """
        papers = schema.papers.c
        deleted = select(papers.id).where(papers.trashed.isnot(None))
        if ids is not None:
            deleted = deleted.where(papers.id.in_(paper_rows.among(ids)))
        with self._db.writing() as db:
            found = list(db.scalars(deleted))
            fulltext.remove(db, found)
            db.execute(delete(schema.papers).where(papers.id.in_(paper_rows.among(found))))
        return len(found)

    def texts(self, ids: Iterable[int]) -> list[tuple[str, str]]:
        """Title and abstract of each paper, in this order; two empty strings for an unknown id."""
        ids, papers = list(ids), schema.papers.c
        with self._db.reading() as db:
            rows = db.execute(
                select(papers.id, papers.title, papers.abstract).where(
                    papers.id.in_(paper_rows.among(ids))
                )
            )
            found = {id: (title, abstract) for id, title, abstract in rows}
        return [found.get(id, ("", "")) for id in ids]

    def missing_vectors(self, space: str) -> tuple[Ids, Ids]:
        """Ids and text hashes of the papers whose current text has no vector in this space."""
        papers, vectors = schema.papers.c, schema.vectors.c
        fits = (vectors.paper == papers.id) & (vectors.space == space)
        with self._db.reading() as db:
            ids, hashes = select_columns(
                db,
                select(papers.id, papers.text_hash)
                .outerjoin(schema.vectors, fits)
                .where(_live(), or_(vectors.row.is_(None), vectors.text_hash != papers.text_hash))
                .order_by(papers.id),
            )
        return ids, hashes

    def vector_rows(self, space: str) -> tuple[Ids, Ids, Ids]:
        """Ids, row numbers and text hashes of the papers whose current text has a vector."""
        papers, vectors = schema.papers.c, schema.vectors.c
        query = (
            select(vectors.paper, vectors.row, vectors.text_hash)
            .join(schema.papers, papers.id == vectors.paper)
            .where(vectors.space == space, vectors.text_hash == papers.text_hash, _live())
            .order_by(vectors.paper)
        )
        with self._db.reading() as db:
            ids, rows, hashes = select_columns(db, query)
        return ids, rows, hashes

    def put_vectors(
        self,
        space: str,
        ids: Sequence[int],
        text_hashes: Sequence[int],
        write: Callable[[int], None],
    ) -> None:
        """Record which rows of the vector file of `space` belong to these papers.

        `write` is called under the write lock with the number of the first free row. It must have
        written the vectors to disk, one row each in this order, when it returns.
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
            paper_rows.upsert(db, schema.vectors, ["space", "paper"], rows)

    def drop_vectors(self, space: str, ids: Sequence[int] | None = None) -> None:
        """Forget the vectors of these papers (None: all), so that they are computed again."""
        table = schema.vectors.c
        deleted = delete(schema.vectors).where(table.space == space)
        if ids is not None:
            deleted = deleted.where(table.paper.in_(paper_rows.among(ids)))
        with self._db.writing() as db:
            db.execute(deleted)

    def spaces(self) -> set[str]:
        """The spaces for which vectors are stored."""
        with self._db.reading() as db:
            return set(db.scalars(select(schema.vectors.c.space).distinct()))

    def problems(self) -> list[str]:
        """Problems of the database file itself, none of which can be repaired from other data."""
        problems = self._db.problems()
        with self._db.reading() as db:
            orphans = db.exec_driver_sql("PRAGMA foreign_key_check").all()
        if orphans:
            problems.append(
                trn(
                    "{n} row refers to a paper that does not exist",
                    "{n} rows refer to papers that do not exist",
                    len(orphans),
                )
            )
        return problems

    def changed_texts(self) -> list[int]:
        """The papers whose title or abstract no longer matches the stored text hash."""
        with self._db.reading() as db:
            return paper_rows.changed_texts(db)

    def is_text_index_consistent(self) -> bool:
        """Return whether the full-text index agrees with the stored texts."""
        with self._db.writing() as db:
            return fulltext.is_consistent(db)

    def rebuild_text_index(self) -> None:
        with self._db.writing() as db:
            fulltext.rebuild(db)

    def copy_to(self, target: Path, step: Callable[[int, int], None] | None = None) -> None:
        """Copy the library as it is now to another file, completely or not at all.

        `step` is called with the number of pages copied and their total; it may raise to stop.
        """
        self._db.copy_to(target, step)

    def close(self) -> None:
        self._db.close()

    def _identified(self, *conditions: ColumnElement[bool]) -> list[PaperId]:
        """The papers with an identifier that meets these conditions."""
        names = schema.identifiers.c
        query = (
            select(names.paper)
            .distinct()
            .join(schema.papers, schema.papers.c.id == names.paper)
            .where(*conditions, _live())
            .order_by(names.paper)
        )
        with self._db.reading() as db:
            return [PaperId(id) for id in db.scalars(query)]

    def _listed(self, order: Order, which: Any, limit: int | None = None) -> Ids:
        """The papers that meet a clause, or the first `limit`, in this order."""
        query = select(schema.papers.c.id).where(which).order_by(*_sort_columns(order))
        with self._db.reading() as db:
            return select_columns(db, query, limit)[0]

    def _move(self, ids: Iterable[int], *, into_trash: bool) -> None:
        papers = schema.papers.c
        affected = _live() if into_trash else papers.trashed.isnot(None)
        moved = update(schema.papers).where(papers.id.in_(paper_rows.among(ids)), affected)
        with self._db.writing() as db:
            db.execute(moved.values(trashed=time.time() if into_trash else None))


def _live() -> Any:
    return schema.papers.c.trashed.is_(None)


# The number of papers that are known to cite a paper; one with several identifiers counts once.
_CITATIONS: Any = literal_column(
    "(SELECT count(DISTINCT coalesce((SELECT min(far.paper) FROM identifiers AS far"
    " WHERE far.kind = c.citing_kind AND far.value = c.citing), c.citing_kind || ' ' || c.citing))"
    " FROM identifiers AS near CROSS JOIN citations AS c"
    " ON c.cited_kind = near.kind AND c.cited = near.value WHERE near.paper = papers.id)"
)
# When a file of a paper was last open in the Reader.
_LAST_READ: Any = literal_column(
    "(SELECT max(reading.at) FROM attachments JOIN reading USING (sha256)"
    " WHERE attachments.paper = papers.id)"
)


def _sort_columns(order: Order) -> Sequence[Any]:
    """ORDER BY expressions: unknown values last, newest first among equals."""
    papers, authors = schema.papers.c, schema.authors.c
    newest = (papers.added.desc(), papers.id.desc())
    first_author = (
        select(func.lower(authors.family))
        .where(authors.paper == papers.id, authors.position == 0)
        .scalar_subquery()
    )
    return {
        Order.relevance: newest,
        Order.added: newest,
        Order.year: (papers.published.desc(), papers.id.desc()),
        Order.oldest: (papers.published == "", papers.published, papers.id),
        Order.earliest_added: (papers.added, papers.id),
        Order.title: (func.lower(papers.title), papers.id),
        Order.title_descending: (func.lower(papers.title).desc(), papers.id),
        Order.author: (first_author.nulls_last(), papers.published.desc(), papers.id),
        Order.author_descending: (
            first_author.desc().nulls_last(),
            papers.published.desc(),
            papers.id,
        ),
        Order.venue: (papers.venue == "", func.lower(papers.venue), *newest),
        Order.venue_descending: (papers.venue == "", func.lower(papers.venue).desc(), *newest),
        Order.rating: (papers.rating.desc(), *newest),
        Order.lowest_rating: (papers.rating == 0, papers.rating, *newest),
        Order.unread: (papers.read, *newest),
        Order.read: (papers.read.desc(), *newest),
        Order.citations: (_CITATIONS.desc(), *newest),
        Order.fewest_citations: (_CITATIONS == 0, _CITATIONS, *newest),
        Order.last_read: (_LAST_READ.desc().nulls_last(), papers.read.desc(), *newest),
        Order.earliest_read: (_LAST_READ.nulls_last(), papers.read.desc(), *newest),
    }[order]
