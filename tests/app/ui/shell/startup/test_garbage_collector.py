"""The garbage collector that runs on the main thread."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector


class Node:
    def __init__(self, died: list[threading.Thread]) -> None:
        self.itself, self._died = self, died

    def __del__(self) -> None:
        self._died.append(threading.current_thread())


@pytest.fixture
def collector(qapp) -> Iterator[GarbageCollector]:
    collector = GarbageCollector()
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


def test_automatic_collection_stays_disabled_after_stop(qapp):
    GarbageCollector().stop()
    assert not gc.isenabled()
