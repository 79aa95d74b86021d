"""The files of papers: path, size, content hash and text."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import PaperId
from sciread_app.storage import fulltext, paper_rows, schema
from sciread_app.storage.database import Database

# Columns that are known once a file was read.
_SEEN = ("sha256", "size", "modified", "problem", "pages")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a paper. `sha256` is empty until the file was read; `modified` is its mtime."""

    paper: PaperId
    path: str
    sha256: str = ""
    size: int = 0
    modified: float = 0.0
    problem: str = ""
    pages: int = 0  # 0: not counted


class Attachments:
    """Files stay where users keep them; the library stores path, content hash and text."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> list[Attachment]:
        return self._select(schema.attachments.c.paper.in_(paper_rows.among(ids)))

    def with_path(self, paths: Sequence[str]) -> list[Attachment]:
        return self._select(schema.attachments.c.path.in_(paper_rows.among_texts(paths)))

    def with_content(self, hashes: Sequence[str]) -> list[Attachment]:
        return self._select(schema.attachments.c.sha256.in_(paper_rows.among_texts(hashes)))

    def with_size(self, sizes: Sequence[int]) -> list[Attachment]:
        """Files that had one of these sizes, in bytes, when they were read."""
        return self._select(schema.attachments.c.size.in_(paper_rows.among(sizes)))

    def unread(self) -> list[Attachment]:
        """Files named by a record but never opened."""
        return self._select(schema.attachments.c.sha256 == "")

    def put(self, found: Sequence[tuple[Attachment, str]]) -> None:
        """Attach files to papers and index their text for search."""
        table = schema.attachments
        read = [attachment.sha256 for attachment, text in found if text]
        with self._db.writing() as db:
            # Texts belong to contents: other papers may have files with the same one.
            alike = select(table.c.paper).where(table.c.sha256.in_(paper_rows.among_texts(read)))
            papers = {*db.scalars(alike), *(attachment.paper for attachment, _ in found)}
            with fulltext.reindexing(db, sorted(papers)):
                for attachment, text in found:
                    _put(db, attachment, text)

    def move(self, old: str, new: str) -> bool:
        """Record that a file has moved: same content, other path. Returns whether any paper has
        it. Undo moves it back (`UndoLog.moved_files`)."""
        table, highlights = schema.attachments, schema.highlights
        with self._db.writing() as db:
            papers = db.scalars(select(table.c.paper).where(table.c.path == old)).all()
            db.execute(update(table).where(table.c.path == old).values(path=new))
            db.execute(update(highlights).where(highlights.c.path == old).values(path=new))
            _move_in_merges(db, papers, old, new)
            return bool(papers)

    def remove(self, paper: PaperId, path: str) -> None:
        """Detach a file from a paper; the file on disk stays."""
        table = schema.attachments
        with self._db.writing() as db, fulltext.reindexing(db, [paper]):
            db.execute(delete(table).where(table.c.paper == paper, table.c.path == path))

    def _select(self, condition: ColumnElement[bool]) -> list[Attachment]:
        table = schema.attachments.c
        columns = (table.paper, table.path, *(table[name] for name in _SEEN))
        with self._db.reading() as db:
            rows = db.execute(select(*columns).where(condition).order_by(table.id))
            return [Attachment(*row) for row in rows]


def _put(db: Connection, attachment: Attachment, text: str) -> None:
    row = {name: getattr(attachment, name) for name in ("paper", "path", *_SEEN)}
    put = insert(schema.attachments).values(row | {"added": time.time()})
    new = {name: put.excluded[name] for name in _SEEN}
    db.execute(put.on_conflict_do_update(index_elements=["paper", "path"], set_=new))
    if text:
        body = insert(schema.bodies).values(sha256=attachment.sha256, text=text)
        db.execute(body.on_conflict_do_nothing())


def _move_in_merges(db: Connection, papers: Sequence[int], old: str, new: str) -> None:
    """Change the path in the records of merged papers, which splitting brings back. They are JSON
    within JSON."""
    was, now = (
        json.dumps(json.dumps(path, ensure_ascii=False), ensure_ascii=False)[1:-1]
        for path in (old, new)
    )
    merges = schema.merges
    for column in (merges.c.own, merges.c.other):
        db.execute(
            update(merges)
            .where(merges.c.paper.in_(paper_rows.among(papers)), func.instr(column, was) > 0)
            .values({column: func.replace(column, was, now)})
        )
