"""Popup windows with rounded corners.

The corners are cut off by a mask: without a compositor, a transparent window has black ones.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainterPath, QRegion, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QWidget

RADIUS = 10  # pixels, as in window.qss
_COMMAND = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier

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
    """`popup`, such as a menu, with corners that stay rounded when it is resized. Keys without Ctrl
    or Alt are its own while it is open."""
    popup.installEventFilter(_PopupFilter(popup))
    return popup


def context_menu(parent: QWidget) -> QMenu:
    """A menu with rounded corners that is deleted when it closes."""
    menu = rounded(QMenu(parent))
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


class _PopupFilter(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            _cut_corners(watched)
        # Else a letter would trigger the list's shortcut instead of the menu's mnemonic, and Delete
        # would move papers to the Trash behind the menu.
        if _is_plain_key(event):
            event.accept()
            return True
        return False


def _is_plain_key(event: QEvent) -> bool:
    """Whether a key that may be a shortcut is pressed, without Ctrl or Alt."""
    if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
        return not event.modifiers() & _COMMAND
    return False


def _cut_corners(popup: QWidget) -> None:
    path = QPainterPath()
    path.addRoundedRect(QRectF(popup.rect()), RADIUS, RADIUS)
    popup.setMask(QRegion(path.toFillPolygon().toPolygon()))
