"""The operating system reports changes in watched folders."""

from __future__ import annotations

import errno
import queue
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers.api import BaseObserver

from sciread_app import paths
from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.services.ingest import folder_events
from sciread_app.services.ingest.folder_events import FolderEvents

LONG = 60.0  # seconds: the longest wait on a busy machine


@pytest.fixture
def changed() -> queue.Queue[int]:
    return queue.Queue()


@pytest.fixture
def events(changed) -> Iterator[FolderEvents]:
    events = FolderEvents(changed.put)
    yield events
    events.close()


def watched(number: int, path: Path) -> WatchedFolder:
    path.mkdir(exist_ok=True)
    return WatchedFolder(number, str(path))


def drain(changed: queue.Queue[int]) -> None:
    """Take the events so far, which come with a delay: until a marker in the folder is reported."""
    while not changed.empty():
        changed.get()


def test_folder_reports_files_that_come_and_go(events, changed, tmp_path):
    one, other = watched(1, tmp_path / "a"), watched(2, tmp_path / "b")
    assert events.follow([one, other]) == set()
    (tmp_path / "b" / "x.pdf").write_bytes(b"x")
    assert changed.get(timeout=LONG) == 2
    (tmp_path / "a" / "deep").mkdir()
    while changed.get(timeout=LONG) != 1:
        pass


def test_reading_a_file_reports_nothing(events, changed, tmp_path):
    one = watched(1, tmp_path / "a")
    file = tmp_path / "a" / "x.pdf"
    file.write_bytes(b"x")
    events.follow([one, other := watched(2, tmp_path / "b")])
    file.read_bytes()
    list((tmp_path / "a").iterdir())
    (tmp_path / "b" / "y.pdf").write_bytes(b"x")
    assert changed.get(timeout=LONG) == other.id


def test_folder_that_is_no_longer_followed_reports_nothing(events, changed, tmp_path):
    one, other = watched(1, tmp_path / "a"), watched(2, tmp_path / "b")
    events.follow([one, other])
    events.follow([other])
    (tmp_path / "a" / "x.pdf").write_bytes(b"x")
    (tmp_path / "b" / "x.pdf").write_bytes(b"x")
    assert changed.get(timeout=LONG) == 2


def test_folder_that_was_replaced_is_followed_again(events, changed, tmp_path):
    one = watched(1, tmp_path / "a")
    events.follow([one])
    shutil.move(tmp_path / "a", tmp_path / "old")
    assert events.follow([one]) == {1}  # not found: to be polled
    (tmp_path / "a").mkdir()
    assert events.follow([one]) == set()
    drain(changed)
    (tmp_path / "a" / "x.pdf").write_bytes(b"x")
    assert changed.get(timeout=LONG) == 1


def test_folder_beyond_the_limit_of_the_system_is_polled(events, tmp_path, monkeypatch):
    def refuse(*args, **more):
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    assert events.follow([watched(1, tmp_path / "a")]) == {1}


def test_folder_on_a_network_drive_is_polled(events, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_events, "is_remote", lambda path: path.name == "a")
    assert events.follow([watched(1, tmp_path / "a"), watched(2, tmp_path / "b")]) == {1}


@pytest.mark.skipif(sys.platform != "linux", reason="reads the mounts of Linux")
@pytest.mark.parametrize(("folder", "remote"), [("/net/Bücher/bees", True), ("/net", False)])
def test_network_drive_mounted_over_its_automount_point_is_remote(monkeypatch, folder, remote):
    mounts = [("/", "ext4"), ("/net/Bücher", "autofs"), ("/net/Bücher", "nfs4")]
    monkeypatch.setattr(paths, "_mounts", lambda: mounts)
    assert folder_events.is_remote(Path(folder)) is remote
