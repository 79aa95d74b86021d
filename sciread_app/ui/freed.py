"""Memory that was freed, and that the C library would keep, goes back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Takes some milliseconds, in which no other thread waits for Python."""
    if _trim:
        _trim(0)


def _found() -> ctypes._NamedFuncPointer | None:
    """Only glibc has it. Each of its threads keeps what it has freed: 100 MB after an import."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_trim = _found()
