"""Which model answers: one row, switched in one transaction."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.dialects.sqlite import insert

from sciread_app.storage import schema
from sciread_app.storage.database import Database

# Models that one can go back to.
_EARLIER = 2


class Known(NamedTuple):
    """A model by the name of its folder, and its space; empty if it could not be opened."""

    model: str
    space: str


@dataclass(frozen=True, slots=True)
class Standing:
    """`pending` is being activated, or was when a process died; empty if nothing is. `earlier`
    answered before, the last one first."""

    answers: Known
    since: float
    pending: str
    earlier: tuple[Known, ...]


class Active:
    """What the library says; each process finds out by itself that another has changed it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def now(self) -> Standing | None:
        """None while no other model than the first has ever been asked for."""
        with self._db.reading() as db:
            row = db.execute(select(schema.active)).one_or_none()
        if row is None:
            return None
        earlier = tuple(Known(*one) for one in json.loads(row.earlier))
        return Standing(Known(row.model, row.space), row.since, row.pending, earlier)

    def begin(self, model: str, first: Known) -> None:
        """Note that this one is wanted, from now on instead of any other. `first` is what answers
        as long as nobody has said so."""
        put = insert(schema.active).values(
            id=1, model=first.model, space=first.space, since=time.time(), pending=model,
            earlier="[]",
        )  # fmt: skip
        put = put.on_conflict_do_update(index_elements=["id"], set_={"pending": model})
        with self._db.writing() as db:
            db.execute(put)

    def give_up(self, model: str) -> None:
        """It is not wanted any more; another that is wanted since then stays so."""
        table = schema.active
        with self._db.writing() as db:
            db.execute(update(table).where(table.c.pending == model).values(pending=""))

    def switch(self, to: Known) -> bool:
        """Have this one answer. False, and nothing is changed, if it is not wanted any more."""
        with self._db.writing() as db:
            now = self.now()
            if now is None or now.pending != to.model:
                return False
            before = [one for one in (now.answers, *now.earlier) if one.model != to.model]
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
        """One cannot go back to this one any more."""
        with self._db.writing() as db:
            if now := self.now():
                left = [one for one in now.earlier if one.model != model]
                db.execute(update(schema.active).values(earlier=json.dumps(left)))
