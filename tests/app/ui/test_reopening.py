"""What needs a closed library: the window goes, it is done, and a window comes again."""

from __future__ import annotations

import sys
from datetime import date

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups, Kind
from sciread_app.settings import change_settings
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.application import Session
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.make import paper


@pytest.fixture
def home(tmp_path) -> Home:
    """With two papers, and a copy of the day on which there was one. There is no model to start."""
    home = open_home(tmp_path / "home")
    change_settings(home.settings, model="none")
    library = Library(home.library)
    library.put([paper("Bees")])
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.put([paper("Wasps")])
    library.close()
    return home


@pytest.fixture
def sit(qapp, monkeypatch):
    """Sit at windows as they come: each function is called with one once there are papers in it,
    and is to make it go. Returns what each has returned."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # a window takes it over
    turn = sys.getswitchinterval()

    results, errors, to_do, met = [], [], [], []

    def look():
        open_ = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        window = next((w for w in open_ if w.isVisible() and w.is_open), None)
        if window and window not in met and not window._jobs.running():
            met.append(window)
            try:
                results.append(to_do.pop(0)(window))
            except Exception as error:  # Qt would drop it, and the window would stay for ever
                errors.append(error)
                QApplication.exit(1)

    def run(sitting, *dos):
        to_do.extend(dos)
        timer = QTimer(interval=20)
        timer.timeout.connect(look)
        timer.start()
        while sitting:
            sitting.run()
            if errors:
                raise errors[0]
            sitting = sitting.next
        return results

    yield run
    sys.setswitchinterval(turn)


def restore(window):
    care = window.desk.care
    copy = next(copy for copy in care.backups() if copy.kind is Kind.daily)
    window.reopen_requested.emit(care.restoring(copy))
    return window.desk.status().papers


def look_and_leave(window):
    QApplication.exit(0)
    return window.desk.status().papers, window.banner.message.text()


@pytest.mark.slow
def test_a_backup_is_restored_from_the_window_and_shown_in_it(qapp, home, sit):
    before, (after, said) = sit(Session(qapp, home), restore, look_and_leave)
    assert (before, after) == (2, 1)
    assert said.startswith("Restoring the library as of") and said.endswith(": done.")
    kept = next(copy for copy in Backups(home).all() if copy.kind is Kind.before_restore)
    assert kept.papers == 2


def test_the_next_window_is_as_large_as_the_one_before_it(qapp, home, sit):
    def enlarge_and_restore(window):
        window.resize(761, 602)
        restore(window)

    def look(window):
        QApplication.exit(0)
        return window.size().toTuple()

    assert sit(Session(qapp, home), enlarge_and_restore, look)[-1] == (761, 602)


def test_a_damaged_backup_leaves_the_library_as_it_is_and_says_so(qapp, home, sit):
    whole = Backups(home).find("2026-11-21")
    whole.write_bytes(whole.read_bytes()[:20_000])
    _, (after, said) = sit(Session(qapp, home), restore, look_and_leave)
    assert after == 2
    assert "damaged" in said


def test_the_library_is_moved_from_the_window_and_gone_on_with(qapp, home, sit, tmp_path):
    new = Home(tmp_path / "elsewhere")

    def move(window):
        window.reopen_requested.emit(window.desk.care.moving(new.folder))

    def close(window):
        QApplication.exit(0)
        return window._home

    assert sit(Session(qapp, home), move, close)[-1] == new.folder
    assert papers_in(new.library) == 2 and not home.library.exists()
    assert open_home(home.folder) == new
