"""Rate limits hold across processes, kills and clock changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sciread_app.errors import Cancelled, SourceError
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.http.rate_limit import RateLimiter
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[4]
PAUSE = 0.15

PROGRAM = """
import sys, time
from pathlib import Path
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task

folder, url, pause, alone, count = sys.argv[1:]
shelf = Endpoint("shelf", "The Shelf", url, float(pause), "shelf", alone=alone == "True")
with Client(Path(folder), {"shelf": shelf}) as client:
    begun = time.monotonic()
    for _ in range(int(count)):
        client.ask("shelf", fresh=True, task=Task())
    print(begun, time.monotonic())
"""


def program(folder, url, count, pause=PAUSE, alone=False):
    words = [sys.executable, "-c", PROGRAM, folder, url, pause, alone, count]
    return subprocess.Popen(
        [str(word) for word in words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def run_times(*programs):
    """Wait for the programs; return when the last began to ask and got its last answer."""
    times = []
    for one in programs:
        out, err = one.communicate(timeout=100)
        assert one.returncode == 0, err.decode()
        times += map(float, out.split())
    return max(times[::2]), max(times)


def slow(asked):
    """An answer in two parts that takes longer than the pause."""

    def pieces():
        yield b"<feed>"
        time.sleep(PAUSE * 1.5)
        yield b"</feed>"

    return Answer(pieces())


def test_two_processes_together_keep_the_pause(tmp_path):
    both = threading.Barrier(2, timeout=100)

    def together(asked):
        if len(server.requests) <= 2:  # however long the second takes to start
            both.wait()
        return Answer(b"<feed/>")

    with LocalServer(together) as server:
        begun, ended = run_times(*(program(tmp_path, server.url, 6) for _ in range(2)))
        assert len(server.requests) == 12
        assert ended - begun > 10 * PAUSE


def test_two_processes_take_turns_at_exclusive_endpoint(tmp_path):
    with LocalServer(slow) as server:
        run_times(*(program(tmp_path, server.url, 3, alone=True) for _ in range(2)))
        assert len(server.requests) == 6 and server.most_at_once == 1
        assert {asked.headers["connection"] for asked in server.requests} == {"close"}


def test_two_processes_ask_in_parallel_otherwise(tmp_path):
    """Shows that the previous test can fail."""
    both = threading.Barrier(2, timeout=100)

    def together(asked):
        both.wait()
        return Answer(b"<feed/>")

    with LocalServer(together) as server:
        run_times(*(program(tmp_path, server.url, 1) for _ in range(2)))
        assert server.most_at_once == 2


def test_threads_keep_the_limit(tmp_path):
    with LocalServer(slow) as server, client_of(server, tmp_path, alone=True) as client:
        threads = [threading.Thread(target=ask, args=(client,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.most_at_once == 1 and min(server.gaps()) > PAUSE


def test_endpoints_of_one_lane_share_the_limit(tmp_path):
    with LocalServer(lambda asked: Answer(b"<feed/>")) as server:
        shelf = Endpoint("shelf", "The Shelf", server.url, PAUSE, "shelf", alone=True)
        board = Endpoint("board", "The Board", f"{server.url}board", PAUSE, "shelf", alone=True)
        with Client(tmp_path, {"shelf": shelf, "board": board}) as client:
            for name in ("shelf", "board", "shelf"):
                client.ask(name, fresh=True, task=Task())
        assert min(server.gaps()) > PAUSE


def test_pause_begins_after_a_slow_answer(tmp_path):
    """The request may have been on its way for long, so the pause begins with the answer."""

    def late(asked):
        time.sleep(PAUSE * 2)
        answered.append(time.monotonic())
        return Answer(b"<feed/>")

    answered = []
    with LocalServer(late) as server, client_of(server, tmp_path, alone=True) as client:
        ask(client)
        ask(client)
        assert server.requests[1].at - answered[0] > PAUSE


def test_pause_outlives_the_process(tmp_path):
    with LocalServer(lambda asked: Answer(b"<feed/>")) as server:
        for _ in range(2):
            with client_of(server, tmp_path, pause=1.0, alone=True) as client:
                ask(client)
        assert min(server.gaps()) > 1.0


def test_retry_after_applies_to_all_clients(tmp_path):
    with LocalServer(lambda asked: Answer(b"<feed/>")) as server:
        server.fail(faults.too_many(2))
        rests = threading.Event()
        task = Task(lambda done, total, note: rests.set() if "retrying" in note else None)
        with client_of(server, tmp_path, retry_policy=RetryPolicy(first=0.01)) as client:
            how = {"fresh": True, "task": task}
            first = threading.Thread(target=client.ask, args=("shelf",), kwargs=how)
            first.start()
            assert rests.wait(100)
            run_times(program(tmp_path, server.url, 1))
            first.join()
        assert len(server.requests) == 3 and server.gaps()[0] > 2.0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nobody can be killed here")
def test_killed_process_leaves_no_lock(tmp_path):
    asked_once = threading.Event()
    over = threading.Event()

    def never(asked):
        if len(server.requests) == 1:
            asked_once.set()
            over.wait(100)
        return Answer(b"<feed/>")

    with LocalServer(never) as server:
        doomed = program(tmp_path, server.url, 1, alone=True)
        assert asked_once.wait(100)
        os.kill(doomed.pid, signal.SIGKILL)
        doomed.communicate()
        with client_of(server, tmp_path, alone=True) as client:
            assert ask(client) == b"<feed/>"
        over.set()


# ---- damaged files and wrong clocks ------------------------------------------------------------

BROKEN = {
    "garbage": b"\x00\xffgarbage",
    "nothing": b"",
    "another shape": b'{"at": 3}',
    "no numbers": b'["a", "b", "c"]',
    "no number there is": b'[NaN, NaN, ""]',
    "a clock that was ahead": json.dumps([time.monotonic() + 1e6, PAUSE, "before"]).encode(),
    "endless": b'[Infinity, Infinity, ""]',
    "an endless rest": b'[0, Infinity, ""]',
}


@pytest.mark.parametrize("note", BROKEN.values(), ids=BROKEN)
def test_damaged_limit_file_causes_no_longer_wait(tmp_path, note):
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "shelf.json").write_bytes(note)
    (tmp_path / "limits" / "shelf.lock").write_bytes(b"garbage")
    waits = []
    with (
        LocalServer(lambda asked: Answer(b"<feed/>")) as server,
        client_of(server, tmp_path, alone=True, retry_policy=RetryPolicy(longest=PAUSE)) as client,
    ):
        client.ask("shelf", task=WaitRecorder(waits))
        client.ask("shelf", fresh=True, task=WaitRecorder(waits))
        assert len(server.requests) == 2 and server.gaps()[0] > PAUSE
    assert sum(waits) < 2.5 * PAUSE


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_wall_clock_changes_have_no_effect(tmp_path, monkeypatch, jump):
    waits = []
    with (
        LocalServer(lambda asked: Answer(b"<feed/>")) as server,
        client_of(server, tmp_path, alone=True) as client,
    ):
        ask(client)
        now = time.time
        monkeypatch.setattr(time, "time", lambda: now() + jump)
        client.ask("shelf", task=WaitRecorder(waits))  # and cached answers have no age any more
        assert len(server.requests) == 2 and server.gaps()[0] > PAUSE
    assert sum(waits) < 1.5 * PAUSE


def test_unwritable_limits_folder_is_named(tmp_path):
    (tmp_path / "limits").write_text("not a folder")
    with (
        LocalServer(lambda asked: Answer(b"<feed/>")) as server,
        client_of(server, tmp_path) as client,
        pytest.raises(SourceError, match=r"Could not write .*limits"),
    ):
        ask(client)


def test_waiting_for_another_process_can_be_cancelled(tmp_path):
    limiter = RateLimiter(tmp_path, "shelf", 1.0)
    task = Task()
    with limiter.turn(0.0, "", True, Task()), pytest.raises(Cancelled):
        threading.Timer(0.05, task.cancel).start()
        with limiter.turn(0.0, "", True, task):
            pass


class WaitRecorder(Task):
    """A task that records its waiting times."""

    def __init__(self, waits):
        super().__init__()
        self._waits = waits

    def wait(self, seconds, why):
        self._waits.append(seconds)
        super().wait(seconds, why)


def client_of(server, folder, pause=PAUSE, alone=False, retry_policy=RetryPolicy()):
    shelf = Endpoint("shelf", "The Shelf", server.url, pause, "shelf", alone=alone)
    return Client(folder, {"shelf": shelf}, retry_policy=retry_policy)


def ask(client):
    return client.ask("shelf", fresh=True, task=Task())
