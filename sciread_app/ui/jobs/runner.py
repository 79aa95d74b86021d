"""Background jobs: thread pools with a queue each, and delivery of results to the main thread."""

from __future__ import annotations

import ctypes
import enum
import logging
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from sciread_app.errors import Cancelled, SciReadError, of_disk
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.progress import JobProgress
from trainer.contract.errors import TrainerError

log = logging.getLogger(__name__)

T = TypeVar("T")

REPORT_INTERVAL = 0.1  # seconds between two progress reports of one job
SHUTDOWN_TIMEOUT = 5.0  # seconds that closing the window waits for jobs to stop
TRIM_DELAY_MS = 3_000  # after a job has ended, until freed memory is returned to the system
CHECK_INTERVAL = 0.1  # seconds between two checks of a waiting job for cancellation
MAX_PAUSED = 16  # jobs of a queue that may be paused without blocking the next

# Only glibc has these functions.
_glibc = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
# Returns freed memory to the system, in some milliseconds in which it releases the GIL: the arena
# of each thread keeps what was freed, 100 MB after an import.
_malloc_trim = getattr(_glibc, "malloc_trim", None)
_mallopt = getattr(_glibc, "mallopt", None)
# Options of glibc and their values: all threads share two arenas, and blocks from 1 MB on are
# returned when they are freed. A library of 150,000 papers takes 100 MB less.
_MEMORY_OPTIONS = {-8: 2, -3: 2**20}  # M_ARENA_MAX, M_MMAP_THRESHOLD


class JobQueue(enum.Enum):
    """The queues of jobs; the value is how many jobs of it run at a time.

    Imports, encoding and the like run one at a time in `long`. Jobs that wait for a server,
    sometimes for minutes, are in `network`, so that they never hold up a search; all others are in
    `short`.
    """

    long = 1
    short = 4
    network = 6  # more than there are sources


class TaskState(enum.Enum):
    """The state of a background task. A `partial` one has finished, but parts of its work
    failed."""

    queued = "queued"
    running = "running"
    paused = "paused"
    done = "done"
    partial = "partial"
    failed = "failed"
    stopped = "stopped"  # by the user

    @property
    def is_over(self) -> bool:
        """Return whether the task does not run any more."""
        return self not in (TaskState.queued, TaskState.running, TaskState.paused)

    @property
    def needs_attention(self) -> bool:
        """Return whether the user should see the task even after it is over."""
        return self in (TaskState.failed, TaskState.partial)


@dataclass(frozen=True)
class JobError:
    """An error to be shown to the user. `report`, for a developer, is there if the fault is
    ours. A job that was canceled has not failed, but a view that waits for it is told in the same
    way that nothing will come."""

    message: str
    hint: str = ""
    report: str = ""
    cancelled: bool = False

    @property
    def text(self) -> str:
        """The message and the hint in one paragraph."""
        return f"{self.message} {self.hint}".strip()


@dataclass(eq=False)
class Job:
    """A job and, once it has finished, its outcome: `cancelled`, a `problem`, or a `result`, which
    is kept only until `finished` has been emitted.

    `retry` starts the same work once more; code that handles the end of a job can set its own.
    `stopping` describes what stopping means for work that `retry` resumes where it was. `stop_note`
    describes what remains of stopped work, if anything does. `remarks` are the parts that failed
    although the job has finished. `link` is the name of a button and what it does: it shows the job
    in more detail, or its results. A job that may find nothing to do is not `visible` until it
    makes progress or fails. A job that `indexes` encodes papers for a search model. `file` is the
    file that the job writes, if any. `show_log` shows the log of work that another process does, in
    front of a window; that of others consists of their progress.
    """

    title: str
    queue: JobQueue
    task: Task = field(default_factory=Task)
    progress: JobProgress = field(default_factory=JobProgress)
    on_done: Callable[[Any], None] = lambda _: None
    on_failed: Callable[[JobError], None] | None = None
    replaced: bool = False
    has_started: bool = False  # it runs, or has run
    is_external: bool = False  # run by another process
    cancelled: bool = False
    problem: JobError | None = None
    result: Any = None
    retry: Callable[[], object] | None = None
    stopping: str = ""
    stop_note: str = ""
    visible: bool = True
    indexes: bool = False
    remarks: Sequence[str] = ()
    link: tuple[str, Callable[[], object]] | None = None
    file: Path | None = None
    show_log: Callable[[Any], object] | None = None
    on_cancel: Callable[[], object] = lambda: None  # called as soon as the user cancels
    on_cancelled: Callable[[], object] | None = None  # called when the canceled job has ended

    @property
    def can_pause(self) -> bool:
        """Return whether the user can pause the job."""
        return not self.is_external

    def cancel(self) -> None:
        """Cancel on behalf of the user. A job that is replaced, or that ends with the window, is
        canceled without this."""
        self.task.cancel()
        self.on_cancel()


