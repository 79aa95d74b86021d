"""Lines of a table that say what those below them are."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QTableView

from sciread_app.ui.theme import Theme, scaled

HIGH, LOW = 46, 34  # pixels of a line with numbers, and of a heading


class Heading(NamedTuple):
    """`quiet`: it only explains. `over`: it stands above other headings."""

    text: str
    quiet: bool = False
    over: bool = False


def as_list(table: QTableView) -> None:
    """One line is chosen at a time, and there is no grid."""
    table.setShowGrid(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()


def fill(table: QTableView, column: int, least: int) -> None:
    """Give a column what the others leave of the room; where that is too little to read what it
    says, the table scrolls instead."""
    header = table.horizontalHeader()
    others = sum(header.sectionSize(n) for n in range(header.count()) if n != column)
    header.resizeSection(column, max(least, table.viewport().width() - others))


def measure(table: QTableView, lines: object) -> None:
    """Headings go over all columns, and are lower."""
    table.clearSpans()
    columns = table.model().columnCount()
    assert isinstance(lines, list | tuple)
    for number, line in enumerate(lines):
        heading = isinstance(line, Heading)
        table.setRowHeight(number, LOW if heading else HIGH)
        if heading and columns > 1:
            table.setSpan(number, 0, 1, columns)


def paint_heading(painter: QPainter, theme: Theme, box: QRectF, line: Heading, font: QFont) -> None:
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
