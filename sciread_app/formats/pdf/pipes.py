"""Waiting until one of several child processes has said something, without threads."""

from __future__ import annotations

import selectors
import sys
import time
from collections.abc import Sequence
from typing import IO

if sys.platform == "win32":
    import _winapi
    import msvcrt

    _PAUSE = 0.01  # Windows cannot wait for several pipes at once

    def readable(pipes: Sequence[IO[bytes]], seconds: float) -> list[IO[bytes]]:
        """Those that hold something or have ended; none of them after so many seconds."""
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
        """Those that hold something or have ended; none of them after so many seconds."""
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            return [key.fileobj for key, _ in selector.select(seconds)]  # type: ignore[misc]
