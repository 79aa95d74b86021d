"""What is told while a corpus is made."""

from __future__ import annotations


class Watch:
    """Hears it; this one keeps it to itself."""

    def note(self, text: str) -> None:
        """What is done next."""

    def progress(self, file: str, entries: int, share: float) -> None:
        """How many entries of a file were read, and how much of it, from 0 to 1."""

    def problem(self, file: str, entry: str, why: str) -> None:
        """What is wrong with an entry, or with what was asked; the rest is done all the same."""
