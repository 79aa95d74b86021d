"""Returning freed memory that the C library holds on to."""

from __future__ import annotations

import ctypes
import sys


def trim_memory() -> None:
    """Return freed memory to the system. Takes some milliseconds and releases the GIL meanwhile."""
    if _trim:
        _trim(0)


def _malloc_trim() -> ctypes._NamedFuncPointer | None:
    """malloc_trim of glibc; None on other systems. Each thread's arena keeps what was freed: 100 MB
    after an import."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


_trim = _malloc_trim()
