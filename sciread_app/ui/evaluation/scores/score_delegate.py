"""Paints the score table: numbers, intervals on a scale, model names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.charts.bar_chart import marks
from sciread_app.ui.evaluation.scores.score_model import FIRST, METRIC, Index, N, ScoreModel
from sciread_app.ui.evaluation.scores.table_headings import TableHeading, paint_heading
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, tabular
from trainer.contract.paper_numbers import PaperNumber

INDENT = 8  # pixels of indentation of a metric below its task
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ModelHeader(QHeaderView):
    """A header with model names in two lines, each with the model's colour."""

    def __init__(self, rows: ScoreModel, appearance: Appearance) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._rows = rows
        self._appearance = appearance
        self.setSectionsClickable(False)
        self.setHighlightSections(False)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), 2 * self.fontMetrics().height() + 16)

    def paintSection(self, painter: QPainter, box: Any, section: int) -> None:
        theme = self._appearance.theme
        painter.save()
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.setPen(QColor(theme.quiet))
        inner = QRectF(box).adjusted(8, 6, -12, -6)
        if section < FIRST:
            text = str(self._rows.headerData(section, Qt.Orientation.Horizontal) or "")
            left = Qt.AlignmentFlag.AlignLeft if section == METRIC else Qt.AlignmentFlag.AlignRight
            painter.drawText(inner.adjusted(2, 0, 0, 0), left | Qt.AlignmentFlag.AlignBottom, text)
        else:
            self._paint_model(painter, theme, inner, self._rows.models[section - FIRST])
        painter.restore()

    def _paint_model(self, painter: QPainter, theme: Theme, inner: QRectF, model: str) -> None:
        name, found = self._rows.found.names[model], self._rows.found
        letters = QFontMetricsF(painter.font())
        first, rest = _two_lines(name, letters, inner.width())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(hue(found.numbers[model], theme))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(inner.left(), inner.bottom() + 2, inner.width(), 3)
        painter.drawRoundedRect(bar, 1.5, 1.5)
        painter.setPen(QColor(theme.text))
        both = "\n".join(filter(None, (first, rest)))
        bottom = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        painter.drawText(inner.adjusted(0, -6, 0, -1), bottom, both)


class ScoreDelegate(QStyledItemDelegate):
    """Paints a number and below it an interval on the scale of the row."""

    def __init__(self, table: QTableView, rows: ScoreModel, appearance: Appearance) -> None:
        super().__init__(table)
        self._rows = rows
        self._appearance = appearance
        self._font = table.font()
        self._small = scaled(table.font(), 0.8)
        self._figures = tabular(table.font())
        self._bold_figures = scaled(self._figures, 1.0, QFont.Weight.DemiBold)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, line = self._appearance.theme, self._rows.lines[index.row()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)
        chosen = option.state & QStyle.StateFlag.State_Selected
        if chosen:
            painter.fillRect(box, QColor(theme.chosen))
        if isinstance(line, TableHeading):
            paint_heading(painter, theme, box, line, self._font)
        elif index.column() < FIRST:
            self._paint_text(painter, theme, box, line, index)
        else:
            self._paint_cell(painter, theme, box, line, self._rows.models[index.column() - FIRST])
        painter.restore()

    def _paint_text(
        self, painter: QPainter, theme: Theme, box: QRectF, row: ScoreRow, index: Index
    ) -> None:
        painter.setPen(QColor(theme.faint if index.column() == N else theme.quiet))
        if index.column() == N:
            painter.setFont(self._small)
            painter.drawText(box.adjusted(0, 0, -12, 0), _RIGHT, str(index.data() or ""))
            return
        inner = box.adjusted(10 + INDENT, 0, 0, 0)
        letters, arrow = QFontMetricsF(painter.font()), f" {row.metric.arrow}".rstrip()
        room = inner.width() - letters.horizontalAdvance(arrow)
        shown = letters.elidedText(row.metric.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, shown + arrow)

    def _paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, row: ScoreRow, model: str
    ) -> None:
        inner = box.adjusted(8, 5, -12, -6)
        cell = row.cells.get(model)
        by_chance = has_strip(row)
        place = Qt.AlignmentFlag.AlignTop if by_chance else Qt.AlignmentFlag.AlignVCenter
        if cell is None:
            painter.setPen(QColor(theme.faint))
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight | place, "–")
            return
        painter.setFont(self._bold_figures if cell.best else self._figures)
        painter.setPen(QColor(theme.text))
        painter.drawText(
            inner, Qt.AlignmentFlag.AlignRight | place, row.metric.shown(cell.score.value)
        )
        aside = _paper_words(row, cell.papers) or ("" if row.n else f"n {cell.score.n:,}")
        if aside:
            painter.setFont(self._small)
            painter.setPen(QColor(theme.faint))
            painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | place, aside)
        if not by_chance:
            return
        strip = QRectF(inner.left(), inner.bottom() - 8, inner.width(), 8)
        _paint_interval(painter, theme, strip, row, model, self._rows.found.numbers[model])


