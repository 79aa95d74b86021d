"""Damage to a library is detected before use, at no cost while there is none."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from sciread_app.errors import LibraryDamaged, LibraryError
from sciread_app.storage.database import Database, in_use
from sciread_app.storage.files import integrity
from sciread_app.storage.files.sqlite_backup import copy
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import APPLICATION_ID
from tests.support import damage
from tests.support.generate.papers import paper


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "library.sqlite3"
    library = Library(path)
    library.put([paper(f"Bees and wasps {n}", doi=f"10.1000/{n}") for n in range(300)])
    library.close()
    return path


@pytest.fixture
def full_checks(monkeypatch) -> list[object]:
    """The databases that were checked completely."""
    done: list[object] = []
    real = integrity.problems

    def problems(db):
        done.append(db)
        return real(db)

    monkeypatch.setattr(integrity, "problems", problems)
    return done


def set_header(path, **values):
    with closing(sqlite3.connect(path)) as db:
        for name, value in values.items():
            db.execute(f"PRAGMA {name} = {value}")
        db.commit()


@pytest.mark.parametrize(
    "harm",
    [
        *(lambda path, seed=seed: damage.flip(path, seed=seed) for seed in range(20)),
        damage.cut,
        damage.empty,
        damage.not_sqlite,
        damage.drop_table,
        lambda path: damage.overwrite(path, 1),
        lambda path: damage.overwrite(path, damage.root(path, "papers")),
        lambda path: set_header(path, application_id=0),
        lambda path: set_header(path, user_version=0),
    ],
)
def test_damaged_library_is_refused_and_unchanged(path, harm):
    harm(path)
    before = path.read_bytes()
    with pytest.raises(LibraryDamaged) as refused:
        Library(path)
    assert str(path) in str(refused.value) and refused.value.hint
    assert path.read_bytes() == before


def test_empty_sqlite_file_is_not_a_new_library(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")
    path.with_name(path.name + ".checked").unlink()
    with pytest.raises(LibraryDamaged):
        Library(path)


def test_library_last_written_by_sciread_is_not_checked_again(path, full_checks):
    for n in range(3):
        library = Library(path)
        library.put([paper(f"Ants {n}")])
        library.close()
    in_use(path)
    Library(path).close()
    assert full_checks == []


def test_library_changed_by_another_program_is_checked_once(path, full_checks):
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE papers SET rating = 5")
        db.commit()
    Library(path).close()
    assert len(full_checks) == 1
    Library(path).close()
    assert len(full_checks) == 1


def test_damage_to_open_library_is_found_at_next_start(path):
    library = Library(path)
    library.put([paper("Ants")])
    os.utime(path, ns=(0, 0))  # as if another program had written to it
    library.close()
    damage.flip(path)
    with pytest.raises(LibraryDamaged):
        Library(path)


def test_invalid_stored_texts_are_reported_as_damage(path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE papers SET title = CAST(x'ff80' AS TEXT) WHERE id = 7")
        db.execute("UPDATE papers SET extra = '{' WHERE id = 8")
        db.commit()
    library = Library(path)
    assert library.get([1])
    for id in (7, 8):
        with pytest.raises(LibraryDamaged):
            library.get([id])
    library.close()


def test_library_created_by_two_processes_at_once_is_intact(tmp_path):
    code = (
        "import sys; from pathlib import Path; from sciread_app.storage.library import Library;"
        "from tests.support.generate.papers import paper; library = Library(Path(sys.argv[1]));"
        "library.put([paper(sys.argv[2])]); library.close()"
    )
    path = tmp_path / "library.sqlite3"
    begun = [
        subprocess.Popen([sys.executable, "-c", code, str(path), title])
        for title in ("Bees", "Wasps", "Ants")
    ]
    assert [process.wait(100) for process in begun] == [0, 0, 0]
    library = Library(path)
    assert library.count() == 3
    library.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name, f"{path.name}.checked"]


def test_file_of_another_program_is_refused_but_not_damaged(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.sqlite3")) as db:
        db.execute("CREATE TABLE songs (title TEXT)")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID + 1}")
    with pytest.raises(LibraryError, match="another program") as refused:
        Database(tmp_path / "other.sqlite3")
    assert not isinstance(refused.value, LibraryDamaged)


class FailingDisk(sqlite3.Connection):
    """SQLite on a disk with read errors."""

    def execute(self, sql, *given):
        return super().execute(sql, *given) if "BEGIN" in sql else self.backup()

    def backup(self, *_, **__):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = "SQLITE_IOERR_CORRUPTFS"
        raise error


@pytest.fixture
def unreadable_library(path, monkeypatch) -> Path:
    """A library on such a disk."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FailingDisk))
    return path


def test_disk_read_error_is_reported_with_remedies(unreadable_library):
    with pytest.raises(LibraryError, match="disk reports an error") as refused:
        Library(unreadable_library)
    assert "doctor --salvage" in refused.value.hint


def test_copy_of_unreadable_library_raises_library_damaged(unreadable_library):
    with pytest.raises(LibraryDamaged, match=unreadable_library.name):
        copy(unreadable_library, unreadable_library.with_name("copy.sqlite3"))
    assert not list(unreadable_library.parent.glob("copy*"))


def test_in_use_is_false_for_library_that_cannot_be_opened(path, monkeypatch):
    def connect(*_, **__):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite3, "connect", connect)
    assert not in_use(path)
