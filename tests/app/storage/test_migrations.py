"""Old library files are migrated, with a copy kept first."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.storage import database, fulltext, schema
from sciread_app.storage.files import opening
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from tests.support.generate.papers import paper
from trainer.data.inputs.library import NEWEST


def test_migrations_build_the_declared_schema(tmp_path):
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


def test_trainer_reads_the_newest_format():
    assert NEWEST == HEAD


def test_migration_keeps_a_copy_and_a_failed_one_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "library.sqlite3"
    library = Library(path)
    library.put([paper("Bees")])
    library.close()
    monkeypatch.setattr(database, "HEAD", HEAD + 1)  # a revision that does not exist: it must fail
    with pytest.raises(Exception, match=f"{HEAD + 1:04}"):
        Library(path)
    monkeypatch.undo()
    for file in (path, tmp_path / "library.backup.sqlite3"):
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT title FROM papers").fetchall() == [("Bees",)]
            assert db.execute("PRAGMA user_version").fetchone() == (HEAD,)
    library = Library(path)
    assert library.count() == 1
    library.close()


def test_library_of_any_earlier_version_is_migrated_with_its_content(tmp_path):
    for revision in range(1, HEAD):
        path = tmp_path / f"{revision}.sqlite3"
        opening.begin(path, revision)
        with closing(sqlite3.connect(path)) as db:
            db.execute(
                "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, "
                "source, source_id, text_hash, head_key, tail_key, added, changed) "
                "VALUES ('Bees', '', '', '', '', '', '{}', '', '', 1, 1, 1, 1, 1)"
            )
            db.commit()
        library = Library(path)
        assert [paper.title for paper in library.get([1])] == ["Bees"]
        assert library.duplicates.is_search_due() == (revision < 9)
        library.close()


def test_migration_adds_trashed_papers_to_text_index(tmp_path):
    path = tmp_path / "library.sqlite3"
    opening.begin(path, 2)
    with closing(sqlite3.connect(path)) as db, db:
        view = db.execute("SELECT sql FROM sqlite_master WHERE name = 'searchable'").fetchone()[0]
        db.execute("DROP VIEW searchable")
        db.execute(f"{view} WHERE trashed IS NULL")
        db.execute(
            "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, source, "
            "source_id, text_hash, head_key, tail_key, added, changed, trashed) "
            "VALUES ('Bees', '', '', '', '', '', '{}', '', '', 1, 1, 1, 1, 1, 1)"
        )
    library = Library(path)
    library.untrash([1])
    assert [id for id, _ in library.search_text("bees", 5)] == [
        1
    ] and library.is_text_index_consistent()
    library.close()


def test_migration_rebuilds_text_index_with_folding(tmp_path):
    path = tmp_path / "library.sqlite3"
    opening.begin(path, 5)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, source, "
            "source_id, text_hash, head_key, tail_key, added, changed) "
            "VALUES ('Müller on CO$_2$', '', '', '', '', '', '{}', '', '', 1, 1, 1, 1, 1)"
        )
        view = db.execute("SELECT sql FROM sqlite_master WHERE name = 'searchable'").fetchone()[0]
        db.execute("DROP VIEW searchable")
        db.execute(view.replace("fold(", "("))
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('rebuild')")
        found = "SELECT count(*) FROM fulltext WHERE fulltext MATCH 'co2'"
        assert db.execute(found).fetchone() == (0,)
    library = Library(path)
    for word in ("mueller", "co2"):
        assert [id for id, _ in library.search_text(word, 5)] == [1]
    assert library.is_text_index_consistent()
    library.edit(1, title="Bees")
    assert library.search_text("mueller", 5) == [] and library.is_text_index_consistent()
    library.close()


@pytest.mark.parametrize("column", ["title", "keywords"])
def test_migration_of_library_with_mathematical_greek_rebuilds_text_index(tmp_path, column):
    path = tmp_path / "library.sqlite3"
    opening.begin(path, 9)
    texts = {"title": "On", "keywords": ""} | {column: "\U0001d6fc-decay"}
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, source, "
            "source_id, text_hash, head_key, tail_key, added, changed) "
            "VALUES (:title, '', '', '', '', :keywords, '{}', '', '', 1, 1, 1, 1, 1)",
            texts,
        )
    library = Library(path)
    assert [id for id, _ in library.search_text("alpha", 5)] == [1]
    assert library.is_text_index_consistent()
    library.close()


def test_migration_of_library_without_mathematical_greek_keeps_text_index(tmp_path, monkeypatch):
    path = tmp_path / "library.sqlite3"
    opening.begin(path, 9)
    monkeypatch.setattr(fulltext, "rebuild", lambda db: pytest.fail("the index was rebuilt"))
    Library(path).close()


def test_migrated_records_are_matched_by_author_and_year(tmp_path):
    path = tmp_path / "library.sqlite3"
    opening.begin(path, 6)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, source, "
            "source_id, text_hash, head_key, tail_key, added, changed) "
            "VALUES ('Survay of honey bees and of their hives in winter', '', '', '2001', "
            " '', '', '{}', '', '', 1, 1, 1, 1, 1)"
        )
        db.execute(
            "INSERT INTO authors (paper, position, family, given, particle, suffix, literal) "
            "VALUES (1, 0, 'Curie', 'M.', '', '', 0)"
        )
    library = Library(path)
    library.put(
        [
            paper(
                "Survey of honey bees and of their hives in wintar",
                authors="Curie, M.",
                published="2001",
            )
        ]
    )
    assert [(r.a, r.b) for r in library.duplicates.of(MatchVerdict.maybe)] == [(1, 2)]
    library.close()
