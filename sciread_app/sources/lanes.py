"""How often a source may be asked: kept by all programs on this computer together."""

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


class Lane:
    """Those who ask one source, one after the other.

    A file says when the last one asked and how long the others are to rest; who reads or writes it
    holds a lock, which the system takes back from those who are killed. The times are of the clock
    that counts since the computer was started, which nobody can set.
    """

    def __init__(self, folder: Path, name: str, longest: float) -> None:
        """Nobody rests more than `longest` seconds, or a pause, whatever the file says."""
        self._lock = folder / f"{name}.lock"
        self._note = folder / f"{name}.json"
        self._longest = longest

    @contextmanager
    def turn(self, pause: float, why: str, alone: bool, task: Task) -> Iterator[Callable[[], None]]:
        """Wait for the turn to ask; the next one has it after `pause` seconds, told `why`.

        What is given is called when the request was sent, which may take a while, and when its
        answer comes. From then on the pause counts, and, unless `alone`, others may ask before
        this one has all of its answer.
        Raises Cancelled if the task was, SourceError if the folder cannot be written.
        """
        lock = FileLock(self._lock)

        def asked() -> None:
            if lock.is_locked:
                self._write(pause, why)
                if not alone:
                    lock.release()

        try:
            self._take(lock, task)
            while (rest := self._left(pause, why))[0] > 0:
                lock.release()
                task.pause(*rest)
                self._take(lock, task)
            self._write(pause, why)  # whatever becomes of this program
            yield asked
        finally:
            lock.release()

    def rest(self, seconds: float, why: str, task: Task) -> None:
        """Nobody asks for so long."""
        lock = FileLock(self._lock)
        self._take(lock, task)
        try:
            if self._left(0, why)[0] < seconds:
                self._write(seconds, why)
        finally:
            lock.release()

    def _take(self, lock: FileLock, task: Task) -> None:
        while True:
            task.check()
            try:
                lock.acquire(timeout=0.2, poll_interval=0.02)
                return
            except Timeout:
                continue
            except (OSError, NotImplementedError) as error:  # no locks on such a disk
                raise _unwritable(self._lock, error) from error

    def _left(self, pause: float, why: str) -> tuple[float, str]:
        """Seconds to rest from now, and why; what cannot be read is a pause that begins now."""
        now = time.monotonic()
        try:
            at, seconds, told = json.loads(self._note.read_text("utf-8"))
            at, seconds, told = float(at), float(seconds), str(told)
        except FileNotFoundError:
            return 0, why
        except (OSError, ValueError, TypeError):
            at, seconds, told = math.inf, pause, why
        if not at <= now:  # the computer was started again, or the file is broken
            at = now
            self._write(seconds, told)
        return at + min(seconds, max(self._longest, pause)) - now, told

    def _write(self, seconds: float, why: str) -> None:
        try:
            self._note.write_text(json.dumps([time.monotonic(), seconds, why]), "utf-8")
        except OSError as error:
            raise _unwritable(self._note, error) from error


def _unwritable(path: Path, error: Exception) -> SourceError:
    return SourceError(
        tr("{file} cannot be written: {why}.", file=path, why=error),
        tr("It keeps how often sources are asked, so nothing can be fetched without it."),
    )