class _Slots:
    """Limits the number of jobs of one queue that run at a time; first come, first served.

    A paused job gives up its slot. On resume it runs at once, even over the limit, because a
    running job may be waiting for a lock that it holds.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def enqueue(self) -> threading.Event:
        slot = threading.Event()
        with self._lock:
            self._waiting.append(slot)
            self._admit()
        return slot

    def wait(self, slot: threading.Event, task: Task) -> None:
        """Block until the job may run. Raises Cancelled."""
        while not slot.wait(CHECK_INTERVAL):
            task.raise_if_cancelled()

    def release(self, slot: threading.Event) -> None:
        """Release the slot, whether it has come or not."""
        with self._lock:
            if slot.is_set():
                self._free += 1
                self._admit()
            else:
                self._waiting.remove(slot)

    @contextmanager
    def released(self) -> Iterator[None]:
        with self._lock:
            self._free += 1
            self._admit()
        try:
            yield
        finally:
            with self._lock:
                self._free -= 1

    def _admit(self) -> None:
        while self._free > 0 and self._waiting:
            self._free -= 1
            self._waiting.popleft().set()


class JobRunner(QObject):
    """Runs jobs on background threads; the only place in the application that starts threads.

    All its signals are emitted on the thread it lives on, whatever thread the work runs on.
    """

    queued = Signal(object)  # Job, when it is queued
    started = Signal(object)  # Job, when it begins to run
    pause_changed = Signal(object)  # Job, when it is paused or resumed
    progressed = Signal(object, int, int, str)  # Job, done, total (0: unknown), note
    failed = Signal(object, object)  # Job, JobError
    finished = Signal(object)  # Job, whatever its outcome; after `on_done` has been called
    _work_started = Signal(object)
    _work_progressed = Signal(object, int, int, str)
    _work_ended = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        if _mallopt:
            for option, value in _MEMORY_OPTIONS.items():
                _mallopt(option, value)
        self._slots = {queue: _Slots(queue.value) for queue in JobQueue}
        self._pools = {
            queue: ThreadPoolExecutor(queue.value + MAX_PAUSED, thread_name_prefix=queue.name)
            for queue in JobQueue
        }
        self.external: list[Job] = []  # run by other processes, oldest first
        self._running: dict[Job, Future[Any]] = {}
        self._latest: dict[str, Job] = {}
        self._closed = False
        self._trim_timer = QTimer(self, interval=TRIM_DELAY_MS, singleShot=True)
        self._trim_timer.timeout.connect(self._trim_memory)
        # Queued even when a job settles on this thread, so that `run` always returns first.
        self._work_ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._work_started.connect(self._start, Qt.ConnectionType.QueuedConnection)
        self._work_progressed.connect(self._progress, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        title: str,
        work: Callable[[Task], T],
        on_done: Callable[[T], None] = lambda _: None,
        *,
        on_failed: Callable[[JobError], None] | None = None,
        on_cancelled: Callable[[], object] | None = None,
        queue: JobQueue = JobQueue.short,
        replaces: str = "",
        stop_note: str = "",
        file: Path | None = None,
        visible: bool = True,
    ) -> Job:
        """Run `work` in `queue` and pass its result to `on_done` on the main thread.

        A job started with `replaces` drops the last job started under that name. A failure is
        passed to `on_failed` if given, else emitted as `failed`. When a canceled job has ended,
        `on_cancelled` is called if given, else `on_failed` with an error that is `cancelled`, so
        that no view waits for ever; neither is called if the job was dropped or ends with the
        window. For `stop_note`, `file` and `visible` see `Job`.
        """
        job = Job(title, queue, on_done=on_done, on_failed=on_failed, cancelled=self._closed)
        job.stop_note, job.file, job.visible = stop_note, file, visible
        job.on_cancelled = on_cancelled
        if self._closed:
            return job  # requested while the window closes
        slots = self._slots[queue]
        job.task = Task(self._reporter(job), slots.released)
        job.retry = lambda: self.run(
            title, work, on_done, on_failed=on_failed, on_cancelled=on_cancelled, queue=queue,
            replaces=replaces, stop_note=stop_note, file=file, visible=visible,
        )  # fmt: skip
        if replaces:
            self.drop(replaces)
            self._latest[replaces] = job
        slot = slots.enqueue()
        future = self._pools[queue].submit(self._work, work, job, partial(slots.wait, slot))
        self._running[job] = future
        if job.visible:
            self.queued.emit(job)
        future.add_done_callback(lambda future: self._work_ended.emit(job, future))
        # Only then may the next job begin, so that `finished` is emitted in the order in which jobs
        # ended.
        future.add_done_callback(lambda future: slots.release(slot))
        return job

    def drop(self, name: str) -> None:
        """Cancel the last job started with `replaces=name` if it has not ended. Its result, or its
        failure, is dropped."""
        if job := self._latest.get(name):
            job.replaced = True
            job.task.cancel()

    def follow(
        self,
        title: str,
        *,
        stop: Callable[[], object],
        retry: Callable[[], object],
        stopping: str = "",
        stop_note: str = "",
        link: tuple[str, Callable[[], object]] | None = None,
        show_log: Callable[[Any], object] | None = None,
    ) -> Job:
        """Show work that another process does, until `end` is called. `stop` and `retry` are called
        to stop and to resume that process at the user's request; for the others see `Job`."""
        job = Job(
            title,
            JobQueue.network,
            has_started=True,
            is_external=True,
            retry=retry,
            stopping=stopping,
            stop_note=stop_note,
            link=link,
            show_log=show_log,
            on_cancel=stop,
        )
        self.external.append(job)
        self.queued.emit(job)
        self.started.emit(job)
        return job

    def report(
        self, job: Job, done: int, total: int, note: str = "", left: float | None = None
    ) -> None:
        """Report the progress of an external job, and the seconds that it expects to need."""
        if job in self.external:
            job.progress.add(done, total, note, time.monotonic(), left)
            self.progressed.emit(job, done, total, note)

    def end(self, job: Job, *, problem: JobError | None = None, cancelled: bool = False) -> None:
        """Report the end of an external job."""
        if job in self.external:
            self.external.remove(job)
            job.problem, job.cancelled = problem, cancelled
            self.finished.emit(job)

    def set_paused(self, job: Job, paused: bool = True) -> None:
        """Pause a job at its next progress report, where it gives up its slot, or resume it."""
        (job.task.pause if paused else job.task.resume)()
        job.progress.restart()  # the time of the pause must not count
        self.pause_changed.emit(job)

    def running(self, queue: JobQueue | None = None) -> list[Job]:
        """The queued and running jobs, oldest first."""
        return [job for job in self._running if queue is None or job.queue is queue]

    @property
    def closing(self) -> bool:
        """Whether jobs are stopped because the window closes, and not by the user."""
        return self._closed

    def shut_down(self, timeout: float = SHUTDOWN_TIMEOUT) -> bool:
        """Cancel all jobs and wait for them to stop. False if one still runs after `timeout`
        seconds.

        Jobs requested later are not run.
        """
        self._closed = True
        self._trim_timer.stop()
        for job in self._running:
            job.replaced = True
            job.task.cancel()
        uncancelled = [future for future in self._running.values() if not future.cancel()]
        for pool in self._pools.values():
            pool.shutdown(wait=False)
        not_done = wait(uncancelled, timeout).not_done
        for job, future in self._running.items():
            if future in not_done:
                log.error("«%s» did not stop within %.1f s", job.title, timeout)
        if not_done:
            return False
        # A thread refers to its last job, and through it to widgets, until it has ended. It must
        # not be the last to do so: Qt objects are to be destroyed on the thread they live on.
        for pool in self._pools.values():
            pool.shutdown()
        return True

    def _work(
        self, work: Callable[[Task], T], job: Job, wait_for_slot: Callable[[Task], None]
    ) -> T:
        wait_for_slot(job.task)
        # A search that was superseded while it waited need not run at all.
        job.task.raise_if_cancelled()
        self._work_started.emit(job)
        return work(job.task)

    def _start(self, job: Job) -> None:
        if job in self._running:
            job.has_started = True
            self.started.emit(job)

    def _reporter(self, job: Job) -> Callable[[int, int, str], None]:
        last = 0.0

        def report(done: int, total: int, note: str) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= REPORT_INTERVAL:
                last = now
                self._work_progressed.emit(job, done, total, note)

        return report

    def _list(self, job: Job) -> None:
        """List a job that has turned out to have something to do."""
        if not job.visible:
            job.visible = True
            self.queued.emit(job)
            self.started.emit(job)

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job in self._running:
            if total:
                self._list(job)
            job.progress.add(done, total, note, time.monotonic())
            self.progressed.emit(job, done, total, note)

    def _deliver(self, job: Job, future: Future[Any]) -> None:
        del self._running[job]
        self._latest = {name: latest for name, latest in self._latest.items() if latest is not job}
        try:
            self._settle(job, future)
        finally:  # also if a callback fails, or the job would be shown as running for ever
            self.finished.emit(job)
            job.result = None  # the job history outlives the result, which may be large
            if not self._trim_timer.isActive():
                self._trim_timer.start()

    def _settle(self, job: Job, future: Future[Any]) -> None:
        """Set the outcome of a job, and pass it to its callback."""
        try:
            result = future.result()
        except (Cancelled, CancelledError):
            job.cancelled = True
            if not job.replaced:
                self._cancel(job)
        except Exception as error:  # any error at all is shown to the user
            self._fail(job, error)
        else:
            job.result = result
            if not job.replaced:
                job.on_done(result)

    def _trim_memory(self) -> None:
        if _malloc_trim and not self._closed:
            self._pools[JobQueue.short].submit(_malloc_trim, 0)

    def _cancel(self, job: Job) -> None:
        if job.on_cancelled:
            job.on_cancelled()
        elif job.on_failed:
            # Translators: {task} is "Searching with two models" or the like
            text = tr("“{task}” was canceled.", task=job.title)
            job.on_failed(JobError(text, cancelled=True))

    def _fail(self, job: Job, error: Exception) -> None:
        problem = job.problem = job_error(error, job.title)
        if job.replaced:
            return
        self._list(job)
        if job.on_failed:
            job.on_failed(problem)
        else:
            self.failed.emit(job, problem)


def job_error(error: BaseException, title: str) -> JobError:
    """`error` as the window shows it. Logged with its traceback unless the user can correct it."""
    if isinstance(error, OSError):
        error = of_disk(error) or error
    if isinstance(error, SciReadError | TrainerError):
        return JobError(error.message, error.hint)
    report = "".join(traceback.format_exception(error))
    log.error("«%s» failed\n%s", title, report)
    return JobError(
        tr("Something went wrong."),
        # Translators: {task} is "Importing papers.bib" or the like
        tr(
            "The task “{task}” failed. Please send us the report so that we can fix the problem.",
            task=title,
        ),
        report,
    )
