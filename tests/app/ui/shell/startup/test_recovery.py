"""The dialog for a library that cannot be opened, and its ways out."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.settings import change_settings
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.application import Session, run
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.startup import recovery
from sciread_app.ui.shell.startup.recovery import StartupErrorDialog
from tests.support import damage
from tests.support.generate.papers import paper

PAPERS = 200


def choose_folder(monkeypatch, folder: Path | str) -> None:
    """Answer the dialog that asks for a folder; "" cancels it."""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))


@pytest.fixture
def home(tmp_path) -> Home:
    """Make a damaged library of 200 papers with a backup of one paper, and no model."""
    home = open_home(tmp_path / "home")
    change_settings(home.settings, model="none")
    library = Library(home.library)
    library.put([paper("Bees")])
    Backups(home).create_daily(library, date(2026, 11, 21), Task())
    library.put([paper(f"Wasps {n}", doi=f"10.1000/{n}") for n in range(1, PAPERS)])
    library.close()
    damage.overwrite(home.library, damage.root(home.library, "papers"))
    return home


@pytest.fixture
def run_with_handlers(qapp, monkeypatch):
    """Return a function that starts the program and handles its windows and dialogs in order.

    Each handler is called with the next StartupErrorDialog, or with the next MainWindow once
    its library is open. The result is the exit code and the return values of the handlers.
    """
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # restore it: a window replaces it
    switch_interval = sys.getswitchinterval()
    results, handlers, handled = [], [], []

    def look():
        shown = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
        boxes = [one for one in shown if isinstance(one, StartupErrorDialog)]
        windows = [one for one in shown if isinstance(one, MainWindow) and one.is_open]
        new = next((one for one in [*boxes, *windows] if one not in handled), None)
        if new and handlers and not (isinstance(new, MainWindow) and new._jobs.running()):
            handled.append(new)
            results.append(handlers.pop(0)(new))

    def run_with_handlers(start, *new_handlers):
        handlers.extend(new_handlers)
        timer = QTimer(interval=20)
        timer.timeout.connect(look)
        timer.start()
        code = start()
        timer.stop()
        return code, results

    yield run_with_handlers
    sys.setswitchinterval(switch_interval)


def run_all(session):
    """Return a function that runs a session and those that follow; it returns the last code."""

    def start():
        code, now = None, session
        while now:
            code = now.run()
            now = now.next
        return code

    return start


def names(box):
    return [button.text().replace("&", "") for button in box.buttons()]


def quit_window(window):
    QApplication.exit(0)
    return window.gateway.status().papers, window.messages.message.text()


def test_damaged_library_is_explained_without_command_names(qapp, home, run_with_handlers):
    def look(box):
        box.leave.click()
        return names(box), box.icon(), box.text() + box.informativeText()

    code, ((buttons, icon, text),) = run_with_handlers(run_all(Session(qapp, home)), look)
    assert code == 1 and icon == StartupErrorDialog.Icon.Critical
    assert set(buttons) == {"Restore backup…", "Recover readable papers…",
                            "Select another folder…", "Quit"}  # fmt: skip
    assert "damaged" in text and "`" not in text and "--" not in text


def test_backup_is_restored_from_the_dialog(qapp, home, run_with_handlers, monkeypatch):
    monkeypatch.setattr(recovery, "ask_for_backup", lambda copies, parent: copies[0])
    _, results = run_with_handlers(
        run_all(Session(qapp, home)), lambda box: box.restore.click(), quit_window
    )
    assert results[-1][0] == 1
    assert papers_in(home.library) == 1


def test_readable_papers_are_salvaged_and_opened(
    qapp, home, run_with_handlers, monkeypatch, tmp_path
):
    choose_folder(monkeypatch, tmp_path)
    before = home.library.read_bytes()
    _, results = run_with_handlers(
        run_all(Session(qapp, home)), lambda box: box.salvage.click(), quit_window
    )
    papers, message = results[-1]
    assert papers == PAPERS and f"{PAPERS} papers" in message
    assert papers_in(tmp_path / recovery.SAVED / "library.sqlite3") == PAPERS
    assert home.library.read_bytes() == before


def test_cancelled_folder_choice_returns_to_the_dialog(qapp, home, run_with_handlers, monkeypatch):
    choose_folder(monkeypatch, "")
    code, results = run_with_handlers(
        run_all(Session(qapp, home)), lambda box: box.another.click(), lambda box: box.leave.click()
    )
    assert code == 1 and len(results) == 2


def test_other_library_is_opened_from_the_dialog(
    qapp, home, run_with_handlers, monkeypatch, tmp_path
):
    other = open_home(tmp_path / "other")
    change_settings(other.settings, model="none")
    library = Library(other.library)
    library.put([paper("Ants"), paper("Termites")])
    library.close()
    choose_folder(monkeypatch, other.folder)
    _, results = run_with_handlers(
        run_all(Session(qapp, home)), lambda box: box.another.click(), quit_window
    )
    assert results[-1][0] == 2


def test_home_that_cannot_be_created_is_explained(qapp, run_with_handlers, tmp_path):
    (tmp_path / "file").write_text("no folder", "utf-8")

    def look(box):
        box.leave.click()
        return names(box), box.icon(), box.text(), box.informativeText()

    code, ((buttons, icon, text, hint),) = run_with_handlers(
        lambda: run(tmp_path / "file" / "home"), look
    )
    assert code == 1 and icon == StartupErrorDialog.Icon.Critical
    assert set(buttons) == {"Select another folder…", "Quit"}
    assert str(tmp_path / "file" / "home") in text and "--home" not in text + hint


@pytest.mark.parametrize("way", ["backup", "folder"])
def test_requested_files_and_page_are_shown_after_a_recovery(
    qapp, home, run_with_handlers, monkeypatch, tmp_path, way
):
    added = []
    monkeypatch.setattr(MainWindow, "add", lambda window, files: added.append(files))
    monkeypatch.setattr(recovery, "ask_for_backup", lambda copies, parent: copies[0])
    other = open_home(tmp_path / "other")
    change_settings(other.settings, model="none")
    choose_folder(monkeypatch, other.folder)
    refs = tmp_path / "refs.bib"
    session = Session(qapp, home, files=[refs], page="models")

    def recover(box):
        (box.restore if way == "backup" else box.another).click()

    def look(window):
        QApplication.exit(0)
        return window.other_page("models").isVisible()

    _, results = run_with_handlers(run_all(session), recover, look)
    assert results[-1] is True and added == [[refs]]


def test_file_opened_during_a_recovery_is_added_after_it(
    qapp, home, run_with_handlers, monkeypatch, tmp_path
):
    added = []
    monkeypatch.setattr(MainWindow, "add", lambda window, files: added.append(files))
    monkeypatch.setattr(recovery, "ask_for_backup", lambda copies, parent: copies[0])
    first, second = tmp_path / "first.bib", tmp_path / "second.bib"

    def recover(box):
        QApplication.sendEvent(qapp, QFileOpenEvent(QUrl.fromLocalFile(str(second))))
        box.restore.click()

    session = Session(qapp, home, files=[first])
    run_with_handlers(run_all(session), recover, quit_window)
    assert added == [[first, second]]
