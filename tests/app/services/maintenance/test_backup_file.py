"""A backup restores the library, and restoring never loses the previous one."""

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
from sciread_app.services.maintenance.backup_rotation import styles_of
from sciread_app.storage.library import Library
from tests.support import damage
from tests.support.generate.papers import paper


@pytest.fixture
def home(tmp_path) -> Home:
    return open_home(tmp_path / "home")


def put(home: Home, *stored_titles: str) -> None:
    library = Library(home.library)
    library.put([paper(title) for title in stored_titles])
    library.close()


def stored_titles(path) -> list[str]:
    library = Library(path)
    found = sorted(p.title for p in library.get(library.ids()))
    library.close()
    return found


def test_restore_returns_library_to_state_of_backup(home, tmp_path):
    put(home, "Bees")
    home.settings.write_text('theme = "dark"\n')
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    put(home, "Wasps")

    kept = restore(home, tmp_path / "b.zip")

    assert stored_titles(home.library) == ["Bees"]
    assert kept and stored_titles(kept) == ["Bees", "Wasps"]
    assert "settings.toml" in zipfile.ZipFile(tmp_path / "b.zip").namelist()


def test_restore_adds_missing_styles_and_overwrites_none(home, tmp_path):
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


def test_restore_with_damaged_styles_restores_the_library(home, tmp_path):
    put(home, "Bees")
    copy = tmp_path / "2026-11-21.sqlite3"
    shutil.copy(home.library, copy)
    styles = styles_of(copy)
    with zipfile.ZipFile(styles, "w") as archive:
        archive.writestr("styles/good.csl", "<style/>")
    content = styles.read_bytes()
    styles.write_bytes(content.replace(b"PK\x01\x02", b"xxxx"))  # the list of its files
    home.library.unlink()
    restore(home, copy)
    assert stored_titles(home.library) == ["Bees"]


def test_restore_extracts_only_styles_into_their_folder(home, tmp_path):
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


def test_backup_includes_papers_in_write_ahead_log(home, tmp_path):
    library = Library(home.library)
    library.put([paper("Bees")])  # not yet in the main file: the library remains open
    backup(library, home, tmp_path / "b.zip")
    library.close()
    home.library.unlink()
    assert restore(home, tmp_path / "b.zip") is None
    assert stored_titles(home.library) == ["Bees"]


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 half"])
def test_restore_of_file_that_is_no_backup_changes_nothing(home, tmp_path, content):
    put(home, "Bees")
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(LibraryError, match=r"b\.zip is damaged or not"):
        restore(home, tmp_path / "b.zip")
    assert stored_titles(home.library) == ["Bees"]


def test_restore_of_damaged_backup_changes_nothing(home, tmp_path):
    put(home, "Bees")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("library.sqlite3", home.library.read_bytes()[:5000])
    with pytest.raises(LibraryError):
        restore(home, tmp_path / "b.zip")
    assert stored_titles(home.library) == ["Bees"]
    assert sorted(p.name for p in home.folder.iterdir() if "restored" in p.name) == []


@pytest.mark.parametrize("name", ["b.sqlite3", "b.zip"])
def test_damaged_backup_is_refused_by_name_with_hint(home, tmp_path, name):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    whole = home.library.read_bytes()
    half = bytes(b ^ 0x55 for b in whole[8192:16384]).join((whole[:8192], whole[16384:]))
    if name == "b.zip":
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("library.sqlite3", half)
    else:
        (tmp_path / name).write_bytes(half)
    with pytest.raises(LibraryError, match=rf"{name} is damaged or not") as refused:
        restore(home, tmp_path / name)
    assert refused.value.hint == "Select another backup."
    assert home.library.read_bytes() == whole


def test_zip_with_damaged_data_is_refused(home, tmp_path):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    library.close()
    packed = bytearray((tmp_path / "b.zip").read_bytes())
    for at in range(60, len(packed) // 2, 7):
        packed[at] ^= 0xFF
    (tmp_path / "b.zip").write_bytes(packed)
    with pytest.raises(LibraryError, match=r"b\.zip is damaged or not"):
        restore(home, tmp_path / "b.zip")


def test_backup_of_newer_version_is_refused_by_name(home, tmp_path):
    put(home, "Bees")
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    with closing(sqlite3.connect(tmp_path / "b.sqlite3")) as db:
        db.execute("PRAGMA user_version = 99")
        db.commit()
    with pytest.raises(LibraryError, match=r"b\.sqlite3 was written by a newer version"):
        restore(home, tmp_path / "b.sqlite3")
    assert stored_titles(home.library) == ["Bees"]


def test_leftover_of_killed_restore_is_not_used(home, tmp_path):
    put(home, "Bees")
    left = Library(home.folder / "restored.sqlite3")
    left.put([paper("Wasps")])
    log = home.folder / "restored.sqlite3-wal"
    written = log.read_bytes()
    left.close()
    log.write_bytes(written)
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    restore(home, tmp_path / "b.sqlite3")
    assert stored_titles(home.library) == ["Bees"]
    assert [p.name for p in home.folder.iterdir() if "restored" in p.name] == []


def test_library_exists_at_every_moment_of_a_restore(home, tmp_path, monkeypatch):
    put(home, "Bees")
    shutil.copy(home.library, tmp_path / "b.sqlite3")
    put(home, "Wasps")
    real, there = Path.replace, []

    def look(self, target):
        if Path(target) == home.library:
            there.append(stored_titles(home.library))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", look)
    restore(home, tmp_path / "b.sqlite3")
    assert there == [["Bees", "Wasps"]] and stored_titles(home.library) == ["Bees"]


def test_library_open_elsewhere_is_not_replaced(home, tmp_path):
    put(home, "Bees")
    library = Library(home.library)
    backup(library, home, tmp_path / "b.zip")
    with pytest.raises(LibraryError, match="is open in another window"):
        restore(home, tmp_path / "b.zip")
    library.put([paper("Wasps")])
    library.close()
    assert stored_titles(home.library) == ["Bees", "Wasps"]
    restore(home, tmp_path / "b.zip")
    assert stored_titles(home.library) == ["Bees"]


def test_unreadable_library_is_set_aside_by_restore(home, tmp_path, monkeypatch):
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
    assert stored_titles(home.library) == ["Bees"] and kept.read_bytes() == damaged


def test_missing_backup_is_named(home, tmp_path):
    with pytest.raises(LibraryError, match=r"gone\.zip does not exist"):
        restore(home, tmp_path / "gone.zip")


def test_default_backup_name_is_in_the_home(home):
    assert default_name(home).parent == home.folder / "backups"


def test_backup_of_library_damaged_meanwhile_is_not_written(home, tmp_path):
    put(home, *(f"Bees and what they said, part {n} of many" for n in range(300)))
    library = Library(home.library)
    (tmp_path / "b.zip").write_bytes(b"the one before")
    damage.overwrite(home.library, damage.root(home.library, "papers_head"))
    with pytest.raises(LibraryDamaged):
        backup(library, home, tmp_path / "b.zip")
    library.close()
    assert (tmp_path / "b.zip").read_bytes() == b"the one before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "home"]


def test_backup_uses_space_on_target_disk_only(home, tmp_path):
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
