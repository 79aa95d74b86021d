"""Work done in a separate process behaves as if done here."""

from __future__ import annotations

import os
import threading

import numpy as np
import psutil
import pytest

from sciread_app import language
from sciread_app.errors import Cancelled, LibraryError, WorkLost
from sciread_app.services.subprocess.worker import run_in_subprocess
from sciread_app.tasks import Task
from tests.support import subprocess_works as works


def test_subprocess_work_returns_result_and_reports_progress():
    messages = []
    numbers, process, more = run_in_subprocess(
        works.double, np.array([1, 2]), task=Task(lambda *expected: messages.append(expected))
    )
    assert (numbers.tolist(), more.tolist()) == ([2, 4], [0, 1, 2])
    assert messages == [(1, 2, "half"), (2, 2, "whole")]
    assert process != os.getpid()
    assert not psutil.pid_exists(process)


def test_subprocess_work_raises_its_error_here():
    with pytest.raises(LibraryError, match="cannot be") as refused:
        run_in_subprocess(works.refuse, task=Task())
    assert refused.value.hint == "Do it otherwise."
    with pytest.raises(ZeroDivisionError) as stumbled:
        run_in_subprocess(works.stumble, task=Task())
    assert "in stumble" in "".join(stumbled.value.__notes__)


@pytest.mark.parametrize("work", [works.die, works.die_while_answering])
def test_killed_subprocess_raises_work_lost(work):
    with pytest.raises(WorkLost):
        run_in_subprocess(work, task=Task())


def test_subprocess_work_pauses_and_is_cancelled(tmp_path):
    steps = threading.Semaphore(0)
    task = Task(lambda *expected: steps.release())
    ended = threading.Event()

    def work():
        with pytest.raises(Cancelled):
            run_in_subprocess(works.run_forever, tmp_path / "pid", task=task)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps.acquire()
    task.pause()
    while steps.acquire(timeout=0.3):
        pass  # skip the steps before it was paused
    task.resume()
    assert steps.acquire(timeout=60)
    task.cancel()
    thread.join(60)
    assert ended.is_set()
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_subprocess_uses_the_same_language(translations):
    language.set_language(["de"], translations)
    assert run_in_subprocess(works.write_text, task=Task()) == "{n:,} Aufsatz"
