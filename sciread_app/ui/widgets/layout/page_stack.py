"""A stack of pages that take the height there is."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget


class PageStack(QStackedWidget):
    """A stack as high as its current page.

    QStackedWidget takes the height of the highest page, hidden ones included, so that what is
    around it would scroll without need.
    """

    def hasHeightForWidth(self) -> bool:
        return False
