"""Tasks that need a closed library: the window closes, the task runs, a new window opens."""

from __future__ import annotations

import sys
import threading
from datetime import date

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton

from sciread_app.domain.fetch import SourceQuery
from sciread_app.errors import LibraryError
from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import BackupKind, Backups
from sciread_app.settings import change_settings, read_settings
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui import application
from sciread_app.ui.application import RESTART, Session
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.settings.operations import moving, restoring
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper


@pytest.fixture
def home(tmp_path) -> Home:
    """Make a library of two papers with a backup of one paper, and no model."""
    home = open_home(tmp_path / "home")
    change_settings(home.settings, model="none")
    library = Library(home.library)
    library.put([paper("Bees")])
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.put([paper("Wasps")])
    library.close()
    return home


@pytest.fixture
def run_with_handlers(qapp, monkeypatch):
    """Return a function that runs a session and handles its windows in order.

    Each handler is called with the next window once its library is open and no job runs, and
    must close the window. The result are the return values of the handlers.
    """
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # restore it: a window replaces it
    switch_interval = sys.getswitchinterval()

    results, errors, handlers, handled = [], [], [], []

    def look():
        open_ = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
        window = next((w for w in open_ if w.isVisible() and w.is_open), None)
        if window and window not in handled and not window._jobs.running():
            handled.append(window)
            try:
                results.append(handlers.pop(0)(window))
            except Exception as error:  # Qt would drop it, and the window would stay open
                errors.append(error)
                QApplication.exit(1)

    def run(session, *new_handlers, stop_at=None):
        handlers.extend(new_handlers)
        timer = QTimer(interval=20)
        timer.timeout.connect(look)
        timer.start()
        while session:
            code = session.run()
            if errors:
                raise errors[0]
            session = None if code == stop_at else session.next
        return results

    yield run
    sys.setswitchinterval(switch_interval)


def restore(window):
    workspace = window.gateway.workspace
    copy = next(copy for copy in workspace.backups.all() if copy.kind is BackupKind.daily)
    window.events.reopen_requested.emit(restoring(workspace.home, copy))
    return window.gateway.status().papers


def quit_window(window):
    QApplication.exit(0)
    return window.gateway.status().papers, window.messages.message.text()


@pytest.mark.slow
def test_backup_is_restored_and_shown(qapp, home, run_with_handlers):
    before, (after, message) = run_with_handlers(Session(qapp, home), restore, quit_window)
    assert (before, after) == (2, 1)
    assert "backup" in message and "was restored" in message
    kept = next(copy for copy in Backups(home).all() if copy.kind is BackupKind.before_restore)
    assert kept.papers == 2


def test_next_window_keeps_the_size(qapp, home, run_with_handlers):
    def enlarge_and_restore(window):
        window.resize(761, 602)
        restore(window)

    def look(window):
        QApplication.exit(0)
        return window.size().toTuple()

    assert run_with_handlers(Session(qapp, home), enlarge_and_restore, look)[-1] == (761, 602)


def test_restore_prevented_by_a_task_is_reported_after_the_restart(
    qapp, home, run_with_handlers, monkeypatch
):
    monkeypatch.setattr(application, "SWITCH_TIMEOUT", 0.05)
    finish = threading.Event()

    def start_task_and_restore(window):
        window._jobs.run("Task without end", lambda task: finish.wait(60), queue=JobQueue.long)
        restore(window)

    session = Session(qapp, home)
    try:
        run_with_handlers(session, start_task_and_restore, stop_at=RESTART)
    finally:
        finish.set()
    again = Session(qapp, home, notice=session.restart_notice)
    (_, message) = run_with_handlers(again, quit_window)[-1]
    assert "Restoring" in message and "2026" in message
    assert papers_in(home.library) == 2


def test_damaged_backup_is_reported_and_changes_nothing(qapp, home, run_with_handlers):
    whole = Backups(home).find("2026-11-21")
    whole.write_bytes(whole.read_bytes()[:20_000])
    _, (after, message) = run_with_handlers(Session(qapp, home), restore, quit_window)
    assert after == 2
    assert "damaged" in message


@pytest.mark.parametrize("chosen", ["", "mine"])
def test_library_is_moved_and_reopened(qapp, home, run_with_handlers, tmp_path, chosen):
    new = Home(tmp_path / "elsewhere")
    backups = str(tmp_path / chosen) if chosen else str(home.backups)
    change_settings(home.settings, backups=backups if chosen else "")

    def move(window):
        window.events.reopen_requested.emit(moving(home, new.folder))

    def close(window):
        QApplication.exit(0)
        return window._home

    assert run_with_handlers(Session(qapp, home), move, close)[-1] == new.folder
    assert papers_in(new.library) == 2 and not home.library.exists()
    assert open_home(home.folder) == new
    assert read_settings(new.settings)[0].backups == backups


def test_sample_library_is_opened_closed_and_stays_apart(qapp, home, run_with_handlers, tmp_path):
    own_file = tmp_path / "own.bib"
    own_file.write_text("@article{one, title = {The life of the bee}, year = 1901}", "utf-8")

    def open_sample(window):
        window.toggle_sample()
        return window.gateway.status().papers

    def import_into_sample(window):
        window.add([own_file])
        offered = {b.text(): b for b in window.messages.findChildren(QPushButton)}
        offered["Close sample library and add"].click()
        return window.gateway.status().papers

    results = run_with_handlers(Session(qapp, home), open_sample, import_into_sample, quit_window)
    own, sample, (after, _) = results
    assert own == 2 and sample > 100 and after == 3
    assert papers_in(home.library) == 3 and papers_in(home.sample.library) == sample


def test_sample_library_refuses_papers_and_own_backups(home):
    open_home(home.sample.folder)
    workspace = Workspace(home.sample)
    gateway = WindowGateway(workspace)
    try:
        assert workspace.settings.model == "none"  # the settings are shared
        for adding in (
            lambda: gateway.workspace.import_files([home.settings], Task()),
            lambda: workspace.import_zotero(None, Task()),
            lambda: gateway.intake.keep(SourceQuery("arxiv", "bees")),
            lambda: gateway.about.fetch("10.1000/1", Task()),
        ):
            with pytest.raises(LibraryError, match="sample library"):
                adding()
        with pytest.raises(LibraryError, match="sample library"):
            moving(workspace.home, home.folder / "elsewhere").work(Task())
        change_settings(home.settings, backups=str(home.backups))
        assert Workspace(home).backups.all() and not workspace.backups.all()
    finally:
        gateway.close()
