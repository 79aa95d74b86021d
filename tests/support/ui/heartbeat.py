"""Measurement of the window's responsiveness: the longest gap between timer events."""

from __future__ import annotations

import threading
import time

from PySide6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5


class Heartbeat(QObject):
    """A timer with an interval of 5 ms; `longest_ms` is its longest gap."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps_ms: list[float] = []
        self._last = 0.0
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._gap_ms()
        self._timer.start()

    def stop(self) -> float:
        """Stop, and return the longest gap in milliseconds."""
        self._timer.stop()
        return self.longest_ms

    @property
    def beats(self) -> int:
        return len(self.gaps_ms)

    @property
    def longest_ms(self) -> float:
        return max(self.gaps_ms, default=0.0)

    def share_over(self, limit_ms: float) -> float:
        """Return the share of the total time spent in gaps longer than the limit."""
        return sum(gap for gap in self.gaps_ms if gap > limit_ms) / max(sum(self.gaps_ms), 1e-9)

    def _beat(self) -> None:
        self.gaps_ms.append(self._gap_ms())

    def _gap_ms(self) -> float:
        """Return the time since the last call in milliseconds."""
        now = time.perf_counter()
        before, self._last = self._last, now
        return (now - before) * 1000


class FairHeartbeat(Heartbeat):
    """Count only the part of each gap that the window's own thread causes.

    That is its computing time or, if longer, the beats of a thread that only counts: one that a
    busy machine delays as much as the window's thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self._computed = 0.0
        self._pulses, self._pulses_seen = 0, 0
        self._over = threading.Event()
        self._pulse = threading.Thread(target=self._go_on, daemon=True)

    def start(self) -> None:
        self._pulse.start()
        super().start()

    def stop(self) -> float:
        self._over.set()
        self._pulse.join()
        return super().stop()

    def _go_on(self) -> None:
        while not self._over.wait(BEAT_MS / 1000):
            self._pulses += 1

    def _gap_ms(self) -> float:
        computed, pulses = time.thread_time(), self._pulses
        held = max((computed - self._computed) * 1000, (pulses - self._pulses_seen) * BEAT_MS)
        self._computed, self._pulses_seen = computed, pulses
        return min(super()._gap_ms(), held)
