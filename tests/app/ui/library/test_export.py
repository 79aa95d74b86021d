"""Exports from the window, automatic exports, and the import from Zotero."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton

from sciread_app.domain.paper import LibraryChanges
from sciread_app.services.export.export import Format
from sciread_app.services.ingest.zotero.folders import ZoteroFolder
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.imports import zotero_dialog
from sciread_app.ui.add_papers.imports.zotero_dialog import ZoteroDialog
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.generate.papers import paper
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def chosen(monkeypatch, tmp_path) -> list[str]:
    """Set the answer of the file dialog: a path and a file filter."""
    answer = [str(tmp_path / "thesis"), "BibTeX (*.bib)"]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: tuple(answer))
    return answer


def buttons(window: MainWindow) -> dict[str, QPushButton]:
    found = window.messages.findChildren(QPushButton)
    return {button.text(): button for button in found if button.isVisibleTo(window.messages)}


def press(window: MainWindow, text: str) -> None:
    buttons(window)[text].click()


def banner_text(window: MainWindow) -> str:
    return f"{window.messages.message.text()} {window.messages.hint.text()}"


@pytest.fixture
def library(real_gateway) -> Library:
    """A library with two papers in a collection, one of which is tagged."""
    library = real_gateway.workspace.library
    bees, wasps = library.put([paper("On bees"), paper("On wasps")]).ids
    library.collections.add([bees, wasps], "thesis/bees")
    library.tags.add([bees], "x")
    return library


@pytest.fixture
def window(show_window, real_gateway, library) -> MainWindow:
    return show_window(real_gateway)


def test_selected_papers_are_exported_to_a_file(qtbot, window, chosen, tmp_path):
    window.page.result_list.selectAll()
    menu_action(window, "Export…").trigger()
    qtbot.waitUntil(lambda: "2 papers to thesis.bib" in banner_text(window))
    assert "On wasps" in (tmp_path / "thesis.bib").read_text()
    chosen[:] = [str(tmp_path / "mine"), "RIS (*.ris)"]
    window.exports.export_found("tag:x", "x")
    qtbot.waitUntil(lambda: "mine.ris" in banner_text(window))
    text = (tmp_path / "mine.ris").read_text()
    assert "On bees" in text and "On wasps" not in text
    chosen[0] = ""
    window.exports.export_found("tag:x", "x")
    assert len([file for file in tmp_path.iterdir() if file.suffix in (".bib", ".ris")]) == 2


def test_auto_export_follows_changes_and_reports_errors(
    qtbot, window, library, chosen, jobs, tmp_path
):
    file = tmp_path / "thesis.bib"
    window.library_controller.sidebar.auto_export_requested.emit("thesis/bees")
    qtbot.waitUntil(
        lambda: all(word in banner_text(window) for word in ("“thesis/bees”", "thesis.bib"))
    )
    library.collections.add(library.put([paper("On hornets")]).ids, "thesis/bees")
    window.events.library_changed.emit(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: "On hornets" in file.read_text())
    file.write_text("@comment{by hand}")
    library.collections.add(library.put([paper("On ants")]).ids, "thesis/bees")
    window.events.library_changed.emit(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: "Stop exporting" in buttons(window))
    press(window, "Stop exporting")
    qtbot.waitUntil(lambda: "thesis/bees" in window.context.toast.text.text())
    assert file.read_text() == "@comment{by hand}"
    assert library.auto_exports.files() == [] and window.context.toast.undo_button.isVisible()


def test_overwriting_the_file_of_an_auto_export_keeps_its_format(
    qtbot, window, real_gateway, library, tmp_path
):
    file, exports = tmp_path / "thesis.bib", real_gateway.workspace.auto_exports
    exports.enable("thesis/bees", file, Format.biblatex, Task())
    file.write_text("@comment{by hand}")
    library.collections.add(library.put([paper("On ants")]).ids, "thesis/bees")
    window.events.library_changed.emit(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: "Overwrite file" in buttons(window))
    press(window, "Overwrite file")
    qtbot.waitUntil(lambda: "On ants" in file.read_text())
    assert exports.files()[0].format == Format.biblatex


def test_auto_exports_are_listed_and_disabled(qtbot, window, real_gateway, library, tmp_path):
    menu_action(window, "Automatic exports").trigger()
    qtbot.waitUntil(lambda: "No collection is exported" in banner_text(window))
    exports = real_gateway.workspace.auto_exports
    exports.enable("thesis/bees", tmp_path / "thesis.bib", Format.bibtex, Task())
    menu_action(window, "Automatic exports").trigger()
    qtbot.waitUntil(lambda: all(word in banner_text(window) for word in ("bees”", "thesis.bib")))
    press(window, "Stop exporting")
    qtbot.waitUntil(lambda: exports.files() == [])


def test_zotero_import_is_reported_and_its_absence_explained(qtbot, show_window, jobs):
    gateway = FakeGateway(2)
    window = show_window(gateway)
    menu_action(window, "Import from Zotero").trigger()
    qtbot.waitUntil(lambda: "3" in banner_text(window) and "failed" in banner_text(window))
    gateway.zotero_runs = False
    menu_action(window, "Import from Zotero").trigger()
    qtbot.waitUntil(lambda: "Start Zotero" in banner_text(window))


def test_only_zotero_library_is_imported_at_once(qtbot, show_window, jobs):
    gateway = FakeGateway(2)
    gateway.zotero = [ZoteroFolder(Path("/home/ada/Zotero"))]
    window = show_window(gateway)
    menu_action(window, "Import from Zotero").trigger()
    qtbot.waitUntil(lambda: bool(gateway.asked_zotero))
    assert gateway.asked_zotero == [(Path("/home/ada/Zotero"), True)]


def test_one_of_several_zotero_libraries_is_chosen(qtbot, show_window, jobs, monkeypatch):
    gateway = FakeGateway(2)
    paths = [Path("/home/ada/Zotero"), Path("/data/Zotero")]
    gateway.zotero = [ZoteroFolder(path, "work") for path in paths]
    window = show_window(gateway)

    def dialog() -> ZoteroDialog:
        found = window.findChild(ZoteroDialog)
        assert found and found.isVisible()
        return found

    menu_action(window, "Import from Zotero").trigger()
    qtbot.waitUntil(lambda: dialog() is not None)
    dialog().choices[1].click()
    dialog().groups.click()
    dialog().import_button.click()
    qtbot.waitUntil(lambda: gateway.asked_zotero == [(paths[1], False)])
    other = Path("/media/usb/Zotero")
    monkeypatch.setattr(zotero_dialog, "choose_folder", lambda *args: other)
    qtbot.waitUntil(lambda: window.findChild(ZoteroDialog) is None)
    menu_action(window, "Import from Zotero").trigger()
    qtbot.waitUntil(lambda: dialog() is not None)
    dialog().other.click()
    dialog().import_button.click()
    qtbot.waitUntil(lambda: gateway.asked_zotero[1:] == [(other, True)])
