"""The files of papers: where they are, what is in them, known by content and not by name."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.domain.paper import PaperId
from sciread_app.storage import fulltext, records, schema
from sciread_app.storage.database import Database

# What is known of a file from looking into it.
_SEEN = ("sha256", "size", "modified", "problem", "pages")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a paper. `sha256` is empty until the file was opened; `modified` is its mtime."""

    paper: PaperId
    path: str
    sha256: str = ""
    size: int = 0
    modified: float = 0.0
    problem: str = ""
    pages: int = 0  # 0: nobody has counted them


class Attachments:
    """Files stay where people keep them; the library remembers path, content hash and text."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, ids: Iterable[int]) -> list[Attachment]:
        return self._select(schema.attachments.c.paper.in_(records.among(ids)))

    def with_path(self, paths: Sequence[str]) -> list[Attachment]:
        return self._select(schema.attachments.c.path.in_(records.among_texts(paths)))

    def with_content(self, hashes: Sequence[str]) -> list[Attachment]:
        return self._select(schema.attachments.c.sha256.in_(records.among_texts(hashes)))

    def unread(self) -> list[Attachment]:
        """Files that were named by a record but never opened."""
        return self._select(schema.attachments.c.sha256 == "")

    def put(self, found: Sequence[tuple[Attachment, str]]) -> None:
        """Attach files to papers, with their text, which can be searched from then on."""
        papers = sorted({attachment.paper for attachment, _ in found})
        table = schema.attachments
        with self._db.writing() as db:
            fulltext.forget(db, papers)
            for attachment, text in found:
                row = {name: getattr(attachment, name) for name in ("paper", "path", *_SEEN)}
                put = insert(table).values(row | {"added": time.time()})
                new = {name: put.excluded[name] for name in _SEEN}
                db.execute(put.on_conflict_do_update(index_elements=["paper", "path"], set_=new))
                if text:
                    body = insert(schema.bodies).values(sha256=attachment.sha256, text=text)
                    db.execute(body.on_conflict_do_nothing())
            fulltext.index(db, papers)

    def move(self, old: str, new: str) -> None:
        """A file was found at another place: same content, other path."""
        table = schema.attachments
        with self._db.writing() as db:
            db.execute(update(table).where(table.c.path == old).values(path=new))

    def remove(self, paper: PaperId, path: str) -> None:
        """The file is no longer one of this paper's; the file itself is left alone."""
        table = schema.attachments
        with self._db.writing() as db:
            fulltext.forget(db, [paper])
            db.execute(delete(table).where(table.c.paper == paper, table.c.path == path))
            fulltext.index(db, [paper])

    def _select(self, condition: ColumnElement[bool]) -> list[Attachment]:
        table = schema.attachments.c
        columns = (table.paper, table.path, *(table[name] for name in _SEEN))
        with self._db.reading() as db:
            rows = db.execute(select(*columns).where(condition).order_by(table.id))
            return [Attachment(*row) for row in rows]
