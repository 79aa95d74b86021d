"""Byte streams of files: decompression, and lines of bounded length."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sciread_app.formats.files import encoding as _registers_as_windows  # noqa: F401
from sciread_app.language import tr

# The error handler registered by encoding.py.
AS_WINDOWS = "cp1252"

# Exceptions while reading a file that are due to the file or its location.
UNREADABLE = (OSError, EOFError, zlib.error)

# The longest real line is one record with thousands of authors, well under a megabyte.
LONGEST_LINE = 32 << 20
_BUFFER = 1 << 20


def open_bytes(path: Path) -> io.BufferedReader:
    """The bytes of a file, decompressed if its first bytes (not its name) show that it is gzipped.

    `read1` returns what precedes the end of a truncated gzip file; `read` may not.
    """
    stream = path.open("rb")
    if stream.peek(2)[:2] != b"\x1f\x8b":
        return stream
    return io.BufferedReader(_GzipStream(stream), _BUFFER)


class _GzipStream(io.RawIOBase):
    """The content of a gzipped file; each read returns as much as there is without an error.

    GzipFile itself reads until it has all requested bytes, and loses those read so far if the file
    ends early.
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
    """Lines with their numbers, from 1. Only the start of an endless line is returned, once."""
    number = 0
    cut = False
    while line := stream.readline(LONGEST_LINE):
        if not cut:
            number += 1
            yield number, line
        cut = not line.endswith(b"\n")


def decoded(line: bytes) -> str:
    """UTF-8, or Windows-1252 where it is invalid; no byte causes an error."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(errors=AS_WINDOWS)
    return text.removeprefix("\ufeff")


def why_unreadable(error: Exception) -> str:
    """A sentence about an error of the kinds in UNREADABLE."""
    if isinstance(error, FileNotFoundError):
        return tr("The file does not exist.")
    if isinstance(error, IsADirectoryError):
        return tr("This is a folder, not a file.")
    if isinstance(error, PermissionError):
        return tr(
            "SciRead does not have permission to read this file. Change the file's permissions."
        )
    if isinstance(error, EOFError):
        return tr("The compressed file is incomplete. Download or copy it again.")
    if isinstance(error, zlib.error | gzip.BadGzipFile):
        return tr("The compressed file is damaged. Download or copy it again.")
    return tr("Could not read the file: {why}.", why=error)
