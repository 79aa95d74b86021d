"""Paints a highlight in the list of the side panel."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sciread_app.domain.annotations.annotations import Highlight
from sciread_app.language import tr
from sciread_app.ui.reader.view_models import COLOURS
from sciread_app.ui.style.theme import Appearance, scaled
from sciread_app.ui.widgets.row_table import Index

HIGHLIGHT = Qt.ItemDataRole.UserRole
PAD, BAR, GAP = 8, 4, 10  # pixels: margin, width of the coloured bar, space after it
PASSAGE, NOTE = 260, 400  # maximum numbers of characters

_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft)


class HighlightDelegate(QStyledItemDelegate):
    """Paints a bar in the highlight's colour, the page, the passage and the note."""

    def __init__(self, parent: QAbstractScrollArea, appearance: Appearance) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._list = parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = self._list.viewport().width() - 4
        parts = self._parts(index, option.font, width - BAR - GAP - 2 * PAD)
        return QSize(width, sum(rect.height() for _, _, rect in parts) + 2 * PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._appearance.theme
        whole: QRect = option.rect.adjusted(2, 1, -2, -1)
        highlight = index.data(HIGHLIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QStyle.StateFlag.State_Selected and highlight:
            painter.setBrush(QColor(theme.chosen))
            painter.drawRoundedRect(whole, 7, 7)
        inner = whole.adjusted(PAD, PAD - 1, -PAD, -PAD)
        if highlight:
            painter.setBrush(QColor(COLOURS[highlight.colour]))
            painter.drawRoundedRect(inner.adjusted(0, 2, BAR - inner.width(), 0), 2, 2)
            inner.setLeft(inner.left() + BAR + GAP)
        for number, (text, font, rect) in enumerate(self._parts(index, option.font, inner.width())):
            painter.setFont(font)
            is_lesser = number == 0 or number == 2
            painter.setPen(QColor(theme.quiet if is_lesser else theme.text))
            painter.drawText(rect.translated(inner.topLeft()), _WRAP, text)
        painter.restore()

    def _parts(self, index: Index, font: QFont, width: int) -> list[tuple[str, QFont, QRect]]:
        """The texts and their rectangles in a column of this width."""
        highlight = index.data(HIGHLIGHT)
        parts, top = [], 0
        for text, own in _texts(highlight, index, font):
            room = QRect(0, 0, max(width, 40), 10_000)
            height = QFontMetrics(own).boundingRect(room, _WRAP, text).height()
            parts.append((text, own, QRect(0, top, max(width, 40), height)))
            top += height + 2
        return parts


def _texts(highlight: Highlight | None, index: Index, font: QFont) -> list[tuple[str, QFont]]:
    if highlight is None:
        return [(str(index.data()), scaled(font, 0.92, QFont.Weight.DemiBold))]
    slanted = scaled(font, 0.95)
    slanted.setItalic(True)
    texts = [
        (tr("Page {page}", page=highlight.page + 1), scaled(font, 0.86)),
        (shortened(highlight.text, PASSAGE), font),
        (shortened(highlight.note, NOTE), slanted),
    ]
    return [(text, own) for text, own in texts if text]


def shortened(text: str, longest: int) -> str:
    words = " ".join(text[: 4 * longest].split())  # a highlight may hold whole pages
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"
