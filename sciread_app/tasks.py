"""Work that takes a while: it tells how far it is, and can be asked to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sciread_app.errors import Cancelled


class Task:
    """Handed to every long piece of work: progress goes out of it, a wish to stop comes in.

    Reporting is where work stops, so whatever reports often can be cancelled quickly.
    """

    def __init__(self, report: Callable[[int, int, str], None] = lambda done, total, note: None):
        self._report = report
        self._stop = threading.Event()

    def step(self, done: int, total: int = 0, note: str = "") -> None:
        """Report `done` of `total` (0: unknown) and what is going on.

        Raises Cancelled once `cancel` was called.
        """
        self.check()
        self._report(done, total, note)

    def check(self) -> None:
        """Raise Cancelled once `cancel` was called."""
        if self._stop.is_set():
            raise Cancelled()

    def cancel(self) -> None:
        self._stop.set()
