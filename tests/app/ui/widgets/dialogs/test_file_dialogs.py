"""File dialogs: the folder they start in, and the name of the file they return."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from sciread_app.domain.paper import Skipped
from sciread_app.ui.add_papers.imports.report import ImportReportDialog
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, save_file


class Dialogs:
    """Answer each dialog with `answer`, and record the folder or file that it starts at."""

    def __init__(self) -> None:
        self.answer, self.kind = "", ""
        self.started: list[Path] = []

    def folder(self, parent, title, start):
        self.started.append(Path(start))
        return self.answer

    def files(self, parent, title, start, kinds):
        self.started.append(Path(start))
        return ([self.answer] if self.answer else []), kinds

    def save(self, parent, title, start, kinds):
        self.started.append(Path(start))
        return self.answer, self.kind


@pytest.fixture
def dialogs(monkeypatch) -> Dialogs:
    dialogs = Dialogs()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", dialogs.folder)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", dialogs.files)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", dialogs.save)
    return dialogs


@pytest.fixture
def open_window(qtbot, jobs, appearance, tmp_path):
    def open_window() -> MainWindow:
        window = MainWindow(tmp_path, jobs, appearance)
        qtbot.addWidget(window)
        return window

    return open_window


def save_failures(window: MainWindow) -> None:
    summary = ImportSummary(1, 0, 0, [Skipped("refs.bib", "entry 1", "It has no title.")])
    buttons = ImportReportDialog(summary, window).findChildren(QPushButton)
    next(button for button in buttons if button.text() == "Save…").click()


def documents() -> Path:
    place = QStandardPaths.StandardLocation.DocumentsLocation
    folder = Path(QStandardPaths.writableLocation(place))
    return folder if folder.is_dir() else Path.home()


def test_dialog_starts_in_the_last_folder_of_its_purpose(open_window, dialogs, tmp_path):
    window = open_window()
    folder = tmp_path / "papers"
    folder.mkdir()
    window.add_files()  # cancelled: nothing to remember
    dialogs.answer = str(folder / "bees.bib")
    window.add_files()
    dialogs.answer = ""
    window.add_files()
    window.add_folder()
    assert dialogs.started == [documents(), documents(), folder, documents()]


def test_dialog_without_documents_folder_starts_at_home(
    open_window, dialogs, tmp_path, monkeypatch
):
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _: str(tmp_path / "Documents"))
    open_window().add_files()
    assert dialogs.started == [Path.home()]


def test_last_folders_are_persistent(open_window, dialogs, tmp_path):
    folder = tmp_path / "export"
    folder.mkdir()
    window = open_window()
    dialogs.answer = str(folder / "failed.tsv")
    save_failures(window)
    window.close()
    window = open_window()
    dialogs.answer = ""
    save_failures(window)
    assert dialogs.started == [documents() / "import.tsv", folder / "import.tsv"]


def test_dialog_ignores_a_deleted_folder(open_window, dialogs, tmp_path):
    window = open_window()
    dialogs.answer = str(tmp_path / "gone" / "bees.bib")
    window.add_files()
    window.add_files()
    assert dialogs.started == [documents(), documents()]


def test_file_with_added_suffix_is_replaced_only_if_confirmed(
    open_window, dialogs, tmp_path, monkeypatch
):
    window = open_window()
    kinds = "BibTeX (*.bib);;RIS (*.ris)"
    (tmp_path / "bees.ris").touch()
    asked = []
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]

    def question(parent, title, text):
        asked.append(text)
        return answers[len(asked) - 1]

    monkeypatch.setattr(QMessageBox, "question", question)
    dialogs.answer, dialogs.kind = str(tmp_path / "bees"), "RIS (*.ris)"
    ask = (window, DialogPurpose.export, "Export", "papers.bib", kinds)
    assert save_file(*ask) is None
    assert save_file(*ask) == tmp_path / "bees.ris"
    dialogs.kind = "BibTeX (*.bib)"
    assert save_file(*ask) == tmp_path / "bees.bib"
    assert len(asked) == 2 and "bees.ris" in asked[0]
