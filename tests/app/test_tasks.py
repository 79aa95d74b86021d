"""A task counts down what it waits for, and stops at once."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from sciread_app.errors import Cancelled
from sciread_app.tasks import Task


class Waiting(threading.Event):
    """Waits as long as it is told, by a clock that only it moves."""

    now = 0.0

    def wait(self, timeout=None):
        Waiting.now += timeout
        return self.is_set()


def test_a_pause_counts_down_and_then_shows_what_stood_there(monkeypatch):
    monkeypatch.setattr("sciread_app.tasks.threading", SimpleNamespace(Event=Waiting))
    monkeypatch.setattr("sciread_app.tasks.time", SimpleNamespace(monotonic=lambda: Waiting.now))
    seen = []
    task = Task(lambda *report: seen.append(report))
    task.step(3, 9, "Reading")
    task.pause(1.25, "The source rests")
    assert seen == [
        (3, 9, "Reading"),
        (3, 9, "The source rests (2 s)"),
        (3, 9, "The source rests (1 s)"),
        (3, 9, "Reading"),
    ]


def test_a_pause_of_a_moment_is_not_shown():
    seen = []
    Task(lambda *report: seen.append(report)).pause(0.01, "Hardly")
    assert seen == []


def test_no_pause_is_none():
    Task().pause(0, "Why")
    Task().pause(-5, "Why")


def test_a_pause_is_stopped_at_once():
    task = Task()
    threading.Timer(0.02, task.cancel).start()
    with pytest.raises(Cancelled):
        task.pause(3600, "Why")


def test_nothing_is_waited_for_once_stopped():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        task.pause(0, "Why")


class Counting:
    """Work that counts its steps on a thread of its own, and says how it ended."""

    def __init__(self, task):
        self.task, self.steps, self.stopped = task, 0, False
        self.stepped, self.ended = threading.Semaphore(0), threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        try:
            while True:
                self.steps += 1
                self.stepped.release()
                self.task.step(self.steps)
        except Cancelled:
            self.stopped = True
        self.ended.set()


def test_work_waits_while_it_is_held_up_and_then_goes_on():
    task = Task()
    task.hold()
    work = Counting(task)
    assert work.stepped.acquire(timeout=60)
    assert not work.stepped.acquire(timeout=0.05)  # the second step is not come to
    assert task.held and work.steps == 1
    task.go_on()
    assert work.stepped.acquire(timeout=60)
    task.cancel()
    assert work.ended.wait(60) and not task.held


def test_work_that_is_held_up_can_be_stopped():
    task = Task()
    task.hold()
    work = Counting(task)
    assert work.stepped.acquire(timeout=60)
    task.cancel()
    assert work.ended.wait(60)
    assert work.stopped and work.steps == 1
    task.hold()
    assert not task.held  # what is stopped is not held up as well


def test_what_is_told_while_others_wait_is_not_held_up():
    told = []
    task = Task(lambda *how_far: told.append(how_far))
    task.hold()
    task.tell(1, 2, "merging")
    assert told == [(1, 2, "merging")]
    task.cancel()
    with pytest.raises(Cancelled):
        task.tell(2, 2, "merging")


def test_what_others_wait_for_is_not_held_up():
    task = Task()
    task.hold()
    task.check()
    task.pause(0.001, "The source rests")
