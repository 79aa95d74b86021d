"""Work beside the window: what comes back, what is dropped, what stops."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import psutil
import pytest
from PySide6.QtCore import QThread

from sciread_app.errors import Cancelled, SciReadError
from sciread_app.ui import freed
from sciread_app.ui.jobs import Jobs, Lane, problem_of
from trainer.contract.errors import PackageRefused


def test_work_runs_beside_the_window_and_its_result_comes_back_to_it(qtbot, jobs):
    where = []
    with qtbot.waitSignal(jobs.finished):
        jobs.run(
            "Adding",
            lambda task: where.append(threading.current_thread()) or 5,
            lambda result: where.append((result, QThread.currentThread().isMainThread())),
        )
    assert where[0] is not threading.main_thread()
    assert where[1] == (5, True)


def test_heavy_jobs_take_turns_while_light_ones_go_on(qtbot, jobs):
    release, order = threading.Event(), []
    jobs.run("first", lambda task: release.wait(60), lambda _: order.append("first"))
    jobs.run("second", lambda task: None, lambda _: order.append("second"))
    jobs.run("search", lambda task: None, lambda _: order.append("search"), lane=Lane.light)
    qtbot.waitUntil(lambda: order == ["search"])
    release.set()
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["search", "first", "second"]


def test_progress_is_shown_ten_times_a_second_at_most(qtbot, jobs, monkeypatch):
    seen, now = [], 1_000.0
    monkeypatch.setattr("sciread_app.ui.jobs.time", SimpleNamespace(monotonic=lambda: now))
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


def test_a_cancelled_job_neither_fails_nor_delivers(qtbot, jobs):
    failed, done, started = [], [], threading.Event()
    jobs.failed.connect(lambda job, problem: failed.append(problem))

    def work(task):
        started.set()
        while True:
            task.check()
            time.sleep(0.001)

    job = jobs.run("Importing", work, done.append)
    assert started.wait(60)
    with qtbot.waitSignal(jobs.finished):
        job.cancel()
    assert job.cancelled
    assert (failed, done) == ([], [])


def test_a_job_started_in_place_of_another_drops_what_still_comes_of_it(qtbot, jobs):
    release, results, failed = threading.Event(), [], []
    jobs.failed.connect(lambda job, problem: failed.append(problem))

    def old(task):
        release.wait(60)
        return "old"

    def broken(task):
        release.wait(60)
        raise RuntimeError("too late to matter")

    for work in (old, broken, lambda task: "new"):
        jobs.run("Searching", work, results.append, lane=Lane.light, instead_of="search")
    qtbot.waitUntil(lambda: results == ["new"])
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert results == ["new"]
    assert failed == []


def test_an_error_for_people_comes_with_its_hint(qtbot, jobs):
    def work(task):
        raise SciReadError("The file is locked.", "Close the other program.")

    with qtbot.waitSignal(jobs.failed) as caught:
        jobs.run("Opening", work)
    _, problem = caught.args
    assert (problem.message, problem.hint) == ("The file is locked.", "Close the other program.")
    assert problem.report == ""


def test_an_error_of_the_trainer_is_for_people_too():
    problem = problem_of(PackageRefused("The model is damaged.", "Copy it again."), "Loading")
    assert (problem.message, problem.hint) == ("The model is damaged.", "Copy it again.")


def test_a_fault_of_ours_is_logged_and_can_be_reported(qtbot, jobs, caplog):
    def work(task):
        return 1 / 0

    with qtbot.waitSignal(jobs.failed) as caught:
        jobs.run("Dividing", work)
    _, problem = caught.args
    assert problem.message == "Something went wrong inside."
    assert "ZeroDivisionError" in problem.report
    assert "ZeroDivisionError" in caplog.text


def test_a_failure_goes_to_who_asked_for_it(qtbot, jobs):
    mine, everyones = [], []
    jobs.failed.connect(lambda job, problem: everyones.append(problem))

    def work(task):
        raise SciReadError("No such field.")

    with qtbot.waitSignal(jobs.finished):
        jobs.run("Searching", work, on_failed=mine.append)
    assert [problem.message for problem in mine] == ["No such field."]
    assert everyones == []


def test_shutting_down_stops_what_can_be_stopped_and_delivers_nothing(qapp):
    jobs, delivered, stopped = Jobs(), [], threading.Event()

    def work(task):
        try:
            while True:
                task.check()
                time.sleep(0.001)
        except Cancelled:
            stopped.set()
            raise

    jobs.run("Importing", work, delivered.append)
    jobs.run("Waiting behind it", lambda task: 1, delivered.append)
    assert jobs.shut_down(patience=60)
    assert stopped.is_set()
    qapp.processEvents()
    assert delivered == []


def test_shutting_down_does_not_wait_for_ever(qapp, caplog):
    jobs, release = Jobs(), threading.Event()
    jobs.run("Deaf work", lambda task: release.wait(60))
    assert not jobs.shut_down(patience=0.05)
    assert "Deaf work" in caplog.text
    release.set()
    assert jobs.shut_down(patience=60)


@pytest.mark.parametrize("lane", Lane)
def test_jobs_that_run_are_known_by_their_lane(qtbot, jobs, lane):
    release = threading.Event()
    job = jobs.run("Working", lambda task: release.wait(60), lane=lane)
    assert jobs.running(lane) == [job]
    assert jobs.running() == [job]
    release.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_a_job_says_when_its_turn_has_come(qtbot, jobs):
    release, begun = threading.Event(), []
    jobs.begun.connect(begun.append)
    first = jobs.run("first", lambda task: release.wait(60))
    second = jobs.run("second", lambda task: 2)
    qtbot.waitUntil(lambda: begun == [first])
    assert first.begun and not second.begun
    release.set()
    qtbot.waitUntil(lambda: begun == [first, second] and not jobs.running())


def test_a_job_can_be_held_up_and_goes_on_where_it_was(qtbot, jobs):
    steps = []

    def work(task):
        for n in range(3):
            steps.append(n)
            task.step(n, 3)
        return "all"

    blocker = threading.Event()
    jobs.run("In front of it", lambda task: blocker.wait(60))
    job = jobs.run("Counting", work)
    jobs.hold(job)
    blocker.set()
    qtbot.waitUntil(lambda: steps == [0])
    assert job.task.held and jobs.running() == [job]
    results = []
    jobs.finished.connect(lambda job: results.append(job.result))
    with qtbot.waitSignal(jobs.held):
        jobs.hold(job, False)
    qtbot.waitUntil(lambda: not jobs.running())
    assert steps == [0, 1, 2] and results[-1] == "all"


def test_a_job_that_is_held_up_does_not_keep_the_window_open(qtbot, jobs):
    entered = threading.Event()

    def work(task):
        entered.set()
        task.step(1)

    job = jobs.run("Counting", work)
    jobs.hold(job)
    assert entered.wait(60)
    assert jobs.shut_down(patience=60)


def test_the_same_work_can_be_started_once_more(qtbot, jobs):
    results = []
    job = jobs.run("Trying", lambda task: 5, results.append)
    qtbot.waitUntil(lambda: results == [5])
    job.again()
    qtbot.waitUntil(lambda: results == [5, 5])


def test_a_job_that_is_held_up_lets_others_work_and_takes_its_lane_again(qtbot, jobs):
    ended, steps, release = [], threading.Event(), threading.Event()

    def first(task):
        while not release.is_set():
            task.step(1, 2)
            steps.set()
            time.sleep(0.005)

    job = jobs.run("first", first, lambda _: ended.append("first"))
    assert steps.wait(60)
    jobs.run("second", lambda task: None, lambda _: ended.append("second"))
    jobs.hold(job)
    qtbot.waitUntil(lambda: ended == ["second"])
    jobs.hold(job, False)
    steps.clear()
    assert steps.wait(60)  # it goes on
    jobs.run("third", lambda task: None, lambda _: ended.append("third"))
    jobs.run("search", lambda task: None, lambda _: ended.append("search"), lane=Lane.light)
    qtbot.waitUntil(lambda: ended == ["second", "search"])
    release.set()
    qtbot.waitUntil(lambda: len(ended) == 4)
    assert ended[2:] == ["first", "third"]


def test_a_job_that_waits_for_its_turn_can_be_cancelled_at_once(qtbot, jobs):
    release, ended = threading.Event(), []
    jobs.finished.connect(lambda job: ended.append(job.title))
    jobs.run("first", lambda task: release.wait(60))
    second = jobs.run("second", lambda task: None)
    jobs.run("third", lambda task: None)
    second.cancel()
    qtbot.waitUntil(lambda: ended == ["second"])
    release.set()
    qtbot.waitUntil(lambda: ended == ["second", "first", "third"])


@pytest.mark.skipif(not freed._trim, reason="only glibc keeps what was freed, and can give it back")
def test_memory_that_work_has_freed_goes_back_to_the_system(qtbot, jobs):
    process, left = psutil.Process(), []

    def work(task):
        # Too small to be given back by itself, and with the last one in use nothing below it is.
        held = [b"x" * 2**16 for _ in range(4_000)]
        left.append(held[-1])
        return process.memory_info().rss

    full = []
    jobs.run("Taking much", work, full.append)
    qtbot.waitUntil(lambda: bool(full))
    qtbot.waitUntil(lambda: process.memory_info().rss < full[0] - 200 * 2**20)
