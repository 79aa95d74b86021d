"""Painting that delegates and charts share: boxes, bars, rows of lists, and texts of one line."""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.row_table import LEFT


def paint_box(
    painter: QPainter, box: QRect | QRectF, radius: float, fill: str | QColor, edge: str = ""
) -> None:
    """Paint a box with rounded corners, without an edge unless it has a color."""
    painter.setPen(QColor(edge) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(box, radius, radius)


def paint_bar(painter: QPainter, bar: QRectF, share: float, theme: Theme) -> None:
    """Paint a horizontal bar that is filled up to `share`, 0 to 1, of its width."""
    radius = bar.height() / 2
    paint_box(painter, bar, radius, theme.track)
    full = QRectF(bar)
    full.setWidth(max(bar.height(), bar.width() * share))
    paint_box(painter, full, radius, theme.accent)


def paint_row(
    painter: QPainter, option: QStyleOptionViewItem, theme: Theme, radius: float, inset: float
) -> None:
    """Paint the background of a row that is selected or under the mouse, `inset` pixels within
    it."""
    chosen = bool(option.state & QStyle.StateFlag.State_Selected)
    if chosen or option.state & QStyle.StateFlag.State_MouseOver:
        focused = chosen and bool(option.state & QStyle.StateFlag.State_HasFocus)
        box = QRectF(option.rect).adjusted(inset, inset, -inset, -inset)
        fill = theme.selected if chosen else theme.track
        paint_box(painter, box, radius, fill, theme.accent if focused else "")


def paint_text(
    painter: QPainter,
    place: QRect | QRectF,
    text: str,
    font: QFont,
    colour: str,
    side: Qt.AlignmentFlag = LEFT,
    cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Paint a text in a line, elided where the place is too narrow."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    shown = QFontMetrics(font).elidedText(text, cut, math.ceil(place.width()))
    painter.drawText(place, int(side), shown)
