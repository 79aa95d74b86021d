"""A popup window with rounded corners."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainterPath, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

RADIUS = 10  # pixels, as in window.qss


class RoundedPopup(QFrame):
    """It closes on Esc and on a click elsewhere, and is deleted then.

    The corners are cut off by a mask: without a compositor, a transparent window has black ones.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.NoDropShadowWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        self.setMask(QRegion(path.toFillPolygon().toPolygon()))
