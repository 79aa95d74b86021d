"""Folds spellings in the full-text index: ß = ss, ü = ue, CO$_2$ = CO2, Chinese by character."""

from __future__ import annotations

from alembic import op

from sciread_app.storage import fulltext

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    fulltext.migrate_folding(op.get_bind())
