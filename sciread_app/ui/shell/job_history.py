"""The history of background jobs since the window was opened."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from sciread_app.language import tr
from sciread_app.ui.add_papers.import_report import summed_up
from sciread_app.ui.formatting import ProgressRate, duration, progress_text
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.view_models import CitationReport, FetchResults, ImportSummary

REMEMBERED = 60  # finished jobs that are kept


class JobState(enum.Enum):
    waiting = "waiting"
    running = "running"
    held = "held"
    done = "done"
    failed = "failed"
    stopped = "stopped"

    @property
    def ended(self) -> bool:
        return self in (JobState.done, JobState.failed, JobState.stopped)


@dataclass(eq=False)
class JobRecord:
    """The record of a job, which is kept after the job has ended."""

    job: Job
    state: JobState = JobState.waiting
    done: int = 0
    total: int = 0  # 0: unknown
    note: str = ""
    pace: ProgressRate = field(default_factory=ProgressRate)
    begun: float = 0.0  # seconds since 1970, as `ended`
    ended: float = 0.0
    ledger: ImportSummary | None = None

    @property
    def title(self) -> str:
        return self.job.title

    def status_text(self) -> str:
        """Return the progress or the outcome in one line."""
        if self.state is JobState.waiting:
            return tr("Queued")
        if not self.state.ended:
            far = progress_text(self.done, self.total, self.pace, self.note)
            if self.state is JobState.held:
                return " · ".join(filter(None, [tr("Paused"), far]))
            return far or tr("Running")
        parts = [self._end()]
        if self.begun and self.ended - self.begun >= 1:
            # Translators: {duration} is "7 s" or "2 h 5 min"
            parts.append(tr("after {duration}", duration=duration(self.ended - self.begun)))
        return " · ".join(filter(None, [*parts, *self._result()]))

    def _end(self) -> str:
        clock = time.strftime("%H:%M", time.localtime(self.ended))
        if self.state is JobState.failed:
            return tr("Failed at {clock}", clock=clock)
        if self.state is JobState.stopped:
            return tr("Stopped at {clock}", clock=clock)
        return tr("Finished at {clock}", clock=clock)

    def _result(self) -> list[str]:
        if self.state is JobState.failed and self.job.problem:
            return [self.job.problem.text]
        if self.state is JobState.stopped:
            return [tr("Results so far are kept")]
        return [summed_up(self.ledger)] if self.ledger else []


class JobHistory(QObject):
    """Imports, fetches, indexing and the like; not searches, which take less than a second."""

    added = Signal(object)  # JobRecord
    changed = Signal(object)  # JobRecord: its state or its progress
    dropped = Signal(object)  # JobRecord: the oldest finished one

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.works: list[JobRecord] = []  # in the order in which they were asked for
        jobs.queued.connect(self._start)
        jobs.started.connect(self._begin)
        jobs.pause_changed.connect(self._hold)
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finish)

    def hold(self, work: JobRecord, held: bool) -> None:
        self._jobs.set_paused(work.job, held)

    def of(self, job: Job) -> JobRecord | None:
        return next((work for work in reversed(self.works) if work.job is job), None)

    def going(self) -> list[JobRecord]:
        return [work for work in self.works if not work.state.ended]

    def _start(self, job: Job) -> None:
        if job.queue is not JobQueue.short:
            work = JobRecord(job)
            self.works.append(work)
            self.added.emit(work)

    def _begin(self, job: Job) -> None:
        if work := self.of(job):
            work.begun = time.time()
            work.state = JobState.held if job.task.is_paused else JobState.running
            self.changed.emit(work)

    def _hold(self, job: Job) -> None:
        work = self.of(job)
        if work and not work.state.ended:
            running = JobState.running if job.has_started else JobState.waiting
            work.state = JobState.held if job.task.is_paused else running
            work.pace = ProgressRate()  # the time of the pause must not count
            self.changed.emit(work)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if work := self.of(job):
            work.done, work.total, work.note = done, total, note
            work.pace.add(done, time.monotonic())
            self.changed.emit(work)

    def _finish(self, job: Job) -> None:
        work = self.of(job)
        if not work:
            return
        work.ended = time.time()
        work.ledger = ledger_of(job.result)
        stopped = job.cancelled or bool(work.ledger and work.ledger.stopped)
        failed = JobState.failed if job.problem else JobState.done
        work.state = JobState.stopped if stopped else failed
        self.changed.emit(work)
        self._forget()

    def _forget(self) -> None:
        ended = [work for work in self.works if work.state.ended]
        for work in ended[:-REMEMBERED]:
            self.works.remove(work)
            self.dropped.emit(work)


def ledger_of(result: object) -> ImportSummary | None:
    """Return the skipped entries with their reasons, if the result holds any."""
    if isinstance(result, FetchResults | CitationReport):
        return result.ledger
    return result if isinstance(result, ImportSummary) else None
