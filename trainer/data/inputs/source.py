"""An input file: decompression and progress."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path

from trainer.contract.files import BUFFER, UNREADABLE, decompressed


class Source:
    """An input file. `share` is the fraction that has been read, from 0 to 1. `part` selects a part
    of it, such as a collection of a library; empty: all. `full_text`: the full texts of papers are
    read as well."""

    def __init__(self, path: Path, part: str = "", full_text: bool = False) -> None:
        self.path = path
        self.part = part
        self.full_text = full_text
        self.bytes = path.stat().st_size
        self._raw: io.FileIO | None = None

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
        self._raw = self.path.open("rb", buffering=0)
        return decompressed(io.BufferedReader(self._raw, BUFFER))

    def pieces(self, size: int = BUFFER) -> Iterator[bytes]:
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


def unreadable_reason(error: Exception) -> str:
    """Describe an error of UNREADABLE in one sentence."""
    if isinstance(error, PermissionError):
        return "Permission denied. Change the permissions of the file."
    if isinstance(error, EOFError):
        return "The compressed file is incomplete. Copy or download it again."
    if isinstance(error, zlib.error | gzip.BadGzipFile):
        return "The compressed file is damaged. Copy or download it again."
    why = getattr(error, "strerror", None) or error
    return f"The file could not be read: {why}."
