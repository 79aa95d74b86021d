"""Imports started in the window: read the files, report the outcome, encode the new papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.import_report import headline, summed_up
from sciread_app.ui.jobs.runner import Job, JobRunner
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.messages.message_bar import MessageBar


class ImportBackend(Protocol):
    def add(self, paths: Sequence[Path], task: Task) -> ImportSummary: ...

    def add_sample(self, task: Task) -> ImportSummary: ...

    def encode_missing(self, task: Task) -> int:
        """Encode the papers without a vector; returns how many there were."""
        ...


class ImportController(QObject):
    """Runs imports and the encoding that follows one at a time, in the background."""

    changed = Signal(object)  # LibraryChanges
    ended = Signal(object)  # ImportSummary of an import requested by the user
    stopped = Signal(str)  # the title of the job that the user stopped

    def __init__(
        self, importer: ImportBackend, jobs: JobRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._importer = importer
        self._jobs = jobs
        self._imports: set[Job] = set()
        self._catching_up: Job | None = None
        self._once_more = False  # papers were added meanwhile
        jobs.finished.connect(self._finished)

    def add(self, paths: Sequence[Path]) -> Job:
        chosen = list(paths)
        job = self._jobs.run(
            _importing(chosen), lambda task: self._importer.add(chosen, task), self._added
        )
        job.retry = lambda: self.add(chosen)
        self._imports.add(job)
        return job

    def add_sample(self) -> Job:
        job = self._jobs.run(
            tr("Preparing the sample library"), self._importer.add_sample, self._sample_added
        )
        job.retry = self.add_sample
        self._imports.add(job)
        return job

    def bring(self, what: str, work: Callable[[Task], ImportSummary]) -> Job:
        """Import the papers of another program."""
        job = self._jobs.run(what, work, self._added)
        job.retry = lambda: self.bring(what, work)
        self._imports.add(job)
        return job

    def encode_missing(self) -> None:
        """Encode new papers; once more if that is running, since it may miss the latest ones."""
        if self._catching_up:
            self._once_more = True
            return
        job = self._jobs.run(
            tr("Preparing search by meaning"), self._importer.encode_missing, self._caught_up
        )
        job.retry = self.encode_missing
        self._catching_up = job
        self._imports.add(job)

    def _added(self, ledger: ImportSummary) -> None:
        self._sample_added(ledger)
        self.ended.emit(ledger)

    def _sample_added(self, ledger: ImportSummary) -> None:
        self.changed.emit(LibraryChanges(papers=True))
        self.encode_missing()

    def _caught_up(self, encoded: int) -> None:
        if encoded:
            self.changed.emit(LibraryChanges(vectors=True))

    def _finished(self, job: Job) -> None:
        if job not in self._imports:
            return
        self._imports.discard(job)
        if job is self._catching_up:
            self._catching_up = None
            if self._once_more and not job.cancelled:
                self.encode_missing()
            self._once_more = False
        if job.cancelled:
            self.stopped.emit(job.title)
            # Everything done before the stop is in the library.
            self.changed.emit(LibraryChanges(papers=True, vectors=True))


def report_import(banner: MessageBar, ledger: ImportSummary, show: Callable[[], object]) -> None:
    """Report an import in one line; `show` opens the full report."""
    name = tr("What failed") if ledger.failures else tr("Details")
    # Translators: a whole sentence, and its full stop
    text = tr("{sentence}.", sentence=headline(ledger))
    tell = banner.show_warning if ledger.failures else banner.show_notice
    tell(text, summed_up(ledger), (name, show), passes=True)


def report_stopped(banner: MessageBar, title: str) -> None:
    banner.show_notice(
        # Translators: {work} is "importing papers.bib" or the like
        tr("Stopped: {work}.", work=f"{title[0].lower()}{title[1:]}"),
        tr("What was done until then is kept. Started again, it goes on from there."),
    )


def _importing(paths: Sequence[Path]) -> str:
    if len(paths) == 1:
        return tr("Importing {name}", name=paths[0].name)
    return trn("Importing {n} files and folders", "Importing {n} files and folders", len(paths))
