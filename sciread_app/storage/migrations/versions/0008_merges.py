"""Adds the history of merges, so that each can be listed and undone."""

from __future__ import annotations

import json

from alembic import op
from sqlalchemy import Connection

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE merges (
            id INTEGER NOT NULL,
            paper INTEGER NOT NULL,
            "import" INTEGER,
            at FLOAT NOT NULL,
            reason TEXT NOT NULL,
            own TEXT NOT NULL,
            other TEXT NOT NULL,
            within INTEGER,
            PRIMARY KEY (id),
            FOREIGN KEY (paper) REFERENCES papers (id) ON DELETE CASCADE
        )
        """
    )
    op.execute("CREATE INDEX merges_paper ON merges (paper)")
    op.execute('CREATE INDEX merges_import ON merges ("import")')
    op.execute('ALTER TABLE edits ADD COLUMN "import" INTEGER')
    _remember(op.get_bind())


def _remember(db: Connection) -> None:
    """Record earlier merges as far as the records are known: that with the paper's title is its
    own."""
    rows = db.exec_driver_sql(
        "SELECT paper, fingerprint, record, changed FROM origins JOIN papers ON papers.id = paper"
        " WHERE record <> '' ORDER BY paper, json_extract(record, '$[0]') <> papers.title"
    ).all()
    own: dict[int, str] = {}
    for paper, fingerprint, record, changed in rows:
        if paper not in own:
            own[paper] = record
            continue
        db.exec_driver_sql(
            "INSERT INTO merges (paper, at, reason, own, other) VALUES (?, ?, '', ?, ?)",
            (
                paper,
                changed,
                json.dumps({"record": own[paper]}),
                json.dumps({"record": record, "origins": [fingerprint]}),
            ),
        )
