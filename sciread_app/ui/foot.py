"""The foot of the window: how many papers there are, and how far the work behind it is."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy

from sciread_app.language import tr, trn
from sciread_app.ui.elided import ElidedLabel
from sciread_app.ui.jobs import Job, Jobs, Lane
from sciread_app.ui.theme import styled
from sciread_app.ui.values import Status

REMEMBERED = 40  # reports of progress that the rate is taken from
NOTE = 40  # characters that are shown of what a job reports; the tip has the rest


class Pace:
    """How fast a piece of work goes, from its last reports."""

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque(maxlen=REMEMBERED)

    def add(self, done: int, now: float) -> None:
        if self._points and done < self._points[-1][1]:
            self._points.clear()  # the next stage of the work counts from nothing again
        self._points.append((now, done))

    @property
    def rate(self) -> float:
        """Per second; 0 while it cannot be told."""
        if len(self._points) < 2:
            return 0.0
        (start, first), (end, last) = self._points[0], self._points[-1]
        return (last - first) / (end - start) if end > start else 0.0

    def left(self, done: int, total: int) -> float | None:
        """Seconds until it is done, if that can be told."""
        return (total - done) / self.rate if total and self.rate else None


class Foot(QFrame):
    """Shows the heavy job that runs, else a training; what waits behind it is counted. A click
    leads to all work."""

    clicked = Signal()

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.setObjectName("foot")
        self._jobs = jobs
        self._job: Job | None = None
        self._pace = Pace()
        self.status = styled(QLabel(), "faint")
        self.what = ElidedLabel()
        self.what.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.how_far = styled(QLabel(), "quiet")
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedSize(180, 6)
        self.cancel = styled(QPushButton(tr("Cancel")), "link")
        self.cancel.clicked.connect(self._stop)
        self.pause = styled(QPushButton(tr("Pause")), "link")
        self.pause.clicked.connect(self._hold)
        # Translators: the work that goes on in the background
        self.work = styled(QPushButton(tr("Work")), "link")
        self.work.setToolTip(tr("What goes on in the background (Ctrl+J)"))
        self.work.clicked.connect(self.clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 5, 14, 5)
        row.setSpacing(12)
        row.addWidget(self.status)
        row.addStretch()
        self._of_job = (self.what, self.how_far, self.bar, self.pause, self.cancel)
        for widget in (*self._of_job, self.work):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setMinimumHeight(40)
        self._show_job(None)
        jobs.started.connect(self._look)
        jobs.finished.connect(self._look)
        jobs.progressed.connect(self._progress)
        jobs.held.connect(self._show_held)

    def show_status(self, status: Status) -> None:
        parts = [trn("{n:,} paper", "{n:,} papers", status.papers)]
        if status.papers and status.by_meaning:
            parts.append(_searchable(status.without_vector))
        self.status.setText(" · ".join(parts))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()

    def _look(self, job: Job) -> None:
        if job.lane is Lane.heavy or job.followed:
            running = self._jobs.running(Lane.heavy)
            shown = [*running, *self._jobs.followed]
            self._show_job(shown[0] if shown else None, max(0, len(running) - 1))

    def _show_job(self, job: Job | None, waiting: int = 0) -> None:
        for widget in self._of_job:
            widget.setVisible(job is not None)
        self.pause.setVisible(job is not None and job.can_hold)
        if job is None:
            self._job = None
            return
        if job is not self._job:
            self._job = job
            self._pace = Pace()
            self.bar.setRange(0, 0)
            self.how_far.clear()
            self.cancel.setEnabled(True)
            self.pause.setEnabled(True)
            self._show_held(job)
        self.what.setText(_with_waiting(job.title, waiting))
        self.bar.setAccessibleName(job.title)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is not self._job or not self.cancel.isEnabled():
            return
        self._pace.add(done, time.monotonic())
        # Qt counts to 2**31; a promille is as much as the bar can show.
        self.bar.setRange(0, 1000 if total else 0)
        self.bar.setValue(min(1000, done * 1000 // total) if total else 0)
        far = how_far(done, total, self._pace, note)
        self.how_far.setText(" · ".join((tr("Paused"), far)) if job.task.held else far)
        self.how_far.setToolTip(note)

    def _show_held(self, job: Job) -> None:
        if job is self._job:
            held = job.task.held
            self.pause.setText(tr("Go on") if held else tr("Pause"))
            self.how_far.setText(tr("Paused") if held else "")
            self._pace = Pace()

    def _hold(self) -> None:
        if self._job:
            self._jobs.hold(self._job, not self._job.task.held)

    def _stop(self) -> None:
        if self._job:
            self.cancel.setEnabled(False)
            self.pause.setEnabled(False)
            self.how_far.setText(tr("Stopping…"))
            self._job.cancel()


def _searchable(missing: int) -> str:
    if not missing:
        # Translators: all papers
        return tr("all searchable by meaning")
    return trn(
        "{n:,} not yet searchable by meaning", "{n:,} not yet searchable by meaning", missing
    )


def _with_waiting(title: str, waiting: int) -> str:
    if not waiting:
        return title
    return trn("{title} (+{n} waiting)", "{title} (+{n} waiting)", waiting, title=title)


def how_far(done: int, total: int, pace: Pace, note: str = "") -> str:
    """40 % · 4,000 of 10,000 · 850/s · 7 s left"""
    parts = []
    if total:
        percent = min(100, done * 100 // total)
        parts = [
            tr("{percent} %", percent=percent),
            tr("{done:,} of {total:,}", done=done, total=total),
        ]
    elif done:
        parts = [f"{done:,}"]
    if pace.rate >= 1:
        # Translators: so many in a second
        parts.append(tr("{rate:,.0f}/s", rate=pace.rate))
    if (left := pace.left(done, total)) is not None:
        # Translators: {duration} is "7 s" or "2 h 5 min"
        parts.append(tr("{duration} left", duration=duration(left)))
    if note:
        parts.append(note if len(note) <= NOTE else f"{note[: NOTE - 1].rstrip()}…")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """7 s, 3 min 20 s, 2 h 5 min"""
    whole = max(1, round(seconds))
    if whole < 60:
        return tr("{seconds} s", seconds=whole)
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return tr("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return tr("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return tr("{minutes} min", minutes=minutes)
