"""A cache of responses for one day."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import time
from pathlib import Path

log = logging.getLogger(__name__)

DAY = 24 * 60 * 60
MOST = 512 << 20  # bytes


class DayCache:
    """Bodies by name, in a folder that several programs may share and the user may empty."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._size: int | None = None  # a lower bound of the total size; None: unknown

    def get(self, name: str) -> bytes | None:
        path = self._path(name)
        try:
            # A file from the future was written before the clock was set back: its age is unknown.
            if not 0 <= time.time() - path.stat().st_mtime < DAY:
                return None
            return path.read_bytes()
        except OSError:
            return None

    def put(self, name: str, body: bytes) -> None:
        """Store a body; ignored if it cannot be written."""
        path = self._path(name)
        half = path.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            half.write_bytes(body)
            half.replace(path)
        except OSError as error:
            log.warning("could not cache a response: %s", error)
            _drop(half)
            return
        self._size = None if self._size is None else self._size + len(body)
        if self._size is None or self._size > self._most:
            self._tidy()

    def _tidy(self) -> None:
        """Delete bodies older than a day, and the oldest others until half the space is free."""
        files = []
        for path in self._folder.iterdir():
            try:
                files.append((path.stat().st_mtime, path.stat().st_size, path))
            except OSError:  # another program tidies at the same time
                continue
        size = sum(entry[1] for entry in files)
        room = self._most if size <= self._most else self._most // 2
        for written, bytes_, path in sorted(files):
            if size > room or not abs(time.time() - written) < DAY:
                _drop(path)
                size -= bytes_
        self._size = size

    def _path(self, name: str) -> Path:
        return self._folder / f"{hashlib.sha256(name.encode()).hexdigest()}.body"


def _drop(path: Path) -> None:
    with contextlib.suppress(OSError):  # another program reads or deletes it
        path.unlink()
