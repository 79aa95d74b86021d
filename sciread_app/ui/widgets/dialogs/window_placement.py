"""Placing windows and popups so that they are fully on the screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QStyle, QWidget

GAP = 4  # pixels between a popup and its widget
STEP = 24  # pixels between two heights that are tried
ACROSS = 9  # places that are tried from right to left


def keep_on_screen(window: QWidget) -> None:
    """Fit a window into the screen before it is shown. At 200 %, many screens have only 960 x 540
    pixels."""
    screen = window.screen().availableGeometry()
    bar = window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
    window.resize(window.size().boundedTo(screen.size() - QSize(0, bar)))
    if not screen.contains(window.geometry()):
        window.move(screen.topLeft())


def move_below(popup: QWidget, widget: QWidget) -> None:
    """Show a popup at its preferred size below `widget`; above it where there is no room below."""
    popup.adjustSize()
    screen = widget.screen().availableGeometry()
    below = widget.mapToGlobal(QPoint(0, widget.height() + GAP))
    above = widget.mapToGlobal(QPoint(0, -GAP)).y() - popup.height()
    top = below.y()
    if top + popup.height() > screen.bottom():
        top = above if above >= screen.top() else screen.bottom() + 1 - popup.height()
    left = min(below.x(), screen.right() + 1 - popup.width())
    popup.move(max(left, screen.left()), max(top, screen.top()))


def clear_place(size: QSize, area: QRect, *keep_clear: Sequence[QRect]) -> QRect:
    """The place for a rectangle of this size in `area` that overlaps as few as possible of the
    first rectangles, then of the second and so on: as low as possible, preferably at the right."""
    tops = range(area.bottom() + 1 - size.height(), area.top() - 1, -STEP) or (area.top(),)
    room = max(0, area.width() - size.width())
    lefts = [area.left() + room * n // (ACROSS - 1) for n in reversed(range(ACROSS))]
    best = QRect(QPoint(lefts[0], tops[0]), size)
    least: list[float] = [math.inf]
    for top, left in product(tops, lefts):
        place = QRect(QPoint(left, top), size)
        cost: list[float] = [overlaps(place, others) for others in keep_clear]
        if cost < least:
            best, least = place, cost
        if not any(cost):
            break
    return best


def overlaps(place: QRect, others: Sequence[QRect]) -> int:
    """Return the number of rectangles that `place` overlaps."""
    return sum(place.intersects(other) for other in others)
