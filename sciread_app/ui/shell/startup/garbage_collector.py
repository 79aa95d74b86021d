"""Collects Python's garbage on the main thread only."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer

CHECK_INTERVAL_MS = 500
# A full collection takes 50 ms with 100,000 objects. As Python's own, it waits until there are a
# quarter more.
GROWTH = 1.25


class GarbageCollector(QObject):
    """Replaces Python's automatic garbage collection.

    Python collects cycles on whatever thread has just created too many objects. A widget in a cycle
    would be destroyed on that thread, or in the middle of the destruction of another one, while Qt
    holds its locks: the process would crash or hang. Here they are collected on the main thread,
    from the event loop.
    """

    def __init__(self) -> None:
        """Start to collect, and turn automatic collection off for the rest of the process."""
        super().__init__()
        self._thresholds = gc.get_threshold()
        self._blocks = 0  # of memory in use, after the last full collection
        gc.disable()
        self._timer = QTimer(self, interval=CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self._check)
        self._timer.start()

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
            if sys.getallocatedblocks() > GROWTH * self._blocks:
                gc.collect()
                self._blocks = sys.getallocatedblocks()
                return

    def stop(self) -> None:
        """Stop collecting. Automatic collection stays off, because the widgets of a closed window
        have not been destroyed yet."""
        self._timer.stop()
