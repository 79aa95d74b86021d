"""Taking papers in from the window: read them, say what became of each, then encode the new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.paper import Changes
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.banner import Banner
from sciread_app.ui.jobs import Job, Jobs
from sciread_app.ui.ledger import headline, summed_up
from sciread_app.ui.values import Ledger


class Importer(Protocol):
    def add(self, paths: Sequence[Path], task: Task) -> Ledger: ...

    def add_sample(self, task: Task) -> Ledger: ...

    def catch_up(self, task: Task) -> int:
        """Encode what has no vector yet; how many that were."""
        ...


class Importing(QObject):
    """Imports and the encoding that follows them take turns; searching goes on all the while."""

    changed = Signal(object)  # Changes
    ended = Signal(object)  # Ledger of an import that a person asked for
    stopped = Signal(str)  # what a person stopped, in the words of the window

    def __init__(self, importer: Importer, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._importer = importer
        self._jobs = jobs
        self._imports: set[Job] = set()
        self._catching_up: Job | None = None
        self._once_more = False  # papers have come in meanwhile
        jobs.finished.connect(self._finished)

    def add(self, paths: Sequence[Path]) -> Job:
        chosen = list(paths)
        job = self._jobs.run(
            _importing(chosen), lambda task: self._importer.add(chosen, task), self._added
        )
        job.again = lambda: self.add(chosen)
        self._imports.add(job)
        return job

    def add_sample(self) -> Job:
        job = self._jobs.run(
            tr("Preparing the sample library"), self._importer.add_sample, self._sample_added
        )
        job.again = self.add_sample
        self._imports.add(job)
        return job

    def bring(self, what: str, work: Callable[[Task], Ledger]) -> Job:
        """Take in what another program holds."""
        job = self._jobs.run(what, work, self._added)
        job.again = lambda: self.bring(what, work)
        self._imports.add(job)
        return job

    def catch_up(self) -> None:
        """Encode what is missing; once more if that is going on, since it may not see the last."""
        if self._catching_up:
            self._once_more = True
            return
        job = self._jobs.run(
            tr("Preparing search by meaning"), self._importer.catch_up, self._caught_up
        )
        job.again = self.catch_up
        self._catching_up = job
        self._imports.add(job)

    def _added(self, ledger: Ledger) -> None:
        self._sample_added(ledger)
        self.ended.emit(ledger)

    def _sample_added(self, ledger: Ledger) -> None:
        self.changed.emit(Changes(papers=True))
        self.catch_up()

    def _caught_up(self, encoded: int) -> None:
        if encoded:
            self.changed.emit(Changes(vectors=True))

    def _finished(self, job: Job) -> None:
        if job not in self._imports:
            return
        self._imports.discard(job)
        if job is self._catching_up:
            self._catching_up = None
            if self._once_more and not job.cancelled:
                self.catch_up()
            self._once_more = False
        if job.cancelled:
            self.stopped.emit(job.title)
            # What was done until then is in the library.
            self.changed.emit(Changes(papers=True, vectors=True))


def tell_imported(banner: Banner, ledger: Ledger, show: Callable[[], object]) -> None:
    """What became of an import, in a line; `show` leads to the whole of it."""
    name = tr("What failed") if ledger.failures else tr("Details")
    # Translators: a whole sentence, and its full stop
    said = tr("{sentence}.", sentence=headline(ledger))
    tell = banner.show_warning if ledger.failures else banner.show_notice
    tell(said, summed_up(ledger), (name, show), passes=True)


def tell_stopped(banner: Banner, title: str) -> None:
    banner.show_notice(
        # Translators: {work} is "importing papers.bib" or the like
        tr("Stopped: {work}.", work=f"{title[0].lower()}{title[1:]}"),
        tr("What was done until then is kept. Started again, it goes on from there."),
    )


def _importing(paths: Sequence[Path]) -> str:
    if len(paths) == 1:
        return tr("Importing {name}", name=paths[0].name)
    return trn("Importing {n} files and folders", "Importing {n} files and folders", len(paths))
