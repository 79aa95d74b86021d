"""How long an action of the user, or what follows from it, keeps the window's thread from the next
event."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from PySide6.QtWidgets import QApplication

LIMIT_MS = 50.0
TYPING_LIMIT_MS = 30.0
_SCHEDULER = Path("/proc/thread-self/schedstat")  # Linux only


class Stall(NamedTuple):
    """The time from one pass of the event loop to the next, in milliseconds.

    `computing` is the processor time of the window's thread. `held` adds the time in which the
    thread waited, mostly for Python's interpreter lock, but not the time in which other programs
    had the processor. `elapsed` includes those too.
    """

    held: float
    computing: float
    elapsed: float


class StallMeter:
    """Runs the event loop and notes how long each pass takes, by what was done."""

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self.what = ""
        self.stalls: defaultdict[str, list[Stall]] = defaultdict(list)

    def do(self, action: Callable[[], object], what: str = "") -> None:
        """Carry out an action, and the events that are pending then, as one stall. What follows is
        noted under the same name: `what`, or else the text that the action returns."""
        elapsed, computing, delayed = time.perf_counter(), time.thread_time(), _delayed()
        done = action()
        self._app.processEvents()
        computing = time.thread_time() - computing
        elapsed = time.perf_counter() - elapsed
        held = max(elapsed - (_delayed() - delayed), computing)
        self.what = what or str(done or self.what)
        self.stalls[self.what].append(Stall(held * 1e3, computing * 1e3, elapsed * 1e3))

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: True) -> None:
        """Process events for some time, and until a condition holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end or not until():
            self.do(lambda: None)
            time.sleep(0.0005)

    def follow(
        self,
        actions: Iterator[str],
        seconds: float,
        name: Callable[[str], str] = lambda what: what,
    ) -> None:
        """Carry out actions, which yield their descriptions, with so many seconds in between."""
        over = False

        def step() -> str:
            nonlocal over
            what = next(actions, None)
            over = what is None
            return name(what) if what else ""

        while not over:
            self.do(step)
            self.wait(seconds)

    def report(self, limit_of: Callable[[str], float] = lambda what: LIMIT_MS) -> str:
        """A line for each kind of action: the longest stall by each measure, and the goal."""
        lines = [f"  {'longest stall in ms':44}  held  computing  elapsed  goal"]
        for what, stalls in self.stalls.items():
            held, computing, elapsed = (max(column) for column in zip(*stalls, strict=True))
            over = "  over" if held > limit_of(what) else ""
            lines.append(
                f"  {what:44}{held:6.0f}{computing:11.0f}{elapsed:9.0f}{limit_of(what):6.0f}{over}"
            )
        load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
        return "\n".join([*lines, f"  load average {load} on {os.cpu_count()} processors"])


def _delayed() -> float:
    """Seconds for which this thread was ready but had no processor; 0 where that is unknown."""
    try:
        return int(_SCHEDULER.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0
