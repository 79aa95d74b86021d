"""Whether the window stays alive: the longest time in which its thread did not get round to it."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5


class Heartbeat(QObject):
    """A timer that should beat every 5 ms; `longest_ms` is the longest it had to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps_ms: list[float] = []
        self._last = 0.0
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> float:
        """The longest gap in milliseconds."""
        self._timer.stop()
        return self.longest_ms

    @property
    def beats(self) -> int:
        return len(self.gaps_ms)

    @property
    def longest_ms(self) -> float:
        return max(self.gaps_ms, default=0.0)

    def share_over(self, limit_ms: float) -> float:
        """The share of all time that was spent in gaps longer than this."""
        return sum(gap for gap in self.gaps_ms if gap > limit_ms) / max(sum(self.gaps_ms), 1e-9)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1000)
        self._last = now
