"""Processes of SciRead: requests and responses through pipes, deadlines, and their ends."""

from __future__ import annotations

import math
import os
import selectors
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from sciread_app.language import tr
from trainer.contract import wire

_ROOT = Path(__file__).parents[1]  # the folder that contains the packages, installed or not
_END_SECONDS = 2.0  # for a process to end after its last output
_CHECK_INTERVAL = 0.2  # seconds between calls of `check`
_PIPE_BYTES = 1 << 20  # an image through a pipe of 64 KB needs a hundred switches between processes

if sys.platform == "linux":
    import fcntl


def start(
    command: Sequence[str], *, niceness: int = 0, detached: bool = False, **options: Any
) -> subprocess.Popen[bytes]:
    """Start a program with Popen's `options`, at a lower priority than ours if `niceness` is not 0.

    `detached`: it continues after this program. Raises OSError.
    """
    flags: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    if niceness:
        flags |= getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    if detached:
        flags |= getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    process = subprocess.Popen(
        command,
        # `-m trainer` finds our package, and no folder of that name in the working directory.
        cwd=None if getattr(sys, "frozen", False) else _ROOT,
        creationflags=flags,
        start_new_session=detached,
        **options,
    )
    if niceness and hasattr(os, "setpriority"):
        with suppress(OSError):  # it may have ended, which shows at the first request
            ours = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, process.pid, ours + niceness)
    return process


def module_command(module: str, *arguments: object) -> list[str]:
    """The command that runs a module of SciRead as a process."""
    return [sys.executable, "-m", module, *map(str, arguments)]


class ProcessFailed(Exception):
    """The response is not valid, or there is none; the message says why. The process must be
    stopped, since the rest of a response may still come."""


class ProcessEnded(ProcessFailed):
    """The process has ended or closed its output."""


class ProcessTimedOut(ProcessFailed):
    """The process has not responded in time."""


class ChildProcess:
    """A process that exchanges frames (see `trainer.contract.wire`) with this one through pipes.

    It is stopped when this object is forgotten and when this program ends: it leaves no orphan and
    no zombie. It has no unsaved state, and is never terminated gently.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        errors: IO[bytes] | int | None = None,
        niceness: int = 0,
        longest: int = wire.MAX_BYTES,
    ) -> None:
        """Its stderr goes to `errors`; `longest` limits its frames. Raises OSError."""
        pipe = subprocess.PIPE
        self._process = start(command, niceness=niceness, stdin=pipe, stdout=pipe, stderr=errors)
        assert self._process.stdin and self._process.stdout
        self._input, self._output = self._process.stdin, self._process.stdout
        if sys.platform == "linux":
            with suppress(OSError):
                fcntl.fcntl(self._output.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._frames = wire.frames(self._output.raw, longest)  # type: ignore[attr-defined]
        # Kills the process and closes its pipes. Only the thread that uses them may call it.
        self.stop = weakref.finalize(self, _stop, self._process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        return self._output.fileno()

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        # If the process has ended, reading from it reports it.
        with suppress(OSError):
            wire.send(self._input, header, body)  # type: ignore[arg-type]

    def receive(
        self, seconds: float = math.inf, check: Callable[[], object] | None = None
    ) -> wire.Frame:
        """The next frame. `check` is called repeatedly while waiting, and may raise.

        Raises ProcessFailed.
        """
        until = time.monotonic() + seconds
        while (frame := self.read()) is None:
            while check or seconds < math.inf:
                if check:
                    check()
                left = until - time.monotonic()
                if left <= 0:
                    message = tr("No response within {seconds:.0f} seconds.", seconds=seconds)
                    raise ProcessTimedOut(message)
                if readable([self], min(left, _CHECK_INTERVAL)):
                    break
        return frame

    def read(self) -> wire.Frame | None:
        """Read what is available, and return the frame if it is complete. Raises ProcessFailed."""
        try:
            return next(self._frames)
        except wire.TruncatedFrame as error:
            raise ProcessEnded(str(error)) from error
        except wire.BrokenFrame as error:
            raise ProcessFailed(str(error)) from error
        except (StopIteration, OSError) as error:
            raise ProcessEnded from error

    def is_running(self) -> bool:
        return self.stop.alive and self._process.poll() is None

    def exit_code(self) -> int | None:
        """The exit code of a process that has closed its output; None if it does not end."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_SECONDS)
        return None

    def kill(self) -> None:
        """End the process. Any thread may call this; one that waits for a response gets
        ProcessEnded."""
        self._process.kill()


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with suppress(subprocess.TimeoutExpired):  # it may wait for a lost network drive
        process.wait(_END_SECONDS)
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]


P = TypeVar("P", bound=ChildProcess)

if sys.platform == "win32":
    import _winapi
    import msvcrt

    _PAUSES = 0.0005, 0.01  # seconds, growing: Windows cannot wait for several pipes at once

    def readable(processes: Sequence[P], seconds: float) -> list[P]:
        """The processes that have sent something or have ended; none after `seconds`."""
        until, pause = time.monotonic() + seconds, _PAUSES[0]
        while True:
            ready = [process for process in processes if _has_something(process)]
            if ready or time.monotonic() >= until:
                return ready
            time.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])

    def _has_something(process: ChildProcess) -> bool:
        try:
            return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(process.fileno()), 0)[0] > 0
        except BrokenPipeError:
            return True

else:

    def readable(processes: Sequence[P], seconds: float) -> list[P]:
        """The processes that have sent something or have ended; none after `seconds`."""
        with selectors.DefaultSelector() as selector:
            for process in processes:
                selector.register(process, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(seconds)]  # type: ignore[misc]  # ours are processes
