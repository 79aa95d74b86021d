"""Adds fetches, updates of papers, citation lookups, and indexes on normalized titles."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"

TABLES = (
    """
    CREATE TABLE fetches (
        id INTEGER NOT NULL,
        source TEXT NOT NULL,
        text TEXT NOT NULL,
        since TEXT NOT NULL,
        until TEXT NOT NULL,
        most INTEGER NOT NULL,
        changed_since TEXT NOT NULL,
        cursor TEXT NOT NULL,
        total INTEGER NOT NULL,
        message TEXT NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (source, text, since, until, most)
    )
    """,
    """
    CREATE TABLE news (
        id INTEGER NOT NULL,
        import INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        what TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(import) REFERENCES imports (id) ON DELETE CASCADE,
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX news_import ON news (import)",
    "CREATE INDEX news_paper ON news (paper)",
    "ALTER TABLE imports ADD COLUMN fetch INTEGER",
    "CREATE INDEX imports_fetch ON imports (fetch)",
    """
    CREATE TABLE asked (
        paper INTEGER NOT NULL,
        source TEXT NOT NULL,
        at FLOAT NOT NULL,
        PRIMARY KEY (paper, source),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
)


INDEXES = (
    "DROP INDEX ix_papers_head_key",
    "DROP INDEX ix_papers_tail_key",
    "CREATE INDEX papers_head ON papers (head_key, tail_key)",
    "CREATE INDEX papers_tail ON papers (tail_key, head_key)",
)


def upgrade() -> None:
    for statement in (*TABLES, *INDEXES):
        op.execute(statement)
