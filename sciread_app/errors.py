"""Errors that the user can do something about."""

from __future__ import annotations

import errno
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from sciread_app.language import tr


class SciReadError(Exception):
    """A message for the user, and a hint that says what to do next.

    Any other exception that reaches the user is a bug, and is logged with its traceback.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        # Exception gets both, so that pickling the error between processes keeps them.
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class LibraryError(SciReadError):
    """The library file cannot be opened, read or written."""


class LibraryDamaged(LibraryError):
    """The library file is damaged or empty. It can be salvaged, or a backup restored."""


class StyleRefused(SciReadError):
    """A citation style is missing, or its file cannot be used."""


class UnknownStyle(StyleRefused):
    """There is no citation style of this name."""


class IndexUnusable(SciReadError):
    """The nearest-neighbor index is missing or does not fit the library; it can be rebuilt."""


class EncoderFailed(SciReadError):
    """The model's process did not start, ended unexpectedly, or returned an error."""


class TrainerFailed(SciReadError):
    """The trainer's process failed."""


class WorkLost(SciReadError):
    """A worker process ended unexpectedly."""


class SourceError(SciReadError):
    """An online source failed or sent an invalid response."""


class Busy(SourceError):
    """A source limits requests or is not available; another service may have the papers."""


class BadQuery(SciReadError):
    """A query or argument is invalid; the message names the invalid part."""


class Cancelled(SciReadError):
    """The user stopped the task."""

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__(message or tr("Stopped before it was finished."), hint)


_FULL = (errno.ENOSPC, errno.EDQUOT)
_FREE = 1 << 20  # bytes: a disk with less is full


def of_disk(error: OSError) -> SciReadError | None:
    """Return the error for the user about a full, read-only or failing disk, or a file without
    access; None for any other error. A full disk is named by the file, else by a folder on it."""
    if error.errno in _FULL:
        if place := error.filename or _full_folder():
            message = tr("Could not write to {file}: the disk is full.", file=place)
        else:
            message = tr("Could not write a file: the disk is full.")
        return SciReadError(message, tr("Free up disk space and try again."))
    hints = {
        (errno.EFBIG,): tr("Free up disk space and try again."),
        (errno.EROFS, errno.EACCES, errno.EPERM): tr(
            "Check the permissions, or use a writable folder."
        ),
        (errno.EIO,): tr("Check the disk for errors."),
    }
    hint = next((hint for numbers, hint in hints.items() if error.errno in numbers), None)
    if hint is None:
        return None
    if error.filename is None:
        return SciReadError(tr("Could not write a file: {why}.", why=error.strerror), hint)
    message = tr("Could not read or write {file}: {why}.", file=error.filename, why=error.strerror)
    return SciReadError(message, hint)


def _full_folder() -> str:
    """The folder for temporary files or the user's own, if its disk is full; else empty. A write to
    an open file does not say which file it was."""
    for folder in (tempfile.gettempdir(), str(Path.home())):
        with suppress(OSError):
            if shutil.disk_usage(folder).free < _FREE:
                return folder
    return ""
