"""Tables and lists with an object per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RowModel(QAbstractTableModel, Generic[Row]):
    """A read-only model of a table, or with one column of a list. Subclasses implement data()."""

    headings: Sequence[str] = ("",)  # titles of the columns
    # Tooltips and alignments of the titles, by column; without one, a title is centered.
    heading_tips: Mapping[int, str] = {}
    heading_alignments: Mapping[int, Qt.AlignmentFlag] = {}

    def __init__(self, rows: Sequence[Row] = (), parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows = rows

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.headings[section]
            if role == Qt.ItemDataRole.ToolTipRole:
                return self.heading_tips.get(section)
            if role == Qt.ItemDataRole.TextAlignmentRole:
                alignment = self.heading_alignments.get(section)
                return None if alignment is None else int(alignment)
        return None


def select_rows(table: QTableView) -> None:
    """Select whole rows of a table, one at a time, and show neither a grid nor row numbers."""
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
