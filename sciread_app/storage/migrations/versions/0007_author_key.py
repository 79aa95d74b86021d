"""Adds first author and year as a block key for record linkage."""

from __future__ import annotations

from alembic import op

from sciread_app.domain.matching.record_keys import author_key
from sciread_app.domain.paper import Author, Paper

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("ALTER TABLE papers ADD COLUMN author_key INTEGER NOT NULL DEFAULT 0")
    db = op.get_bind()
    found = db.exec_driver_sql(
        "SELECT id, published, family, given FROM papers"
        " JOIN authors ON paper = id AND position = 0 WHERE published <> ''"
    )
    rows = []
    for id, published, family, given in found:
        paper = Paper(title="", published=published, authors=(Author(family, given),))
        rows.append((author_key(paper), id))
    if rows:
        db.exec_driver_sql("UPDATE papers SET author_key = ? WHERE id = ?", rows)
    op.execute("CREATE INDEX papers_author ON papers (author_key)")
