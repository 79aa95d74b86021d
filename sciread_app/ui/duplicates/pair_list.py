"""The list of pairs to review."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sciread_app.domain.matching.duplicates import DuplicatePair
from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr
from sciread_app.ui.duplicates.comparison import reason_words
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.row_table import Index, RowModel

_EDGE, _AIR, _ROUND = 12, 9, 8
NO_TITLE = tr("Untitled")


class PairModel(RowModel[DuplicatePair]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        pair = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return readable(pair.title) or NO_TITLE
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return reason_words(pair)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{readable(pair.title) or NO_TITLE}. {reason_words(pair)}"
        return None


class PairList(QListView):
    """Up and Down move between pairs; Left and Right select one side for every choice."""

    chosen = Signal(object)  # DuplicatePair, or None
    side_requested = Signal(int)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        styled(self, "pairs").setAccessibleName(tr("Pairs of papers"))
        self.viewport().setAutoFillBackground(False)
        self._model = PairModel()
        self._gone: list[tuple[PaperId, PaperId]] = []
        self.setModel(self._model)
        self.setItemDelegate(_PairDelegate(appearance, self))
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumWidth(200)
        self.selectionModel().currentChanged.connect(lambda now, _: self._emit_chosen(now.row()))

    def show_pairs(self, pairs: Sequence[DuplicatePair]) -> None:
        """Show these pairs, keeping the selection, else the position. A pair that was selected
        when it disappeared, such as a merged one, is selected when it is back."""
        row, before = self.currentIndex().row(), self.current
        self._model.show_rows(pairs)
        places = {(pair.a, pair.b): n for n, pair in enumerate(pairs)}
        if before and (before.a, before.b) in places:
            row = places[before.a, before.b]
        elif before:
            self._gone.append((before.a, before.b))
        if back := next((pair for pair in reversed(self._gone) if pair in places), None):
            self._gone.remove(back)
            row = places[back]
        self.setCurrentIndex(self._model.index(max(0, min(row, len(pairs) - 1)), 0))
        if not pairs:
            self._emit_chosen(-1)

    @property
    def current(self) -> DuplicatePair | None:
        row = self.currentIndex().row()
        return self._model.rows[row] if 0 <= row < len(self._model.rows) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        sides = {Qt.Key.Key_Left: 0, Qt.Key.Key_Right: 1}
        if event.key() in sides:
            self.side_requested.emit(sides[Qt.Key(event.key())])
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Disabled, since M, K and V are shortcuts here."""

    def _emit_chosen(self, row: int) -> None:
        self.chosen.emit(self._model.rows[row] if 0 <= row < len(self._model.rows) else None)


class _PairDelegate(QStyledItemDelegate):
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
            painter.setBrush(QColor(theme.chosen))
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
