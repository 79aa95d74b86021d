"""Adds digests of new papers, and how often each followed topic is part of one."""

from __future__ import annotations

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    for statement in _TABLES.split(";"):
        op.execute(statement)


_TABLES = """
    CREATE TABLE digest_topics (
        subject TEXT NOT NULL,
        frequency TEXT NOT NULL,
        weekday INTEGER NOT NULL,
        since FLOAT NOT NULL,
        last FLOAT NOT NULL,
        PRIMARY KEY (subject)
    ) WITHOUT ROWID;

    CREATE TABLE digests (
        id INTEGER NOT NULL,
        made FLOAT NOT NULL,
        PRIMARY KEY (id)
    );

    CREATE TABLE digested (
        subject TEXT NOT NULL,
        paper INTEGER NOT NULL,
        digest INTEGER NOT NULL,
        position INTEGER NOT NULL,
        reasons TEXT NOT NULL,
        PRIMARY KEY (subject, paper),
        FOREIGN KEY (paper) REFERENCES papers (id) ON DELETE CASCADE,
        FOREIGN KEY (digest) REFERENCES digests (id) ON DELETE CASCADE
    ) WITHOUT ROWID;

    CREATE INDEX digested_paper ON digested (paper);

    CREATE INDEX ix_digested_digest ON digested (digest);

    CREATE TABLE digest_feed (
        id INTEGER NOT NULL,
        uuid TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT one_row CHECK (id = 1)
    )
"""
