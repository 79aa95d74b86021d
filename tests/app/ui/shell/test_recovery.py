"""A library that cannot be opened: the window says why, and offers ways out."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from sciread_app.paths import Home, open_home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.settings import change_settings
from sciread_app.storage.files.sqlite_backup import papers_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.application import Session, run
from sciread_app.ui.shell import recovery, startup_error_dialog
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.startup_error_dialog import StartupErrorDialog
from tests.support import damage
from tests.support.make import paper

PAPERS = 200


def choose_folder(monkeypatch, folder: Path | str) -> None:
    """Answer the dialog that asks for a folder; "" cancels it."""
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))


@pytest.fixture
def home(tmp_path) -> Home:
    """A damaged library, with a backup from when it had one paper. There is no model to start."""
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
def sit(qapp, monkeypatch):
    """Sit at windows and dialogs as they come: each function is called with the next StartFailure,
    or with the window once its library is open. Returns what each has returned."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # a window takes it over
    turn = sys.getswitchinterval()
    results, to_do, met = [], [], []

    def look():
        shown = [one for one in QApplication.topLevelWidgets() if one.isVisible()]
        boxes = [one for one in shown if isinstance(one, StartupErrorDialog)]
        windows = [one for one in shown if isinstance(one, MainWindow) and one.is_open]
        new = next((one for one in [*boxes, *windows] if one not in met), None)
        if new and to_do and not (isinstance(new, MainWindow) and new._jobs.running()):
            met.append(new)
            results.append(to_do.pop(0)(new))

    def sit(begin, *dos):
        to_do.extend(dos)
        timer = QTimer(interval=20)
        timer.timeout.connect(look)
        timer.start()
        code = begin()
        timer.stop()
        return code, results

    yield sit
    sys.setswitchinterval(turn)


def all_of(sitting):
    """Sits until nothing follows; the last exit code."""

    def begin():
        code, now = None, sitting
        while now:
            code = now.run()
            now = now.next
        return code

    return begin


def names(box):
    return [button.text().replace("&", "") for button in box.buttons()]


def leave(window):
    QApplication.exit(0)
    return window.desk.status().papers, window.banner.message.text()


def test_a_damaged_library_is_told_in_a_dialog_without_commands(qapp, home, sit):
    def look(box):
        box.leave.click()
        return names(box), box.icon(), box.text() + box.informativeText()

    code, ((buttons, icon, said),) = sit(all_of(Session(qapp, home)), look)
    assert code == 1 and icon == StartupErrorDialog.Icon.Critical
    assert set(buttons) == {"Restore a Backup…", "Save What Can Be Read…",
                            "Choose Another Folder…", "Quit"}  # fmt: skip
    assert "damaged" in said and "`" not in said and "--" not in said


def test_a_backup_is_restored_from_the_dialog(qapp, home, sit, monkeypatch):
    monkeypatch.setattr(recovery, "ask_for_backup", lambda copies, parent: copies[0])
    _, results = sit(all_of(Session(qapp, home)), lambda box: box.restore.click(), leave)
    assert results[-1][0] == 1
    assert papers_in(home.library) == 1


def test_what_can_be_read_is_saved_from_the_dialog_and_gone_on_with(
    qapp, home, sit, monkeypatch, tmp_path
):
    choose_folder(monkeypatch, tmp_path)
    before = home.library.read_bytes()
    _, results = sit(all_of(Session(qapp, home)), lambda box: box.salvage.click(), leave)
    papers, said = results[-1]
    assert papers == PAPERS and f"{PAPERS} papers" in said
    assert papers_in(tmp_path / startup_error_dialog.SAVED / "library.sqlite3") == PAPERS
    assert home.library.read_bytes() == before


def test_who_changes_his_mind_is_asked_again(qapp, home, sit, monkeypatch):
    choose_folder(monkeypatch, "")
    code, results = sit(
        all_of(Session(qapp, home)), lambda box: box.another.click(), lambda box: box.leave.click()
    )
    assert code == 1 and len(results) == 2


def test_another_library_is_opened_from_the_dialog(qapp, home, sit, monkeypatch, tmp_path):
    other = open_home(tmp_path / "other")
    change_settings(other.settings, model="none")
    library = Library(other.library)
    library.put([paper("Ants"), paper("Termites")])
    library.close()
    choose_folder(monkeypatch, other.folder)
    _, results = sit(all_of(Session(qapp, home)), lambda box: box.another.click(), leave)
    assert results[-1][0] == 2


def test_a_folder_that_cannot_be_made_is_told_in_a_dialog(qapp, sit, tmp_path):
    (tmp_path / "file").write_text("no folder", "utf-8")

    def look(box):
        box.leave.click()
        return names(box), box.icon(), box.text(), box.informativeText()

    code, ((buttons, icon, said, hint),) = sit(lambda: run(tmp_path / "file" / "home"), look)
    assert code == 1 and icon == StartupErrorDialog.Icon.Critical
    assert set(buttons) == {"Choose Another Folder…", "Quit"}
    assert str(tmp_path / "file" / "home") in said and "--home" not in said + hint
