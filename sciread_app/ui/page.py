"""What a page of the window is to the window."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from sciread_app.domain.paper import Changes


class Page(QWidget):
    """What the window asks of a page; a page does what it needs of it."""

    def refresh(self) -> None:
        """It is about to be looked at: show what is so now."""

    def take_focus(self) -> None:
        self.setFocus()

    def library_changed(self, changes: Changes) -> None:
        """Something has changed, whether or not the page is looked at."""
