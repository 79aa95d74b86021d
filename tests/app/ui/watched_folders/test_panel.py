"""The watched folders on the settings page."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.ui.watched_folders import panel as panel_module
from sciread_app.ui.watched_folders.panel import WatchedFoldersPanel
from tests.support.ui.fakes.watched_folders import FakeWatchedFolders


@pytest.fixture
def gateway() -> FakeWatchedFolders:
    gateway = FakeWatchedFolders()
    gateway.known = [
        WatchedFolder(1, "/home/ada/Downloads", files=12, missing=2, scanned=1.0),
        WatchedFolder(2, "/media/usb/Papers", problem="Folder not found."),
    ]
    return gateway


@pytest.fixture
def panel(qtbot, context, gateway) -> WatchedFoldersPanel:
    panel = WatchedFoldersPanel(gateway, context)
    qtbot.addWidget(panel)
    panel.show()
    panel.load()
    qtbot.waitUntil(lambda: not context.jobs.running())
    return panel


def click(qtbot, context, button) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not context.jobs.running())


def texts(panel, row):
    return [panel.table.item(row, column).text() for column in range(4)]


def test_folders_are_listed_with_their_files_and_problems(panel):
    assert texts(panel, 0)[:3] == ["/home/ada/Downloads", "12", "2"]
    assert texts(panel, 1)[3] == "Folder not found."


def test_added_folder_is_watched_and_scanned(qtbot, context, panel, gateway, monkeypatch):
    monkeypatch.setattr(panel_module, "choose_folder", lambda *args: Path("/home/ada/Papers"))
    with qtbot.waitSignal(context.events.watched_folders_edited):
        click(qtbot, context, panel.add)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 3)
    assert gateway.known[-1].path == "/home/ada/Papers"


def test_selected_folder_is_paused_resumed_and_removed(qtbot, context, panel, gateway):
    panel.table.selectRow(1)
    before = panel.pause.text()
    click(qtbot, context, panel.pause)
    qtbot.waitUntil(lambda: panel.pause.text() != before)
    assert gateway.known[1].paused
    click(qtbot, context, panel.pause)
    qtbot.waitUntil(lambda: not gateway.known[1].paused)
    click(qtbot, context, panel.remove)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 1)
    assert [one.id for one in gateway.known] == [1]


def test_options_of_the_selected_folder_are_changed(qtbot, context, panel, gateway):
    assert panel.subfolders.isChecked()
    click(qtbot, context, panel.subfolders)
    qtbot.waitUntil(lambda: not gateway.known[0].subfolders)
    panel.collection.setCurrentIndex(panel.collection.findData("thesis"))
    panel.collection.activated.emit(panel.collection.currentIndex())
    qtbot.waitUntil(lambda: gateway.known[0].collection == "thesis")
    assert not gateway.known[0].subfolders


def test_paused_folder_stays_paused_when_its_options_change(qtbot, context, panel, gateway):
    click(qtbot, context, panel.pause)
    click(qtbot, context, panel.subfolders)
    qtbot.waitUntil(lambda: not gateway.known[0].subfolders)
    assert gateway.known[0].paused
