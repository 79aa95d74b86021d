"""Garbage is collected where widgets live."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from sciread_app.ui.shell.garbage_collector import GarbageCollector


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


def test_what_hangs_in_a_cycle_dies_on_the_windows_thread(qtbot, collector):
    died: list[threading.Thread] = []

    def litter() -> None:
        for _ in range(5_000):
            Node(died)

    worker = threading.Thread(target=litter)
    worker.start()
    worker.join()
    assert died == []
    qtbot.waitUntil(lambda: len(died) == 5_000)
    assert set(died) == {threading.main_thread()}


def test_when_the_window_is_gone_python_collects_by_itself_again(qapp):
    GarbageCollector().stop()
    assert gc.isenabled()
