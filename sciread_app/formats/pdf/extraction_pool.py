"""A pool of PDF extraction processes, each replaced when it stalls or dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sciread_app.child_process import ProcessEnded, ProcessFailed, readable
from sciread_app.errors import SciReadError
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import PdfContent, from_wire, unreadable_content
from sciread_app.formats.pdf.process import START_SECONDS, PdfProcess
from sciread_app.language import tr

SECONDS = 30.0  # per file
MEMORY = 2 << 30  # bytes, above the memory of a worker before its first file

_MOST_WORKERS = 8
_NICE = 5  # a lower priority than the window
_FILES_EACH = 200  # then a worker is replaced, in case it has leaked memory


class ExtractionPool:
    """Reads PDFs in worker processes; a file that crashes a worker affects no other file.

    Not thread-safe. Workers start on demand.
    """

    def __init__(
        self, workers: int | None = None, *, seconds: float = SECONDS, memory: int = MEMORY
    ) -> None:
        self._most = workers or min(os.cpu_count() or 1, _MOST_WORKERS)
        self._seconds = seconds
        self._memory = memory
        self._workers: list[_Worker] = []
        self._any_started = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, paths: Iterable[Path]) -> Iterator[PdfContent]:
        """One content per path, in order of completion.

        The next path is taken only when a worker is free. Raises SciReadError if no worker can be
        started at all.
        """
        waiting = iter(paths)
        try:
            while self._hand_out(waiting):
                yield from self._collect()
        finally:
            # The result of an abandoned request must not be returned to the next caller.
            self._dismiss([worker for worker in self._workers if worker.path])

    def close(self) -> None:
        """End all workers. Reading again starts new ones."""
        self._dismiss(list(self._workers))

    def _hand_out(self, waiting: Iterator[Path]) -> bool:
        """Give every free worker a path; False when no work is left."""
        self._dismiss([worker for worker in self._workers if worker.is_spent()])
        free = [worker for worker in self._workers if not worker.path]
        while free or len(self._workers) < self._most:
            path = next(waiting, None)
            if path is None:
                break
            if not free:
                free.append(_Worker(self._seconds, self._memory))
                self._workers.append(free[0])
            free.pop().begin(path)
        return any(worker.path for worker in self._workers)

    def _collect(self) -> Iterator[PdfContent]:
        """Wait for an event, and yield the files that it completes."""
        busy = [worker for worker in self._workers if worker.path]
        before = time.monotonic()
        ready = readable(busy, max(0.0, min(worker.time_left for worker in busy)))
        # Only waiting counts: while the caller is busy, results wait in the pipes.
        waited = time.monotonic() - before
        for worker in busy:
            worker.time_left -= waited
            content = self._settle(worker, worker in ready)
            if content:
                yield content

    def _settle(self, worker: _Worker, is_ready: bool) -> PdfContent | None:
        """The content of the worker's file if it is complete, or failed for good; else None."""
        try:
            content = worker.listen() if is_ready else None
            if content is None and worker.time_left <= 0:
                raise _WorkerFailed(problems.TIMED_OUT.format(seconds=f"{self._seconds:g}"))
        except _WorkerFailed as failure:
            if not worker.ready and not self._any_started:
                raise SciReadError(
                    tr("Could not start the process that reads PDF files."),
                    tr(
                        "Reinstall SciRead, or check whether another program, such as a virus "
                        "scanner, ends its processes."
                    ),
                ) from failure
            content = worker.failed(str(failure))
            self._dismiss([worker])
        self._any_started = self._any_started or worker.ready
        return content

    def _dismiss(self, workers: Iterable[_Worker]) -> None:
        for worker in workers:
            self._workers.remove(worker)
            worker.stop()


class _WorkerFailed(Exception):
    """The worker will not return its file; the message is one of problems.py."""


class _Worker(PdfProcess):
    """A worker process and the state of its file."""

    def __init__(self, seconds: float, memory: int) -> None:
        module = "sciread_app.formats.pdf.extraction_worker"
        super().__init__(module, seconds, memory, niceness=_NICE)
        self.path: Path | None = None
        self.ready = False
        self.time_left = 0.0  # seconds left for this file
        self._seconds = seconds
        self._known: dict[str, Any] = {}
        self._files = 0

    def begin(self, path: Path) -> None:
        self.path, self._files = path, self._files + 1
        self.time_left = self._seconds if self.ready else START_SECONDS
        self._known = {"sha256": "", "size": 0}
        self.send({"path": str(path.absolute())})

    def listen(self) -> PdfContent | None:
        """Receive available data; the content once it is complete. Raises _WorkerFailed."""
        assert self.path
        try:
            if not (frame := self.read()):
                return None
            message = frame.header
            if "paper" in message:
                content = from_wire(self.path, self._known | message)
                self.path = None
                return content
            self._take_status(message)
        except ProcessEnded as error:
            raise _WorkerFailed(self._exit_problem()) from error
        except (ProcessFailed, ValueError) as error:
            raise _WorkerFailed(problems.INVALID_ANSWER) from error
        return None

    def failed(self, why: str) -> PdfContent:
        assert self.path
        known = self._known
        return unreadable_content(self.path, why, size=known["size"], sha256=known["sha256"])

    def is_spent(self) -> bool:
        """Whether a free worker should be replaced by a new one: one that has ended, or has sent
        more than its answer, can be read."""
        return not self.path and (self._files >= _FILES_EACH or bool(readable([self], 0)))

    def _take_status(self, message: dict[str, Any]) -> None:
        sha256, size = message.get("sha256"), message.get("size")
        if isinstance(sha256, str) and isinstance(size, int):
            self._known = {"sha256": sha256, "size": size}
        elif message == {"ready": True} and not self.ready:
            self.ready, self.time_left = True, self._seconds
        else:
            raise ValueError("not a message that is expected here")

    def _exit_problem(self) -> str:
        code = self.exit_code()
        if code is None:
            return problems.INVALID_ANSWER
        try:
            how = signal.Signals(-code).name
        except ValueError:
            how = f"code {code}"
        return problems.CRASHED.format(how=how)
