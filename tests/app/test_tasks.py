"""Progress, waiting, pausing and cancelling of a task."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from sciread_app.errors import Cancelled
from sciread_app.tasks import Task


class ManualEvent(threading.Event):
    """An event whose `wait` returns at once and advances a clock of its own."""

    now = 0.0

    def wait(self, timeout=None):
        ManualEvent.now += timeout
        return self.is_set()


def test_wait_counts_down_then_restores_the_last_note(monkeypatch):
    monkeypatch.setattr("sciread_app.tasks.threading", SimpleNamespace(Event=ManualEvent))
    monkeypatch.setattr(
        "sciread_app.tasks.time", SimpleNamespace(monotonic=lambda: ManualEvent.now)
    )
    seen = []
    task = Task(lambda *report: seen.append(report))
    task.step(3, 9, "Reading")
    task.wait(1.25, "The source rests")
    assert seen == [
        (3, 9, "Reading"),
        (3, 9, "The source rests (2 s)"),
        (3, 9, "The source rests (1 s)"),
        (3, 9, "Reading"),
    ]


def test_wait_under_a_second_is_not_reported():
    seen = []
    Task(lambda *report: seen.append(report)).wait(0.01, "Hardly")
    assert seen == []


def test_wait_of_no_time_returns():
    Task().wait(0, "Why")
    Task().wait(-5, "Why")


def test_wait_when_cancelled_stops_at_once():
    task = Task()
    threading.Timer(0.02, task.cancel).start()
    with pytest.raises(Cancelled):
        task.wait(3600, "Why")


def test_wait_after_cancel_raises():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        task.wait(0, "Why")


class CountingWork:
    """Work that counts its steps on a thread of its own, and records how it ended."""

    def __init__(self, task):
        self.task, self.steps, self.cancelled = task, 0, False
        self.stepped, self.ended = threading.Semaphore(0), threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        try:
            while True:
                self.steps += 1
                self.stepped.release()
                self.task.step(self.steps)
        except Cancelled:
            self.cancelled = True
        self.ended.set()


def test_step_while_paused_blocks_until_resumed():
    task = Task()
    task.pause()
    work = CountingWork(task)
    assert work.stepped.acquire(timeout=60)
    assert not work.stepped.acquire(timeout=0.05)  # the second step is not reached
    assert task.is_paused and work.steps == 1
    task.resume()
    assert work.stepped.acquire(timeout=60)
    task.cancel()
    assert work.ended.wait(60) and not task.is_paused


def test_note_keeps_the_progress():
    reported = []
    task = Task(lambda *progress: reported.append(progress))
    task.step(3, 5, "Reading")
    task.note("Asking Crossref")
    assert reported[-1] == (3, 5, "Asking Crossref")


def test_part_is_paused_and_canceled_with_its_task():
    reported = []
    task = Task(lambda *progress: reported.append(progress))
    part = task.part(10, 50)
    part.step(3, 5, "Reading")
    assert reported == [(13, 50, "Reading")]
    task.pause()
    part.report(4, 5, "Reading")
    assert part.is_paused and reported[-1] == (14, 50, "Reading")
    task.cancel()
    for stops in (part.raise_if_cancelled, lambda: part.wait(3600, "Why"), lambda: part.step(5)):
        with pytest.raises(Cancelled):
            stops()


def test_cancel_while_paused_stops_the_work():
    task = Task()
    task.pause()
    work = CountingWork(task)
    assert work.stepped.acquire(timeout=60)
    task.cancel()
    assert work.ended.wait(60)
    assert work.cancelled and work.steps == 1
    task.pause()
    assert not task.is_paused  # cancelled work cannot be paused as well


def test_report_while_paused_does_not_block():
    reported = []
    task = Task(lambda *progress: reported.append(progress))
    task.pause()
    task.report(1, 2, "merging")
    assert reported == [(1, 2, "merging")]
    task.cancel()
    with pytest.raises(Cancelled):
        task.report(2, 2, "merging")


def test_wait_while_paused_does_not_block():
    task = Task()
    task.pause()
    task.raise_if_cancelled()
    task.wait(0.001, "The source rests")
