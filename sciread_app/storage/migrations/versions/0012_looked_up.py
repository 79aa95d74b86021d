"""Adds the fields that look-ups have changed, with their values before."""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE looked_up (
            paper INTEGER NOT NULL,
            field TEXT NOT NULL,
            old TEXT NOT NULL,
            new TEXT NOT NULL,
            source TEXT NOT NULL,
            at FLOAT NOT NULL,
            PRIMARY KEY (paper, field),
            FOREIGN KEY (paper) REFERENCES papers (id) ON DELETE CASCADE
        ) WITHOUT ROWID
        """
    )
