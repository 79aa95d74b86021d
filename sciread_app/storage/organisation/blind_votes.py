"""Votes in blind comparisons of two models."""

from __future__ import annotations

import time
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from sciread_app.domain.paper import PaperId
from sciread_app.storage import schema
from sciread_app.storage.database import Database


class Vote(NamedTuple):
    """Without a `query`, the models were compared on papers similar to `paper`."""

    id: int
    query: str
    paper: PaperId | None
    first: str
    second: str
    choice: str  # "first", "second", "neither"


class VoteStore:
    """Stores models in the order given. Callers sort the two, so that the order does not reveal
    which of them was on which side."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, query: str, paper: int | None, first: str, second: str, choice: str) -> int:
        """Store a vote and return its id."""
        values = {"query": query, "paper": paper, "first": first, "second": second}
        put = insert(schema.votes).values(**values, choice=choice, at=time.time())
        with self._db.writing() as db:
            return int(db.execute(put.returning(schema.votes.c.id)).scalar_one())

    def all(self) -> list[Vote]:
        """All votes, oldest first."""
        table = schema.votes.c
        query = select(
            table.id, table.query, table.paper, table.first, table.second, table.choice
        ).order_by(table.id)
        with self._db.reading() as db:
            return [Vote(*row) for row in db.execute(query)]

    def remove(self, vote: int) -> None:
        with self._db.writing() as db:
            db.execute(delete(schema.votes).where(schema.votes.c.id == vote))
