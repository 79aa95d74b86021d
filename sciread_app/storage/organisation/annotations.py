"""Highlights in files, and reading positions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Row, delete, func, insert, select, update

from sciread_app.domain.annotations.annotations import (
    Box,
    Colour,
    Highlight,
    ReadingPosition,
    in_order,
)
from sciread_app.domain.paper import PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database


@dataclass(frozen=True, slots=True)
class LastRead:
    """A file of a paper, the page (from 0) at which reading stopped, and when, in seconds since
    1970. `pages` is 0 if the pages were not counted."""

    paper: PaperId
    path: str
    page: int
    pages: int
    at: float


class AnnotationStore:
    """Highlights belong to a paper and a file content; reading positions to the content alone."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def highlights(self, papers: Iterable[int]) -> list[Highlight]:
        """All highlights in any file of these papers, in page order."""
        return self._select(schema.highlights.c.paper.in_(paper_rows.among(papers)))

    def add(self, highlight: Highlight) -> int:
        """Store a highlight and return its id. Its times are now, unless it has some."""
        now = time.time()
        with self._db.writing() as db:
            times = {"added": highlight.added or now, "changed": highlight.changed or now}
            row = _values(highlight) | times
            return int(db.execute(insert(schema.highlights).values(row)).lastrowid)

    def replace(self, highlight: Highlight) -> None:
        """Store a highlight in place of the one with its id.

        Unlike `move`, an edit records it: undo leaves changed positions alone, but restores rows.
        """
        table = schema.highlights
        times = {"added": highlight.added, "changed": time.time()}
        with self._db.writing() as db:
            db.execute(delete(table).where(table.c.id == highlight.id))
            db.execute(insert(table).values(_values(highlight) | times | {"id": highlight.id}))

    def change(self, id: int, *, colour: Colour | None = None, note: str | None = None) -> None:
        values: dict[str, object] = {"changed": time.time()}
        if colour is not None:
            values["colour"] = colour.value
        if note is not None:
            values["note"] = note
        self._update(id, values)

    def move(self, highlight: Highlight) -> None:
        """Move a highlight to another content or page."""
        self._update(highlight.id, _position(highlight))

    def remove(self, id: int) -> None:
        with self._db.writing() as db:
            db.execute(delete(schema.highlights).where(schema.highlights.c.id == id))

    def position(self, sha256: str) -> ReadingPosition | None:
        table = schema.reading.c
        with self._db.reading() as db:
            row = db.execute(
                select(table.page, table.zoom, table.turn).where(table.sha256 == sha256)
            ).one_or_none()
        return ReadingPosition(*row) if row else None

    def remember(self, sha256: str, place: ReadingPosition) -> None:
        row = {"sha256": sha256, **asdict(place), "at": time.time()}
        with self._db.writing() as db:
            paper_rows.upsert(db, schema.reading, ["sha256"], [row])

    def recently_read(self, limit: int) -> list[LastRead]:
        """The papers read last, latest first, each with its file that was read last; without the
        trash."""
        read, files, papers = schema.reading.c, schema.attachments.c, schema.papers.c
        # SQLite takes the other columns from the row with the greatest value.
        at = func.max(read.at)
        query = (
            select(files.paper, files.path, read.page, files.pages, at)
            .join_from(schema.reading, schema.attachments, files.sha256 == read.sha256)
            .join(schema.papers, papers.id == files.paper)
            .where(papers.trashed.is_(None))
            .group_by(files.paper)
            .order_by(at.desc())
            .limit(limit)
        )
        with self._db.reading() as db:
            return [
                LastRead(PaperId(paper), path, int(page), pages, at)
                for paper, path, page, pages, at in db.execute(query)
            ]

    def _update(self, id: int, values: dict[str, object]) -> None:
        table = schema.highlights
        with self._db.writing() as db:
            db.execute(update(table).where(table.c.id == id).values(values))

    def _select(self, condition: ColumnElement[bool]) -> list[Highlight]:
        with self._db.reading() as db:
            return in_order(
                [_highlight(row) for row in db.execute(select(schema.highlights).where(condition))]
            )


def _values(highlight: Highlight) -> dict[str, object]:
    return _position(highlight) | {
        "paper": highlight.paper,
        "text": highlight.text,
        "colour": highlight.colour.value,
        "note": highlight.note,
    }


def _position(highlight: Highlight) -> dict[str, object]:
    return {
        "sha256": highlight.sha256,
        "path": highlight.path,
        "page": highlight.page,
        "boxes": json.dumps([[round(edge, 2) for edge in box] for box in highlight.boxes]),
    }


def _highlight(row: Row[tuple[object, ...]]) -> Highlight:
    known = {colour.value for colour in Colour}
    return Highlight(
        PaperId(row.paper),
        row.sha256,
        row.path,
        row.page,
        tuple(Box(*edges) for edges in json.loads(row.boxes)),
        row.text,
        Colour(row.colour) if row.colour in known else Colour.yellow,
        row.note,
        row.id,
        row.added,
        row.changed,
    )
