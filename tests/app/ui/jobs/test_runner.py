"""The job runner: delivery, cancellation, pausing, shutdown."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import threading
import time
from types import SimpleNamespace

import psutil
import pytest
from PySide6.QtCore import QThread

from sciread_app.errors import Cancelled, SciReadError
from sciread_app.ui.jobs import runner
from sciread_app.ui.jobs.runner import JobQueue, JobRunner, job_error
from trainer.contract.errors import PackageRefused


def test_run_delivers_the_result_on_the_main_thread(qtbot, jobs):
    where = []
    with qtbot.waitSignal(jobs.finished):
        jobs.run(
            "Adding",
            lambda task: where.append(threading.current_thread()) or 5,
            lambda result: where.append((result, QThread.currentThread().isMainThread())),
        )
    assert where[0] is not threading.main_thread()
    assert where[1] == (5, True)


def test_long_jobs_run_one_at_a_time_beside_short_ones(qtbot, jobs):
    release, order = threading.Event(), []
    long = JobQueue.long
    jobs.run("first", lambda task: release.wait(60), lambda _: order.append("first"), queue=long)
    jobs.run("second", lambda task: None, lambda _: order.append("second"), queue=long)
    jobs.run("search", lambda task: None, lambda _: order.append("search"))
    qtbot.waitUntil(lambda: order == ["search"])
    release.set()
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["search", "first", "second"]


def test_progress_is_reported_ten_times_a_second_at_most(qtbot, jobs, monkeypatch):
    seen, now = [], 1_000.0
    monkeypatch.setattr("sciread_app.ui.jobs.runner.time", SimpleNamespace(monotonic=lambda: now))
    jobs.progressed.connect(lambda job, done, total, note: seen.append((done, total, note)))

    def work(task):
        nonlocal now
        for n in range(1, 351):
            task.step(n, 10_000_000, "going on")
            now += 0.001

    with qtbot.waitSignal(jobs.finished):
        jobs.run("Counting", work)
    assert 3 <= len(seen) <= 4
    assert seen[0] == (1, 10_000_000, "going on")


def test_cancelled_job_neither_fails_nor_delivers(qtbot, jobs):
    failed, done, started = [], [], threading.Event()
    jobs.failed.connect(lambda job, problem: failed.append(problem))

    def work(task):
        started.set()
        while True:
            task.raise_if_cancelled()
            time.sleep(0.001)

    job = jobs.run("Importing", work, done.append)
    assert started.wait(60)
    with qtbot.waitSignal(jobs.finished):
        job.cancel()
    assert job.cancelled
    assert (failed, done) == ([], [])


def test_on_cancelled_is_called_when_the_work_has_stopped(qtbot, jobs):
    stopping, stopped = threading.Event(), threading.Event()

    def work(task):
        stopping.wait(60)
        stopped.set()
        task.raise_if_cancelled()

    was_stopped = []
    job = jobs.run("Copying", work, on_cancelled=lambda: was_stopped.append(stopped.is_set()))
    qtbot.waitUntil(lambda: job.has_started)
    job.cancel()
    assert was_stopped == []
    stopping.set()
    qtbot.waitUntil(lambda: was_stopped == [True])


def test_dropped_job_delivers_nothing(qtbot, jobs):
    release, calls = threading.Event(), []

    def work(task):
        release.wait(60)
        return "late"

    jobs.run(
        "Comparing", work, calls.append, on_cancelled=lambda: calls.append("canceled"),
        replaces="pair",
    )  # fmt: skip
    jobs.run(
        "Comparing again", work, calls.append, on_cancelled=lambda: calls.append("canceled"),
        replaces="pair",
    )  # fmt: skip
    jobs.drop("pair")
    jobs.drop("unknown")
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert calls == []


def test_replaced_job_result_is_dropped(qtbot, jobs):
    release, results, failed = threading.Event(), [], []
    jobs.failed.connect(lambda job, problem: failed.append(problem))

    def old(task):
        release.wait(60)
        return "old"

    def broken(task):
        release.wait(60)
        raise RuntimeError("too late to matter")

    for work in (old, broken, lambda task: "new"):
        jobs.run("Searching", work, results.append, replaces="search")
    qtbot.waitUntil(lambda: results == ["new"])
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert results == ["new"]
    assert failed == []


def test_user_error_is_emitted_with_its_hint(qtbot, jobs):
    def work(task):
        raise SciReadError("The file is locked.", "Close the other program.")

    with qtbot.waitSignal(jobs.failed) as caught:
        jobs.run("Opening", work)
    _, problem = caught.args
    assert (problem.message, problem.hint) == ("The file is locked.", "Close the other program.")
    assert problem.report == ""


def test_trainer_error_is_a_user_error():
    problem = job_error(PackageRefused("The model is damaged.", "Copy the model again."), "Loading")
    assert (problem.message, problem.hint) == ("The model is damaged.", "Copy the model again.")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk_is_named_and_needs_no_report(caplog, number):
    error = OSError(number, os.strerror(number), "/library/maps.npz")
    problem = job_error(error, "Drawing the map")
    assert "/library/maps.npz" in problem.message and "full" in problem.message
    assert problem.hint and not problem.report and not caplog.text


def test_full_disk_is_named_by_its_folder_if_the_file_is_unknown(monkeypatch):
    usage = SimpleNamespace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage)
    error = OSError(errno.ENOSPC, "No space left on device")
    assert tempfile.gettempdir() in job_error(error, "Indexing").message
    usage.free = 1 << 30
    problem = job_error(error, "Indexing")
    assert "full" in problem.message and tempfile.gettempdir() not in problem.message


def test_unexpected_error_is_logged_and_can_be_reported(qtbot, jobs, caplog):
    def work(task):
        return 1 / 0

    with qtbot.waitSignal(jobs.failed) as caught:
        jobs.run("Dividing", work)
    _, problem = caught.args
    assert problem.message == "Something went wrong."
    assert "ZeroDivisionError" in problem.report
    assert "ZeroDivisionError" in caplog.text


def test_on_failed_receives_the_failure(qtbot, jobs):
    mine, everyones = [], []
    jobs.failed.connect(lambda job, problem: everyones.append(problem))

    def work(task):
        raise SciReadError("No such field.")

    with qtbot.waitSignal(jobs.finished):
        jobs.run("Searching", work, on_failed=mine.append)
    assert [problem.message for problem in mine] == ["No such field."]
    assert everyones == []


def canceled(task):
    raise Cancelled()


def test_on_failed_is_told_of_a_canceled_job(qtbot, jobs):
    mine, everyones = [], []
    jobs.failed.connect(lambda job, problem: everyones.append(problem))
    with qtbot.waitSignal(jobs.finished):
        jobs.run("Searching", canceled, on_failed=mine.append)
    (problem,) = mine
    assert problem.cancelled and "Searching" in problem.message
    assert everyones == []


def test_on_cancelled_is_called_in_place_of_on_failed(qtbot, jobs):
    calls = []
    with qtbot.waitSignal(jobs.finished):
        jobs.run(
            "Searching", canceled, on_failed=calls.append,
            on_cancelled=lambda: calls.append("canceled"),
        )  # fmt: skip
    assert calls == ["canceled"]


def test_shut_down_cancels_jobs_and_delivers_nothing(qapp):
    jobs, delivered, stopped = JobRunner(), [], threading.Event()

    def work(task):
        try:
            while True:
                task.raise_if_cancelled()
                time.sleep(0.001)
        except Cancelled:
            stopped.set()
            raise

    jobs.run("Importing", work, delivered.append, queue=JobQueue.long)
    jobs.run("Waiting behind it", lambda task: 1, delivered.append, queue=JobQueue.long)
    assert jobs.shut_down(timeout=60)
    assert stopped.is_set()
    qapp.processEvents()
    assert delivered == []


def test_shut_down_waits_until_the_threads_have_ended(qapp):
    jobs, before = JobRunner(), set(threading.enumerate())
    ran = threading.Event()
    jobs.run("Adding", lambda task: ran.set())
    assert ran.wait(60)
    assert jobs.shut_down(timeout=60)
    assert set(threading.enumerate()) <= before


def test_shut_down_times_out(qapp, caplog):
    jobs, release = JobRunner(), threading.Event()
    jobs.run("Deaf work", lambda task: release.wait(60))
    assert not jobs.shut_down(timeout=0.05)
    assert "Deaf work" in caplog.text
    release.set()
    assert jobs.shut_down(timeout=60)


@pytest.mark.parametrize("queue", JobQueue)
def test_running_lists_the_jobs_of_a_queue(qtbot, jobs, queue):
    release = threading.Event()
    job = jobs.run("Working", lambda task: release.wait(60), queue=queue)
    assert jobs.running(queue) == [job]
    assert jobs.running() == [job]
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_started_is_emitted_when_a_job_begins(qtbot, jobs):
    release, begun = threading.Event(), []
    jobs.started.connect(begun.append)
    first = jobs.run("first", lambda task: release.wait(60), queue=JobQueue.long)
    second = jobs.run("second", lambda task: 2, queue=JobQueue.long)
    qtbot.waitUntil(lambda: begun == [first])
    assert first.has_started and not second.has_started
    release.set()
    qtbot.waitUntil(lambda: begun == [first, second] and not jobs.running())


def test_paused_job_resumes_where_it_was(qtbot, jobs):
    steps = []

    def work(task):
        for n in range(3):
            steps.append(n)
            task.step(n, 3)
        return "all"

    blocker = threading.Event()
    jobs.run("In front of it", lambda task: blocker.wait(60), queue=JobQueue.long)
    job = jobs.run("Counting", work, queue=JobQueue.long)
    jobs.set_paused(job)
    blocker.set()
    qtbot.waitUntil(lambda: steps == [0])
    assert job.task.is_paused and jobs.running() == [job]
    results = []
    jobs.finished.connect(lambda job: results.append(job.result))
    with qtbot.waitSignal(jobs.pause_changed):
        jobs.set_paused(job, False)
    qtbot.waitUntil(lambda: not jobs.running())
    assert steps == [0, 1, 2] and results[-1] == "all"


def test_paused_job_does_not_block_shut_down(qtbot, jobs):
    entered = threading.Event()

    def work(task):
        entered.set()
        task.step(1)

    job = jobs.run("Counting", work)
    jobs.set_paused(job)
    assert entered.wait(60)
    assert jobs.shut_down(timeout=60)


def test_retry_runs_the_same_work_again(qtbot, jobs):
    results = []
    job = jobs.run("Trying", lambda task: 5, results.append)
    qtbot.waitUntil(lambda: results == [5])
    job.retry()
    qtbot.waitUntil(lambda: results == [5, 5])


def test_paused_job_gives_up_its_slot_until_resumed(qtbot, jobs):
    ended, steps, release = [], threading.Event(), threading.Event()

    def first(task):
        while not release.is_set():
            task.step(1, 2)
            steps.set()
            time.sleep(0.005)

    job = jobs.run("first", first, lambda _: ended.append("first"), queue=JobQueue.long)
    assert steps.wait(60)
    jobs.run("second", lambda task: None, lambda _: ended.append("second"), queue=JobQueue.long)
    jobs.set_paused(job)
    qtbot.waitUntil(lambda: ended == ["second"])
    jobs.set_paused(job, False)
    steps.clear()
    assert steps.wait(60)  # the job runs again
    jobs.run("third", lambda task: None, lambda _: ended.append("third"), queue=JobQueue.long)
    jobs.run("search", lambda task: None, lambda _: ended.append("search"))
    qtbot.waitUntil(lambda: ended == ["second", "search"])
    release.set()
    qtbot.waitUntil(lambda: len(ended) == 4)
    assert ended[2:] == ["first", "third"]


def test_queued_job_is_cancelled_at_once(qtbot, jobs):
    release, ended = threading.Event(), []
    jobs.finished.connect(lambda job: ended.append(job.title))
    jobs.run("first", lambda task: release.wait(60), queue=JobQueue.long)
    second = jobs.run("second", lambda task: None, queue=JobQueue.long)
    jobs.run("third", lambda task: None, queue=JobQueue.long)
    second.cancel()
    qtbot.waitUntil(lambda: ended == ["second"])
    release.set()
    qtbot.waitUntil(lambda: ended == ["second", "first", "third"])


@pytest.mark.skipif(
    not runner._malloc_trim, reason="only glibc keeps what was freed, and can give it back"
)
def test_job_whose_callback_fails_is_finished(qtbot, jobs, monkeypatch):
    faults = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *fault: faults.append(kind))
    with qtbot.waitSignal(jobs.finished) as finished:
        job = jobs.run("Adding", lambda task: 5, lambda result: result / 0)
    assert finished.args == [job] and job.result is None
    qtbot.waitUntil(lambda: faults == [ZeroDivisionError])


def test_finished_job_triggers_trim_memory(qtbot, jobs):
    process, left = psutil.Process(), []

    def work(task):
        # Each block is too small for malloc to return on its own, and the last one, still in use,
        # holds back all below it.
        held = [b"x" * 2**16 for _ in range(4_000)]
        left.append(held[-1])
        return process.memory_info().rss

    full = []
    jobs.run("Taking much", work, full.append)
    qtbot.waitUntil(lambda: bool(full))
    qtbot.waitUntil(lambda: process.memory_info().rss < full[0] - 200 * 2**20)
