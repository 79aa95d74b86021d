"""The results of a fetch: new papers, changes to known ones, and failures."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QTableView, QWidget

from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.tex import readable
from sciread_app.language import tr, trc, trn
from sciread_app.ui.add_papers.fetch.text import change_name, results_line
from sciread_app.ui.add_papers.imports.report import ImportReportDialog, report_table
from sciread_app.ui.style.theme import styled
from sciread_app.ui.view_models import Change, FetchResults
from sciread_app.ui.widgets.row_table import Index, RowModel


class FetchResultsModel(RowModel[Change]):
    # Translators: columns of a list: the kind of change, the paper and the details
    headings = (trc("a difference", "Change"), tr("Paper"), tr("Details"))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        change = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return (change_name(change.what), readable(change.title), change.detail)[index.column()]
        return None


class FetchResultsDialog(ImportReportDialog):
    """The report of a run, with its changes to the library above it."""

    papers_requested = Signal(object)  # list of PaperId
    map_requested = Signal(object)  # list of PaperId, to be shown on the map

    def __init__(self, results: FetchResults, parent: QWidget | None = None) -> None:
        self.results = results
        super().__init__(results.summary, parent, title=tr("Results of the fetch"))

    def _title(self) -> str:
        return results_line(self.results)

    def _more(self) -> list[QWidget]:
        """The query, the changes, and a button that shows the new papers."""
        about = styled(QLabel(self.results.title, wordWrap=True), "quiet")
        about.setTextFormat(Qt.TextFormat.PlainText)
        widgets: list[QWidget] = [about]
        if self.results.changes:
            widgets += [styled(QLabel(tr("Changed papers:")), "quiet"), self._changes()]
        return widgets

    def _left_buttons(self) -> list[QPushButton]:
        if not self.results.added:
            return super()._left_buttons()
        count = len(self.results.added)
        show = QPushButton(trn("Show new paper", "Show {n:,} new papers", count))
        show.clicked.connect(lambda: self._show(list(self.results.added)))
        on_map = QPushButton(tr("Show on map"))
        on_map.clicked.connect(lambda: self.map_requested.emit(list(self.results.added)))
        on_map.clicked.connect(self.accept)
        return [show, on_map, *super()._left_buttons()]

    def _changes(self) -> QTableView:
        model = FetchResultsModel(self.results.changes)
        table = report_table(model, tr("Changed papers"), (130, 0, 200))
        table.setWordWrap(False)
        table.activated.connect(lambda index: self._show([self.results.changes[index.row()].paper]))
        return table

    def _show(self, ids: list[PaperId]) -> None:
        self.papers_requested.emit(ids)
        self.accept()
