"""The panel that fetches citations: the references of the library's papers, and papers citing
them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sciread_app.language import tr
from sciread_app.ui.add_papers.imports.report import MissingFilesDialog
from sciread_app.ui.add_papers.missing_papers import MissingPapersList
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, restyled, styled
from sciread_app.ui.view_models import CitationReport
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.progress_bar import ProgressBar
from sciread_app.ui.widgets.text.labels import show_text

if TYPE_CHECKING:
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

ABOUT = tr(
    "Fetch the references of your papers, and the papers that cite them, from "
    "Semantic Scholar and PubMed. You can stop and resume at any time. Papers "
    "added later are looked up in the next run."
)


class CitationsPanel(QWidget):
    """Starts and stops fetching the citations of the whole library, and shows progress and result.
    Below are the papers outside the library that its papers cite most."""

    state_changed = Signal()  # fetching has started or ended

    def __init__(self, citer: AddPapersGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._citer = citer
        self._jobs = jobs
        self._appearance = appearance
        self._job: Job | None = None
        self._report: CitationReport | None = None
        self.missing = MissingPapersList(citer, jobs)
        self._build()
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finished)
        appearance.changed.connect(self._paint)
        self._show_job()

    @property
    def busy(self) -> bool:
        return self._job is not None

    def start_or_stop(self) -> None:
        """Start fetching, or stop it; what was fetched so far is kept, and the next run resumes."""
        if self._job:
            self._job.cancel()
            self.state.setText(tr("Stopping…"))
            self.act.setEnabled(False)
            return
        for label in (self.note, self.problem, self.report):
            label.hide()
        self.failures.hide()
        self._job = self._jobs.run(
            tr("Fetching citations"),
            self._citer.cite,
            self._done,
            on_failed=self._failed,
            queue=JobQueue.network,
            stop_note=tr("Citations fetched so far are kept"),
        )
        self._job.retry = self._retry
        self.state.setText(tr("Starting…"))
        self._show_job()

    def _retry(self) -> None:
        if not self._job:
            self.start_or_stop()

    def take_focus(self) -> None:
        self.act.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is not self._job or not self.act.isEnabled():
            return
        self.bar.show_progress(done, total)
        self.state.setText(progress_text(job.progress) or tr("Starting…"))
        show_text(self.note, note)

    def _done(self, report: CitationReport) -> None:
        self._report = report
        show_text(self.report, "\n".join(report.lines))
        self.failures.setVisible(bool(report.failures or report.remarks))
        self.state.setText(tr("Done"))
        self.missing.load()

    def _failed(self, problem: JobError) -> None:
        if problem.cancelled:
            self.state.setText(tr("Stopped. Fetch citations again to resume."))
            return
        show_text(self.problem, f"{problem.message}\n{problem.hint}".strip())
        self.state.setText(
            tr("Citations fetched so far are kept. Fetch citations again to resume.")
        )

    def _finished(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        self._show_job()

    def _show_job(self) -> None:
        running = self._job is not None
        self.bar.setVisible(running)
        self.note.setVisible(running and bool(self.note.text()))
        self.act.setText(tr("Stop") if running else tr("Fetch citations"))
        restyled(self.act, "" if running else "primary")
        self._paint(self._appearance.theme)
        self.act.setEnabled(True)
        self.state_changed.emit()

    def _show_failures(self) -> None:
        if self._report:
            MissingFilesDialog(self._report.summary, self).open()

    def _build(self) -> None:
        about = styled(QLabel(ABOUT, wordWrap=True), "quiet")
        self.act = styled(QPushButton(tr("Fetch citations")), "primary")
        self.act.clicked.connect(self.start_or_stop)
        self.bar = ProgressBar(tr("Citation progress"))
        self.state = styled(QLabel(wordWrap=True), "quiet")
        self.note = QLabel(wordWrap=True)
        self.report = QLabel(wordWrap=True)
        self.problem = styled(QLabel(wordWrap=True), "wrong")
        self.failures = styled(QPushButton(tr("Show missing citations")), "link")
        self.failures.clicked.connect(self._show_failures)
        labels = (self.state, self.note, self.report, self.problem)
        for label in labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
        failures = (self.failures, 0, Qt.AlignmentFlag.AlignLeft)
        column(
            about, row(self.act, 0), self.bar, *labels, failures, (self.missing, 1), 0,
            parent=self, margins=(4, 0, 4, 0), spacing=10,
        )  # fmt: skip
        self.failures.hide()

    def _paint(self, theme: Theme) -> None:
        picture = "close" if self._job else "citations"
        self.act.setIcon(icon(picture, theme.text if self._job else theme.on_accent))
