"""Progress of making a corpus."""

from __future__ import annotations


class PrepareProgress:
    """Receiver of progress; this base class ignores it."""

    def note(self, text: str) -> None:
        """A step begins."""

    def progress(self, file: str, entries: int, share: float) -> None:
        """The number of entries read from a file, and the fraction of the file, from 0 to 1."""

    def problem(self, file: str, entry: str, why: str) -> None:
        """An entry or option is invalid; the rest is processed all the same."""
