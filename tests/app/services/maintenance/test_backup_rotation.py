"""Daily backups: made once a day, thinned out by age, keeping the last good one."""

from __future__ import annotations

import os
import time
from datetime import date, datetime, timedelta
from typing import cast

import pytest

from sciread_app.errors import Cancelled, LibraryDamaged, LibraryError
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance import backup_rotation as module
from sciread_app.services.maintenance.backup_file import restore
from sciread_app.services.maintenance.backup_rotation import BackupKind, Backups, retained
from sciread_app.storage.files import sqlite_backup
from sciread_app.storage.files.sqlite_backup import is_sound, papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support import damage
from tests.support.generate.papers import paper

TODAY = date(2026, 11, 22)


@pytest.fixture
def home(tmp_path) -> Home:
    return open_home(tmp_path / "home")


@pytest.fixture
def library(home):
    library = Library(home.library)
    library.put([paper("Bees"), paper("Wasps")])
    yield library
    library.close()


def touch(home, seconds):
    """Shift the modification time of the library by that many seconds."""
    for path in home.folder.glob("library.sqlite3*"):
        then = path.stat().st_mtime + seconds
        os.utime(path, (then, then))


def test_daily_backup_is_due_once_a_day_after_changes(home, library):
    backups, tomorrow = Backups(home), TODAY + timedelta(1)
    assert backups.is_due(library, TODAY)
    assert (
        backups.create_daily(library, TODAY, Task())
        == home.folder / "backups" / "2026-11-22.sqlite3"
    )
    touch(home, 3600)
    assert not backups.is_due(library, TODAY) and backups.is_due(library, tomorrow)
    touch(home, -7200)
    assert not backups.is_due(library, tomorrow)


def test_manual_backup_overwrites_none_and_is_never_removed(home, library):
    backups, now = Backups(home), datetime(2026, 11, 22, 2, 16)
    daily = backups.create_daily(library, TODAY, Task())
    made = []
    for title in ("Ants", "Termites"):
        library.put([paper(title)])
        made.append(backups.create_manual(library, now, Task()))
    assert [papers_in(path) for path in (daily, *made)] == [2, 3, 4]
    assert len({daily, *made}) == 3
    for n in range(1, 20):
        backups.create_daily(library, TODAY + timedelta(n), Task())
    kinds = {copy.path: copy.kind for copy in backups.all()}
    assert [kinds[path] for path in made] == [BackupKind.manual, BackupKind.manual]
    assert backups.find(made[0].name) == made[0]


def test_backup_reports_paper_count_and_leaves_no_temporary_files(home, library):
    backups = Backups(home)
    path = backups.create_daily(library, TODAY, Task())
    (copy,) = backups.all()
    assert (copy.path, copy.papers, copy.kind) == (path, 2, BackupKind.daily)
    assert copy.bytes == path.stat().st_size
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_empty_library_needs_no_backup(home):
    library = Library(home.library)
    assert not Backups(home).is_due(library, TODAY)
    library.close()


def test_retained_keeps_last_seven_days_and_monthly_for_a_year():
    days = [TODAY - timedelta(n) for n in range(800)]
    left = retained(days)
    assert set(days[:7]) <= left
    months = sorted(left - set(days[:7]), reverse=True)
    assert months[0] == date(2026, 10, 31) and months[-1] == date(2025, 12, 31)
    assert len(months) == 11


def test_old_backups_are_removed_after_a_new_one(home, library):
    backups = Backups(home)
    backups.create_daily(library, TODAY - timedelta(20), Task())
    first = backups.folder / "2026-11-02.sqlite3"
    for n in range(9, 0, -1):
        (backups.folder / f"{TODAY - timedelta(n)}.sqlite3").write_bytes(first.read_bytes())
    touch(home, 3600)
    backups.create_daily(library, TODAY, Task())
    names = [path.stem for path in sorted(backups.folder.iterdir())]
    assert names == [str(TODAY - timedelta(n)) for n in range(6, -1, -1)]


def test_last_backup_with_papers_is_kept_at_any_age(home, library):
    backups = Backups(home)
    good = backups.create_daily(library, TODAY - timedelta(20), Task())
    empty = Library(home.folder / "empty.sqlite3")
    for n in range(9, 0, -1):
        empty.copy_to(backups.folder / f"{TODAY - timedelta(n)}.sqlite3")
    empty.close()
    backups._thin()
    assert good.exists() and len(list(backups.folder.iterdir())) == 8


def test_damaged_library_makes_no_backup_and_removes_none(home, library):
    backups = Backups(home)
    library.put([paper(f"Ants {n}", doi=f"10.1000/{n}") for n in range(200)])
    good = backups.create_daily(library, TODAY - timedelta(1), Task())
    library.close()
    damage.overwrite(home.library, damage.root(home.library, "papers"))
    broken = cast(
        Library, _UncheckedCopies(home.library)
    )  # an open one does not see all of the damage
    for day in (TODAY - timedelta(1), TODAY):
        with pytest.raises(LibraryDamaged):
            backups.create_daily(broken, day, Task())
    with pytest.raises(LibraryDamaged):
        backups.create_manual(broken, datetime(2026, 11, 22), Task())
    assert papers_in(good) == 202
    assert [path for path in backups.folder.iterdir()] == [good]


