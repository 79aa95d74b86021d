"""Steps that are carried out one in each pass of the event loop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QObject

from sciread_app.ui.widgets.build_queue import BuildQueue


@pytest.fixture
def owner(qapp):
    return QObject(qapp)


def test_queue_carries_out_one_step_per_pass_in_order(owner, qtbot):
    done = []
    queue = BuildQueue(owner)
    with qtbot.waitSignal(queue.finished):
        queue.start([lambda n=n: done.append(n) for n in range(3)])
        assert done == []
        QCoreApplication.processEvents()
        assert done == [0]
    assert done == [0, 1, 2]


def test_finish_carries_out_all_steps_at_once_and_only_once(owner, qtbot):
    done = []
    queue = BuildQueue(owner)
    queue.start([lambda: done.append("a"), lambda: done.append("b")])
    with qtbot.waitSignal(queue.finished):
        queue.finish()
    queue.finish()
    QCoreApplication.processEvents()
    assert done == ["a", "b"]


def test_failing_step_ends_the_queue(owner):
    done = []
    queue = BuildQueue(owner)
    queue.start([lambda: 1 / 0, lambda: done.append("after")])
    with pytest.raises(ZeroDivisionError):
        queue.finish()
    QCoreApplication.processEvents()
    assert done == [] and not queue.is_active


def test_start_replaces_the_steps_that_are_left(owner):
    done = []
    queue = BuildQueue(owner)
    queue.start([lambda: done.append("old")])
    queue.start([lambda: done.append("new")])
    queue.finish()
    assert done == ["new"]