def _paint_interval(
    painter: QPainter, theme: Theme, strip: QRectF, row: ScoreRow, model: str, number: int
) -> None:
    """Paint the interval; all cells of a row share a scale, so that overlaps are visible."""
    score, (low, high) = row.cells[model].score, span(row)
    middle = strip.center().y()

    def across(value: float) -> float:
        return strip.left() + (value - low) / (high - low) * strip.width()

    painter.setPen(QPen(QColor(theme.track), 2))
    painter.drawLine(QPointF(strip.left(), middle), QPointF(strip.right(), middle))
    colour = hue(number, theme)
    painter.setPen(Qt.PenStyle.NoPen)
    if score.low is not None and score.high is not None:
        left, right = across(score.low), across(score.high)
        soft = QColor(colour)
        soft.setAlphaF(0.45)
        painter.setBrush(soft)
        painter.drawRoundedRect(QRectF(left, middle - 3, right - left, 6), 2, 2)
    painter.setBrush(colour)
    painter.drawRoundedRect(QRectF(across(score.value) - 1.5, middle - 5, 3, 10), 1.5, 1.5)


def has_strip(row: ScoreRow) -> bool:
    """Whether these numbers have intervals and a scale to paint them on."""
    alone = len(row.cells) == 1 and row.metric.unit != "percent"
    return not alone and any(cell.score.low is not None for cell in row.cells.values())


def span(row: ScoreRow) -> tuple[float, float]:
    """The range of a row including its intervals; 0 to 100 for a single number."""
    if len(row.cells) == 1 and row.metric.unit == "percent":
        return 0.0, 1.0
    ends = [
        end
        for cell in row.cells.values()
        for end in (cell.score.value, cell.score.low, cell.score.high)
        if end is not None
    ]
    low, high = min(ends), max(ends)
    air = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    return low - air, high + air


def _paper_words(row: ScoreRow, papers: Sequence[PaperNumber]) -> str:
    """The best published number, with marks for differences."""
    if not papers:
        return ""
    number = papers[0]
    return f"◇ {row.metric.shown(number.value)}{marks(number)}"


def _two_lines(name: str, letters: QFontMetricsF, width: float) -> tuple[str, str]:
    """A name in two lines, broken between words if possible; the rest is elided."""
    if letters.horizontalAdvance(name) <= width:
        return name, ""
    ends = [at + 1 for at, letter in enumerate(name) if letter in " -_/"]
    fitting = [at for at in ends if letters.horizontalAdvance(name[:at].rstrip()) <= width]
    at = fitting[-1] if fitting else len(name)
    cut = Qt.TextElideMode.ElideRight
    first, rest = name[:at].rstrip(), name[at:]
    return letters.elidedText(first, cut, width), letters.elidedText(rest, cut, width)
