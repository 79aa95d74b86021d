"""Errors that the user can do something about."""

from __future__ import annotations

import errno

from sciread_app.language import tr


class SciReadError(Exception):
    """One sentence for a person, and a hint that says what to do next.

    Anything raised that is not one of these is a fault of ours, and is logged with its traceback.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        # Both go to Exception, so that the error survives pickling on its way between processes.
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
    """A citation style is not there, or its file cannot be used."""


class UnknownStyle(StyleRefused):
    """There is no citation style of this name."""


class IndexUnusable(SciReadError):
    """The nearest-neighbour index is missing or does not fit the library; it can be rebuilt."""


class EncoderFailed(SciReadError):
    """The model's process did not start, died, or answered with an error."""


class TrainerFailed(SciReadError):
    """The trainer, at work as a process, could not do what it was asked to."""


class WorkLost(SciReadError):
    """A process of ours died at its work."""


class SourceError(SciReadError):
    """A place that papers are fetched from did not answer as it should."""


class Busy(SourceError):
    """A source asks for fewer requests, or is not there just now; another way may be open."""


class BadQuery(SciReadError):
    """The search box holds something that cannot be understood; the message says which part."""


class Cancelled(SciReadError):
    """The person who asked for this work asked for it to stop."""

    def __init__(self, message: str = "", hint: str = "") -> None:
        super().__init__(message or tr("Stopped before it was done."), hint)


def of_disk(error: OSError) -> SciReadError | None:
    """A full, read-only or failing disk, or a file that is not the user's, as an error that says
    what to do; None for any other."""
    hints = {
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG): tr("Make room on the disk and try again."),
        (errno.EROFS, errno.EACCES, errno.EPERM): tr(
            "Check the permissions, or use a folder that can be written to."
        ),
        (errno.EIO,): tr("Check the disk."),
    }
    hint = next((hint for numbers, hint in hints.items() if error.errno in numbers), None)
    if hint is None:
        return None
    if error.filename is None:
        return SciReadError(tr("A file cannot be written: {why}.", why=error.strerror), hint)
    said = tr("{file} cannot be read or written: {why}.", file=error.filename, why=error.strerror)
    return SciReadError(said, hint)
