"""Papers from files: how they are added, and what became of every import until now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from sciread_app.language import tr, trn
from sciread_app.ui.empty import EmptyState
from sciread_app.ui.fetch_words import when
from sciread_app.ui.icons import icon
from sciread_app.ui.jobs import Jobs, Lane
from sciread_app.ui.theme import Appearance, Theme, styled
from sciread_app.ui.values import Ledger, PastImport

COLUMNS = (
    tr("What"),
    tr("When"),
    # Translators: how many records were read, and what became of them
    tr("Read"),
    tr("New"),
    tr("Already there"),
    tr("Failed"),
)
WIDTHS = (0, 160, 70, 70, 112, 66)
LEAST = 120  # pixels for the first
GIVEN_UP = (2, 4, 1, 5, 3)  # columns, one after the other, where there is no room for all
HOW = tr("BibTeX, RIS, CSL-JSON, PubMed, arXiv, JSON lines and PDF. Or drop them on the window.")

Index = QModelIndex | QPersistentModelIndex


class History(Protocol):
    def imports(self) -> list[PastImport]:
        """All imports from files, the newest first."""
        ...

    def import_ledger(self, number: int) -> Ledger: ...


class Imports(QAbstractTableModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.imports: Sequence[PastImport] = ()

    def show(self, imports: Sequence[PastImport]) -> None:
        self.beginResetModel()
        self.imports = imports
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.imports)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        past, column = self.imports[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(past)[column]
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return past.what
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 1:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return COLUMNS[section] if role == Qt.ItemDataRole.DisplayRole else None


class FilesPanel(QWidget):
    files_wanted = Signal()
    folder_wanted = Signal()
    ledger_wanted = Signal(object)  # Ledger

    def __init__(self, history: History, jobs: Jobs, appearance: Appearance) -> None:
        super().__init__()
        self._history = history
        self._jobs = jobs
        self._appearance = appearance
        self._build()
        appearance.changed.connect(self._paint)
        self._paint(appearance.theme)

    def load(self) -> None:
        self._jobs.run(
            tr("Reading the history of imports"),
            lambda task: self._history.imports(),
            self._show,
            lane=Lane.light,
            instead_of="imports",
        )

    def _show(self, imports: list[PastImport]) -> None:
        self.model.show(imports)
        self._pages.setCurrentIndex(0 if imports else 1)

    def open_ledger(self, row: int) -> None:
        """Ask for what became of the records of the import in this row."""
        if 0 <= row < len(self.model.imports):
            number = self.model.imports[row].id
            self._jobs.run(
                tr("Reading a ledger"),
                lambda task: self._history.import_ledger(number),
                self.ledger_wanted.emit,
                lane=Lane.light,
                instead_of="ledger",
            )

    def take_focus(self) -> None:
        self.add_files.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _build(self) -> None:
        self.add_files = styled(QPushButton(tr("Add files…")), "primary")
        self.add_folder = QPushButton(tr("Add a folder…"))
        self.add_files.clicked.connect(self.files_wanted)
        self.add_folder.clicked.connect(self.folder_wanted)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.add_files)
        buttons.addWidget(self.add_folder)
        buttons.addStretch()
        how = styled(QLabel(HOW, wordWrap=True), "quiet")
        how.setContentsMargins(4, 0, 4, 0)
        self.model = Imports(self)
        self.table = _table(self.model)
        self.table.activated.connect(lambda index: self.open_ledger(index.row()))
        self._open = QPushButton(tr("Show what became of it"))
        self._open.clicked.connect(lambda: self.open_ledger(self.table.currentIndex().row()))
        self._open.setEnabled(False)
        self.table.selectionModel().selectionChanged.connect(
            lambda: self._open.setEnabled(self.table.selectionModel().hasSelection())
        )
        past = QWidget()
        column = QVBoxLayout(past)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.table, 1)
        column.addWidget(self._open, 0, Qt.AlignmentFlag.AlignLeft)
        self._empty = EmptyState(self._appearance)
        self._empty.say(
            "drop",
            tr("No files added yet"),
            tr("What became of each record of an import stands here."),
        )
        self._pages = QStackedWidget()
        self._pages.addWidget(past)
        self._pages.addWidget(self._empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(9)
        whole.addLayout(buttons)
        whole.addWidget(how)
        whole.addWidget(self._pages, 1)

    def _paint(self, theme: Theme) -> None:
        self.add_files.setIcon(icon("add", theme.on_accent))


def _cells(past: PastImport) -> tuple[str, ...]:
    counts = (past.read, past.added, past.merged, past.failed)
    at = when(past.started, datetime.now())
    if not past.finished:
        at = tr("{when}, cut off", when=at)
    return (_what(past.what), at, *(f"{count:,}" for count in counts))


def _what(what: str) -> str:
    """The names of the files and folders, without where they lie."""
    first, *others = what.split(", ")
    name = Path(first).name or first
    if not others:
        return name
    return trn("{name} and {n:,} more", "{name} and {n:,} more", len(others), name=name)


class _Table(QTableView):
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The ledger of an import says what no column has room for."""
        needed = LEAST + sum(WIDTHS)
        for column in GIVEN_UP:
            hidden = needed > self.viewport().width()
            self.setColumnHidden(column, hidden)
            needed -= WIDTHS[column] if hidden else 0
        super().resizeEvent(event)


def _table(model: Imports) -> QTableView:
    table = _Table()
    table.setModel(model)
    table.setAccessibleName(tr("Imports from files, the newest first"))
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 14)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    for column, width in enumerate(WIDTHS[1:], start=1):
        table.setColumnWidth(column, width)
    return table