class _UncheckedCopies:
    """A library that was damaged while it was open."""

    def __init__(self, path) -> None:
        self.path = path

    def copy_to(self, target, step=None) -> None:
        sqlite_backup.copy(self.path, target, step)


def test_is_sound_detects_damage(home, library, tmp_path):
    path = Backups(home).create_daily(library, TODAY, Task())
    assert is_sound(path) and papers_in(path) == 2
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert not is_sound(path)
    for content in (b"", b"no library"):
        path.write_bytes(content)
        assert papers_in(path) is None and not is_sound(path)


def test_cancelled_backup_leaves_no_files(home, library):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        Backups(home).create_daily(library, TODAY, task)
    assert list((home.folder / "backups").iterdir()) == []


def test_concurrent_backups_do_not_collide(home, library):
    here, there = Backups(home), Backups(home)

    class Meanwhile(Task):
        begun = False

        def step(self, *_):
            if not self.begun:  # the other one begins and ends while this one runs
                self.begun = True
                there.create_daily(library, date(2026, 7, 1), Task())

    copy = here.create_daily(library, date(2026, 7, 1), Meanwhile())
    assert is_sound(copy) and [path.name for path in here.folder.iterdir()] == [copy.name]


def test_temporary_files_of_killed_backup_are_removed_after_an_hour(home, library):
    backups = Backups(home)
    backups.folder.mkdir()
    fresh, old = (backups.folder / f"2026-06-0{n}.abcd.arriving.new" for n in (1, 2))
    for half in (fresh, old):
        half.write_bytes(b"half")
    os.utime(old, (0, time.time() - 2 * 3600))
    backups.create_daily(library, date(2026, 7, 1), Task())
    assert fresh.exists() and not old.exists()


def test_writes_during_backup_do_not_delay_it(home, library):
    def write(done, total):
        library.put([paper(f"Ants {done}")])

    target = home.folder / "copy.sqlite3"
    library.copy_to(target, write)
    assert is_sound(target) and papers_in(target) == 2
    assert library.count() > 2


def test_backup_without_disk_space_is_refused(home, library, monkeypatch):
    usage = type("Usage", (), {"free": 10})
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(LibraryError, match="Not enough disk space"):
        Backups(home).create_daily(library, TODAY, Task())
    assert list((home.folder / "backups").iterdir()) == []


def test_daily_backup_can_be_restored_and_the_restore_undone(home):
    library, backups = Library(home.library), Backups(home)
    library.put([paper("Bees")])
    backups.create_daily(library, TODAY, Task())
    library.put([paper("Wasps")])
    library.close()
    restore(home, backups.find("2026-11-22"))
    assert papers_in(home.library) == 1
    kept = next(copy for copy in backups.all() if copy.kind is BackupKind.before_restore)
    assert kept.papers == 2
    restore(home, backups.find(kept.name))
    assert papers_in(home.library) == 2
    assert not list(home.folder.glob("restored*"))


def test_citation_styles_are_part_of_daily_and_manual_backups(home, library):
    backups = Backups(home)
    home.styles.mkdir()
    (home.styles / "mine.csl").write_text("<mine/>", "utf-8")
    made = [backups.create_daily(library, TODAY, Task())]
    made.append(backups.create_manual(library, datetime(2026, 11, 22, 2, 16), Task()))
    library.close()
    for copy in made:
        (home.styles / "mine.csl").unlink()
        restore(home, copy)
        assert (home.styles / "mine.csl").read_text("utf-8") == "<mine/>"
    library = Library(home.library)
    for n in range(1, 60):
        backups.create_daily(library, TODAY + timedelta(n), Task())
    library.close()
    days = {copy.name for copy in backups.all() if copy.kind is BackupKind.daily}
    styles = {p.name.split(".")[0] for p in backups.folder.glob("2*.zip")}
    assert styles == days


def test_backup_is_due_when_only_a_style_was_added(home, library):
    backups, tomorrow = Backups(home), TODAY + timedelta(1)
    home.styles.mkdir()
    backups.create_daily(library, TODAY, Task())
    touch(home, -7200)
    os.utime(home.styles, (0, 0))
    assert not backups.is_due(library, tomorrow)
    later = (home.folder / "backups" / "2026-11-22.sqlite3").stat().st_mtime + 60
    (home.styles / "mine.csl").write_text("<mine/>", "utf-8")
    os.utime(home.styles, (later, later))
    assert backups.is_due(library, tomorrow)


def test_backups_can_use_another_folder(home, library, tmp_path):
    elsewhere = Backups(home, tmp_path / "synced" / "backups")
    path = elsewhere.create_daily(library, TODAY, Task())
    assert path.parent == tmp_path / "synced" / "backups"
    assert elsewhere.find("2026-11-22") == path


def test_missing_day_of_backup_is_named(home):
    with pytest.raises(LibraryError, match="2020-01-01 does not exist"):
        Backups(home).find("2020-01-01")
