"""A frame over the pages, beside its text or highlight."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.focus import holds_focus

GAP = 8  # pixels between the frame and its text or highlight, and the edges of the area


class Overlay(QFrame):
    """Escape in it emits `escaped`. When it is hidden, the pages take the focus from it."""

    escaped = Signal()

    def __init__(self, parent: QWidget, pages: QWidget) -> None:
        super().__init__(parent)
        self._pages = pages
        styled(self, "overlay")
        # Else a click between its buttons would select text below it.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.hide()

    def show_beside(self, target: QRect, area: QRect) -> None:
        """Show the frame above or below `target`, within `area`; both in the parent's pixels.

        If `target` leaves no room, the frame is at the lower edge of the area.
        """
        self.adjustSize()
        frame = QRect(QPoint(), self.size())
        frame.moveLeft(target.center().x() - frame.width() // 2)
        room = area.adjusted(GAP, GAP, -GAP, -GAP)
        frame.moveLeft(max(min(frame.left(), room.right() - frame.width()), room.left()))
        for top in (target.top() - GAP - frame.height(), target.bottom() + GAP):
            if room.top() <= top <= room.bottom() - frame.height():
                frame.moveTop(top)
                break
        else:
            frame.moveBottom(room.bottom())
        self.setGeometry(frame)
        self.show()
        self.raise_()

    def hideEvent(self, event: QHideEvent) -> None:
        # Else Qt would move the focus to the next widget, such as a text field beside the pages.
        if self._pages.isVisible() and holds_focus(self):
            self._pages.setFocus(Qt.FocusReason.OtherFocusReason)
        super().hideEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)
