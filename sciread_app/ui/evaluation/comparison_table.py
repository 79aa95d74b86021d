"""The table behind a comparison: each difference with its confidence interval around zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from sciread_app.language import tr
from sciread_app.services.evaluation.model_comparison import ComparisonVerdict, MetricDifference
from sciread_app.ui.evaluation.scores.table_headings import (
    TableHeading,
    as_list,
    measure,
    paint_heading,
)
from sciread_app.ui.evaluation.view_models import tip
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, tabular

Index = QModelIndex | QPersistentModelIndex

METRIC, N, A, B, GAP, CHANCE, BETTER = range(7)
WIDTHS = {N: 62, A: 76, B: 76, CHANCE: 72, BETTER: 84}
MARGINS = 16  # pixels of margin beside a number
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_TIPS = {
    N: tr("Items that both models have a score of"),
    GAP: tr("By how much B is higher than A, and where 95 of 100 such comparisons lie"),
    CHANCE: tr("How often chance alone makes so great a difference, raised for how many are "
               "looked at (Holm)"),
}  # fmt: skip


class ComparisonTableModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[MetricDifference | TableHeading] = ()
        self.reach = 0.01  # the largest absolute bound of all intervals

    def show(self, verdict: ComparisonVerdict | None) -> None:
        self.beginResetModel()
        evidence = verdict.evidence if verdict else ()
        self.lines = _lines(evidence)
        ends = [
            abs(end)
            for each in evidence
            if each.metric.unit == "percent"
            for end in (each.difference, each.low, each.high)
            if end is not None
        ]
        self.reach = max([0.01, *ends]) * 1.06
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(range(7))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self.lines[index.row()], index.column()
        if role == Qt.ItemDataRole.ToolTipRole and column == METRIC:
            return None if isinstance(line, TableHeading) else tip(line.metric)
        wanted = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        if role not in wanted:
            return None
        if isinstance(line, TableHeading):
            return line.text if column == METRIC else None
        return _cells(line)[column]

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS.get(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            if section == METRIC:
                return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            return int(_RIGHT if section in (N, A, B, CHANCE) else Qt.AlignmentFlag.AlignCenter)
        # Translators: p is the letter for how likely a thing is by chance
        names = (tr("Metric"), "n", "A", "B", tr("B − A, with 95 %"), "p",
                 tr("better"))  # fmt: skip
        return names[section] if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self.lines[index.row()], TableHeading):
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class ComparisonTable(QTableView):
    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.rows = ComparisonTableModel()
        self.setModel(self.rows)
        self.painter_ = ComparisonDelegate(self, self.rows, appearance)
        self.setItemDelegate(self.painter_)
        self.setAccessibleName(tr("What it rests on"))
        as_list(self)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionsClickable(False)
        appearance.changed.connect(self._repaint)

    def _repaint(self, theme: Theme) -> None:
        self.viewport().update()

    def show_verdict(self, verdict: ComparisonVerdict | None, numbers: tuple[int, int]) -> None:
        """Show a comparison; `numbers` give the colours of both models."""
        self.painter_.numbers = numbers
        self.rows.show(verdict)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(METRIC, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(GAP, QHeaderView.ResizeMode.Stretch)
        letters = QFontMetrics(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        lines = [_cells(line) for line in self.rows.lines if isinstance(line, MetricDifference)]
        for column, width in WIDTHS.items():
            needed = (letters.horizontalAdvance(cells[column]) + MARGINS for cells in lines)
            self.setColumnWidth(column, max([width, *needed]))
        measure(self, self.rows.lines)


class ComparisonDelegate(QStyledItemDelegate):
    def __init__(
        self, table: QTableView, rows: ComparisonTableModel, appearance: Appearance
    ) -> None:
        super().__init__(table)
        self._rows = rows
        self._appearance = appearance
        self.numbers = (0, 1)
        self._font = table.font()
        self._bold = scaled(table.font(), 1.0, QFont.Weight.DemiBold)
        self._figures = tabular(table.font())
        self._small = scaled(self._figures, 0.86)
        self._bold_figures = scaled(self._figures, 1.0, QFont.Weight.DemiBold)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, line = self._appearance.theme, self._rows.lines[index.row()]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, QColor(theme.chosen))
        if isinstance(line, TableHeading):
            paint_heading(painter, theme, box, line, self._font)
        elif index.column() == GAP:
            self._paint_gap(painter, theme, box.adjusted(8, 0, -8, 0), line)
        elif index.column() == BETTER:
            self._paint_better(painter, theme, box, line)
        else:
            self._paint_text(painter, theme, box, line, index.column())
        painter.restore()

    def _paint_text(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference, column: int
    ) -> None:
        text = _cells(each)[column]
        best = each.winner is not None and column == (A, B)[each.winner]
        figures = self._bold_figures if best else self._figures
        painter.setFont(figures if column in (A, B) else self._font)
        painter.setPen(QColor(theme.text if column in (A, B) else theme.quiet))
        if column in (N, CHANCE):
            painter.setFont(self._small)
        inner = box.adjusted(28, 0, -4, 0) if column == METRIC else box.adjusted(4, 0, -8, 0)
        side = Qt.AlignmentFlag.AlignVCenter if column == METRIC else _RIGHT
        letters = QFontMetricsF(painter.font())
        cut = letters.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, side, cut)

    def _paint_gap(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference
    ) -> None:
        painter.setFont(self._small)
        painter.setPen(QColor(theme.text if each.significant else theme.faint))
        letters, top = QFontMetricsF(self._small), box.adjusted(0, 5, 0, 0)
        text = _cells(each)[GAP]
        shown = letters.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(top, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, shown)
        if each.metric.unit != "percent":
            return  # in other units, so sizes are not comparable
        middle, line = box.center().x(), box.bottom() - 13
        half = box.width() / 2

        def across(value: float) -> float:
            return middle + value / self._rows.reach * half

        painter.setPen(QPen(QColor(theme.track), 2))
        painter.drawLine(QPointF(box.left(), line), QPointF(box.right(), line))
        painter.setPen(QPen(QColor(theme.faint), 1))
        painter.drawLine(QPointF(middle, line - 6), QPointF(middle, line + 6))
        colour = self._colour(theme, each)
        if each.low is not None and each.high is not None:
            painter.setPen(QPen(colour, 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(QPointF(across(each.low), line), QPointF(across(each.high), line))
        painter.setPen(QPen(QColor(theme.surface), 1.5))
        painter.setBrush(colour)
        painter.drawEllipse(QPointF(across(each.difference), line), 4.5, 4.5)

    def _paint_better(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference
    ) -> None:
        text = _cells(each)[BETTER]
        painter.setFont(self._small if each.winner is None else self._bold)
        letters = QFontMetricsF(painter.font())
        width = letters.horizontalAdvance(text)
        if each.winner is not None:
            chip = QRectF(0, 0, width + 20, 22)
            chip.moveCenter(box.center())
            soft = QColor(self._colour(theme, each))
            soft.setAlphaF(0.22)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(soft)
            painter.drawRoundedRect(chip, 11, 11)
        painter.setPen(QColor(theme.faint if each.winner is None else theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _colour(self, theme: Theme, each: MetricDifference) -> QColor:
        if each.winner is None:
            return QColor(theme.faint)
        return hue(self.numbers[each.winner], theme)


def signed(each: MetricDifference, value: float) -> str:
    """With a sign, unless it rounds to zero."""
    text = each.metric.shown(value)
    shown = text.replace("-", "−")
    return f"+{text}" if value > 0 and text != each.metric.shown(0.0) else shown


def _cells(each: MetricDifference) -> tuple[str, ...]:
    between = ""
    if each.low is not None and each.high is not None:
        # Translators: an interval: {low} to {high}
        between = tr("{low} to {high}", low=signed(each, each.low), high=signed(each, each.high))
        between = f"   {between}"
    if each.winner is not None:
        better = "AB"[each.winner]
    elif each.too_few:
        better = tr("too few")
    else:
        better = tr("they differ") if each.significant else tr("chance?")
    return (
        f"{each.metric.title} {each.metric.arrow}".strip(),
        f"{each.n:,}",
        each.metric.shown(each.first),
        each.metric.shown(each.second),
        f"{signed(each, each.difference)}{between}",
        each.shown_p_value,
        better,
    )


def _lines(evidence: Sequence[MetricDifference]) -> list[MetricDifference | TableHeading]:
    """Lines by task; those outside the comparison come last."""
    found: list[MetricDifference | TableHeading] = []
    for counts in (True, False):
        some = [each for each in evidence if each.counts is counts]
        if some and not counts:
            found.append(
                TableHeading(tr("How vectors lie: shown, but no part of the verdict"), True)
            )
        for task in dict.fromkeys(each.task for each in some):
            found.append(TableHeading(task))
            found += [each for each in some if each.task == task]
    return found
