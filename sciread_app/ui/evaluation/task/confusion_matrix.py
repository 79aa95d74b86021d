"""A confusion matrix, normalized by row: the share of predictions per true class."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from sciread_app.language import tr
from sciread_app.services.evaluation.per_class_metrics import mistakes
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from trainer.contract.plots import Confusion

WRITTEN = 18.0  # size of a cell in pixels from which its number is written in it
NAMES = 0.34  # maximum share of the width for names of rows
_FILLED = 0.55  # share from which text has the background's color


class ConfusionMatrix(QWidget):
    """A confusion matrix. The arrow keys move between cells, which are announced."""

    def __init__(self, name: str, appearance: Appearance) -> None:
        super().__init__()
        self._name = name
        self._appearance = appearance
        self._confusion: Confusion | None = None
        self._number = 0
        self.row: int | None = None  # the highlighted row
        self.cell = (0, 0)
        self._small = scaled(self.font(), 0.82)
        self._tiny = scaled(self.font(), 0.74)
        self._letters = QFontMetricsF(self._small)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        appearance.changed.connect(self.update)

    def show_confusion(self, confusion: Confusion | None, number: int) -> None:
        """Show a confusion matrix; `number` gives the color of the model."""
        self._confusion, self._number = confusion, number
        self.row, self.cell = None, (0, 0)
        worst = mistakes(confusion) if confusion else []
        self.setAccessibleDescription("; ".join(mistake_words(m.truth, m.predicted, m.papers)
                                                for m in worst))  # fmt: skip
        self.updateGeometry()
        self.update()

    def show_row(self, label: str) -> None:
        labels = list(self._confusion.labels) if self._confusion else []
        self.row = labels.index(label) if label in labels else None
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        size = len(self._confusion.labels) if self._confusion else 1
        grid = width - self._left(width)
        return round(min(grid, 36.0 * size) + self._letters.height() * 2 + 6)

    def sizeHint(self) -> QSize:
        return QSize(420, self.heightForWidth(420))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small)
        if self._confusion:
            self._paint(painter, theme, self._confusion)
        painter.end()

    def _left(self, width: float) -> float:
        labels = self._confusion.labels if self._confusion else ()
        widest = max((self._letters.horizontalAdvance(label) for label in labels), default=0.0)
        return min(widest + 12, width * NAMES)

    def _grid(self) -> tuple[QRectF, float]:
        """The rectangle of the cells, and the size of one."""
        size = len(self._confusion.labels) if self._confusion else 1
        left, head = self._left(self.width()), self._letters.height() + 4
        side = max(2.0, min((self.width() - left) / size, (self.height() - 2 * head) / size))
        return QRectF(left, head, side * size, side * size), side

    def _paint(self, painter: QPainter, theme: Theme, confusion: Confusion) -> None:
        grid, side = self._grid()
        painter.setPen(QColor(theme.faint))
        above = QRectF(grid.left(), 0, grid.width(), self._letters.height())
        painter.drawText(above, Qt.AlignmentFlag.AlignLeft, tr("Predicted →"))
        for actual, row in enumerate(confusion.counts):
            top, whole = grid.top() + actual * side, sum(row) or 1
            painter.setFont(self._small)
            painter.setPen(QColor(theme.text if actual == self.row else theme.quiet))
            box = QRectF(0, top, grid.left() - 8, side)
            label = self._letters.elidedText(
                confusion.labels[actual], Qt.TextElideMode.ElideRight, box.width()
            )
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label
            )
            for predicted, count in enumerate(row):
                cell = QRectF(grid.left() + predicted * side, top, side, side)
                self._paint_cell(painter, theme, cell, count / whole, actual == predicted)
        self._paint_marks(painter, theme, grid, side)

    def _paint_cell(
        self, painter: QPainter, theme: Theme, cell: QRectF, share: float, right: bool
    ) -> None:
        colour = hue(self._number, theme) if right else QColor(theme.danger)
        fill = QColor(colour)
        fill.setAlphaF(min(1.0, share**0.6))
        inner = cell.adjusted(0.75, 0.75, -0.75, -0.75)
        painter.fillRect(inner, QColor(theme.window if share < 0.005 else theme.surface))
        painter.fillRect(inner, fill)
        if cell.width() >= WRITTEN and share >= 0.005:
            painter.setFont(self._tiny)
            painter.setPen(QColor(theme.surface if share > _FILLED else theme.text))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, f"{100 * share:.0f}")

    def _paint_marks(self, painter: QPainter, theme: Theme, grid: QRectF, side: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.row is not None:
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.drawRect(QRectF(grid.left(), grid.top() + self.row * side, grid.width(), side))
        if self.hasFocus():
            actual, predicted = self.cell
            painter.setPen(QPen(QColor(theme.accent), 2))
            at = QPointF(grid.left() + predicted * side, grid.top() + actual * side)
            painter.drawRect(QRectF(at.x(), at.y(), side, side))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        grid, side = self._grid()
        at = event.position()
        if self._confusion and grid.contains(at):
            # The right and bottom edges belong to the grid, too.
            last = len(self._confusion.labels) - 1
            actual = min(int((at.y() - grid.top()) / side), last)
            predicted = min(int((at.x() - grid.left()) / side), last)
            QToolTip.showText(
                event.globalPosition().toPoint(), self._words(actual, predicted), self
            )
        else:
            QToolTip.hideText()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
        }.get(Qt.Key(event.key()))
        if step is None or self._confusion is None:
            super().keyPressEvent(event)
            return
        last = len(self._confusion.labels) - 1
        actual, predicted = (
            min(max(at + by, 0), last) for at, by in zip(self.cell, step, strict=True)
        )
        self.cell = actual, predicted
        self.setAccessibleDescription(self._words(actual, predicted))
        self.update()

    def focusInEvent(self, event: QEvent) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        self.update()

    def _words(self, actual: int, predicted: int) -> str:
        assert self._confusion
        labels, row = self._confusion.labels, self._confusion.counts[actual]
        count, whole = row[predicted], sum(row)
        share = f"{100 * count / whole:.0f}%" if whole else "–"
        if actual == predicted:
            return tr("{label}: {count:,} of {n:,} correct ({share})", label=labels[actual],
                      count=count, n=whole, share=share)  # fmt: skip
        return f"{mistake_words(labels[actual], labels[predicted], count)} ({share})"


def mistake_words(truth: str, predicted: str, count: int) -> str:
    return tr(
        "{truth} predicted as {predicted}: {count:,}", truth=truth, predicted=predicted, count=count
    )
