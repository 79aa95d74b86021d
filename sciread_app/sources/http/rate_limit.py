"""Rate limits of sources, shared by all programs on this computer.

The limit of each source is in `sources/endpoints.py`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.tasks import Task


class RateLimiter:
    """Serializes the requests to one source.

    A file holds the time of the last request and how long others must wait; a lock protects it,
    which the system releases when a process is killed. The times are those of the monotonic clock
    since boot, which cannot be set.
    """

    def __init__(self, folder: Path, name: str, longest: float) -> None:
        """No wait exceeds `longest` seconds, or a pause, whatever the file contains."""
        self._lock = folder / f"{name}.lock"
        self._note = folder / f"{name}.json"
        self._longest = longest

    @contextmanager
    def turn(self, pause: float, why: str, alone: bool, task: Task) -> Iterator[Callable[[], None]]:
        """Wait for the turn to send a request; the next is allowed `pause` seconds later, with
        reason `why`.

        Call the yielded function when the request was sent, which may take a while, and when its
        response begins. The pause is counted from then, and, unless `alone`, other requests may
        start before this response is complete. Raises Cancelled if the task was, SourceError if the
        folder cannot be written.
        """
        lock = FileLock(self._lock)

        def request_sent() -> None:
            if lock.is_locked:
                self._write(pause, why)
                if not alone:
                    lock.release()

        try:
            self._take(lock, task)
            while (rest := self._left(pause, why))[0] > 0:
                lock.release()
                task.wait(*rest)
                self._take(lock, task)
            self._write(pause, why)  # even if this program is killed
            yield request_sent
        finally:
            lock.release()

    def rest(self, seconds: float, why: str, task: Task) -> None:
        """Block all requests for `seconds`."""
        lock = FileLock(self._lock)
        self._take(lock, task)
        try:
            if self._left(0, why)[0] < seconds:
                self._write(seconds, why)
        finally:
            lock.release()

    def _take(self, lock: FileLock, task: Task) -> None:
        while True:
            task.raise_if_cancelled()
            try:
                lock.acquire(timeout=0.2, poll_interval=0.02)
                return
            except Timeout:
                continue
            except (OSError, NotImplementedError) as error:  # the file system has no locks
                raise _unwritable(self._lock, error) from error

    def _left(self, pause: float, why: str) -> tuple[float, str]:
        """Seconds to wait from now, and the reason; an unreadable file counts as a pause beginning
        now."""
        now = time.monotonic()
        try:
            at, seconds, reason = json.loads(self._note.read_text("utf-8"))
            at, seconds, reason = float(at), float(seconds), str(reason)
        except FileNotFoundError:
            return 0, why
        except (OSError, ValueError, TypeError):
            at, seconds, reason = math.inf, pause, why
        if not at <= now:  # the computer was restarted, or the file is broken
            at = now
            self._write(seconds, reason)
        return at + min(seconds, max(self._longest, pause)) - now, reason

    def _write(self, seconds: float, why: str) -> None:
        try:
            self._note.write_text(json.dumps([time.monotonic(), seconds, why]), "utf-8")
        except OSError as error:
            raise _unwritable(self._note, error) from error


def _unwritable(path: Path, error: Exception) -> SourceError:
    return SourceError(
        tr("Could not write {file}: {why}.", file=path, why=error),
        tr(
            "SciRead cannot fetch papers without this file, which limits the rate of "
            "requests. Check the file's permissions."
        ),
    )
