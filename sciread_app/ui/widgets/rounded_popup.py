"""Popup windows with rounded corners.

The corners are cut off by a mask: without a compositor, a transparent window has black ones.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainterPath, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

RADIUS = 10  # pixels, as in window.qss

W = TypeVar("W", bound=QWidget)


class RoundedPopup(QFrame):
    """It closes on Esc and on a click elsewhere, and is deleted then."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.NoDropShadowWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        _cut_corners(self)


def rounded(popup: W) -> W:
    """`popup`, such as a menu, with corners that stay rounded when it is resized."""
    popup.installEventFilter(_CornerFilter(popup))
    return popup


class _CornerFilter(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            _cut_corners(watched)
        return False


def _cut_corners(popup: QWidget) -> None:
    path = QPainterPath()
    path.addRoundedRect(QRectF(popup.rect()), RADIUS, RADIUS)
    popup.setMask(QRegion(path.toFillPolygon().toPolygon()))
