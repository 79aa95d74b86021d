"""Watched folders are scanned in the background, and what comes in is reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from sciread_app.domain.paper import PaperId
from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.services.ingest.importer import ImportReport
from sciread_app.services.ingest.watched_folders import ScanReport
from sciread_app.ui.shell import main_window
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.watched_folders import watcher
from sciread_app.ui.watched_folders.watcher import FolderWatcher
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.watched_folders import FakeWatchedFolders

RIS = "TY  - JOUR\nAU  - Fabre, Jean\nTI  - Souvenirs of insects and their lives\nER  - \n"
EMPTY = ImportSummary(0, 0, 0, [])
DOWNLOADS = WatchedFolder(1, "/home/ada/Downloads")


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(watcher, "SETTLE_MS", 10)
    monkeypatch.setattr(watcher, "WAITING_MS", 10)


@pytest.fixture
def gateway() -> FakeWatchedFolders:
    return FakeWatchedFolders()


class Toast:
    def __init__(self) -> None:
        self.messages: list[tuple] = []

    def show_message(self, *args, **named) -> None:
        self.messages.append((args, named))


@pytest.fixture
def context(context):
    object.__setattr__(context, "toast", Toast())
    return context


def started(context, gateway, undo=lambda: None) -> FolderWatcher:
    watching = FolderWatcher(context, gateway, undo)
    watching.start()
    return watching


def test_all_folders_are_scanned_at_the_start(qtbot, context, gateway):
    watching = started(context, gateway)
    qtbot.waitUntil(lambda: gateway.scans == [None])
    watching.deleteLater()


def test_changed_folder_is_scanned_once_it_is_quiet(qtbot, context, gateway):
    watching = started(context, gateway)
    qtbot.waitUntil(lambda: len(gateway.scans) == 1 and not context.jobs.running())
    for _ in range(50):
        gateway.changed(7)
    qtbot.waitUntil(lambda: len(gateway.scans) == 2)
    assert gateway.scans[1] == {7}
    watching.deleteLater()


def test_papers_that_came_in_are_reported_with_a_way_to_see_them(qtbot, context, gateway):
    new = [PaperId(3), PaperId(4), PaperId(5)]
    gateway.next = [ScanReport(DOWNLOADS, imported=ImportReport(added=3, new=new))]
    undone = []
    with qtbot.waitSignal(context.events.papers_added):
        watching = started(context, gateway, lambda: undone.append(True))
    [((text, undo), named)] = context.toast.messages
    assert "3" in text and "Downloads" in text
    undo()
    assert undone
    named["action"][1]()
    assert context.navigate.calls[0][:2] == ("show_papers", new)
    watching.deleteLater()


def test_scan_without_changes_is_silent(qtbot, context, gateway):
    gateway.next = [ScanReport(DOWNLOADS)]
    with qtbot.waitSignal(context.events.folders_scanned):
        watching = started(context, gateway)
    assert not context.toast.messages
    watching.deleteLater()


def test_file_still_being_written_is_looked_at_again(qtbot, context, gateway):
    gateway.next = [ScanReport(DOWNLOADS, waiting=["/home/ada/Downloads/x.pdf"])]
    watching = started(context, gateway)
    qtbot.waitUntil(lambda: len(gateway.scans) > 1)
    assert gateway.scans[1] == {DOWNLOADS.id}
    watching.deleteLater()


def test_folder_without_events_is_polled(qtbot, context, gateway, monkeypatch):
    monkeypatch.setattr(watcher, "POLL_MS", 10)
    gateway.polled = {4}
    watching = started(context, gateway)
    qtbot.waitUntil(lambda: {4} in gateway.scans)
    watching.deleteLater()


def test_new_file_comes_in_by_itself(qtbot, context, tmp_path):
    """With a real library, a real folder, and the events of the system."""
    folder = tmp_path / "Downloads"
    folder.mkdir()
    gateway = open_gateway(tmp_path / "home")
    try:
        gateway.workspace.watch_folder(folder)
        with qtbot.waitSignal(context.events.folders_scanned):
            watching = started(context, gateway.workspace)
        with qtbot.waitSignal(context.events.papers_added):
            Path(folder / "new.ris").write_text(RIS)
        assert gateway.status().papers == 1
        assert "Downloads" in context.toast.messages[0][0][0]
        watching.deleteLater()
        qtbot.waitUntil(lambda: not context.jobs.running())
    finally:
        gateway.close()


def test_folder_is_watched_from_its_import_on(qtbot, show_window, tmp_path, monkeypatch):
    """With the switch beside the button, or afterwards with the button in the report."""
    gateway = FakeGateway(2)
    window = show_window(gateway)
    watched = gateway.watched_folders
    monkeypatch.setattr(main_window, "choose_folder", lambda *args: tmp_path)
    window.add_folder()
    qtbot.waitUntil(lambda: gateway.imported == [[tmp_path]])
    assert not watched.known
    with qtbot.waitSignal(window.events.watched_folders_edited):
        window.add_folder(watch=True)
    assert [one.path for one in watched.known] == [str(tmp_path)]
    other = tmp_path / "other"
    window.importing.ended.emit(replace(EMPTY, folder=other))
    buttons = {one.text(): one for one in window.messages.findChildren(QPushButton)}
    with qtbot.waitSignal(window.events.watched_folders_edited):
        buttons["Keep watching this folder"].click()
    assert watched.known[-1].path == str(other)
