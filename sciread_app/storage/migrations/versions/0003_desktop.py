"""Adds undoable edits, highlights, relevance feedback and auto-exports."""

from __future__ import annotations

from alembic import op

from sciread_app.storage import fulltext

revision = "0003"
down_revision = "0002"

STATEMENTS = (
    """
    CREATE TABLE edits (
        id INTEGER NOT NULL,
        at FLOAT NOT NULL,
        what TEXT NOT NULL,
        rows INTEGER DEFAULT '0' NOT NULL,
        undone BOOLEAN DEFAULT '0' NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE edited_rows (
        id INTEGER NOT NULL,
        edit INTEGER NOT NULL,
        "table" TEXT NOT NULL,
        "key" TEXT NOT NULL,
        paper INTEGER,
        "column" TEXT,
        before BLOB,
        after BLOB,
        PRIMARY KEY (id),
        FOREIGN KEY(edit) REFERENCES edits (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX ix_edited_rows_edit ON edited_rows (edit)",
    """
    CREATE TABLE highlights (
        id INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        path TEXT NOT NULL,
        page INTEGER NOT NULL,
        boxes TEXT NOT NULL,
        text TEXT NOT NULL,
        colour TEXT NOT NULL,
        note TEXT NOT NULL,
        added FLOAT NOT NULL,
        changed FLOAT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX highlights_paper ON highlights (paper)",
    "CREATE INDEX highlights_sha256 ON highlights (sha256)",
    """
    CREATE TABLE reading (
        sha256 TEXT NOT NULL,
        page FLOAT NOT NULL,
        zoom TEXT NOT NULL,
        turn INTEGER NOT NULL,
        at FLOAT NOT NULL,
        PRIMARY KEY (sha256)
    ) WITHOUT ROWID
    """,
    "ALTER TABLE attachments ADD COLUMN pages INTEGER DEFAULT '0' NOT NULL",
    """
    CREATE TABLE mentions (
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        title TEXT NOT NULL,
        authors TEXT NOT NULL,
        venue TEXT NOT NULL,
        year TEXT NOT NULL,
        PRIMARY KEY (kind, value)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE opinions (
        subject TEXT NOT NULL,
        paper INTEGER NOT NULL,
        liked BOOLEAN NOT NULL,
        at FLOAT NOT NULL,
        PRIMARY KEY (subject, paper),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE subjects (
        subject TEXT NOT NULL,
        must TEXT NOT NULL,
        never TEXT NOT NULL,
        half_life FLOAT NOT NULL,
        seen FLOAT NOT NULL,
        PRIMARY KEY (subject)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE synced (
        collection INTEGER NOT NULL,
        path TEXT NOT NULL,
        format TEXT NOT NULL,
        written TEXT NOT NULL,
        at FLOAT NOT NULL,
        problem TEXT NOT NULL,
        PRIMARY KEY (collection),
        FOREIGN KEY(collection) REFERENCES collections (id) ON DELETE CASCADE
    )
    """,
    """
    CREATE TABLE citekeys (
        paper INTEGER NOT NULL,
        citekey TEXT COLLATE "NOCASE" NOT NULL,
        PRIMARY KEY (paper),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE,
        UNIQUE (citekey)
    )
    """,
    # Indexes for filters and sort orders. The index of withdrawn and retracted papers is used only
    # for exactly the expression in storage/filter_sql.py.
    "CREATE INDEX papers_rated ON papers (rating) WHERE rating > 0",
    "CREATE INDEX papers_venue ON papers (venue COLLATE NOCASE) WHERE venue != ''",
    """
    CREATE INDEX papers_withdrawn ON papers (id) WHERE
        instr(extra, '"withdrawn": ') > 0 OR instr(extra, '"retraction_in": ') > 0
        OR instr(extra, 'Retracted Publication') > 0
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
    fulltext.migrate_trash(op.get_bind())
