"""Work that must not hold up the window: two lanes of threads, and the way back to the window."""

from __future__ import annotations

import enum
import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from sciread_app.errors import Cancelled, SciReadError
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.freed import give_back
from trainer.contract.errors import TrainerError

log = logging.getLogger(__name__)

T = TypeVar("T")

SHOWN_EVERY = 0.1  # seconds between two reports of one job's progress
LAST_WAIT = 5.0  # seconds that closing the window waits for work to stop
GIVEN_BACK_MS = 3_000  # after some work has ended, until what it has freed is given back
LOOKS = 0.1  # seconds after which work that waits for its turn looks whether it is still wanted
MOST_HELD = 16  # jobs of a lane that may be held up without being in the way of the next


class Lane(enum.Enum):
    """Imports, encoding and the like take turns in `heavy`. What waits for others, minutes at
    times, is in `network`, so that it never holds up a search; the rest shares `light`."""

    heavy = 1
    light = 4
    network = 6  # more than there are sources


@dataclass(frozen=True)
class Problem:
    """What went wrong, for a person. `report` is there when it is our fault, for a developer."""

    message: str
    hint: str = ""
    report: str = ""


@dataclass(eq=False)
class Job:
    """What is being done, and once it has finished, how it ended: `cancelled` before it was done,
    or with a `problem`, or with a `result`, which is there while `finished` is told.

    `again` starts the same work once more; whoever looks after a job's end puts its own here.
    """

    title: str
    lane: Lane
    task: Task = field(default_factory=Task)
    on_done: Callable[[Any], None] = lambda _: None
    on_failed: Callable[[Problem], None] | None = None
    replaced: bool = False
    begun: bool = False  # its turn has come
    followed: bool = False  # another process does it
    cancelled: bool = False
    problem: Problem | None = None
    result: Any = None
    again: Callable[[], object] | None = None
    unwanted: Callable[[], object] = lambda: None  # told at once that a person has cancelled it

    @property
    def can_hold(self) -> bool:
        """Whether it can be paused."""
        return not self.followed

    def cancel(self) -> None:
        """As a person does; where another takes its place, or the window closes, it just ends."""
        self.task.cancel()
        self.unwanted()


class _Turns:
    """Who may work in a lane: so many at a time, in the order in which they came.

    Who is held up gives his turn away. Going on he has one at once, were it one too many: whoever
    works meanwhile may be waiting for something that he holds.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def queue(self) -> threading.Event:
        turn = threading.Event()
        with self._lock:
            self._waiting.append(turn)
            self._let_in()
        return turn

    def wait(self, turn: threading.Event, task: Task) -> None:
        """Until it is this one's turn. Raises Cancelled."""
        while not turn.wait(LOOKS):
            task.check()

    def end(self, turn: threading.Event) -> None:
        """Whether it came or not."""
        with self._lock:
            if turn.is_set():
                self._free += 1
                self._let_in()
            else:
                self._waiting.remove(turn)

    @contextmanager
    def lent(self) -> Iterator[None]:
        with self._lock:
            self._free += 1
            self._let_in()
        try:
            yield
        finally:
            with self._lock:
                self._free -= 1

    def _let_in(self) -> None:
        while self._free > 0 and self._waiting:
            self._free -= 1
            self._waiting.popleft().set()


