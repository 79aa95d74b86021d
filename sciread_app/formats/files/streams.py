"""Text of files, and errors of reading them."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from sciread_app.formats.files import encoding as _registers_as_windows  # noqa: F401
from sciread_app.language import tr
from trainer.contract.files import decompressed

# The error handler registered by encoding.py.
AS_WINDOWS = "cp1252"


def open_bytes(path: Path) -> io.BufferedReader:
    """The bytes of a file, decompressed if its first bytes (not its name) show that it is gzipped.

    `read1` returns what precedes the end of a truncated gzip file; `read` may not.
    """
    return decompressed(path.open("rb"))


def decoded(line: bytes) -> str:
    """UTF-8, or Windows-1252 where it is invalid; no byte causes an error."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode(errors=AS_WINDOWS)
    return text.removeprefix("\ufeff")


def unreadable_reason(error: Exception) -> str:
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
