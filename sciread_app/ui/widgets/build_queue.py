"""Builds the parts of a page one after the other, without delaying the user's input."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal


class BuildQueue(QObject):
    """Carries out steps in their order, one in each pass of the event loop.

    An exception in one ends the queue: the steps after it may need what it builds.
    """

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

    @property
    def is_active(self) -> bool:
        """Whether there are steps left."""
        return self._timer.isActive()

    def finish(self) -> None:
        """Carry out all steps that are left now."""
        while self.is_active:
            self._step()

    def _step(self) -> None:
        if self._steps:
            step = self._steps.popleft()
            try:
                step()
            except BaseException:
                self._steps.clear()
                self._timer.stop()
                raise
        if not self._steps and self.is_active:
            self._timer.stop()
            self.finished.emit()
