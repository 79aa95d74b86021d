"""A table of two models' scores by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QItemSelection, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent

from sciread_app.language import tr
from sciread_app.services.evaluation.per_class_metrics import ClassScore
from sciread_app.ui.evaluation.metric_table import (
    MetricDelegate,
    MetricTable,
    draw_elided,
    paint_estimate,
)
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index, RowModel

LABEL, N, FOUND_A, FOUND_B, RIGHT_A, RIGHT_B = range(6)
ROW_HEIGHT = 40  # pixels
LABEL_WIDTH = 130  # pixels, at least
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


class ClassModel(RowModel[ClassLine]):
    # Translators: "finds" is recall, "is right" precision, of a class
    headings = (tr("Class"), "n", tr("A finds"), tr("B finds"), tr("A is right"), tr("B is right"))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self.rows[index.row()], index.column()
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
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.ToolTipRole:
                return _TIPS.get(section)
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return int(LEFT if section == LABEL else RIGHT)
        return super().headerData(section, orientation, role)


class ClassTable(MetricTable):
    chosen = Signal(str)  # a label

    def __init__(self, appearance: Appearance) -> None:
        self._classes = ClassModel()
        super().__init__(tr("Classes"), self._classes, appearance)
        self._delegate = ClassDelegate(self, self._classes, appearance)
        self.setItemDelegate(self._delegate)
        for column, width in ((N, 54), (FOUND_A, 92), (FOUND_B, 92), (RIGHT_A, 84), (RIGHT_B, 84)):
            self.setColumnWidth(column, width)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.stretch(LABEL, LABEL_WIDTH)

    def show_classes(self, lines: Sequence[ClassLine], numbers: tuple[int, int]) -> None:
        self._delegate.numbers = numbers
        self._classes.show_rows(lines)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if (at := self.currentIndex()).isValid():
            self.chosen.emit(self._classes.rows[at.row()].label)


class ClassDelegate(MetricDelegate[ClassModel]):
    def paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, line: ClassLine, column: int
    ) -> None:
        text = _text(line, column)
        painter.setPen(QColor(theme.text if column in (LABEL, FOUND_A, FOUND_B) else theme.quiet))
        if column != LABEL:
            painter.setFont(self._small if column == N else self._figures)
        if column == LABEL:
            draw_elided(painter, box.adjusted(10, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, text)
        elif column in (FOUND_A, FOUND_B):
            top = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            painter.drawText(box.adjusted(0, 4, -10, 0), top, text)
            self._paint_strip(painter, theme, box, line, column)
        else:
            painter.drawText(box.adjusted(0, 0, -10, 0), RIGHT, text)

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
        interval = (left + side.low * width, left + side.high * width)
        point = QPointF(left + side.found * width, middle)
        paint_estimate(painter, theme, colour, point, interval, 3.5)


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
