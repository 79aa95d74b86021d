"""The history of background jobs since the window was opened."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from sciread_app.language import tr
from sciread_app.ui.add_papers.imports.report import summed_up
from sciread_app.ui.formatting import duration, progress_text
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner, TaskState
from sciread_app.ui.view_models import CitationReport, FetchResults, ImportSummary
from sciread_app.ui.widgets.dialogs.file_manager import reveal

LONGEST_LOG = 2_000  # lines of the log of a job
REMEMBERED = 60  # finished and stopped jobs that are kept; failed ones stay until dismissed


@dataclass(eq=False)
class JobRecord:
    """The record of a job, which is kept after the job has ended."""

    job: Job
    state: TaskState = TaskState.queued
    begun: float = 0.0  # seconds since 1970, as `ended`
    ended: float = 0.0
    summary: ImportSummary | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LONGEST_LOG))
    noted: str = ""  # the last note in the log

    def log(self, text: str) -> None:
        """Add a line to the log, with the time."""
        self.lines.append(f"{time.strftime('%H:%M:%S')}  {text}")

    def log_note(self, note: str) -> None:
        """Add a note of the job to the log, unless it is the last one."""
        if note and note != self.noted:
            self.log(note)
        self.noted = note

    def log_text(self) -> str:
        """Return the log: when the job was started and paused, what it worked on, how it ended."""
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return self.job.title

    @property
    def link(self) -> tuple[str, Callable[[], object]] | None:
        """The name of the button that shows the job or its result, and what it does."""
        if self.job.file and self.state is TaskState.done:
            return tr("Show file"), partial(reveal, self.job.file)
        return self.job.link

    def status_text(self) -> str:
        """Return the progress or the outcome in one line."""
        if self.state is TaskState.queued:
            return tr("Queued")
        if not self.state.is_over:
            return " · ".join(filter(None, self._progress()))
        parts = [self._end()]
        if self.begun and self.ended - self.begun >= 1:
            # Translators: {duration} is "7 s" or "2 h 5 min"
            parts.append(tr("after {duration}", duration=duration(self.ended - self.begun)))
        return " · ".join(filter(None, [*parts, *self._result()]))

    def _progress(self) -> list[str]:
        paused = self.state is TaskState.paused
        progress = self.job.progress
        far = progress_text(progress, progress.note, paused=paused)
        if paused:
            return [far]
        parts = [far or tr("Running")]
        elapsed = time.time() - self.begun
        if progress.left is None and elapsed >= 1:
            # Translators: {duration} is "7 s" or "2 h 5 min"
            parts.append(tr("{duration} elapsed", duration=duration(elapsed)))
        return parts

    def _end(self) -> str:
        clock = time.strftime("%H:%M", time.localtime(self.ended))
        if self.state is TaskState.failed:
            return tr("Failed at {clock}", clock=clock)
        if self.state is TaskState.partial:
            return tr("Finished with errors at {clock}", clock=clock)
        if self.state is TaskState.stopped:
            return tr("Stopped at {clock}", clock=clock)
        return tr("Finished at {clock}", clock=clock)

    def _result(self) -> list[str]:
        if self.state is TaskState.failed and self.job.problem:
            return [self.job.problem.text]
        if self.state is TaskState.stopped:
            return [self.job.stop_note]
        return [*([summed_up(self.summary)] if self.summary else []), *self.job.remarks]


class JobHistory(QObject):
    """Imports, exports, fetches, indexing and the like; not searches, which take less than a
    second."""

    added = Signal(object)  # JobRecord
    changed = Signal(object)  # JobRecord: its state or its progress
    dropped = Signal(object)  # JobRecord: dismissed, or the oldest finished one

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.works: list[JobRecord] = []  # in the order in which they were asked for
        jobs.queued.connect(self._start)
        jobs.started.connect(self._begin)
        jobs.pause_changed.connect(self._pause)
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finish)

    def pause(self, work: JobRecord, paused: bool) -> None:
        """Pause or resume a job."""
        self._jobs.set_paused(work.job, paused)

    def dismiss(self, work: JobRecord) -> None:
        """Remove a job that is over from the history."""
        if work.state.is_over and work in self.works:
            self.works.remove(work)
            self.dropped.emit(work)

    def clear_finished(self) -> None:
        """Remove the finished and stopped jobs; those that failed stay until dismissed."""
        for work in self.settled():
            self.dismiss(work)

    def settled(self) -> list[JobRecord]:
        """Return the jobs that are over without errors, oldest first."""
        states = [(work, work.state) for work in self.works]
        return [work for work, state in states if state.is_over and not state.needs_attention]

    def of(self, job: Job) -> JobRecord | None:
        return next((work for work in reversed(self.works) if work.job is job), None)

    def going(self) -> list[JobRecord]:
        return [work for work in self.works if not work.state.is_over]

    def _start(self, job: Job) -> None:
        if job.queue is not JobQueue.short or job.file:
            work = JobRecord(job)
            self.works.append(work)
            self.added.emit(work)

    def _begin(self, job: Job) -> None:
        if work := self.of(job):
            work.begun = time.time()
            work.log(tr("Started"))
            work.state = TaskState.paused if job.task.is_paused else TaskState.running
            self.changed.emit(work)

    def _pause(self, job: Job) -> None:
        work = self.of(job)
        if work and not work.state.is_over:
            running = TaskState.running if job.has_started else TaskState.queued
            work.state = TaskState.paused if job.task.is_paused else running
            work.log(tr("Paused") if job.task.is_paused else tr("Resumed"))
            self.changed.emit(work)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if work := self.of(job):
            work.log_note(note)
            self.changed.emit(work)

    def _finish(self, job: Job) -> None:
        if work := self.of(job):
            work.ended = time.time()
            work.summary = summary_of(job.result)
            work.state = _outcome(job, work.summary)
            work.log(work.status_text())
            self.changed.emit(work)
            self._forget()

    def _forget(self) -> None:
        for work in self.settled()[:-REMEMBERED]:
            self.dismiss(work)


def summary_of(result: object) -> ImportSummary | None:
    """Return the skipped entries with their reasons, if the result holds any."""
    if isinstance(result, FetchResults):
        return replace(result.summary, papers=result.added)
    if isinstance(result, CitationReport):
        return result.summary
    return result if isinstance(result, ImportSummary) else None


def _outcome(job: Job, summary: ImportSummary | None) -> TaskState:
    if job.cancelled or (summary and summary.stopped):
        return TaskState.stopped
    if job.problem:
        return TaskState.failed
    has_errors = bool(job.remarks or (summary and summary.failures))
    return TaskState.partial if has_errors else TaskState.done
