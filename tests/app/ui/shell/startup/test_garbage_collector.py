"""The garbage collector that runs on the main thread."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from sciread_app.ui.jobs.runner import Job, JobQueue
from sciread_app.ui.shell.startup import garbage_collector
from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector


class Node:
    def __init__(self, died: list[threading.Thread]) -> None:
        self.itself, self._died = self, died

    def __del__(self) -> None:
        self._died.append(threading.current_thread())


@pytest.fixture
def collector(jobs) -> Iterator[GarbageCollector]:
    collector = GarbageCollector(jobs)
    yield collector
    collector.stop()


def test_cycles_are_collected_on_the_main_thread(qtbot, collector):
    died: list[threading.Thread] = []

    def create_cycles() -> None:
        for _ in range(5_000):
            Node(died)

    worker = threading.Thread(target=create_cycles)
    worker.start()
    worker.join()
    assert died == []
    qtbot.waitUntil(lambda: len(died) == 5_000)
    assert set(died) == {threading.main_thread()}


def test_automatic_collection_stays_disabled_after_stop(jobs):
    GarbageCollector(jobs).stop()
    assert not gc.isenabled()


@pytest.mark.parametrize(
    ("idle", "visible", "calls"), [(0.0, True, 5), (3600.0, False, 5), (3600.0, True, 6)]
)
def test_full_collection_waits_until_memory_has_grown(
    idle, visible, calls, qtbot, jobs, monkeypatch
):
    blocks = iter([100, 104, 110, 120, 131, 209, 209])
    seen, collected = [], []

    def allocated() -> int:
        seen.append(next(blocks, 209))
        return seen[-1]

    monkeypatch.setattr(garbage_collector, "CHECK_INTERVAL_MS", 1)
    monkeypatch.setattr(sys, "getallocatedblocks", allocated)
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 99))
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(len(seen)))
    monkeypatch.setattr(garbage_collector, "IDLE", idle)
    collector = GarbageCollector(jobs)
    jobs.finished.emit(Job("Searching", JobQueue.short, visible=visible))
    qtbot.waitUntil(lambda: len(collected) >= 2)
    collector.stop()
    # At 100, and again at 131, or at 209 while the user is doing something.
    assert collected[:2] == [1, calls]
