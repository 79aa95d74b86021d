"""Running imports and downloads of models, with progress and errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton

from sciread_app.language import tr
from sciread_app.services.models.installer import DownloadRequest, ModelInstaller
from sciread_app.services.models.registry import InstalledModel
from sciread_app.tasks import Task
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.progress import JobProgress
from sciread_app.ui.style.theme import restyled, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import ElidedLabel, show_text


class ModelDownload(QFrame):
    """One import or download, from its request until its error is dismissed."""

    def __init__(self, title: str, again: str) -> None:
        """`again` is the label of the button that retries."""
        super().__init__()
        self.setObjectName("panel")
        self.problem: JobError | None = None
        self.title = ElidedLabel(title)
        self.title.setFont(scaled(self.font(), 1.0, QFont.Weight.Medium))
        self.bar = QProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setRange(0, 0)
        self.bar.setAccessibleName(title)
        self.far = styled(ElidedLabel(tr("Queued")), "quiet")
        self.reason = QLabel(wordWrap=True)
        self.hint = styled(QLabel(wordWrap=True), "quiet")
        for label in (self.far, self.reason, self.hint):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setFont(scaled(self.font(), 0.92))
        self.cancel, self.again, self.close_it = (
            styled(QPushButton(text), "link") for text in (tr("Cancel"), again, tr("Close"))
        )
        for button in (self.cancel, self.again, self.close_it):
            button.setAccessibleDescription(title)
        foot = row((self.far, 1), 0, self.cancel, self.again, self.close_it, spacing=4)
        parts = (self.title, self.bar, self.reason, self.hint, foot)
        column(*parts, parent=self, margins=(12, 9, 8, 6), spacing=5)
        for part in (self.reason, self.hint, self.again, self.close_it):
            part.hide()

    def show_progress(self, text: str, share: float | None) -> None:
        if self.cancel.isEnabled():
            self.far.setText(text)
            self.bar.setRange(0, 0 if share is None else 1000)
            self.bar.setValue(int(1000 * (share or 0)))
            self.bar.setAccessibleDescription(text)

    def stop(self) -> None:
        self.cancel.setEnabled(False)
        self.far.setText(tr("Stopping…"))

    def refuse(self, problem: JobError) -> None:
        """Show why the import failed."""
        self.problem = problem
        restyled(self, "trouble")
        self.reason.setText(problem.message)
        for part in (self.bar, self.far, self.cancel):
            part.hide()
        for shown in (self.reason, self.again, self.close_it):
            shown.show()
        show_text(self.hint, problem.hint)
        self.setAccessibleName(f"{self.title.text()}: {problem.message} {problem.hint}")


class ModelDownloads(QFrame):
    """Runs imports and downloads of models. Hidden while there are none."""

    loaded = Signal(object)  # InstalledModel
    refused = Signal(object)  # JobError
    hub_requested = Signal(object)  # the download request, to be edited and repeated
    busy_changed = Signal(bool)

    def __init__(self, installer: ModelInstaller, jobs: JobRunner) -> None:
        super().__init__()
        self._installer = installer
        self._jobs = jobs
        self._running: dict[Job, ModelDownload] = {}
        self._column = column(parent=self, margins=0, spacing=8)
        self.hide()
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finished)

    @property
    def entries(self) -> list[ModelDownload]:
        return self.findChildren(ModelDownload)

    def add(self, source: Path) -> None:
        """Import the model in a folder, a zip or a training run."""
        entry = self._entry(tr("Adding {name}", name=source.name), tr("Retry"))
        entry.again.clicked.connect(lambda: self.add(source))
        self._begin(entry, lambda task: self._installer.add(source, task), JobQueue.long)

    def pull(self, request: DownloadRequest) -> None:
        """Download a model from the hub."""
        entry = self._entry(tr("Adding {name}", name=request.name), tr("Retry…"))
        entry.again.clicked.connect(lambda: self.hub_requested.emit(request))
        self._begin(entry, lambda task: self._installer.pull(request, task), JobQueue.network)

    def _entry(self, title: str, again: str) -> ModelDownload:
        entry = ModelDownload(title, again)
        for button in (entry.close_it, entry.again):
            button.clicked.connect(lambda: self._drop(entry))
        self._column.addWidget(entry)
        self.show()
        return entry

    def _begin(
        self, entry: ModelDownload, work: Callable[[Task], InstalledModel], queue: JobQueue
    ) -> None:
        def refuse(problem: JobError) -> None:
            if not problem.cancelled:
                entry.refuse(problem)
                self.refused.emit(problem)

        job = self._jobs.run(
            entry.title.text(), work, self.loaded.emit, on_failed=refuse, queue=queue
        )
        self._running[job] = entry
        entry.cancel.clicked.connect(job.cancel)
        entry.cancel.clicked.connect(entry.stop)
        self.busy_changed.emit(True)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job in self._running:
            share = min(1.0, done / total) if total else None
            self._running[job].show_progress(_progress_text(job.progress), share)

    def _finished(self, job: Job) -> None:
        if job in self._running:
            entry = self._running.pop(job)
            if entry.problem is None:
                self._drop(entry)
            self.busy_changed.emit(bool(self._running))

    def _drop(self, entry: ModelDownload) -> None:
        entry.hide()
        entry.setParent(None)
        entry.deleteLater()
        self.setVisible(bool(self.entries))


def _progress_text(progress: JobProgress) -> str:
    """Return the progress of a download. Its note has the megabytes, so the percentage needs no
    decimals."""
    what, between, megabytes = progress.note.partition(": ")
    if progress.total and between:
        percent = tr("{percent}%", percent=min(100, progress.done * 100 // progress.total))
        return f"{percent} · {megabytes}"
    return progress_text(progress, what)
