"""Heading rows of a table that span all columns."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QTableView

from sciread_app.ui.style.theme import Theme, scaled

HIGH, LOW = 46, 34  # heights in pixels of a row with numbers and of a heading


class TableHeading(NamedTuple):
    """A heading. `quiet`: an explanation; `over`: it stands above other headings."""

    text: str
    quiet: bool = False
    over: bool = False


def as_list(table: QTableView) -> None:
    """Configure a table as a list: single row selection, no grid."""
    table.setShowGrid(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()


def fill(table: QTableView, column: int, least: int) -> None:
    """Stretch a column over the remaining width; if that is too narrow for its text, the table
    scrolls.
    """
    header = table.horizontalHeader()
    others = sum(header.sectionSize(n) for n in range(header.count()) if n != column)
    header.resizeSection(column, max(least, table.viewport().width() - others))


def measure(table: QTableView, lines: object) -> None:
    """Let headings span all columns, and set the row heights."""
    table.clearSpans()
    columns = table.model().columnCount()
    assert isinstance(lines, list | tuple)
    for number, line in enumerate(lines):
        heading = isinstance(line, TableHeading)
        table.setRowHeight(number, LOW if heading else HIGH)
        if heading and columns > 1:
            table.setSpan(number, 0, 1, columns)


def paint_heading(
    painter: QPainter, theme: Theme, box: QRectF, line: TableHeading, font: QFont
) -> None:
    if line.over:
        painter.fillRect(box, QColor(theme.window))
    elif not line.quiet:
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(box.topLeft(), box.topRight())
    bold = scaled(font, 1.08 if line.over else 1, QFont.Weight.DemiBold)
    painter.setFont(scaled(font, 0.86) if line.quiet else bold)
    painter.setPen(QColor(theme.faint if line.quiet else theme.text))
    inner = box.adjusted(10, 0 if line.over else 4, -8, 0)
    letters = QFontMetricsF(painter.font())
    text = letters.elidedText(line.text, Qt.TextElideMode.ElideRight, inner.width())
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, text)
