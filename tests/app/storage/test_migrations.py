"""An old library file becomes a new one, and a copy of it is kept first."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from sciread_app.storage import database, schema
from sciread_app.storage.library import Library
from tests.make import paper


def test_the_migrations_build_what_the_schema_says(tmp_path):
    path = tmp_path / "library.sqlite3"
    Library(path).close()
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as db:
        context = MigrationContext.configure(
            db,
            opts={
                "include_name": lambda name, kind, _: (
                    kind != "table" or not (name or "").startswith(("fulltext", "alembic"))
                )
            },
        )
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()


def test_a_copy_is_kept_before_a_migration_and_a_failed_one_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "library.sqlite3"
    library = Library(path)
    library.put([paper("Bees")])
    library.close()
    monkeypatch.setattr(database, "HEAD", 2)  # a revision that does not exist: it must fail
    with pytest.raises(Exception, match="0002"):
        Library(path)
    monkeypatch.undo()
    for file in (path, tmp_path / "library.backup.sqlite3"):
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT title FROM papers").fetchall() == [("Bees",)]
            assert db.execute("PRAGMA user_version").fetchone() == (1,)
    library = Library(path)
    assert library.count() == 1
    library.close()
