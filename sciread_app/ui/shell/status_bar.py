"""The status bar: the number of papers, and the progress of the current task."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QSizePolicy

from sciread_app.language import tr, trn
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.style.theme import styled
from sciread_app.ui.view_models import Status
from sciread_app.ui.widgets.layout.boxes import row
from sciread_app.ui.widgets.progress_bar import ProgressBar
from sciread_app.ui.widgets.text.labels import ElidedLabel


class StatusBar(QFrame):
    """Shows the current long job, or else a training run, and the number of queued jobs."""

    def __init__(self, jobs: JobRunner) -> None:
        super().__init__()
        self.setObjectName("foot")
        self._jobs = jobs
        self._job: Job | None = None
        self._status: Status | None = None  # not known while the library opens
        self.status = styled(QLabel(), "faint")
        self.what = ElidedLabel()
        self.what.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.how_far = styled(QLabel(), "quiet")
        self.bar = ProgressBar()
        self.bar.setFixedWidth(180)
        self.cancel = styled(QPushButton(tr("Stop")), "link")
        self.cancel.clicked.connect(self._stop)
        self.pause = styled(QPushButton(tr("Pause")), "link")
        self.pause.clicked.connect(self._hold)
        self._of_job = (self.what, self.how_far, self.bar, self.pause, self.cancel)
        right = ((one, 0, Qt.AlignmentFlag.AlignVCenter) for one in self._of_job)
        row(self.status, 0, *right, parent=self, margins=(20, 5, 14, 5), spacing=12)
        self.setMinimumHeight(40)
        self._show_job(None)
        jobs.queued.connect(self._look)
        jobs.started.connect(self._show_counts)
        jobs.finished.connect(self._look)
        jobs.finished.connect(self._show_counts)
        jobs.progressed.connect(self._progress)
        jobs.pause_changed.connect(self._show_held)

    def show_status(self, status: Status) -> None:
        self._status = status
        self._show_counts()

    def _show_counts(self) -> None:
        status, running = self._status, self._jobs.running()
        if status is None:
            return
        parts = [trn("{n:,} paper", "{n:,} papers", status.papers)]
        if any(job.indexes and job.visible and job.has_started for job in running):
            # Translators: papers are being indexed
            parts.append(tr("indexing"))
        elif status.papers and status.by_meaning:
            parts.append(_searchable(status.without_vector))
        self.status.setText(" · ".join(parts))

    def _look(self, job: Job) -> None:
        if job.queue is JobQueue.long or job.is_external:
            running = [job for job in self._jobs.running(JobQueue.long) if job.visible]
            shown = [*running, *self._jobs.external]
            self._show_job(shown[0] if shown else None, max(0, len(running) - 1))

    def _show_job(self, job: Job | None, waiting: int = 0) -> None:
        for widget in self._of_job:
            widget.setVisible(job is not None)
        self.pause.setVisible(job is not None and job.can_pause)
        if job is None:
            self._job = None
            return
        if job is not self._job:
            self._job = job
            self.bar.show_progress(job.progress.done, job.progress.total)
            self.cancel.setEnabled(True)
            self.pause.setEnabled(True)
            self._show_held(job)
        self.what.setText(_with_waiting(job.title, waiting))
        self.bar.setAccessibleName(job.title)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is not self._job or not self.cancel.isEnabled():
            return
        self.bar.show_progress(done, total)
        self._show_far(job)

    def _show_far(self, job: Job) -> None:
        note, paused = job.progress.note, job.task.is_paused
        self.how_far.setText(progress_text(job.progress, note, paused=paused))
        self.how_far.setToolTip(note)

    def _show_held(self, job: Job) -> None:
        if job is self._job:
            held = job.task.is_paused
            self.pause.setText(tr("Resume") if held else tr("Pause"))
            self._show_far(job)

    def _hold(self) -> None:
        if self._job:
            self._jobs.set_paused(self._job, not self._job.task.is_paused)

    def _stop(self) -> None:
        if self._job:
            self.cancel.setEnabled(False)
            self.pause.setEnabled(False)
            self.how_far.setText(tr("Stopping…"))
            self._job.cancel()


def _searchable(missing: int) -> str:
    if not missing:
        # Translators: all papers
        return tr("all indexed")
    return trn("{n:,} not indexed yet", "{n:,} not indexed yet", missing)


def _with_waiting(title: str, waiting: int) -> str:
    if not waiting:
        return title
    return trn("{title} (+{n} queued)", "{title} (+{n} queued)", waiting, title=title)
