"""Progress of the running activation, as shown on the model's card and row."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from sciread_app.language import tr
from sciread_app.ui.formatting import ProgressRate, progress_text
from sciread_app.ui.jobs.runner import Job, JobRunner
from sciread_app.ui.models.activation_controller import ActivationController


class ActivationProgress(QObject):
    changed = Signal()  # progress, pause or end

    def __init__(self, swapping: ActivationController, jobs: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._activation = swapping
        self._jobs = jobs
        self.share: float | None = None  # 0 to 1; None if unknown
        self._forget()
        jobs.progressed.connect(self._progress)
        jobs.pause_changed.connect(self._look)
        jobs.started.connect(self._look)
        swapping.moved.connect(self._moved)

    @property
    def held(self) -> bool:
        job = self._activation.job
        return bool(job and job.task.is_paused)

    @property
    def says(self) -> str:
        """The progress in one line."""
        job = self._activation.job
        if self.stopping:
            return tr("Stopping…")
        if job and not job.has_started:
            return tr("Waiting for its turn")
        return " · ".join(filter(None, (tr("Paused") if self.held else "", self._far))) or tr(
            "Beginning"
        )

    def hold(self) -> None:
        """Pause or resume the activation."""
        if job := self._activation.job:
            self._jobs.set_paused(job, not job.task.is_paused)

    def stop(self) -> None:
        self.stopping = self._activation.job is not None
        self._activation.cancel()
        self.changed.emit()

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._activation.job:
            self._pace.add(done, time.monotonic())
            self.share = min(1.0, done / total) if total else None
            self._far = progress_text(done, total, self._pace, note)
            self.changed.emit()

    def _look(self, job: Job) -> None:
        if job is self._activation.job:
            self.changed.emit()

    def _moved(self) -> None:
        if not self._activation.job:
            self._forget()

    def _forget(self) -> None:
        self._pace, self._far = ProgressRate(), ""
        self.share, self.stopping = None, False
