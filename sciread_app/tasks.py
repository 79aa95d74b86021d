"""Work that takes a while: it tells how far it is, can be held up, and can be asked to stop."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from sciread_app.errors import Cancelled
from sciread_app.language import tr


class Task:
    """Handed to every long piece of work: progress goes out of it, wishes to wait or stop come in.

    Reporting is where work stops, so whatever reports often can be cancelled quickly. It is also
    where work is held up: what was done until then is stored, and nothing is locked.
    """

    def __init__(
        self,
        report: Callable[[int, int, str], None] = lambda done, total, note: None,
        aside: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`aside` is entered for as long as the work is held up."""
        self._report = report
        self._aside = aside
        self._stop = threading.Event()
        self._move = threading.Event()  # unset while work is held up
        self._move.set()
        self._last: tuple[int, int, str] = (0, 0, "")

    def step(self, done: int, total: int = 0, note: str = "") -> None:
        """Report `done` of `total` (0: unknown) and what is going on; wait here while held up.

        Raises Cancelled once `cancel` was called.
        """
        self.tell(done, total, note)
        if self.held:
            with self._aside():
                self._move.wait()
            self.check()

    def tell(self, done: int, total: int = 0, note: str = "") -> None:
        """Report as `step` does, but never wait: for where others would wait too, as they do while
        the library is being written."""
        self.check()
        self._last = (done, total, note)
        self._report(done, total, note)

    def check(self) -> None:
        """Raise Cancelled once `cancel` was called."""
        if self._stop.is_set():
            raise Cancelled()

    def pause(self, seconds: float, why: str) -> None:
        """Wait, and count the seconds down after `why`, where the last note stood.

        What is over within a second is not shown. Raises Cancelled at once if `cancel` is called.
        """
        done, total, note = self._last
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if seconds >= 1:
                self._report(done, total, tr("{why} ({left} s)", why=why, left=math.ceil(left)))
            # Till the number changes.
            if self._stop.wait(left - math.ceil(left) + 1):
                break
        self.check()
        if seconds >= 1:
            self._report(done, total, note)

    def hold(self) -> None:
        """Have the work wait at its next report, until `go_on` or `cancel`.

        It does not wait in `check` or `pause`, which are called where others would wait with it:
        in the middle of an answer of a source, or holding its place in a queue.
        """
        if not self._stop.is_set():
            self._move.clear()

    def go_on(self) -> None:
        self._move.set()

    @property
    def held(self) -> bool:
        return not self._move.is_set()

    def cancel(self) -> None:
        self._stop.set()
        self._move.set()
