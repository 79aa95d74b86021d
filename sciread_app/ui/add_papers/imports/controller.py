"""Imports started in the window: read the files, report the result, index the new papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.imports.report import headline, summed_up
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.messages.message_bar import MessageBar

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

T = TypeVar("T")
STOP_NOTE = tr("Papers imported so far are kept")


class ImportController(QObject):
    """Runs imports, and the indexing of new papers, one at a time, in the background."""

    changed = Signal(object)  # LibraryChanges
    ended = Signal(object)  # ImportSummary of an import requested by the user
    stopped = Signal(str)  # the title of the job that the user stopped

    def __init__(
        self, workspace: Workspace, jobs: JobRunner, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._jobs = jobs
        self._imports: set[Job] = set()
        self._catching_up: Job | None = None
        self._once_more = False  # papers were added meanwhile
        jobs.finished.connect(self._finished)

    def add(self, paths: Sequence[Path]) -> Job:
        chosen = list(paths)
        if len(chosen) == 1:
            title = tr("Importing {name}", name=chosen[0].name)
        else:
            title = trn(
                "Importing {n} files and folders", "Importing {n} files and folders", len(chosen)
            )
        return self.bring(title, lambda task: self._import(chosen, task))

    def add_sample(self) -> Job:
        title = tr("Preparing the sample library")
        add = self._workspace.add_sample
        return self._run(
            title,
            lambda task: ImportSummary.of(add(task)),
            self._sample_added,
            self.add_sample,
            STOP_NOTE,
        )

    def bring(self, title: str, work: Callable[[Task], ImportSummary]) -> Job:
        """Import papers, for example those of another program."""
        return self._run(title, work, self._added, lambda: self.bring(title, work), STOP_NOTE)

    @property
    def indexing(self) -> Job | None:
        """The job that indexes new papers, which resumes whenever the library is opened."""
        return self._catching_up

    def encode_missing(self) -> None:
        """Index new papers; once more if indexing is running, since it may miss the latest ones."""
        if self._catching_up:
            self._once_more = True
            return

        def encoded(papers: int) -> None:
            if papers:
                self.changed.emit(LibraryChanges(vectors=True))

        title = tr("Indexing papers")
        work = self._workspace.active_model.encode_missing
        stop_note = tr("Papers indexed so far are kept")
        job = self._run(title, work, encoded, self.encode_missing, stop_note, visible=False)
        job.indexes = True
        self._catching_up = job

    def _run(
        self,
        title: str,
        work: Callable[[Task], T],
        on_done: Callable[[T], None],
        retry: Callable[[], object],
        stop_note: str,
        visible: bool = True,
    ) -> Job:
        job = self._jobs.run(
            title, work, on_done, stop_note=stop_note, visible=visible, queue=JobQueue.long
        )
        job.retry = retry
        self._imports.add(job)
        return job

    def _import(self, paths: Sequence[Path], task: Task) -> ImportSummary:
        """Import these files and folders; if canceled, the summary of the finished part."""
        report = self._workspace.import_files(paths, task)
        folder = None if report.stopped else self._unwatched(paths)
        return replace(ImportSummary.of(report), folder=folder)

    def _unwatched(self, paths: Sequence[Path]) -> Path | None:
        """The folder in `paths`, if that is all and it is not watched."""
        watched = {folder.path for folder in self._workspace.watched_folders.all()}
        if len(paths) != 1 or not paths[0].is_dir() or str(paths[0].absolute()) in watched:
            return None
        return paths[0]

    def _added(self, summary: ImportSummary) -> None:
        self._sample_added(summary)
        self.ended.emit(summary)

    def _sample_added(self, summary: ImportSummary) -> None:
        self.changed.emit(LibraryChanges(papers=True))
        self.encode_missing()

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


def report_import(
    messages: MessageBar,
    summary: ImportSummary,
    show: Callable[[], object],
    show_papers: Callable[[], object],
    watch: Callable[[Path], object],
) -> None:
    """Report an import in one line; `show` opens the full report, `show_papers` lists the papers
    that were added, and `watch` keeps watching the folder that was imported."""
    actions = [(tr("Show errors") if summary.failures else tr("Details"), show)]
    # Translators: a whole sentence, and its full stop
    text, hint = tr("{sentence}.", sentence=headline(summary)), summed_up(summary)
    if summary.papers:
        actions.insert(0, (tr("Show papers"), show_papers))
        # Translators: {sentence} is "5 records read in 2 s", {counts} is "3 new, 2 failed"
        hint = tr("{sentence}: {counts}.", sentence=headline(summary), counts=hint)
        count = len(summary.papers)
        text = trn("{n:,} paper added.", "{n:,} papers added.", count)
    if folder := summary.folder:
        actions.append((tr("Keep watching this folder"), lambda: watch(folder)))
    report = messages.show_warning if summary.failures else messages.show_notice
    report(text, hint, *actions, passes=True)


def report_stopped(messages: MessageBar, title: str) -> None:
    messages.show_notice(
        # Translators: {work} is "importing papers.bib" or the like
        tr("Stopped: {work}.", work=f"{title[0].lower()}{title[1:]}"),
        tr("Progress is saved. Start the task again to resume."),
    )
