"""The watched folders on the settings page."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import Qt

from sciread_app.tasks import Task
from sciread_app.ui.watched_folders import panel as panel_module
from sciread_app.ui.watched_folders.panel import WatchedFoldersPanel
from sciread_app.workspace import Workspace
from tests.support.generate.pdf import At, body, make_pdf


@pytest.fixture
def workspace(real_gateway, tmp_path) -> Workspace:
    """A workspace with two watched folders and a collection."""
    real_gateway.workspace.library.collections.add([], "thesis")
    for name in ("Downloads", "disk"):
        (tmp_path / name).mkdir()
        real_gateway.workspace.watch_folder(tmp_path / name)
    return real_gateway.workspace


@pytest.fixture
def panel(qtbot, context, workspace) -> WatchedFoldersPanel:
    panel = WatchedFoldersPanel(workspace, context)
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


def test_folders_are_listed_with_their_files_and_problems(
    qtbot, context, workspace, panel, tmp_path
):
    def scan():
        for folder in workspace.watched_folders.all():
            workspace.watched_folders.scan(folder, Task())

    for title in ("The life of bees", "The life of wasps"):
        path = tmp_path / "Downloads" / f"{title}.pdf"
        path.write_bytes(make_pdf([At(title, 20, y=720), *body()]))
        os.utime(path, (0, 0))  # or it could still be written
    scan()
    path.unlink()
    (tmp_path / "disk").rmdir()
    scan()
    panel.load()
    qtbot.waitUntil(lambda: not context.jobs.running())
    assert texts(panel, 0)[:3] == [str(tmp_path / "Downloads"), "1", "1"]
    assert "not found" in texts(panel, 1)[3]


def test_added_folder_is_watched_and_scanned(
    qtbot, context, panel, workspace, monkeypatch, tmp_path
):
    papers = tmp_path / "Papers"
    papers.mkdir()
    monkeypatch.setattr(panel_module, "choose_folder", lambda *args: papers)
    with qtbot.waitSignal(context.events.watched_folders_edited):
        click(qtbot, context, panel.add)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 3)
    assert str(papers) in [one.path for one in workspace.watched_folders.all()]


def test_selected_folder_is_paused_resumed_and_removed(qtbot, context, panel, workspace):
    panel.table.selectRow(1)
    before = panel.pause.text()
    click(qtbot, context, panel.pause)
    qtbot.waitUntil(lambda: panel.pause.text() != before)
    assert workspace.watched_folders.all()[1].paused
    click(qtbot, context, panel.pause)
    qtbot.waitUntil(lambda: not workspace.watched_folders.all()[1].paused)
    click(qtbot, context, panel.remove)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 1)
    assert [one.name for one in workspace.watched_folders.all()] == ["Downloads"]


def test_options_of_the_selected_folder_are_changed(qtbot, context, panel, workspace):
    assert panel.subfolders.isChecked()
    click(qtbot, context, panel.subfolders)
    qtbot.waitUntil(lambda: not workspace.watched_folders.all()[0].subfolders)
    panel.collection.setCurrentIndex(panel.collection.findData("thesis"))
    panel.collection.activated.emit(panel.collection.currentIndex())
    qtbot.waitUntil(lambda: workspace.watched_folders.all()[0].collection == "thesis")
    assert not workspace.watched_folders.all()[0].subfolders


def test_paused_folder_stays_paused_when_its_options_change(qtbot, context, panel, workspace):
    click(qtbot, context, panel.pause)
    click(qtbot, context, panel.subfolders)
    qtbot.waitUntil(lambda: not workspace.watched_folders.all()[0].subfolders)
    assert workspace.watched_folders.all()[0].paused
