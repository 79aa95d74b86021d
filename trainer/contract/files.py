"""Reading of files: decompression, lines of bounded length, and hashes."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

# Exceptions while reading a file that are due to the file or its location.
UNREADABLE = (OSError, EOFError, zlib.error)
# The longest real line is one record with thousands of authors, well under a megabyte.
LONGEST_LINE = 32 << 20
BUFFER = 1 << 20


def decompressed(stream: io.BufferedReader) -> io.BufferedReader:
    """Return the contents of an open file, decompressed if its first bytes (not its name) show that
    it is gzipped. `read1` returns what precedes the end of a truncated gzip file; `read` may
    not."""
    if stream.peek(2)[:2] != b"\x1f\x8b":
        return stream
    return io.BufferedReader(_GzipStream(stream), BUFFER)


class _GzipStream(io.RawIOBase):
    """The contents of a gzipped file; each read returns as much as there is without an error.

    GzipFile itself reads until it has all requested bytes, and loses those read so far if the file
    ends early.
    """

    def __init__(self, packed: io.BufferedReader) -> None:
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


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
