"""Adds the active model and blind votes."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
    """
    CREATE TABLE active (
        id INTEGER NOT NULL,
        model TEXT NOT NULL,
        space TEXT NOT NULL,
        since FLOAT NOT NULL,
        pending TEXT NOT NULL,
        earlier TEXT NOT NULL,
        PRIMARY KEY (id),
        CONSTRAINT one_row CHECK (id = 1)
    )
    """,
    """
    CREATE TABLE votes (
        id INTEGER NOT NULL,
        query TEXT NOT NULL,
        paper INTEGER,
        first TEXT NOT NULL,
        second TEXT NOT NULL,
        choice TEXT NOT NULL,
        at FLOAT NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    "CREATE INDEX votes_models ON votes (first, second)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
