"""Progress bars."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar

HEIGHT = 6  # pixels


class ProgressBar(QProgressBar):
    """A thin progress bar without text."""

    def __init__(self, name: str = "") -> None:
        """`name` is for screen readers."""
        super().__init__(textVisible=False)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(name)

    def show_progress(self, done: int, total: int) -> None:
        """Show `done` of `total` steps; with a total of 0, which is unknown, show only activity."""
        # Qt counts to 2**31; a promille is as much as the bar can show.
        self.setRange(0, 1000 if total else 0)
        self.setValue(min(1000, done * 1000 // total) if total else 0)
