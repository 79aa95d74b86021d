"""The score table: a row per metric, a column per model, intervals on a scale per row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.scores.score_delegate import ModelHeader, ScoreDelegate
from sciread_app.ui.evaluation.scores.score_model import FIRST, METRIC, N, ScoreModel
from sciread_app.ui.evaluation.scores.table_headings import as_list, fill, measure
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.style.theme import Appearance, Theme, scaled

# Width of a model's column in pixels, without and with published numbers
WIDTH, WITH_PAPERS = 116, 128
MARGINS = 24  # pixels of margin beside a number
LEAST = 136  # minimum width of the names of metrics in pixels


class ScoreTable(QTableView):
    """Up and Down move between metrics."""

    chosen = Signal(object)  # Row

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.rows = ScoreModel()
        self._appearance = appearance
        self.setModel(self.rows)
        self.setItemDelegate(ScoreDelegate(self, self.rows, appearance))
        self.setAccessibleName(tr("Scores"))
        as_list(self)
        self.setHorizontalHeader(ModelHeader(self.rows, appearance))
        appearance.changed.connect(self._repaint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fill(self, METRIC, LEAST)

    def _repaint(self, theme: Theme) -> None:
        self.viewport().update()

    def show_scores(self, found: EvaluationResults, models: Sequence[str]) -> None:
        """Show these scores, keeping the selected row where possible."""
        before = self.current
        self.rows.show(found, models)
        self._measure()
        keys = [line.key if isinstance(line, ScoreRow) else None for line in self.rows.lines]
        numbers = [number for number, key in enumerate(keys) if key is not None]
        if not numbers:
            return
        wanted = before.key if before else None
        number = keys.index(wanted) if wanted in keys and wanted else numbers[0]
        self.selectRow(number)
        self.scrollTo(self.rows.index(number, METRIC))

    @property
    def current(self) -> ScoreRow | None:
        return self.rows.row(self.currentIndex())

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if row := self.current:
            self.chosen.emit(row)

    @property
    def has_papers(self) -> bool:
        rows = (line for line in self.rows.lines if isinstance(line, ScoreRow))
        shown = set(self.rows.models)
        return any(row.cells[model].papers for row in rows for model in shown & row.cells.keys())

    def _wide(self, column: int, least: int) -> int:
        """Width of a column in which every number fits."""
        letters = QFontMetrics(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        rows = (n for n, line in enumerate(self.rows.lines) if isinstance(line, ScoreRow))
        texts = (str(self.rows.index(row, column).data() or "") for row in rows)
        return max([least, *(letters.horizontalAdvance(text) + MARGINS for text in texts)])

    def _measure(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(56)
        self.setColumnWidth(N, self._wide(N, 56))
        for column in range(FIRST, self.rows.columnCount()):
            least = WITH_PAPERS if self.has_papers else WIDTH
            self.setColumnWidth(column, self._wide(column, least))
        fill(self, METRIC, LEAST)
        measure(self, self.rows.lines)
