"""A backup brings the library back, and restoring never loses the one that was there."""

from __future__ import annotations

import zipfile

import pytest

from sciread_app.errors import LibraryError
from sciread_app.paths import Home, open_home
from sciread_app.services.backup import backup, restore, usual_name
from sciread_app.storage.library import Library
from tests.make import paper


@pytest.fixture
def home(tmp_path) -> Home:
    return open_home(tmp_path / "home")


def put(home: Home, *titles: str) -> None:
    library = Library(home.library)
    library.put([paper(title) for title in titles])
    library.close()


def titles(path) -> list[str]:
    library = Library(path)
    found = sorted(p.title for p in library.get(library.ids()))
    library.close()
    return found


def test_a_backup_is_the_library_as_it_was(home, tmp_path):
    put(home, "Bees")
    home.settings.write_text('theme = "dark"\n')
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    put(home, "Wasps")

    kept = restore(home, tmp_path / "b.zip")

    assert titles(home.library) == ["Bees"]
    assert kept and titles(kept) == ["Bees", "Wasps"]
    assert "settings.toml" in zipfile.ZipFile(tmp_path / "b.zip").namelist()


def test_papers_still_in_the_log_of_writes_are_part_of_the_backup(home, tmp_path):
    library = Library(home.library)
    library.put([paper("Bees")])  # not yet in the main file: the library stays open
    backup(library, home, tmp_path / "b.zip")
    library.close()
    home.library.unlink()
    assert restore(home, tmp_path / "b.zip") is None
    assert titles(home.library) == ["Bees"]


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half"])
def test_what_is_no_backup_changes_nothing(home, tmp_path, content):
    put(home, "Bees")
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(LibraryError, match=r"b\.zip is not a backup"):
        restore(home, tmp_path / "b.zip")
    assert titles(home.library) == ["Bees"]


def test_a_backup_with_a_damaged_library_changes_nothing(home, tmp_path):
    put(home, "Bees")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("library.sqlite3", home.library.read_bytes()[:5000])
    with pytest.raises(LibraryError):
        restore(home, tmp_path / "b.zip")
    assert titles(home.library) == ["Bees"]
    assert sorted(p.name for p in home.folder.iterdir() if "restored" in p.name) == []


def test_a_library_that_is_open_elsewhere_is_not_replaced_under_its_feet(home, tmp_path):
    put(home, "Bees")
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    with pytest.raises(LibraryError, match="is open in another window"):
        restore(home, tmp_path / "b.zip")
    library.put([paper("Wasps")])
    library.close()
    assert titles(home.library) == ["Bees", "Wasps"]
    restore(home, tmp_path / "b.zip")
    assert titles(home.library) == ["Bees"]


def test_a_missing_backup_is_named(home, tmp_path):
    with pytest.raises(LibraryError, match=r"no backup .*gone\.zip"):
        restore(home, tmp_path / "gone.zip")


def test_names_of_backups_lie_in_the_home(home):
    assert usual_name(home).parent == home.folder / "backups"
