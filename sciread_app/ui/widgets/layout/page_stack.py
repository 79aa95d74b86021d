"""A stack of pages that take the height there is."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget


class PageStack(QStackedWidget):
    """Qt would make it as high as the highest page wishes to be at its width, even a hidden one,
    if any text wraps; what is around it would scroll, although the pages can be lower."""

    def hasHeightForWidth(self) -> bool:
        return False
