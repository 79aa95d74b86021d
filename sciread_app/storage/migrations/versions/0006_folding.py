"""The text index folds spellings: ß = ss, ü = ue, CO$_2$ = CO2, Chinese by its characters."""

from __future__ import annotations

from alembic import op

from sciread_app.storage import fulltext

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    fulltext.renew(op.get_bind())
