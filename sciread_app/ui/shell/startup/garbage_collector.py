"""Collects Python's garbage on the main thread only."""

from __future__ import annotations

import gc
import math
import sys
import time

from PySide6.QtCore import QObject, QTimer

from sciread_app.ui.jobs.runner import Job, JobRunner

CHECK_INTERVAL_MS = 100  # a collection takes the longer, the more objects are new
# A full collection takes 50 ms with 100,000 objects. As Python's own, it waits until there are a
# quarter more. While the user is doing something, it waits until there are twice as many.
GROWTH = 1.25
GROWTH_WHEN_BUSY = 2.0
IDLE = 5.0  # seconds without jobs, after which the user is not doing anything


class GarbageCollector(QObject):
    """Replaces Python's automatic garbage collection.

    Python collects cycles on whatever thread has just created too many objects. A widget in a cycle
    would be destroyed on that thread, or in the middle of the destruction of another one, while Qt
    holds its locks: the process would crash or hang. Here they are collected on the main thread,
    from the event loop.
    """

    def __init__(self, jobs: JobRunner) -> None:
        """Start to collect, and turn automatic collection off for the rest of the process."""
        super().__init__()
        self._thresholds = gc.get_threshold()
        self._blocks = 0  # of memory in use, after the last full collection
        self._last_job = -math.inf
        gc.disable()
        # Actions of the user start jobs, such as a search for each key.
        jobs.finished.connect(self._note_job)
        self._timer = QTimer(self, interval=CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

    def _note_job(self, job: Job) -> None:
        if job.visible:  # others, such as looking for changes, are not started by the user
            self._last_job = time.monotonic()

    def _check(self) -> None:
        """Collect the generations that Python would have collected by itself."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            threshold = self._thresholds[generation]
            if not threshold or counts[generation] <= threshold:
                continue
            if generation < 2:
                gc.collect(generation)
                return
            is_busy = time.monotonic() < self._last_job + IDLE
            growth = GROWTH_WHEN_BUSY if is_busy else GROWTH
            if sys.getallocatedblocks() > growth * self._blocks:
                gc.collect()
                self._blocks = sys.getallocatedblocks()
                return

    def stop(self) -> None:
        """Stop collecting. Automatic collection stays off, because the widgets of a closed window
        have not been destroyed yet."""
        self._timer.stop()
