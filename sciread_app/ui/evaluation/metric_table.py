"""Tables of metrics: rows of numbers, and headings that span all columns."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from sciread_app.ui.style.theme import Appearance, Theme, scaled, tabular
from sciread_app.ui.widgets.row_table import Index, RowModel, select_rows

Row = TypeVar("Row")
Model = TypeVar("Model", bound=RowModel[Any])

ROW_HEIGHT, HEADING_HEIGHT = 46, 34  # pixels


class TableHeading(NamedTuple):
    """A heading. `quiet`: an explanation; `over`: it stands above other headings."""

    text: str
    quiet: bool = False
    over: bool = False


class MetricModel(RowModel[Row | TableHeading], Generic[Row]):
    """Rows that can be selected, below headings that cannot."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self.rows[index.row()], TableHeading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class MetricTable(QTableView):
    """A table that scrolls by pixels, without sorting, for rows of a MetricModel."""

    def __init__(self, name: str, model: RowModel[Any], appearance: Appearance) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(name)
        select_rows(self)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.horizontalHeader().setSectionsClickable(False)
        appearance.changed.connect(self.viewport().update)

    def stretch(self, column: int, minimum: int) -> None:
        """Stretch a column over the remaining width; if that is less than `minimum` (pixels), the
        table scrolls.
        """
        header = self.horizontalHeader()
        others = sum(header.sectionSize(n) for n in range(header.count()) if n != column)
        header.resizeSection(column, max(minimum, self.viewport().width() - others))

    def lay_out_headings(self, model: MetricModel[Any]) -> None:
        """Let headings span all columns, and set the row heights."""
        self.clearSpans()
        columns = model.columnCount()
        for number, row in enumerate(model.rows):
            heading = isinstance(row, TableHeading)
            self.setRowHeight(number, HEADING_HEIGHT if heading else ROW_HEIGHT)
            if heading and columns > 1:
                self.setSpan(number, 0, 1, columns)


class MetricDelegate(QStyledItemDelegate, Generic[Model]):
    """Paints the background of cells, and headings; subclasses implement paint_cell()."""

    def __init__(self, table: QTableView, model: Model, appearance: Appearance) -> None:
        super().__init__(table)
        self._model = model
        self._appearance = appearance
        self.numbers = (0, 1)  # numbers of the colors of two compared models
        self._font = table.font()
        self._figures = tabular(table.font())
        self._small = scaled(self._figures, 0.86)
        self._bold_figures = scaled(self._figures, 1.0, QFont.Weight.DemiBold)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row, box = self._appearance.theme, self._model.rows[index.row()], QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.selected))
        if isinstance(row, TableHeading):
            self._paint_heading(painter, theme, box, row)
        else:
            self.paint_cell(painter, theme, box, row, index.column())
        painter.restore()

    def paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, row: Any, column: int
    ) -> None:
        raise NotImplementedError

    def _paint_heading(
        self, painter: QPainter, theme: Theme, box: QRectF, heading: TableHeading
    ) -> None:
        if heading.over:
            painter.fillRect(box, QColor(theme.window))
        elif not heading.quiet:
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(box.topLeft(), box.topRight())
        bold = scaled(self._font, 1.08 if heading.over else 1, QFont.Weight.DemiBold)
        painter.setFont(scaled(self._font, 0.86) if heading.quiet else bold)
        painter.setPen(QColor(theme.faint if heading.quiet else theme.text))
        inner = box.adjusted(10, 0 if heading.over else 4, -8, 0)
        draw_elided(painter, inner, Qt.AlignmentFlag.AlignVCenter, heading.text)


def draw_elided(painter: QPainter, box: QRectF, side: Qt.AlignmentFlag, text: str) -> None:
    """Draw a text in a line, cut off at its end where the box is too narrow."""
    letters = QFontMetricsF(painter.font())
    painter.drawText(box, side, letters.elidedText(text, Qt.TextElideMode.ElideRight, box.width()))


def paint_estimate(
    painter: QPainter,
    theme: Theme,
    colour: QColor,
    point: QPointF,
    interval: tuple[float, float] | None,
    radius: float,
) -> None:
    """Paint a dot, and a line over its confidence interval; `interval` are x coordinates."""
    if interval is not None:
        painter.setPen(QPen(colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        left, right = interval
        painter.drawLine(QPointF(left, point.y()), QPointF(right, point.y()))
    painter.setPen(QPen(QColor(theme.surface), 1.5))
    painter.setBrush(colour)
    painter.drawEllipse(point, radius, radius)
