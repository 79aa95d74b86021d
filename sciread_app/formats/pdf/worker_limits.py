"""Limits of the processes that open PDFs, and their safe reading of files."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource

MAX_BYTES = 1 << 30


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


def be_modest(memory: int, nice: int) -> None:
    """Lower the priority by `nice`, limit memory to `memory` bytes above the present use (0:
    unlimited), and disable core files."""
    if sys.platform == "win32":
        return
    os.nice(nice)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    taken = Path("/proc/self/statm")
    if memory and taken.exists():
        limit = int(taken.read_text().split()[0]) * resource.getpagesize() + memory
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
