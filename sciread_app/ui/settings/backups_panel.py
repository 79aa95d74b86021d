"""The list of backups on the settings page, with date, number of papers and a way to restore
one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from sciread_app.language import format_moment, tr
from sciread_app.services.maintenance.backup_rotation import BackupCopy
from sciread_app.ui.formatting import file_size
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, select_rows

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

# Translators: columns of a list of backups: its date and time, number of papers, size, and type
COLUMNS = (tr("Created"), tr("Papers"), tr("Size"), tr("Type"))
BACK_UP = tr("Back up now")
HELP = tr(
    "SciRead backs up the library once a day while its window is open. It keeps "
    "the backups of the last seven days, and the last backup of each month for a "
    "year. Manual backups are kept until you delete them."
)
ROWS = 6
_NUMBERS = (1, 2)  # columns aligned right


class BackupsPanel(QWidget):
    """Lists the backups, creates one on request, and requests to restore the selected one."""

    restore_requested = Signal(object)  # BackupCopy

    def __init__(self, workspace: Workspace, jobs: JobRunner) -> None:
        super().__init__()
        self._workspace = workspace
        self._jobs = jobs
        self._copies: Sequence[BackupCopy] = ()
        self._backing_up = False
        self.table = QTableWidget(0, len(COLUMNS))
        self.none = styled(QLabel(tr("No backups yet")), "quiet")
        self.restore = QPushButton(tr("Restore…"))
        self.now = QPushButton(BACK_UP)
        self.folder = QPushButton(tr("Open folder"))
        self._build()
        self.restore.clicked.connect(self._restore)
        self.now.clicked.connect(self.back_up)
        self.folder.clicked.connect(self._open_folder)
        self.table.itemSelectionChanged.connect(self._choose)
        self._show([])

    def load(self, then: Callable[[], object] = lambda: None) -> None:
        """List the backups, then call `then`."""

        def show(copies: Sequence[BackupCopy]) -> None:
            self._show(copies)
            then()

        self._jobs.run(
            tr("Loading backups"),
            lambda task: self._workspace.backups.all(),
            show,
            replaces="backups",
        )

    def take_focus(self) -> None:
        """Move the focus to the backups, or to the first button if there are none yet."""
        (self.table if self._copies else self.now).setFocus(Qt.FocusReason.OtherFocusReason)

    def back_up(self) -> None:
        """Create a backup in the background, then list it; does nothing while one is being
        created."""
        # The button stays enabled: disabling it would move the focus to its neighbor.
        if self._backing_up:
            return
        self._backing_up = True
        self.now.setText(tr("Backing up…"))
        workspace = self._workspace
        job = self._jobs.run(
            tr("Backing up the library"),
            lambda task: workspace.backups.create_manual(workspace.library, datetime.now(), task),
            queue=JobQueue.long,
        )
        job.retry = self.back_up

        def ended(other: object) -> None:
            if other is job:
                self._jobs.finished.disconnect(ended)
                self._backing_up = False
                self.now.setText(BACK_UP)
                self.load()

        self._jobs.finished.connect(ended)

    def _show(self, copies: Sequence[BackupCopy]) -> None:
        """Show these backups, and select the one that was selected, else the latest."""
        row = self.table.currentRow()
        before = self._copies[row] if 0 <= row < len(self._copies) else None
        self._copies = copies
        self.table.setRowCount(len(copies))
        for y, copy in enumerate(copies):
            papers = "" if copy.papers is None else f"{copy.papers:,}"
            texts = (format_moment(copy.created), papers, file_size(copy.bytes), copy.kind_name)
            for x, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if x in _NUMBERS:
                    item.setTextAlignment(RIGHT)
                self.table.setItem(y, x, item)
        height = self.table.verticalHeader().defaultSectionSize()
        rows = min(ROWS, max(1, len(copies)))
        self.table.setFixedHeight(
            self.table.horizontalHeader().sizeHint().height() + rows * height + 6
        )
        self.table.setVisible(bool(copies))
        self.none.setVisible(not copies)
        self.table.selectRow(copies.index(before) if before in copies else 0)
        self._choose()

    def _choose(self) -> None:
        self.restore.setEnabled(bool(self.table.selectedItems()))

    def _restore(self) -> None:
        self.restore_requested.emit(self._copies[self.table.currentRow()])

    def _open_folder(self) -> None:
        folder = self._workspace.backups.folder
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _build(self) -> None:
        table = self.table
        table.setAccessibleName(tr("Backups"))
        table.setHorizontalHeaderLabels(COLUMNS)
        for number in _NUMBERS:
            table.model().setHeaderData(
                number, Qt.Orientation.Horizontal, RIGHT, Qt.ItemDataRole.TextAlignmentRole
            )
        select_rows(table)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 12)
        header = table.horizontalHeader()
        header.setDefaultAlignment(LEFT)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        help = styled(QLabel(HELP, wordWrap=True), "quiet")
        buttons = row(self.restore, self.now, self.folder, 0)
        column(help, table, self.none, buttons, parent=self, margins=0, spacing=10)
