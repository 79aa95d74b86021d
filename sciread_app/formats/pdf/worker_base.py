"""The inside of a process that opens PDFs: its requests, its limits, safe reading of files.

Never imported by the window's process: a file that makes PDFium crash, stall or exhaust memory ends
this process only.
"""

from __future__ import annotations

import faulthandler
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from trainer.contract import wire

if sys.platform != "win32":
    import resource

MAX_BYTES = 1 << 30
_GRACE = 5.0  # seconds after the limit, in case the parent is gone and cannot end this process

Answer = tuple[dict[str, Any], bytes | bytearray]
Send = Callable[[dict[str, Any]], None]


def serve(answer: Callable[[dict[str, Any], Send], Answer], *, announce: bool = False) -> None:
    """Answer requests on stdin until the parent is gone.

    The arguments of the process are the seconds per request, and the bytes of memory above those at
    its start (0: unlimited). `answer` is called with a request and a function that sends a message
    before the answer. With `announce`, {"ready": True} is sent first.
    """
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    requests, answers = wire.take_pipes()
    send = partial(wire.send, answers)
    _limit(memory)
    try:
        if announce:
            send({"ready": True})
        while request := wire.receive(requests):
            faulthandler.dump_traceback_later(seconds + _GRACE, exit=True)
            fields, body = answer(request.header, send)
            faulthandler.cancel_dump_traceback_later()
            send(fields, body)
    except BrokenPipeError:
        os._exit(1)  # the parent is gone, and so is the reader


class UnreadableFile(Exception):
    """The file is not read, for the given reason."""


def bytes_of(path: Path) -> bytes:
    """The bytes of the file. Raises OSError and UnreadableFile."""
    # Without O_NONBLOCK, opening a named pipe would wait for its other end for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile("it is not a file")
        if status.st_size > MAX_BYTES:
            raise UnreadableFile("it is larger than 1 GB")
        return file.read()


def reason(error: OSError | UnreadableFile) -> str:
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return str(error)


def _limit(memory: int) -> None:
    """Limit memory to `memory` bytes above the present use (0: unlimited), and disable core
    files."""
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    taken = Path("/proc/self/statm")
    if memory and taken.exists():
        limit = int(taken.read_text().split()[0]) * resource.getpagesize() + memory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
