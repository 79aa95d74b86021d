"""Files as streams of bytes: unpacked if they are gzipped, and cut into lines of sane length."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sciread_app.formats import text as _registers_as_windows  # noqa: F401
from sciread_app.language import tr

# The error handler that text.py has registered.
AS_WINDOWS = "cp1252"

# What reading a file can raise that is the file's fault, or its place's.
UNREADABLE = (OSError, EOFError, zlib.error)

# The longest real line is one record with thousands of authors, well under a megabyte.
LONGEST_LINE = 32 << 20
_BUFFER = 1 << 20


def open_bytes(path: Path) -> io.BufferedReader:
    """The bytes of a file. That it is gzipped is told from its first bytes, not from its name.

    `read1` gives what stands before the place where a packed file breaks off; `read` may not.
    """
    stream = path.open("rb")
    if stream.peek(2)[:2] != b"\x1f\x8b":
        return stream
    return io.BufferedReader(_Unpacked(stream), _BUFFER)


class _Unpacked(io.RawIOBase):
    """The content of a gzipped file, as much at once as there is without an error.

    GzipFile itself reads on until it has all that was asked for, and when the file breaks off
    meanwhile, what it has got so far is lost.
    """

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._unpacked = gzip.GzipFile(fileobj=packed, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._unpacked.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, from 1. Of an endless line only the start comes, once."""
    number = 0
    cut = False
    while line := stream.readline(LONGEST_LINE):
        if not cut:
            number += 1
            yield number, line
        cut = not line.endswith(b"\n")


def decoded(line: bytes) -> str:
    """UTF-8, or Windows-1252 where it is not; no byte is an error."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(errors=AS_WINDOWS)
    return text.removeprefix("\ufeff")


def why_unreadable(error: Exception) -> str:
    """One sentence about an error of the kinds in UNREADABLE."""
    if isinstance(error, FileNotFoundError):
        return tr("There is no such file.")
    if isinstance(error, IsADirectoryError):
        return tr("This is a folder, not a file.")
    if isinstance(error, PermissionError):
        return tr("SciRead is not allowed to read this file; change its permissions.")
    if isinstance(error, EOFError):
        return tr("The compressed file ends too early; download or copy it again.")
    if isinstance(error, zlib.error | gzip.BadGzipFile):
        return tr("The compressed file is damaged; download or copy it again.")
    return tr("The file could not be read: {why}.", why=error)
