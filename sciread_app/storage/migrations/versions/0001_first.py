"""The first format of the library."""

from __future__ import annotations

from alembic import op

from sciread_app.storage import fulltext

revision = "0001"
down_revision = None

TABLES = (
    """
    CREATE TABLE bodies (
        sha256 TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (sha256)
    )
    """,
    """
    CREATE TABLE citations (
        citing_kind TEXT NOT NULL,
        citing TEXT NOT NULL,
        cited_kind TEXT NOT NULL,
        cited TEXT NOT NULL,
        source TEXT NOT NULL,
        PRIMARY KEY (citing_kind, citing, cited_kind, cited)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX citations_cited ON citations (cited_kind, cited)",
    """
    CREATE TABLE collections (
        id INTEGER NOT NULL,
        parent INTEGER,
        name TEXT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(parent) REFERENCES collections (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX collections_name ON collections (parent, name)",
    """
    CREATE TABLE imports (
        id INTEGER NOT NULL,
        what TEXT NOT NULL,
        started FLOAT NOT NULL,
        finished FLOAT,
        read INTEGER NOT NULL,
        added INTEGER NOT NULL,
        merged INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        PRIMARY KEY (id)
    )
    """,
    """
    CREATE TABLE papers (
        id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL,
        abstract TEXT NOT NULL,
        kind TEXT NOT NULL,
        published TEXT NOT NULL,
        year INTEGER,
        venue TEXT NOT NULL,
        keywords TEXT NOT NULL,
        extra TEXT NOT NULL,
        source TEXT NOT NULL,
        source_id TEXT NOT NULL,
        text_hash INTEGER NOT NULL,
        head_key INTEGER NOT NULL,
        tail_key INTEGER NOT NULL,
        work INTEGER,
        edited TEXT DEFAULT '[]' NOT NULL,
        read BOOLEAN DEFAULT '0' NOT NULL,
        rating INTEGER DEFAULT '0' NOT NULL,
        added FLOAT NOT NULL,
        changed FLOAT NOT NULL,
        trashed FLOAT
    )
    """,
    "CREATE INDEX ix_papers_head_key ON papers (head_key)",
    "CREATE INDEX ix_papers_tail_key ON papers (tail_key)",
    "CREATE INDEX papers_work ON papers (work) WHERE work IS NOT NULL",
    "CREATE INDEX papers_bare ON papers (abstract) WHERE abstract = ''",
    "CREATE INDEX papers_live ON papers (year) WHERE trashed IS NULL",
    "CREATE INDEX papers_read ON papers (read) WHERE read",
    "CREATE INDEX papers_source ON papers (source, source_id)",
    "CREATE INDEX papers_trashed ON papers (trashed) WHERE trashed IS NOT NULL",
    "CREATE INDEX papers_added ON papers (added) WHERE trashed IS NULL",
    """
    CREATE TABLE saved_searches (
        id INTEGER NOT NULL,
        name TEXT NOT NULL,
        "query" TEXT NOT NULL,
        added FLOAT NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (name)
    )
    """,
    """
    CREATE TABLE tags (
        id INTEGER NOT NULL,
        name TEXT COLLATE "NOCASE" NOT NULL,
        colour TEXT DEFAULT '' NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (name)
    )
    """,
    """
    CREATE TABLE attachments (
        id INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        path TEXT NOT NULL,
        sha256 TEXT DEFAULT '' NOT NULL,
        size INTEGER DEFAULT '0' NOT NULL,
        modified FLOAT DEFAULT '0' NOT NULL,
        problem TEXT DEFAULT '' NOT NULL,
        added FLOAT NOT NULL,
        PRIMARY KEY (id),
        UNIQUE (paper, path),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX attachments_path ON attachments (path)",
    "CREATE INDEX attachments_sha256 ON attachments (sha256)",
    """
    CREATE TABLE authors (
        paper INTEGER NOT NULL,
        position INTEGER NOT NULL,
        family TEXT NOT NULL,
        given TEXT NOT NULL,
        particle TEXT NOT NULL,
        suffix TEXT NOT NULL,
        literal BOOLEAN NOT NULL,
        PRIMARY KEY (paper, position),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE collected (
        collection INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        added FLOAT NOT NULL,
        PRIMARY KEY (collection, paper),
        FOREIGN KEY(collection) REFERENCES collections (id) ON DELETE CASCADE,
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX collected_paper ON collected (paper)",
    """
    CREATE TABLE failures (
        id INTEGER NOT NULL,
        import INTEGER NOT NULL,
        file TEXT NOT NULL,
        entry TEXT NOT NULL,
        why TEXT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(import) REFERENCES imports (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX ix_failures_import ON failures (import)",
    """
    CREATE TABLE fields (
        paper INTEGER NOT NULL,
        position INTEGER NOT NULL,
        field TEXT NOT NULL,
        PRIMARY KEY (paper, position),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX fields_field ON fields (field COLLATE NOCASE, paper)",
    """
    CREATE TABLE identifiers (
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        paper INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (kind, value, paper),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX identifiers_paper ON identifiers (paper)",
    """
    CREATE TABLE notes (
        id INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        text TEXT NOT NULL,
        added FLOAT NOT NULL,
        changed FLOAT NOT NULL,
        PRIMARY KEY (id),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX notes_paper ON notes (paper)",
    """
    CREATE TABLE origins (
        fingerprint INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (fingerprint),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX origins_paper ON origins (paper)",
    """
    CREATE TABLE relations (
        a INTEGER NOT NULL,
        b INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        reason TEXT NOT NULL,
        decided FLOAT NOT NULL,
        PRIMARY KEY (a, b),
        FOREIGN KEY(a) REFERENCES papers (id) ON DELETE CASCADE,
        FOREIGN KEY(b) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX relations_b ON relations (b)",
    """
    CREATE TABLE tagged (
        tag INTEGER NOT NULL,
        paper INTEGER NOT NULL,
        PRIMARY KEY (tag, paper),
        FOREIGN KEY(tag) REFERENCES tags (id) ON DELETE CASCADE,
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX tagged_paper ON tagged (paper)",
    """
    CREATE TABLE vectors (
        space TEXT NOT NULL,
        paper INTEGER NOT NULL,
        "row" INTEGER NOT NULL,
        text_hash INTEGER NOT NULL,
        PRIMARY KEY (space, paper),
        FOREIGN KEY(paper) REFERENCES papers (id) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX vectors_paper ON vectors (paper)",
)


def upgrade() -> None:
    for statement in TABLES:
        op.execute(statement)
    fulltext.create(op.get_bind())
