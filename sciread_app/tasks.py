"""Long work that reports its progress and can be paused and canceled."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from filelock import FileLock, Timeout

from sciread_app.errors import Cancelled
from sciread_app.language import tr

_LOCK_SECONDS = 0.2  # between two attempts to get the lock that another process holds


class Task:
    """Passed to long-running work, which reports its progress through it.

    Work pauses and stops only where it reports, so work that reports often is canceled quickly.
    When it pauses, everything done so far is stored, and no lock is held.
    """

    def __init__(
        self,
        report: Callable[[int, int, str], None] = lambda done, total, note: None,
        while_paused: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`report` receives each progress report; `while_paused` is entered during each pause."""
        self._report = report
        self._while_paused = while_paused
        self._cancelled = threading.Event()
        self._running = threading.Event()  # unset while paused
        self._running.set()
        self._last: tuple[int, int, str] = (0, 0, "")

    def step(self, done: int, total: int = 0, note: str = "") -> None:
        """Report `done` of `total` (0: unknown) with a note, and block while paused.

        Raises Cancelled once `cancel` was called.
        """
        self.report(done, total, note)
        if self.is_paused:
            with self._while_paused():
                self._running.wait()
            self.raise_if_cancelled()

    def report(self, done: int, total: int = 0, note: str = "") -> None:
        """Report as `step` does, but without blocking while paused.

        For work that holds a lock others wait for, as while writing to the library.
        """
        self.raise_if_cancelled()
        self._last = (done, total, note)
        self._report(done, total, note)

    def note(self, note: str) -> None:
        """Report another note in place of the last one. Blocks while paused, as `step` does."""
        done, total, _ = self._last
        self.step(done, total, note)

    def part(self, start: int, total: int) -> Task:
        """Return a task that reports its progress as a part of `total`, beginning at `start`."""
        return self.reporting_to(lambda done, _, note: self.report(start + done, total, note))

    def reporting_to(self, report: Callable[[int, int, str], None]) -> Task:
        """Return a task with another receiver of its reports, which is paused and canceled with
        this one."""
        task = Task(report, self._while_paused)
        task._cancelled, task._running = self._cancelled, self._running
        return task

    def raise_if_cancelled(self) -> None:
        """Raise Cancelled once `cancel` was called."""
        if self._cancelled.is_set():
            raise Cancelled()

    def wait(self, seconds: float, reason: str) -> None:
        """Wait, reporting `reason` and the seconds left in place of the last note.

        Waits of less than a second are not reported. Raises Cancelled as soon as `cancel` is
        called.
        """
        done, total, note = self._last
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if seconds >= 1:
                self._report(done, total, tr("{why} ({left} s)", why=reason, left=math.ceil(left)))
            # Until the number of seconds shown changes.
            if self._cancelled.wait(left - math.ceil(left) + 1):
                break
        self.raise_if_cancelled()
        if seconds >= 1:
            self._report(done, total, note)

    def pause(self) -> None:
        """Make the work block at its next `step`, until `resume` or `cancel`.

        It does not block in `raise_if_cancelled` or `wait`. Those are called in the middle of a
        response or while holding a place in a queue, where others would be blocked with it.
        """
        if not self._cancelled.is_set():
            self._running.clear()

    def resume(self) -> None:
        self._running.set()

    @property
    def is_paused(self) -> bool:
        return not self._running.is_set()

    def cancel(self) -> None:
        self._cancelled.set()
        self._running.set()


@contextmanager
def exclusive(lock: FileLock, task: Task, note: str) -> Iterator[None]:
    """Hold a lock in this block. While another process holds it, report `note` and wait, until the
    task is canceled. The folder of the lock is created."""
    Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            lock.acquire(timeout=_LOCK_SECONDS)
            break
        except Timeout:
            task.step(0, 0, note)
    try:
        yield
    finally:
        lock.release()
