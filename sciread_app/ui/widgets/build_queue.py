"""Builds the parts of a page one after the other, without delaying the user's input."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal


class BuildQueue(QObject):
    """Carries out steps in their order, one in each pass of the event loop."""

    finished = Signal()  # all steps are done

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._step)

    def start(self, steps: Iterable[Callable[[], object]]) -> None:
        """Carry out these steps instead of those that are left."""
        self._steps = deque(steps)
        self._timer.start()

    def finish(self) -> None:
        """Carry out all steps that are left now."""
        while self._timer.isActive():
            self._step()

    def _step(self) -> None:
        if self._steps:
            self._steps.popleft()()
        if not self._steps and self._timer.isActive():
            self._timer.stop()
            self.finished.emit()
