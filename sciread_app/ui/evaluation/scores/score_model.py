"""The table model of the scores: a row per metric, a column per model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.scores.table_headings import TableHeading
from sciread_app.ui.evaluation.view_models import EvaluationResults, spoken, tip
from trainer.contract.suites import suite_title

Index = QModelIndex | QPersistentModelIndex

METRIC, N, FIRST = 0, 1, 2  # columns; those of the models start at FIRST


class ScoreModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.found = EvaluationResults()
        self.models: Sequence[str] = ()
        self.lines: Sequence[ScoreRow | TableHeading] = ()

    def show(self, found: EvaluationResults, models: Sequence[str]) -> None:
        """Show these models, and the rows in which one of them has a number."""
        self.beginResetModel()
        self.found, self.models = found, models
        self.lines = _lines(found, models)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else FIRST + len(self.models)

    def row(self, index: Index) -> ScoreRow | None:
        line = self.lines[index.row()] if index.isValid() else None
        return line if isinstance(line, ScoreRow) else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line, column = self.lines[index.row()], index.column()
        if isinstance(line, TableHeading):
            wanted = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return line.text if column == METRIC and role in wanted else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(line, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(line, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(line.metric) if column == METRIC else self._spoken(line, column)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if section >= FIRST:
            name = self.found.names[self.models[section - FIRST]]
            wanted = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            return name if role in wanted else None
        if role == Qt.ItemDataRole.ToolTipRole and section == N:
            return tr("Of how many items each number is")
        return (tr("Metric"), "n")[section] if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.row(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _text(self, row: ScoreRow, column: int) -> str:
        if column == METRIC:
            return f"{row.metric.title} {row.metric.arrow}".strip()
        if column == N:
            return "" if row.n is None else f"{row.n:,}"
        cell = row.cells.get(self.models[column - FIRST])
        return row.metric.shown(cell.score.value) if cell else "–"

    def _spoken(self, row: ScoreRow, column: int) -> str:
        if column == METRIC:
            return f"{row.result.title}, {row.metric.title}"
        if column == N:
            return "" if row.n is None else tr("{n:,} items", n=row.n)
        model = self.models[column - FIRST]
        return spoken(row, model, self.found.names[model])


def _lines(found: EvaluationResults, models: Sequence[str]) -> list[ScoreRow | TableHeading]:
    lines: list[ScoreRow | TableHeading] = []
    wanted, board, task = set(models), "", ("", "")
    for row in found.rows:
        if not wanted & row.cells.keys():
            continue
        if row.board.key != board:
            board, task = row.board.key, ("", "")
            if len(found.boards) > 1:
                data = found.called.get(board, row.board.data)
                lines.append(TableHeading(f"{suite_title(row.board.suite)} · {data}", over=True))
        now = row.result.task, row.key[2]
        if now != task:
            why = tr("Not with the above: {why}", why=row.apart)
            lines.append(
                TableHeading(why, quiet=True) if row.apart else TableHeading(row.result.title)
            )
        task = now
        lines.append(row)
    return lines
