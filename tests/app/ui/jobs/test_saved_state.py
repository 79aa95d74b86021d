"""The state of the window that is kept for the next start."""

from __future__ import annotations

import threading

from PySide6.QtCore import QByteArray, QLockFile, QTimer

from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.jobs.saved_state import SavedState


def test_changed_values_are_read_at_the_next_start(qtbot, jobs, tmp_path):
    file = tmp_path / "window.ini"
    state = SavedState(file, jobs)
    with qtbot.waitSignal(jobs.finished):
        state.setValue("width", 300)
        state.setValue("columns", QByteArray(b"\x00\xff"))
        state.setValue("recent", ["spin glass", "films"])
        state.setValue("shown", True)
        state.setValue("hidden", False)
    again = SavedState(file, jobs)
    assert again.value("width", 200, type=int) == 300
    assert again.value("shown", False, type=bool)
    assert not again.value("hidden", True, type=bool)
    assert again.value("columns") == QByteArray(b"\x00\xff")
    assert again.value("recent") == ["spin glass", "films"]
    assert again.value("unknown", "default") == "default"


def test_changed_value_leaves_others_as_they_are(qtbot, jobs, tmp_path):
    file = tmp_path / "window.ini"
    first = SavedState(file, jobs)
    first.setValue("width", "300")
    first.save()
    second = SavedState(file, jobs)
    second.setValue("height", "200")
    second.save()
    again = SavedState(file, jobs)
    assert (again.value("width"), again.value("height")) == ("300", "200")


def test_window_continues_while_a_value_cannot_be_written_yet(qtbot, jobs, tmp_path):
    lock = QLockFile(str(tmp_path / "window.ini.lock"))  # QSettings waits for it to write
    assert lock.tryLock(0)
    state = SavedState(tmp_path / "window.ini", jobs)
    with qtbot.waitSignal(jobs.started):
        state.setValue("width", "300")
    passes = []
    timer = QTimer(interval=0)
    timer.timeout.connect(lambda: passes.append(None))
    timer.start()
    qtbot.waitUntil(lambda: len(passes) > 10)
    timer.stop()
    assert not (tmp_path / "window.ini").exists()
    with qtbot.waitSignal(jobs.finished):
        lock.unlock()
    assert SavedState(tmp_path / "window.ini", jobs).value("width") == "300"


def test_state_saved_as_the_window_closes_is_not_overwritten_by_an_earlier_job(
    qtbot, jobs, tmp_path
):
    release = threading.Event()
    for _ in range(JobQueue.short.value):  # so that the job of the state has to wait
        jobs.run("Searching", lambda task: release.wait(60), queue=JobQueue.short)
    state = SavedState(tmp_path / "window.ini", jobs)
    state.setValue("width", "300")
    qtbot.waitUntil(lambda: len(jobs.running()) > JobQueue.short.value)
    state.setValue("width", "400")
    state.save()
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert SavedState(tmp_path / "window.ini", jobs).value("width") == "400"
