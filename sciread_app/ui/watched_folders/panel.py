"""The list of watched folders on the settings page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import when
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, select_rows

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

COLUMNS = (tr("Folder"), tr("Files"), tr("Missing"), tr("Status"))
HELP = tr(
    "New papers in these folders are imported while SciRead is open; papers saved while it was "
    "closed, when it starts. Moved files are followed, and deleted ones are marked as missing. "
    "Papers are never removed."
)
ROWS = 5
_NUMBERS = (1, 2)  # columns aligned right
_PAUSE, _RESUME = tr("Pause"), tr("Resume")


class WatchedFoldersPanel(QWidget):
    """Lists the watched folders, and adds, pauses, changes or removes them in the background. The
    options below the list are those of the selected folder."""

    def __init__(self, workspace: Workspace, context: AppContext) -> None:
        super().__init__()
        self._workspace = workspace
        self._jobs = context.jobs
        self._events = context.events
        self._folders: Sequence[WatchedFolder] = ()
        self._collections: Sequence[str] = ()
        self.table = QTableWidget(0, len(COLUMNS))
        self.none = styled(QLabel(tr("No watched folders")), "quiet")
        self.add = QPushButton(tr("Add folder…"))
        self.pause = QPushButton(_PAUSE)
        self.remove = QPushButton(tr("Remove"))
        self.scan = QPushButton(tr("Scan now"))
        self.subfolders = QCheckBox(tr("Include subfolders"))
        self.collection = ComboBox()
        self._build()
        self.add.clicked.connect(self._add)
        self.pause.clicked.connect(self._pause)
        self.remove.clicked.connect(self._remove)
        self.scan.clicked.connect(self._events.watched_folders_edited)
        self.subfolders.clicked.connect(self._change)
        self.collection.activated.connect(lambda _: self._change())
        self.table.itemSelectionChanged.connect(self._select)
        self._events.folders_scanned.connect(self.load)
        self._show([], [])

    def load(self) -> None:
        """List the watched folders."""
        workspace = self._workspace
        self._jobs.run(
            tr("Loading watched folders"),
            lambda task: (workspace.watched_folders.all(), workspace.library.collections.paths()),
            lambda found: self._show(*found),
            replaces="watched folders",
        )

    @property
    def selected(self) -> WatchedFolder | None:
        rows = {item.row() for item in self.table.selectedItems()}
        return self._folders[rows.pop()] if rows else None

    def watch(self, folder: Path) -> None:
        """Watch a folder, and import its papers."""
        self._run(tr("Adding a watched folder"), lambda: self._workspace.watch_folder(folder))

    def _add(self) -> None:
        title = tr("Select folder to watch")
        if folder := choose_folder(self, DialogPurpose.paper_folder, title):
            self.watch(folder)

    def _pause(self) -> None:
        if folder := self.selected:
            title = tr("Resuming a folder") if folder.paused else tr("Pausing a folder")
            pause, paused = self._workspace.watched_folders.pause, not folder.paused
            self._run(title, lambda: pause(folder, paused))

    def _remove(self) -> None:
        if folder := self.selected:
            title = tr("Removing a watched folder")
            self._run(title, partial(self._workspace.watched_folders.remove, folder))

    def _change(self) -> None:
        if folder := self.selected:
            change = partial(
                self._workspace.watched_folders.change,
                folder,
                subfolders=self.subfolders.isChecked(),
                collection=self.collection.currentData() or "",
            )
            self._run(tr("Changing a watched folder"), change)

    def _run(self, title: str, work: Callable[[], object]) -> None:
        def done(_: object) -> None:
            self._events.watched_folders_edited.emit()
            self.load()

        self._jobs.run(title, lambda task: work(), done)

    def _show(self, folders: Sequence[WatchedFolder], collections: Sequence[str]) -> None:
        chosen = self.selected.id if self.selected else None
        self._folders = folders
        if list(collections) != list(self._collections) or not self.collection.count():
            self._collections = collections
            self.collection.clear()
            self.collection.addItem(tr("None"), "")
            for path in collections:
                self.collection.addItem(path, path)
        self.table.setRowCount(len(folders))
        for y, folder in enumerate(folders):
            missing = f"{folder.missing:,}" if folder.missing else ""
            texts = (folder.path, f"{folder.files:,}", missing, _status(folder))
            for x, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if x in _NUMBERS:
                    item.setTextAlignment(RIGHT)
                self.table.setItem(y, x, item)
        height = self.table.verticalHeader().defaultSectionSize()
        rows = min(ROWS, max(1, len(folders)))
        self.table.setFixedHeight(
            self.table.horizontalHeader().sizeHint().height() + rows * height + 6
        )
        for widget in (self.table, self._options):
            widget.setVisible(bool(folders))
        self.none.setVisible(not folders)
        ids = [one.id for one in folders]
        if ids:
            self.table.selectRow(ids.index(chosen) if chosen in ids else 0)
        self._select()

    def _select(self) -> None:
        folder = self.selected
        self.pause.setText(_RESUME if folder and folder.paused else _PAUSE)
        for widget in (self.pause, self.remove, self._options):
            widget.setEnabled(folder is not None)
        self.scan.setEnabled(bool(self._folders))
        if folder:
            self.subfolders.setChecked(folder.subfolders)
            self.collection.setCurrentIndex(max(0, self.collection.findData(folder.collection)))

    def _build(self) -> None:
        table = self.table
        table.setAccessibleName(tr("Watched folders"))
        table.setHorizontalHeaderLabels(COLUMNS)
        for number in _NUMBERS:
            table.model().setHeaderData(
                number, Qt.Orientation.Horizontal, RIGHT, Qt.ItemDataRole.TextAlignmentRole
            )
        select_rows(table)
        table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 12)
        header = table.horizontalHeader()
        header.setDefaultAlignment(LEFT)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        for number in (0, 3):
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
        help = styled(QLabel(HELP, wordWrap=True), "quiet")
        name = QLabel(tr("Add new papers to collection:"))
        name.setBuddy(self.collection)
        self.collection.setAccessibleName(tr("Collection of new papers"))
        self._options = QWidget()
        row(self.subfolders, name, self.collection, 0, parent=self._options, margins=0, spacing=12)
        buttons = row(self.add, self.pause, self.remove, self.scan, 0)
        column(help, table, self.none, self._options, buttons, parent=self, margins=0, spacing=10)


def _status(folder: WatchedFolder) -> str:
    if folder.paused:
        return tr("Paused")
    if folder.problem:
        return folder.problem
    if not folder.scanned:
        return tr("Not scanned yet")
    return tr("Scanned {when}", when=when(folder.scanned, datetime.now()))
