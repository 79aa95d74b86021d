"""How windows come to be on the screen, with all that is of them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize
from PySide6.QtWidgets import QStyle, QWidget

GAP = 4  # pixels to what it opens from


def keep_on_screen(window: QWidget) -> None:
    """Before it is shown. At 200 %, many a screen has but 960 x 540 pixels to give."""
    screen = window.screen().availableGeometry()
    bar = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    window.resize(window.size().boundedTo(screen.size() - QSize(0, bar)))
    if not screen.contains(window.geometry()):
        window.move(screen.topLeft())


def put_below(popup: QWidget, widget: QWidget) -> None:
    """As large as it wants to be, below `widget`; above it where there is no room for that."""
    popup.adjustSize()
    screen = widget.screen().availableGeometry()
    below = widget.mapToGlobal(QPoint(0, widget.height() + GAP))
    above = widget.mapToGlobal(QPoint(0, -GAP)).y() - popup.height()
    top = below.y()
    if top + popup.height() > screen.bottom():
        top = above if above >= screen.top() else screen.bottom() + 1 - popup.height()
    left = min(below.x(), screen.right() + 1 - popup.width())
    popup.move(max(left, screen.left()), max(top, screen.top()))
