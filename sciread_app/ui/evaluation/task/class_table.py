"""A table of two models' scores by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from sciread_app.language import tr
from sciread_app.services.evaluation.per_class_metrics import ClassScore
from sciread_app.ui.evaluation.scores.table_headings import as_list, fill
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, tabular

Index = QModelIndex | QPersistentModelIndex

LABEL, N, FOUND_A, FOUND_B, RIGHT_A, RIGHT_B = range(6)
HIGH, LEAST = 40, 130  # pixels: height of a row, minimum width of class names
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TIPS = {
    FOUND_A: tr("The share of the papers of a class that A told so, with 95 % (Wilson)"),
    FOUND_B: tr("The share of the papers of a class that B told so, with 95 % (Wilson)"),
    RIGHT_A: tr("The share of the papers that A told so that are of the class"),
    RIGHT_B: tr("The share of the papers that B told so that are of the class"),
}


class ClassLine(NamedTuple):
    """A class with the scores of both models; None where a model was not evaluated."""

    label: str
    sides: tuple[ClassScore | None, ClassScore | None]

    @property
    def n(self) -> int:
        return next((side.n for side in self.sides if side), 0)


class ClassModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[ClassLine] = ()

    def show(self, lines: Sequence[ClassLine]) -> None:
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(range(6))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self.lines[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(line, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            side = side_of(line, column)
            text = _text(line, column)
            if side and column in (FOUND_A, FOUND_B):
                low, high = f"{100 * side.low:.0f}", f"{100 * side.high:.0f} %"
                return tr("{text}, {low} to {high}", text=text, low=low, high=high)
            return text
        if role == Qt.ItemDataRole.ToolTipRole and column == LABEL:
            return line.label
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS.get(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_LEFT if section == LABEL else _RIGHT)
        # Translators: the share of a class that is found, and of what is told that is right
        names = (tr("Class"), "n", tr("A finds"), tr("B finds"), tr("A is right"),
                 tr("B is right"))  # fmt: skip
        return names[section] if role == Qt.ItemDataRole.DisplayRole else None


class ClassTable(QTableView):
    chosen = Signal(str)  # a label

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.rows = ClassModel()
        self.setModel(self.rows)
        self.painter_ = ClassDelegate(self, self.rows, appearance)
        self.setItemDelegate(self.painter_)
        self.setAccessibleName(tr("Classes"))
        as_list(self)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        for column, width in ((N, 54), (FOUND_A, 92), (FOUND_B, 92), (RIGHT_A, 84), (RIGHT_B, 84)):
            self.setColumnWidth(column, width)
        self.verticalHeader().setDefaultSectionSize(HIGH)
        appearance.changed.connect(self._repaint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fill(self, LABEL, LEAST)

    def _repaint(self, theme: Theme) -> None:
        self.viewport().update()

    def show_classes(self, lines: Sequence[ClassLine], numbers: tuple[int, int]) -> None:
        self.painter_.numbers = numbers
        self.rows.show(lines)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if (at := self.currentIndex()).isValid():
            self.chosen.emit(self.rows.lines[at.row()].label)


class ClassDelegate(QStyledItemDelegate):
    def __init__(self, table: QTableView, rows: ClassModel, appearance: Appearance) -> None:
        super().__init__(table)
        self._rows = rows
        self._appearance = appearance
        self.numbers = (0, 1)
        self._figures = tabular(table.font())
        self._small = scaled(self._figures, 0.86)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, line = self._appearance.theme, self._rows.lines[index.row()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box, column = QRectF(option.rect), index.column()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.chosen))
        text = _text(line, column)
        painter.setPen(QColor(theme.text if column in (LABEL, FOUND_A, FOUND_B) else theme.quiet))
        if column != LABEL:
            painter.setFont(self._small if column == N else self._figures)
        if column == LABEL:
            inner = box.adjusted(10, 0, -6, 0)
            cut = QFontMetricsF(painter.font()).elidedText(
                text, Qt.TextElideMode.ElideRight, inner.width()
            )
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, cut)
        elif column in (FOUND_A, FOUND_B):
            top = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            painter.drawText(box.adjusted(0, 4, -10, 0), top, text)
            self._paint_strip(painter, theme, box, line, column)
        else:
            painter.drawText(box.adjusted(0, 0, -10, 0), _RIGHT, text)
        painter.restore()

    def _paint_strip(
        self, painter: QPainter, theme: Theme, box: QRectF, line: ClassLine, column: int
    ) -> None:
        """Paint a bar on a scale from 0 to 100, the same in all rows."""
        side = side_of(line, column)
        if side is None:
            return
        left, width, middle = box.left() + 10, box.width() - 20, box.bottom() - 8
        colour = hue(self.numbers[column - FOUND_A], theme)
        painter.setPen(QPen(QColor(theme.track), 2))
        painter.drawLine(QPointF(left, middle), QPointF(left + width, middle))
        painter.setPen(QPen(colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(
            QPointF(left + side.low * width, middle), QPointF(left + side.high * width, middle)
        )
        painter.setPen(QPen(QColor(theme.surface), 1.5))
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(left + side.found * width, middle), 3.5, 3.5)


def side_of(line: ClassLine, column: int) -> ClassScore | None:
    return line.sides[column in (FOUND_B, RIGHT_B)]


def _text(line: ClassLine, column: int) -> str:
    if column == LABEL:
        return line.label
    if column == N:
        return f"{line.n:,}"
    side = side_of(line, column)
    share = None if side is None else side.found if column in (FOUND_A, FOUND_B) else side.right
    return "–" if share is None else f"{100 * share:.1f} %"
