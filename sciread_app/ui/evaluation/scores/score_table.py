"""The score table: a row per metric, a column per model, intervals on a scale per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QItemSelection, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from sciread_app.language import tr, trn
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.metric_table import (
    MetricDelegate,
    MetricModel,
    MetricTable,
    TableHeading,
    draw_elided,
)
from sciread_app.ui.evaluation.scores.bar_chart import marks
from sciread_app.ui.evaluation.view_models import EvaluationResults, accessible_score, tip
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.row_table import RIGHT, Index
from trainer.contract.paper_numbers import PaperNumber
from trainer.contract.suites import suite_title

METRIC, N, FIRST = 0, 1, 2  # columns; those of the models start at FIRST
# Width of a model's column in pixels, without and with published numbers
WIDTH, WITH_PAPERS = 116, 128
MARGINS = 24  # pixels to the left and right of a number, together
METRIC_WIDTH = 136  # pixels of the names of metrics, at least
# Translators: in place of a score, in a narrow column
TOO_FEW = tr("Too few papers")
INDENT = 8  # pixels of indentation of a metric below its task
SMALL, GAP = 0.8, 6  # size of a published number; pixels between it and ours


class ScoreTable(MetricTable):
    """Up and Down move between metrics."""

    selected = Signal(object)  # ScoreRow

    def __init__(self, appearance: Appearance) -> None:
        self._scores = ScoreModel()
        super().__init__(tr("Scores"), self._scores, appearance)
        self.setItemDelegate(ScoreDelegate(self, self._scores, appearance))
        self.setHorizontalHeader(ModelHeader(self._scores, appearance))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.stretch(METRIC, METRIC_WIDTH)

    def show_scores(self, results: EvaluationResults, models: Sequence[str]) -> None:
        """Show these scores, keeping the selected row where possible."""
        before = self.current
        self._scores.show_scores(results, models)
        self._set_widths()
        keys = [row.key if isinstance(row, ScoreRow) else None for row in self._scores.rows]
        numbers = [number for number, key in enumerate(keys) if key is not None]
        if not numbers:
            return
        wanted = before.key if before else None
        number = keys.index(wanted) if wanted in keys and wanted else numbers[0]
        self.selectRow(number)
        self.scrollTo(self._scores.index(number, METRIC))

    @property
    def current(self) -> ScoreRow | None:
        return self._scores.row(self.currentIndex())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if row := self.current:
            self.selected.emit(row)

    @property
    def has_papers(self) -> bool:
        rows = (row for row in self._scores.rows if isinstance(row, ScoreRow))
        shown = set(self._scores.models)
        return any(row.cells[model].papers for row in rows for model in shown & row.cells.keys())

    def _needed_width(self, column: int, minimum: int) -> int:
        """Width of a column in which every number fits."""
        letters = QFontMetrics(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        rows = (n for n, row in enumerate(self._scores.rows) if isinstance(row, ScoreRow))
        widths = (
            letters.horizontalAdvance(str(self._scores.index(row, column).data() or ""))
            + self._published_width(row, column)
            for row in rows
        )
        return max([minimum, *(width + MARGINS for width in widths)])

    def _published_width(self, number: int, column: int) -> int:
        """Width of the published number beside another number, and of the gap between them."""
        row = self._scores.rows[number]
        if not isinstance(row, ScoreRow) or column < FIRST:
            return 0
        cell = row.cells.get(self._scores.models[column - FIRST])
        text = _paper_words(row, cell.papers) if cell else ""
        small = QFontMetrics(scaled(self.font(), SMALL))
        return small.horizontalAdvance(text) + GAP if text else 0

    def _set_widths(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(56)
        self.setColumnWidth(N, self._needed_width(N, 56))
        minimum = WITH_PAPERS if self.has_papers else WIDTH
        for column in range(FIRST, self._scores.columnCount()):
            self.setColumnWidth(column, self._needed_width(column, minimum))
        self.stretch(METRIC, METRIC_WIDTH)
        self.lay_out_headings(self._scores)


class ScoreModel(MetricModel[ScoreRow]):
    """The scores by task and metric, in a column for each of `models`."""

    headings = (tr("Metric"), "n")  # before the columns of the models
    heading_tips = {N: tr("Number of items")}

    def __init__(self) -> None:
        super().__init__()
        self.results = EvaluationResults()
        self.models: Sequence[str] = ()

    def show_scores(self, results: EvaluationResults, models: Sequence[str]) -> None:
        """Show these models, and the rows in which one of them has a number."""
        self.beginResetModel()
        self.results, self.models = results, models
        self.rows = _rows(results, models)
        self.endResetModel()

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else FIRST + len(self.models)

    def row(self, index: Index) -> ScoreRow | None:
        row = self.rows[index.row()] if index.isValid() else None
        return row if isinstance(row, ScoreRow) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if isinstance(row, TableHeading):
            wanted = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return row.text if column == METRIC and role in wanted else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._accessible_text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(row.metric) if column == METRIC else self._accessible_text(row, column)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if section >= FIRST and orientation is Qt.Orientation.Horizontal:
            name = self.results.names[self.models[section - FIRST]]
            wanted = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            return name if role in wanted else None
        return super().headerData(section, orientation, role)

    def _text(self, row: ScoreRow, column: int) -> str:
        if column == METRIC:
            return f"{row.metric.title} {row.metric.arrow}".strip()
        if column == N:
            return "" if row.n is None else f"{row.n:,}"
        cell = row.cells.get(self.models[column - FIRST])
        if cell and row.too_few:
            return TOO_FEW
        return row.metric.shown(cell.score.value) if cell else "–"

    def _accessible_text(self, row: ScoreRow, column: int) -> str:
        if column == METRIC:
            return f"{row.result.title}, {row.metric.title}"
        if column == N:
            return "" if row.n is None else trn("{n:,} item", "{n:,} items", row.n)
        model = self.models[column - FIRST]
        return accessible_score(row, model, self.results.names[model])


class ModelHeader(QHeaderView):
    """A header with model names in two lines, each with the model's color."""

    def __init__(self, scores: ScoreModel, appearance: Appearance) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._scores = scores
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
            text = str(self._scores.headerData(section, Qt.Orientation.Horizontal) or "")
            left = Qt.AlignmentFlag.AlignLeft if section == METRIC else Qt.AlignmentFlag.AlignRight
            painter.drawText(inner.adjusted(2, 0, 0, 0), left | Qt.AlignmentFlag.AlignBottom, text)
        else:
            self._paint_model(painter, theme, inner, self._scores.models[section - FIRST])
        painter.restore()

    def _paint_model(self, painter: QPainter, theme: Theme, inner: QRectF, model: str) -> None:
        name, results = self._scores.results.names[model], self._scores.results
        letters = QFontMetricsF(painter.font())
        first, rest = _two_lines(name, letters, inner.width())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(hue(results.numbers[model], theme))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(inner.left(), inner.bottom() + 2, inner.width(), 3)
        painter.drawRoundedRect(bar, 1.5, 1.5)
        painter.setPen(QColor(theme.text))
        both = "\n".join(filter(None, (first, rest)))
        bottom = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        painter.drawText(inner.adjusted(0, -6, 0, -1), bottom, both)


