"""Adds the items imported from Zotero, so that none is imported twice."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE brought (
            paper INTEGER NOT NULL,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (paper, kind, name),
            FOREIGN KEY (paper) REFERENCES papers (id) ON DELETE CASCADE
        ) WITHOUT ROWID
        """
    )
