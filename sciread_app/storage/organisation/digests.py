"""Digests that were written, and how often each topic is part of one."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import insert, select

from sciread_app.domain.digest import DigestState, Frequency, Interval
from sciread_app.domain.paper import PaperId
from sciread_app.storage import paper_rows, schema
from sciread_app.storage.database import Database

# Without papers in the trash. A digest without papers is not listed.
_DIGESTS = """
SELECT digests.id, digests.made, count(*) FROM digests
    JOIN digested ON digested.digest = digests.id
    JOIN papers ON papers.id = digested.paper AND papers.trashed IS NULL
GROUP BY digests.id ORDER BY digests.id DESC LIMIT ?
"""


class DigestRow(NamedTuple):
    """A paper listed for a topic, with titles of similar papers and key terms as reasons."""

    subject: str
    paper: PaperId
    like: Sequence[str] = ()
    words: Sequence[str] = ()


class StoredDigest(NamedTuple):
    """`made` is in seconds since 1970; `papers` is the number of its entries."""

    id: int
    made: float
    papers: int


class DigestStore:
    """A subject is named by its key (see domain.recommend.FollowedTopic)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def states(self) -> dict[str, DigestState]:
        """The state of each subject that has one."""
        with self._db.reading() as db:
            return {
                row.subject: DigestState(
                    Interval(Frequency(row.frequency), row.weekday), row.since, row.last
                )
                for row in db.execute(select(schema.digest_topics))
            }

    def set_state(self, subject: str, state: DigestState) -> None:
        with self._db.writing() as db:
            paper_rows.upsert(db, schema.digest_topics, ["subject"], [_state_row(subject, state)])

    def listed(self, subject: str) -> frozenset[PaperId]:
        """The papers that digests have listed for a subject."""
        table = schema.digested.c
        with self._db.reading() as db:
            found = db.scalars(select(table.paper).where(table.subject == subject))
            return frozenset(PaperId(id) for id in found)

    def add(self, made: float, rows: Sequence[DigestRow], states: Mapping[str, DigestState]) -> int:
        """Store a digest, and the new states of subjects, in one transaction. Return its id; 0 if
        it has no rows and is not stored."""
        with self._db.writing() as db:
            new_states = [_state_row(subject, state) for subject, state in states.items()]
            paper_rows.upsert(db, schema.digest_topics, ["subject"], new_states)
            if not rows:
                return 0
            done = db.execute(insert(schema.digests).values(made=made)).inserted_primary_key
            assert done
            db.execute(
                insert(schema.digested),
                [
                    {
                        "subject": row.subject,
                        "paper": row.paper,
                        "digest": done[0],
                        "position": position,
                        "reasons": json.dumps([list(row.like), list(row.words)]),
                    }
                    for position, row in enumerate(rows)
                ],
            )
            return int(done[0])

    def latest(self, limit: int) -> list[StoredDigest]:
        """The latest digests with papers, latest first."""
        with self._db.reading() as db:
            return [StoredDigest(*row) for row in db.exec_driver_sql(_DIGESTS, (limit,))]

    def rows(self, digest: int) -> list[DigestRow]:
        """The papers of a digest in its order, without those in the trash."""
        table, papers = schema.digested.c, schema.papers.c
        wanted = (
            select(table.subject, table.paper, table.reasons)
            .join(schema.papers, papers.id == table.paper)
            .where(table.digest == digest, papers.trashed.is_(None))
            .order_by(table.position)
        )
        with self._db.reading() as db:
            return [
                DigestRow(subject, PaperId(paper), *json.loads(reasons))
                for subject, paper, reasons in db.execute(wanted)
            ]

    def moment(self) -> float:
        """The present time, in seconds since 1970. Papers added before it can be read, and those
        stored later are dated later."""
        with self._db.writing():  # an import sets the time of its papers in its transaction
            return time.time()

    def feed(self) -> uuid.UUID:
        """The UUID of the library's feed of digests."""
        with self._db.reading() as db:
            known = db.scalar(select(schema.digest_feed.c.uuid))
        if known:
            return uuid.UUID(known)
        with self._db.writing() as db:
            new = insert(schema.digest_feed).prefix_with("OR IGNORE")
            db.execute(new.values(id=1, uuid=str(uuid.uuid4())))
            return uuid.UUID(db.scalars(select(schema.digest_feed.c.uuid)).one())


def _state_row(subject: str, state: DigestState) -> dict[str, object]:
    return {
        "subject": subject,
        "frequency": state.interval.frequency.value,
        "weekday": state.interval.weekday,
        "since": state.since,
        "last": state.last,
    }
