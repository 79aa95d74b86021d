"""Whether the window stays alive: the longest time in which its thread did not get round to it."""

from __future__ import annotations

import threading
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
        self._gap_ms()
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
        self.gaps_ms.append(self._gap_ms())

    def _gap_ms(self) -> float:
        """Since it was asked for last."""
        now = time.perf_counter()
        before, self._last = self._last, now
        return (now - before) * 1000


class FairHeartbeat(Heartbeat):
    """Counts of a gap what the window's own thread did with it, whatever else the machine does.

    That is the time it computed, or, if that is more, the beats of a thread that does nothing
    else: one that the machine holds up as well when it holds up the window's.
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
