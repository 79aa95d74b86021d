"""A delegate that paints the cells of the table of papers."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from sciread_app.language import tr
from sciread_app.ui.paper_list.card_delegate import Cards, for_script, paint_marked_line
from sciread_app.ui.paper_list.table_columns import COLUMNS
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.painting import paint_box
from sciread_app.ui.widgets.row_table import LEFT, Index

PADDING = 8  # pixels left and right of a text, as in the header
ABOVE = 4  # and above and below it
DOT = 10  # pixels left of the title, for the dot of an unread paper


class TableDelegate(QStyledItemDelegate):
    """Rows of one line. Titles of unread papers are bold and have a dot; in titles, the words of
    the query are highlighted."""

    def __init__(self, cards: Cards, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._cards = cards
        self._appearance = appearance
        self._base = parent.font()
        self.resize_text(1)

    def resize_text(self, factor: float) -> None:
        """Scale the text by `factor`, relative to the font of the list."""
        self._plain = scaled(self._base, factor)
        self._bold = scaled(self._base, factor, QFont.Weight.DemiBold)

    def height(self) -> int:
        """The height of a row."""
        return QFontMetrics(self._bold).height() + 2 * ABOVE

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, column, cell = self._appearance.theme, COLUMNS[index.column()], option.rect
        card = self._cards.card(index.row())
        painter.save()
        self._paint_background(painter, option, theme)
        inside = cell.adjusted(PADDING, 0, -PADDING, 0)
        is_title = index.column() == 0
        if card is None:
            if is_title:
                self._paint_placeholder(painter, inside, theme)
        else:
            if is_title:
                if not card.read:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(QColor(theme.accent))
                    middle = cell.center().y()
                    painter.drawEllipse(QRectF(inside.left(), middle - 2.5, 6, 6))
                inside.setLeft(inside.left() + DOT)
            text = column.text(card) or (tr("Untitled") if is_title else "")
            retracted = is_title and bool(card.retracted)
            if retracted:
                text = f"{card.retracted}: {text}"
            bold = is_title and not card.read
            painter.setFont(for_script(self._bold, text) if bold else self._plain)
            painter.setPen(
                QColor(theme.danger if retracted else theme.text if is_title else theme.quiet)
            )
            shown = painter.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, inside.width()
            )
            if is_title:
                words = self._cards.listing.words
                paint_marked_line(painter, inside, shown, words, theme)
            else:
                painter.drawText(inside, LEFT, shown)
        painter.restore()

    def _paint_background(
        self, painter: QPainter, option: QStyleOptionViewItem, theme: Theme
    ) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            # The first call of fillRect takes 13 ms: PySide creates the enumeration of gradients.
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.selected))
            painter.drawRect(option.rect)
        painter.setPen(QColor(theme.border))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())

    def _paint_placeholder(self, painter: QPainter, box: QRect, theme: Theme) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        bar = QRectF(box).adjusted(DOT, box.height() * 0.3, -box.width() * 0.4, 0)
        bar.setHeight(box.height() * 0.4)
        paint_box(painter, bar, 4, theme.track)
