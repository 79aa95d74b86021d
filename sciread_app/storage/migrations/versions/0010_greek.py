"""Folds mathematical Greek letters in the full-text index: 𝛼 = α = alpha.

Only a library whose texts contain such letters is indexed again.
"""

from __future__ import annotations

from alembic import op

from sciread_app.storage import fulltext

revision = "0010"
down_revision = "0009"

_INDEXED = (
    "SELECT title || abstract || venue || keywords AS text FROM papers",
    "SELECT given || particle || family || suffix FROM authors",
    "SELECT field FROM fields",
    "SELECT text FROM notes",
    "SELECT text FROM bodies",
)
_LETTERS = "*[\U0001d6a8-\U0001d7cb]*"


def upgrade() -> None:
    db = op.get_bind()
    query = f"SELECT 1 FROM ({' UNION ALL '.join(_INDEXED)}) WHERE text GLOB ? LIMIT 1"
    if db.exec_driver_sql(query, (_LETTERS,)).first():
        fulltext.rebuild(db)
