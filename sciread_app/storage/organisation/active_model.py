"""The active model: one row, switched in one transaction."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.storage import schema
from sciread_app.storage.database import Database

# Number of earlier models to remember.
_EARLIER = 2


class ModelRef(NamedTuple):
    """A model by its folder name and its space, which is empty if it could not be opened."""

    model: str
    space: str


@dataclass(frozen=True, slots=True)
class ActiveModelState:
    """`pending` is being activated, or was when a process was killed; empty if there is none.

    `earlier` are the previously active models, latest first.
    """

    active: ModelRef
    since: float
    pending: str
    earlier: tuple[ModelRef, ...]


class ActiveModelStore:
    """The state of activation. Each process has to check for changes by others."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def state(self) -> ActiveModelState | None:
        """The state; None if no other model than the first was ever activated."""
        with self._db.reading() as db:
            row = db.execute(select(schema.active)).one_or_none()
        if row is None:
            return None
        earlier = tuple(ModelRef(*one) for one in json.loads(row.earlier))
        return ActiveModelState(ModelRef(row.model, row.space), row.since, row.pending, earlier)

    def begin(self, model: str, first: ModelRef) -> None:
        """Mark a model as pending, in place of any other.

        `first` is the active model if none has been recorded yet.
        """
        put = insert(schema.active).values(
            id=1, model=first.model, space=first.space, since=time.time(), pending=model,
            earlier="[]",
        )  # fmt: skip
        put = put.on_conflict_do_update(index_elements=["id"], set_={"pending": model})
        with self._db.writing() as db:
            db.execute(put)

    def cancel(self, model: str) -> None:
        """Cancel the activation of a model, unless another has become pending since."""
        table = schema.active
        with self._db.writing() as db:
            db.execute(update(table).where(table.c.pending == model).values(pending=""))

    def switch(self, to: ModelRef) -> bool:
        """Make a model active. Returns False and changes nothing if it is no longer pending."""
        with self._db.writing() as db:
            now = self.state()
            if now is None or now.pending != to.model:
                return False
            before = [one for one in (now.active, *now.earlier) if one.model != to.model]
            db.execute(
                update(schema.active).values(
                    model=to.model,
                    space=to.space,
                    since=time.time(),
                    pending="",
                    earlier=json.dumps(before[:_EARLIER]),
                )
            )
        return True

    def forget(self, model: str) -> None:
        """Remove a model from the earlier ones."""
        with self._db.writing() as db:
            if now := self.state():
                left = [one for one in now.earlier if one.model != model]
                db.execute(update(schema.active).values(earlier=json.dumps(left)))
