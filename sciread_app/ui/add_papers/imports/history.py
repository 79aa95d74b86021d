"""Importing files, and the history of imports."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTableView,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.ui.add_papers.imports.report import ImportReportDialog
from sciread_app.ui.formatting import when
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.style.icons import icon
from sciread_app.ui.style.theme import Appearance, Theme, styled
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.flow_layout import FlowLayout
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.rounded_popup import context_menu
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index, RowModel, select_rows

if TYPE_CHECKING:
    from sciread_app.storage.history.import_log import Import
    from sciread_app.ui.add_papers.gateway import AddPapersGateway

COLUMNS = (
    tr("Files"),
    tr("Date"),
    # Translators: the numbers of records of an import
    tr("Read"),
    tr("New"),
    tr("In library"),
    tr("Failed"),
)
WIDTHS = (0, 160, 70, 70, 112, 66)
LEAST = 120  # pixels of the first column, at least
GIVEN_UP = (2, 4, 1, 5, 3)  # columns that are hidden in this order where room is lacking
HOW = tr(
    "Supported formats: PDF, BibTeX, RIS, EndNote, CSL-JSON, MODS, JSON Lines, and the formats of "
    "PubMed, arXiv, Zotero, Web of Science, and Scopus. You can also drop files on the window."
)


class ImportHistoryModel(RowModel["Import"]):
    headings = COLUMNS
    heading_alignments = {0: LEFT, 1: LEFT, **dict.fromkeys(range(2, len(COLUMNS)), RIGHT)}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        past, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(past)[column]
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return past.what
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 1:
            return int(RIGHT)
        return None


class ImportHistoryPanel(QWidget):
    """Buttons for importing files, whose clicks the page connects, and the imports so far with
    their reports."""

    papers_requested = Signal(object, str)  # the papers that an import added, and its files

    def __init__(self, history: AddPapersGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._history = history
        self._jobs = jobs
        self._appearance = appearance
        self._build()
        appearance.follow(self._paint)

    def load(self) -> None:
        self._jobs.run(
            tr("Loading import history"),
            lambda task: self._history.imports(),
            self._show,
            replaces="imports",
        )

    def _show(self, imports: list[Import]) -> None:
        self.model.show_rows(imports)
        self._pages.setCurrentIndex(0 if imports else 1)

    def open_report(self) -> None:
        """Show the report of the selected import."""
        self._with_summary(lambda past, summary: ImportReportDialog(summary, self).open())

    def _show_papers(self) -> None:
        self._with_summary(
            lambda past, summary: self.papers_requested.emit(summary.papers, _what(past.what))
        )

    def _with_summary(self, show: Callable[[Import, ImportSummary], None]) -> None:
        if past := self._selected():
            self._jobs.run(
                tr("Loading an import report"),
                lambda task: self._history.import_summary(past),
                lambda summary: show(past, summary),
                replaces="import report",
            )

    def _selected(self) -> Import | None:
        index = self.table.currentIndex()
        return self.model.rows[index.row()] if index.isValid() else None

    def _allow(self) -> None:
        past = self._selected()
        self.show_report.setEnabled(past is not None)
        self.show_papers.setEnabled(past is not None and past.added > 0)

    def _show_menu(self, at: QPoint) -> None:
        if not self.table.indexAt(at).isValid():
            return
        menu = context_menu(self)
        for button in (self.show_papers, self.show_report):
            menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())
        menu.popup(self.table.viewport().mapToGlobal(at))

    def buttons(self) -> list[QAbstractButton]:
        """The buttons that add papers, and their options, in tab order."""
        return [self.add_files, self.add_folder, self.watch, self.add_zotero, self.add_identifier]

    def take_focus(self) -> None:
        self.add_files.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _build(self) -> None:
        self.add_files = styled(QPushButton(tr("Import files…")), "primary")
        self.add_folder = QPushButton(tr("Import folder…"))
        self.add_zotero = QPushButton(tr("Import from Zotero"))
        self.add_identifier = QPushButton(tr("Add by identifier…"))
        self.watch = QCheckBox(tr("Keep watching this folder"))
        self.watch.setToolTip(
            tr("Import new papers in this folder automatically; see Settings › Watched folders")
        )
        flow = FlowLayout(8)
        for button in self.buttons():
            flow.addWidget(button)
        buttons = QWidget()
        buttons.setLayout(flow)
        how = styled(QLabel(HOW, wordWrap=True), "quiet")
        how.setContentsMargins(4, 0, 4, 0)
        self.model = ImportHistoryModel(parent=self)
        self.table = _Table(self.model)
        self.table.activated.connect(self.open_report)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._show_menu)
        self.show_papers = QPushButton(tr("Show papers"))
        self.show_papers.setToolTip(tr("Show the papers that this import added"))
        self.show_papers.clicked.connect(self._show_papers)
        self.show_report = QPushButton(tr("Show import report"))
        self.show_report.clicked.connect(self.open_report)
        self.table.selectionModel().currentChanged.connect(self._allow)
        self.model.modelReset.connect(self._allow)
        self._allow()
        past = QWidget()
        below = row(self.show_papers, self.show_report, 0)
        column((self.table, 1), below, parent=past, margins=(0, 4, 0, 0), spacing=8)
        self._empty = EmptyState(self._appearance)
        self._empty.show_message(
            "drop",
            tr("No imports yet"),
            tr("Imports are listed here with their reports."),
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(past)
        self._pages.addWidget(self._empty)
        column(buttons, how, (self._pages, 1), parent=self, margins=0, spacing=9)

    def _paint(self, theme: Theme) -> None:
        self.add_files.setIcon(icon("add", theme.on_accent))


def _cells(past: Import) -> tuple[str, ...]:
    counts = (past.read, past.added, past.merged, past.failed)
    at = when(past.started, datetime.now())
    if not past.finished:
        at = tr("{when}, incomplete", when=at)
    return (_what(past.what), at, *(f"{count:,}" for count in counts))


def _what(what: str) -> str:
    """The names of the files and folders without their paths."""
    first, *others = what.split(", ")
    name = Path(first).name or first
    if not others:
        return name
    return trn("{name} and {n:,} more", "{name} and {n:,} more", len(others), name=name)


class _Table(QTableView):
    """Hides columns where room is lacking; the report of an import repeats them."""

    def __init__(self, model: ImportHistoryModel) -> None:
        super().__init__()
        self.setModel(model)
        self.setAccessibleName(tr("File imports, newest first"))
        select_rows(self)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 14)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for number, width in enumerate(WIDTHS[1:], start=1):
            self.setColumnWidth(number, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        needed = LEAST + sum(WIDTHS)
        for number in GIVEN_UP:
            hidden = needed > self.viewport().width()
            self.setColumnHidden(number, hidden)
            needed -= WIDTHS[number] if hidden else 0
        super().resizeEvent(event)
