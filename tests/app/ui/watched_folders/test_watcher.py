"""Watched folders are scanned in the background, and what comes in is reported."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from sciread_app.domain.paper import PaperId
from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.services.ingest.importer import ImportReport
from sciread_app.services.ingest.watched_folders import FolderScan, ScanReport
from sciread_app.ui.shell import main_window
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.watched_folders import watcher
from sciread_app.ui.watched_folders.watcher import FolderWatcher

RIS = "TY  - JOUR\nAU  - Fabre, Jean\nTI  - Souvenirs of insects and their lives\nER  - \n"
EMPTY = ImportSummary(0, 0, 0, [])
DOWNLOADS = WatchedFolder(1, "/home/ada/Downloads")


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(watcher, "SETTLE_MS", 10)
    monkeypatch.setattr(watcher, "WAITING_MS", 10)


class Scans:
    """A workspace whose next scan finds `next`; `changed` reports a change of a folder."""

    def __init__(self) -> None:
        self.scanned: list[Collection[int] | None] = []
        self.next = FolderScan()

    def scan_folders(self, ids, changed, task) -> FolderScan:
        self.scanned.append(ids)
        self.changed = changed
        found, self.next = self.next, FolderScan(polled=self.next.polled)
        return found


@pytest.fixture
def workspace() -> Scans:
    return Scans()


class Toast:
    def __init__(self) -> None:
        self.messages: list[tuple] = []

    def show_message(self, *args, **named) -> None:
        self.messages.append((args, named))


@pytest.fixture
def context(context):
    object.__setattr__(context, "toast", Toast())
    return context


def started(context, workspace, undo=lambda: None) -> FolderWatcher:
    watching = FolderWatcher(context, workspace, undo)
    watching.start()
    return watching


def test_all_folders_are_scanned_at_the_start(qtbot, context, workspace):
    watching = started(context, workspace)
    qtbot.waitUntil(lambda: workspace.scanned == [None])
    watching.deleteLater()


def test_changed_folder_is_scanned_once_it_is_quiet(qtbot, context, workspace):
    watching = started(context, workspace)
    qtbot.waitUntil(lambda: len(workspace.scanned) == 1 and not context.jobs.running())
    for _ in range(50):
        workspace.changed(7)
    qtbot.waitUntil(lambda: len(workspace.scanned) == 2)
    assert workspace.scanned[1] == {7}
    watching.deleteLater()


def test_papers_that_came_in_are_reported_with_a_way_to_see_them(qtbot, context, workspace):
    new = [PaperId(3), PaperId(4), PaperId(5)]
    workspace.next.reports = [ScanReport(DOWNLOADS, imported=ImportReport(added=3, new=new))]
    undone = []
    with qtbot.waitSignal(context.events.papers_added):
        watching = started(context, workspace, lambda: undone.append(True))
    [((text, undo), named)] = context.toast.messages
    assert "3" in text and "Downloads" in text
    undo()
    assert undone
    named["action"][1]()
    assert context.navigate.calls[0][:2] == ("show_papers", new)
    watching.deleteLater()


def test_scan_without_changes_is_silent(qtbot, context, workspace):
    workspace.next.reports = [ScanReport(DOWNLOADS)]
    with qtbot.waitSignal(context.events.folders_scanned):
        watching = started(context, workspace)
    assert not context.toast.messages
    watching.deleteLater()


def test_file_still_being_written_is_looked_at_again(qtbot, context, workspace):
    workspace.next.reports = [ScanReport(DOWNLOADS, waiting=["/home/ada/Downloads/x.pdf"])]
    watching = started(context, workspace)
    qtbot.waitUntil(lambda: len(workspace.scanned) > 1)
    assert workspace.scanned[1] == {DOWNLOADS.id}
    watching.deleteLater()


def test_folder_without_events_is_polled(qtbot, context, workspace, monkeypatch):
    monkeypatch.setattr(watcher, "POLL_MS", 10)
    workspace.next.polled.add(4)
    watching = started(context, workspace)
    qtbot.waitUntil(lambda: {4} in workspace.scanned)
    watching.deleteLater()


@pytest.fixture
def downloads(tmp_path) -> Path:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    return folder


def test_new_file_comes_in_by_itself(qtbot, context, real_gateway, downloads):
    """With a real library, a real folder, and the events of the system."""
    real_gateway.workspace.watch_folder(downloads)
    with qtbot.waitSignal(context.events.folders_scanned):
        watching = started(context, real_gateway.workspace)
    with qtbot.waitSignal(context.events.papers_added):
        (downloads / "new.ris").write_text(RIS)
    assert real_gateway.status().papers == 1
    assert "Downloads" in context.toast.messages[0][0][0]
    watching.deleteLater()
    qtbot.waitUntil(lambda: not context.jobs.running())


def test_folder_is_watched_from_its_import_on(
    qtbot, show_window, real_gateway, downloads, tmp_path, monkeypatch
):
    """With the switch beside the button, or afterwards with the button in the report."""
    (downloads / "old.ris").write_text(RIS)
    window = show_window(real_gateway)
    watched = real_gateway.workspace.watched_folders
    monkeypatch.setattr(main_window, "choose_folder", lambda *args: downloads)
    window.add_folder()
    qtbot.waitUntil(lambda: real_gateway.status().papers == 1)
    assert not watched.all()
    with qtbot.waitSignal(window.events.watched_folders_edited):
        window.add_folder(watch=True)
    assert [one.path for one in watched.all()] == [str(downloads)]
    other = tmp_path / "other"
    other.mkdir()
    window.importing.ended.emit(replace(EMPTY, folder=other))
    buttons = {one.text(): one for one in window.messages.findChildren(QPushButton)}
    with qtbot.waitSignal(window.events.watched_folders_edited):
        buttons["Keep watching this folder"].click()
    assert str(other) in [one.path for one in watched.all()]