class Jobs(QObject):
    """The only place in the application that starts threads.

    All its signals come on the thread it lives on, whatever thread the work runs on.
    """

    started = Signal(object)  # Job, when it is put into its lane
    begun = Signal(object)  # Job, when its turn has come
    held = Signal(object)  # Job, held up or going on again
    progressed = Signal(object, int, int, str)  # Job, done, total (0: unknown), note
    failed = Signal(object, object)  # Job, Problem
    finished = Signal(object)  # Job, however it ended; `on_done` has been called by then
    _begins = Signal(object)
    _reported = Signal(object, int, int, str)
    _settled = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._turns = {lane: _Turns(lane.value) for lane in Lane}
        self._pools = {
            lane: ThreadPoolExecutor(lane.value + MOST_HELD, thread_name_prefix=lane.name)
            for lane in Lane
        }
        self.followed: list[Job] = []  # that other processes do, oldest first
        self._running: dict[Job, Future[Any]] = {}
        self._latest: dict[str, Job] = {}
        self._closed = False
        self._freed = QTimer(self, interval=GIVEN_BACK_MS, singleShot=True)
        self._freed.timeout.connect(self._give_back)
        # Queued even when a job settles on this thread, so that `run` always returns first.
        self._settled.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._begins.connect(self._begin, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        title: str,
        work: Callable[[Task], T],
        on_done: Callable[[T], None] = lambda _: None,
        *,
        on_failed: Callable[[Problem], None] | None = None,
        lane: Lane = Lane.heavy,
        instead_of: str = "",
    ) -> Job:
        """Run `work` in `lane`; hand its result to `on_done` on the main thread.

        A job started with `instead_of` cancels the one last started under that name, and
        whatever still comes of the older one is dropped. A failure goes to `on_failed` if
        there is one, else to the signal `failed`. To be cancelled is not to fail.
        """
        job = Job(title, lane, on_done=on_done, on_failed=on_failed, cancelled=self._closed)
        if self._closed:
            return job  # a last wish of a window that is closing
        turns = self._turns[lane]
        job.task = Task(self._reporter(job), turns.lent)
        job.again = lambda: self.run(
            title, work, on_done, on_failed=on_failed, lane=lane, instead_of=instead_of
        )
        if instead_of:
            if older := self._latest.get(instead_of):
                older.replaced = True
                older.task.cancel()
            self._latest[instead_of] = job
        turn = turns.queue()
        future = self._pools[lane].submit(self._work, work, job, partial(turns.wait, turn))
        self._running[job] = future
        self.started.emit(job)
        future.add_done_callback(lambda future: self._settled.emit(job, future))
        # Then only may the next begin, so that jobs are told of in the order in which they ended.
        future.add_done_callback(lambda future: turns.end(turn))
        return job

    def follow(self, title: str, stop: Callable[[], object], again: Callable[[], object]) -> Job:
        """Show work that another process does, until `end` is told of it. `stop` and `again` have
        that process stop and go on, as a person wishes."""
        job = Job(title, Lane.network, begun=True, followed=True, again=again, unwanted=stop)
        self.followed.append(job)
        self.started.emit(job)
        self.begun.emit(job)
        return job

    def report(self, job: Job, done: int, total: int, note: str = "") -> None:
        """How far work is that is followed."""
        if job in self.followed:
            self.progressed.emit(job, done, total, note)

    def end(self, job: Job, *, problem: Problem | None = None, cancelled: bool = False) -> None:
        """Work that is followed has ended."""
        if job in self.followed:
            self.followed.remove(job)
            job.problem, job.cancelled = problem, cancelled
            self.finished.emit(job)

    def hold(self, job: Job, held: bool = True) -> None:
        """Have a job wait at its next report, where it lets others work, or go on."""
        (job.task.hold if held else job.task.go_on)()
        self.held.emit(job)

    def running(self, lane: Lane | None = None) -> list[Job]:
        """The jobs that wait or run, oldest first."""
        return [job for job in self._running if lane is None or job.lane is lane]

    @property
    def closing(self) -> bool:
        """Whether work is stopped since the window closes, and not since a person wants it."""
        return self._closed

    def shut_down(self, patience: float = LAST_WAIT) -> bool:
        """Cancel everything and wait for it to stop. False if something still runs after that.

        What is asked for from then on is not done.
        """
        self._closed = True
        for job in self._running:
            job.replaced = True
            job.task.cancel()
        begun = [future for future in self._running.values() if not future.cancel()]
        for pool in self._pools.values():
            pool.shutdown(wait=False)
        stubborn = wait(begun, patience).not_done
        for job, future in self._running.items():
            if future in stubborn:
                log.error("«%s» did not stop within %.1f s", job.title, patience)
        return not stubborn

    def _work(
        self, work: Callable[[Task], T], job: Job, wait_for_turn: Callable[[Task], None]
    ) -> T:
        wait_for_turn(job.task)
        # A search that was typed over while it waited need not be looked up at all.
        job.task.check()
        self._begins.emit(job)
        return work(job.task)

    def _begin(self, job: Job) -> None:
        if job in self._running:
            job.begun = True
            self.begun.emit(job)

    def _reporter(self, job: Job) -> Callable[[int, int, str], None]:
        shown = 0.0

        def report(done: int, total: int, note: str) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown >= SHOWN_EVERY:
                shown = now
                self._reported.emit(job, done, total, note)

        return report

    def _pass_on(self, job: Job, done: int, total: int, note: str) -> None:
        if job in self._running:
            self.progressed.emit(job, done, total, note)

    def _deliver(self, job: Job, future: Future[Any]) -> None:
        del self._running[job]
        self._latest = {name: latest for name, latest in self._latest.items() if latest is not job}
        try:
            result = future.result()
        except (Cancelled, CancelledError):
            job.cancelled = True
        except Exception as error:  # whatever it is, a person is told
            self._fail(job, error)
        else:
            job.result = result
            if not job.replaced:
                job.on_done(result)
        self.finished.emit(job)
        job.result = None  # a job is remembered longer than what may fill the memory
        if not self._freed.isActive():
            self._freed.start()

    def _give_back(self) -> None:
        if not self._closed:
            self._pools[Lane.light].submit(give_back)

    def _fail(self, job: Job, error: Exception) -> None:
        problem = job.problem = problem_of(error, job.title)
        if job.replaced:
            return
        if job.on_failed:
            job.on_failed(problem)
        else:
            self.failed.emit(job, problem)


def problem_of(error: BaseException, doing: str) -> Problem:
    """`error` as the window shows it. Logged with its traceback if a person cannot mend it."""
    if isinstance(error, SciReadError | TrainerError):
        return Problem(error.message, error.hint)
    report = "".join(traceback.format_exception(error))
    log.error("«%s» failed\n%s", doing, report)
    return Problem(
        tr("Something went wrong inside."),
        # Translators: {doing} is "importing papers.bib" or the like
        tr(
            "While: {doing}. Please send us the report, so that we can mend it.",
            doing=doing.lower(),
        ),
        report,
    )
