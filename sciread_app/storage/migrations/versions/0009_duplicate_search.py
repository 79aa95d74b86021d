"""Adds the progress of the search for duplicates, which is due in existing libraries."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE duplicate_search (
            id INTEGER NOT NULL,
            compared INTEGER NOT NULL,
            PRIMARY KEY (id),
            CONSTRAINT one_row CHECK (id = 1)
        )
        """
    )
    op.execute("INSERT INTO duplicate_search SELECT 1, 0 FROM papers LIMIT 1")
