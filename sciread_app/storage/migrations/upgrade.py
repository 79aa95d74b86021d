"""Migrate a library file to the newest revision with Alembic.

Imported only when a migration is needed: importing Alembic takes 0.4 s, and the window should open
in less than a second.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from sciread_app.storage.migrations import APPLICATION_ID


def upgrade(db: Connection, revision: int) -> None:
    """Run the migrations up to `revision`, inside the transaction that `db` is in."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = db
    command.upgrade(config, f"{revision:04}")
    db.exec_driver_sql(f"PRAGMA user_version = {revision}")
    db.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
