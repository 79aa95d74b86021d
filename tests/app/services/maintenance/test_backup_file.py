"""A backup brings the library back, and restoring never loses the one that was there."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from sciread_app.errors import LibraryDamaged, LibraryError
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_file import backup, default_name, restore
from sciread_app.storage.library import Library
from tests.support import damage
from tests.support.make import paper


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


def test_citation_styles_come_back_and_replace_none_that_is_there(home, tmp_path):
    put(home, "Bees")
    home.styles.mkdir()
    for name in ("lost", "edited"):
        (home.styles / f"{name}.csl").write_text(f"<{name}/>", "utf-8")
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    (home.styles / "lost.csl").unlink()
    (home.styles / "edited.csl").write_text("<newer/>", "utf-8")

    restore(home, tmp_path / "b.zip")

    styles = {file.name: file.read_text("utf-8") for file in home.styles.iterdir()}
    assert styles == {"lost.csl": "<lost/>", "edited.csl": "<newer/>"}


def test_only_styles_are_unpacked_and_only_into_their_folder(home, tmp_path):
    put(home, "Bees")
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    outside = ("styles/../up.csl", "../up.csl", "styles/a/b.csl", "styles/run.exe", "styles/.csl",
               "/up.csl", "styles\\up.csl", "styles/C:up.csl")  # fmt: skip
    with zipfile.ZipFile(tmp_path / "b.zip", "a") as archive:
        for name in outside:
            archive.writestr(name, "<style/>")
        archive.writestr("styles/large.csl", " " * 3_000_000)
        archive.writestr("styles/good.csl", "<style/>")

    restore(home, tmp_path / "b.zip")

    assert [file.name for file in home.styles.rglob("*")] == ["good.csl"]
    assert not list(tmp_path.rglob("up.csl"))


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


@pytest.mark.parametrize("name", ["b.sqlite3", "b.zip"])
def test_a_damaged_backup_is_named_with_what_to_do(home, tmp_path, name):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    whole = home.library.read_bytes()
    half = bytes(b ^ 0x55 for b in whole[8192:16384]).join((whole[:8192], whole[16384:]))
    if name == "b.zip":
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("library.sqlite3", half)
    else:
        (tmp_path / name).write_bytes(half)
    with pytest.raises(LibraryError, match=rf"{name} is not a backup .*damaged") as refused:
        restore(home, tmp_path / name)
    assert refused.value.hint == "Choose another backup."
    assert home.library.read_bytes() == whole


def test_a_zip_whose_packed_bytes_are_damaged_is_no_fault_of_ours(home, tmp_path):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    packed = bytearray((tmp_path / "b.zip").read_bytes())
    for at in range(60, len(packed) // 2, 7):
        packed[at] ^= 0xFF
    (tmp_path / "b.zip").write_bytes(packed)
    with pytest.raises(LibraryError, match=r"b\.zip is not a backup"):
        restore(home, tmp_path / "b.zip")


def test_a_backup_of_a_newer_program_says_so_by_its_name(home, tmp_path):
    put(home, "Bees")
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    with closing(sqlite3.connect(tmp_path / "b.sqlite3")) as db:
        db.execute("PRAGMA user_version = 99")
        db.commit()
    with pytest.raises(LibraryError, match=r"b\.sqlite3 was written by a newer SciRead"):
        restore(home, tmp_path / "b.sqlite3")
    assert titles(home.library) == ["Bees"]


def test_what_a_killed_restore_has_left_does_not_get_into_the_next(home, tmp_path):
    put(home, "Bees")
    left = Library(home.folder / "restored.sqlite3")
    left.put([paper("Wasps")])
    log = home.folder / "restored.sqlite3-wal"
    written = log.read_bytes()
    left.close()
    log.write_bytes(written)
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    restore(home, tmp_path / "b.sqlite3")
    assert titles(home.library) == ["Bees"]
    assert [p.name for p in home.folder.iterdir() if "restored" in p.name] == []


def test_while_a_backup_takes_its_place_there_is_always_a_library(home, tmp_path, monkeypatch):
    put(home, "Bees")
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    put(home, "Wasps")
    real, there = Path.replace, []

    def look(self, target):
        if Path(target) == home.library:
            there.append(titles(home.library))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", look)
    restore(home, tmp_path / "b.sqlite3")
    assert there == [["Bees", "Wasps"]] and titles(home.library) == ["Bees"]


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


def test_a_library_that_the_disk_cannot_read_is_put_aside_all_the_same(home, tmp_path, monkeypatch):
    put(home, "Bees")
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    damage.not_sqlite(home.library)
    damaged = home.library.read_bytes()

    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(shutil, "copy2", fail)
    kept = restore(home, tmp_path / "b.zip")
    assert titles(home.library) == ["Bees"] and kept.read_bytes() == damaged


def test_a_missing_backup_is_named(home, tmp_path):
    with pytest.raises(LibraryError, match=r"no backup .*gone\.zip"):
        restore(home, tmp_path / "gone.zip")


def test_names_of_backups_lie_in_the_home(home):
    assert default_name(home).parent == home.folder / "backups"


def test_of_a_library_that_is_damaged_meanwhile_no_backup_is_written(home, tmp_path):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    library = Library(home.library)
    (tmp_path / "b.zip").write_bytes(b"the one before")
    damage.overwrite(home.library, damage.root(home.library, "papers_head"))
    with pytest.raises(LibraryDamaged):
        backup(library, home, tmp_path / "b.zip")
    library.close()
    assert (tmp_path / "b.zip").read_bytes() == b"the one before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home"]


def test_a_backup_is_written_to_another_disk_where_the_home_is_full(home, tmp_path):
    put(home, "Bees")
    library = Library(home.library)
    before = {path.name for path in home.folder.iterdir()}
    seen = set()
    backup(_Watched(library, lambda: seen.update(home.folder.iterdir())), home, tmp_path / "b.zip")
    library.close()
    assert {path.name for path in seen} <= before | {"library.sqlite3.checked"}


class _Watched:
    def __init__(self, library, look) -> None:
        self.path = library.path
        self._library, self._look = library, look

    def copy_to(self, target) -> None:
        self._library.copy_to(target)
        self._look()
