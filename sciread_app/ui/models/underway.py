"""How far a model is that is being activated, as its card and its line in the list show it."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from sciread_app.language import tr
from sciread_app.ui.foot import Pace, how_far
from sciread_app.ui.jobs import Job, Jobs
from sciread_app.ui.models.swap import Swapping


class Underway(QObject):
    changed = Signal()  # it is further, held up, or stops

    def __init__(self, swapping: Swapping, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._swapping = swapping
        self._jobs = jobs
        self.share: float | None = None  # 0 to 1; None where nobody knows
        self._forget()
        jobs.progressed.connect(self._progress)
        jobs.held.connect(self._look)
        jobs.begun.connect(self._look)
        swapping.moved.connect(self._moved)

    @property
    def held(self) -> bool:
        job = self._swapping.job
        return bool(job and job.task.held)

    @property
    def says(self) -> str:
        """How far it is, in one line."""
        job = self._swapping.job
        if self.stopping:
            return tr("Stopping…")
        if job and not job.begun:
            return tr("Waiting for its turn")
        return " · ".join(filter(None, (tr("Paused") if self.held else "", self._far))) or tr(
            "Beginning"
        )

    def hold(self) -> None:
        """Have it wait, or go on."""
        if job := self._swapping.job:
            self._jobs.hold(job, not job.task.held)

    def stop(self) -> None:
        self.stopping = self._swapping.job is not None
        self._swapping.cancel()
        self.changed.emit()

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._swapping.job:
            self._pace.add(done, time.monotonic())
            self.share = min(1.0, done / total) if total else None
            self._far = how_far(done, total, self._pace, note)
            self.changed.emit()

    def _look(self, job: Job) -> None:
        if job is self._swapping.job:
            self.changed.emit()

    def _moved(self) -> None:
        if not self._swapping.job:
            self._forget()

    def _forget(self) -> None:
        self._pace, self._far = Pace(), ""
        self.share, self.stopping = None, False