class ScoreDelegate(MetricDelegate[ScoreModel]):
    """Paints a number and below it an interval on the scale of the row."""

    def __init__(self, table: QTableView, model: ScoreModel, appearance: Appearance) -> None:
        super().__init__(table, model, appearance)
        self._small = scaled(table.font(), SMALL)

    def paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, row: ScoreRow, column: int
    ) -> None:
        if column >= FIRST:
            self._paint_score(painter, theme, box, row, self._model.models[column - FIRST])
            return
        painter.setPen(QColor(theme.faint if column == N else theme.quiet))
        if column == N:
            painter.setFont(self._small)
            text = "" if row.n is None else f"{row.n:,}"
            painter.drawText(box.adjusted(0, 0, -12, 0), RIGHT, text)
            return
        inner = box.adjusted(10 + INDENT, 0, 0, 0)
        letters, arrow = QFontMetricsF(painter.font()), f" {row.metric.arrow}".rstrip()
        room = inner.width() - letters.horizontalAdvance(arrow)
        shown = letters.elidedText(row.metric.title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, shown + arrow)

    def _paint_score(
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
        if row.too_few:
            painter.setFont(self._small)
            painter.setPen(QColor(theme.quiet))
            draw_elided(painter, inner, RIGHT, TOO_FEW)
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
        _paint_interval(painter, theme, strip, row, model, self._model.results.numbers[model])


def _rows(results: EvaluationResults, models: Sequence[str]) -> list[ScoreRow | TableHeading]:
    rows: list[ScoreRow | TableHeading] = []
    wanted, board, task = set(models), "", ("", "")
    for row in results.rows:
        if not wanted & row.cells.keys():
            continue
        if row.board.key != board:
            board, task = row.board.key, ("", "")
            if len(results.boards) > 1:
                data = results.called.get(board, row.board.data)
                rows.append(TableHeading(f"{suite_title(row.board.suite)} · {data}", over=True))
        now = row.result.task, row.key[2]
        if now != task:
            why = tr("Not comparable with the rows above: {why}", why=row.apart)
            rows.append(
                TableHeading(why, quiet=True) if row.apart else TableHeading(row.result.title)
            )
        task = now
        rows.append(row)
    return rows


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
