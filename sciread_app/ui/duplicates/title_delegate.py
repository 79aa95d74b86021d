"""Items of the lists of duplicates: a title, and below, why it is listed."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sciread_app.ui.style.theme import Appearance, scaled
from sciread_app.ui.widgets.row_table import Index

_EDGE, _AIR, _ROUND = 12, 9, 8


class TitleDelegate(QStyledItemDelegate):
    """Paints the text of an item, and below, smaller, its tooltip."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._title = scaled(parent.font(), 1.0, QFont.Weight.Medium)
        self._small = scaled(parent.font(), 0.86)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        lines = QFontMetrics(self._title).height() + QFontMetrics(self._small).height()
        return QSize(120, lines + 2 * _AIR + 3)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, chosen = self._appearance.theme, QStyle.StateFlag.State_Selected in option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            focused = QStyle.StateFlag.State_HasFocus in option.state
            painter.setPen(QColor(theme.accent) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selected))
            box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5)
            painter.drawRoundedRect(box, _ROUND, _ROUND)
        room = option.rect.adjusted(_EDGE, _AIR, -_EDGE, -_AIR)
        title = str(index.data())
        reason = str(index.data(Qt.ItemDataRole.ToolTipRole))
        _line(painter, self._title, theme.text, room, title)
        below = room.adjusted(0, QFontMetrics(self._title).height() + 3, 0, 0)
        _line(painter, self._small, theme.quiet, below, reason)
        painter.restore()


def _line(painter: QPainter, font: QFont, colour: str, room: QRect, text: str) -> None:
    painter.setFont(font)
    painter.setPen(QColor(colour))
    short = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, int(Qt.AlignmentFlag.AlignTop), short)
