"""The progress of a job, and the time that it still needs."""

from __future__ import annotations

from collections import deque

REMEMBERED = 40  # reports of progress that the rate is taken from


class JobProgress:
    """The last report of a job, and its rate. Each job has one, so that every view of the job shows
    the same time left."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0  # 0: unknown
        self.note = ""
        self._estimate: float | None = None
        self._points: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)

    def add(self, done: int, total: int, note: str, now: float, left: float | None = None) -> None:
        """Add a report at the time `now`, in seconds. `left` is what the work itself expects to
        need, in seconds, in place of an estimate from the rate."""
        self.done, self.total, self.note, self._estimate = done, total, note, left
        if self._points and done < self._points[-1][1]:
            self._points.clear()  # the next stage of the work counts from nothing again
        self._points.append((now, done))

    def restart(self) -> None:
        """Measure the rate from now on, after a pause."""
        self._points.clear()

    @property
    def rate(self) -> float:
        """Steps per second; 0 while it is not known."""
        if len(self._points) < 2:
            return 0.0
        (start, first), (end, last) = self._points[0], self._points[-1]
        return (last - first) / (end - start) if end > start else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the work is done; None while that is not known, as after the last step,
        when there is only something to complete."""
        if self.done >= self.total:
            return None
        return self._estimate or ((self.total - self.done) / self.rate if self.rate else None)
