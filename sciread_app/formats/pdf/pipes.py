"""Child processes connected by pipes, and waiting for them without threads."""

from __future__ import annotations

import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

_ROOT = Path(__file__).parents[3]  # the folder that contains the package, installed or not


def started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """A child process with unbuffered pipes; its errors are discarded."""
    windowless: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        bufsize=0,
        creationflags=windowless,
    )


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _PAUSE = 0.01  # Windows cannot wait for several pipes at once

    def readable(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
        """The pipes that hold data or have ended; none after `seconds`."""
        until = time.monotonic() + seconds
        while True:
            ready = [pipe for pipe in pipes if _has_something(pipe)]
            if ready or time.monotonic() >= until:
                return ready
            time.sleep(_PAUSE)

    def _has_something(pipe: IO[bytes]) -> bool:
        try:
            return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()), 0)[0] > 0
        except BrokenPipeError:
            return True

else:

    def readable(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
        """The pipes that hold data or have ended; none after `seconds`."""
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(seconds)]  # type: ignore[misc]  # ours are no bare numbers
