"""Items of the lists of duplicates: a title, and below, why it is listed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sciread_app.ui.style.theme import Appearance, scaled
from sciread_app.ui.widgets.painting import paint_row, paint_text
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
        theme, top = self._appearance.theme, Qt.AlignmentFlag.AlignTop
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if QStyle.StateFlag.State_Selected in option.state:
            paint_row(painter, option, theme, _ROUND, 1.5)
        room = option.rect.adjusted(_EDGE, _AIR, -_EDGE, -_AIR)
        reason = str(index.data(Qt.ItemDataRole.ToolTipRole))
        paint_text(painter, room, str(index.data()), self._title, theme.text, top)
        below = room.adjusted(0, QFontMetrics(self._title).height() + 3, 0, 0)
        paint_text(painter, below, reason, self._small, theme.quiet, top)
        painter.restore()
