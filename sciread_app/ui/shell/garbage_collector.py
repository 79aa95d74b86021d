"""Where Python's garbage is collected: on the window's thread, and nowhere else."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 500


class GarbageCollector(QObject):
    """A widget must die on the thread it lives on. Python collects cycles on whatever thread has
    just made too many objects; a dialog that hangs in one would be torn down by a worker, and take
    the process along."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._limits = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Collect as far as Python would have done by itself."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            limit = self._limits[generation]
            if limit and counts[generation] > limit:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Leave it to Python again: there are no widgets any more."""
        self._timer.stop()
        gc.enable()
