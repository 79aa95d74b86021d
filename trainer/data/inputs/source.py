"""An input file: decompression and progress."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

# Exceptions of reading that are due to the file or its location.
UNREADABLE = (OSError, EOFError, zlib.error)
# The longest real line is one paper with thousands of authors, well under a megabyte.
LONGEST_LINE = 32 << 20
_BUFFER = 1 << 20


class Source:
    """An input file. `share` is the fraction that has been read, from 0 to 1. `part` selects a part
    of it, such as a collection of a library; empty: all."""

    def __init__(self, path: Path, part: str = "") -> None:
        self.path = path
        self.part = part
        self.bytes = path.stat().st_size
        self._raw: BinaryIO | None = None

    @property
    def share(self) -> float:
        if self._raw is None or not self.bytes:
            return 0.0
        return 1.0 if self._raw.closed else self._raw.tell() / self.bytes

    @property
    def unpacked_bytes(self) -> int:
        """The approximate size of the decompressed contents."""
        return self.bytes * 5 if self.path.suffix == ".gz" else self.bytes

    def open(self) -> io.BufferedReader:
        """Open the decompressed contents. Gzip is recognized by the first bytes."""
        raw = self.path.open("rb", buffering=0)
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        self._raw = raw
        return io.BufferedReader(_Unpacked(raw) if packed else raw, _BUFFER)

    def pieces(self, size: int = _BUFFER) -> Iterator[bytes]:
        """Iterate over the decompressed bytes, `size` at a time. For a truncated file, all
        available data are returned before an error of UNREADABLE is raised."""
        with self.open() as stream:
            found: list[bytes] = []
            left = size
            try:
                while more := stream.read1(left):
                    found.append(more)
                    left -= len(more)
                    if not left:
                        yield b"".join(found)
                        found, left = [], size
            except UNREADABLE:
                yield b"".join(found)
                raise
        if found:
            yield b"".join(found)

    def head(self) -> bytes:
        """Return the beginning of the file. Raises the errors of UNREADABLE."""
        return next(self.pieces(), b"")


class _Unpacked(io.RawIOBase):
    """The contents of a gzip file, returned as far as they can be read without an error.

    GzipFile itself reads on until it has the requested size, and if the file is truncated, the data
    decompressed so far are lost.
    """

    def __init__(self, packed: io.FileIO) -> None:
        self._packed = packed
        self._unpacked = gzip.GzipFile(fileobj=packed, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._unpacked.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self._packed.closed:
            self._unpacked.close()
            self._packed.close()
        super().close()


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Iterate over lines with their numbers, from 1. Of an overlong line only the start is
    returned."""
    number = 0
    cut = False
    while line := stream.readline(LONGEST_LINE):
        if not cut:
            number += 1
            yield number, line
        cut = not line.endswith(b"\n")


def why_unreadable(error: Exception) -> str:
    """Describe an error of UNREADABLE in one sentence."""
    if isinstance(error, PermissionError):
        return "Permission denied. Change the permissions of the file."
    if isinstance(error, EOFError):
        return "The compressed file is incomplete. Copy or download it again."
    if isinstance(error, zlib.error | gzip.BadGzipFile):
        return "The compressed file is damaged. Copy or download it again."
    why = getattr(error, "strerror", None) or error
    return f"The file could not be read: {why}."
