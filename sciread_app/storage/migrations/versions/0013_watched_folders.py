"""Adds the folders that are watched for new papers, and the files found in them."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE watched_folders (
            id INTEGER NOT NULL,
            path TEXT NOT NULL,
            subfolders BOOLEAN NOT NULL,
            collection INTEGER,
            paused BOOLEAN NOT NULL,
            mount TEXT NOT NULL,
            scanned FLOAT,
            problem TEXT NOT NULL,
            PRIMARY KEY (id),
            UNIQUE (path),
            FOREIGN KEY (collection) REFERENCES collections (id) ON DELETE SET NULL
        )
        """
    )
    op.execute(
        """
        CREATE TABLE watched_files (
            folder INTEGER NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified FLOAT NOT NULL,
            state TEXT NOT NULL,
            PRIMARY KEY (folder, path),
            FOREIGN KEY (folder) REFERENCES watched_folders (id) ON DELETE CASCADE
        ) WITHOUT ROWID
        """
    )
    op.execute("CREATE INDEX watched_files_missing ON watched_files (path) WHERE state = 'missing'")
    op.execute("CREATE INDEX attachments_size ON attachments (size)")
