"""The report of an import: counts, and records that could not be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from sciread_app.domain.paper import Skipped
from sciread_app.language import tr, trn
from sciread_app.ui.formatting import duration, sentence_case
from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, save_file
from sciread_app.ui.widgets.dialogs.file_manager import reveal
from sciread_app.ui.widgets.dialogs.window_placement import keep_on_screen
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.row_table import LEFT, Index, RowModel, select_rows

COLUMNS = (
    # Translators: the file or the online source of an entry
    tr("Source"),
    # Translators: one record of a file
    tr("Entry"),
    tr("Reason"),
)
TABLE = 140  # pixels by which each further table increases the height
MANY = 10  # entries from which on there is a field to filter them


class ImportReportModel(RowModel[Skipped]):
    headings = COLUMNS

    def __init__(self, entries: Sequence[Skipped]) -> None:
        super().__init__(entries)
        self.entries = entries

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        skipped = self.rows[index.row()]
        entry, why = skipped.entry or tr("(whole file)"), sentence_case(skipped.reason)
        whole = (skipped.file, entry, why)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return Path(whole).name if index.column() == 0 else whole
        return whole if role == Qt.ItemDataRole.ToolTipRole else None

    def filter(self, words: str) -> None:
        """Show the entries that contain all these words in any column."""
        self.show_rows([entry for entry in self.entries if entry.contains(words)])


class ImportReportDialog(QDialog):
    """The counts of an import, and all entries that failed, have warnings or were skipped, each
    with its reason; they can be filtered, copied and saved. Subclasses report on operations other
    than imports."""

    FAILED = tr("Could not be read:")
    REMARKED = tr("Added with warnings:")
    OTHERS = tr("Skipped files:")

    def __init__(
        self,
        summary: ImportSummary,
        parent: QWidget | None = None,
        *,
        title: str = tr("Import report"),
    ) -> None:
        super().__init__(parent)
        self.summary = summary
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        contents = column(parent=self, margins=(24, 20, 24, 18), spacing=14)
        headline = QLabel(self._title(), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        headline.setFont(scaled(self.font(), 1.35, QFont.Weight.DemiBold))
        contents.addWidget(headline)
        contents.addLayout(self._sum())
        for widget in self._more():
            contents.addWidget(widget, 1 if isinstance(widget, QTableView) else 0)
        self._models: list[ImportReportModel] = []
        if len(summary.listed) > MANY:
            contents.addWidget(self._filter())
        for text, entries in (
            (self.FAILED, summary.failures),
            (self.REMARKED, summary.remarks),
            (self.OTHERS, summary.others),
        ):
            if entries:
                contents.addWidget(styled(QLabel(text), "quiet"))
                # Two lines per row, without measuring each of ten thousand rows.
                self._models.append(ImportReportModel(entries))
                table = report_table(self._models[-1], text, (200, 170, 0), lines=2)
                table.setItemDelegateForColumn(0, _FileNameDelegate(table))
                table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                table.customContextMenuRequested.connect(partial(self._show_menu, table))
                contents.addWidget(table, 1)
        if tables := self.findChildren(QTableView):
            self.resize(820, 560 + TABLE * (len(tables) - 1))
            keep_on_screen(self)
        contents.addLayout(self._buttons())

    def _title(self) -> str:
        return headline(self.summary)

    def _more(self) -> list[QWidget]:
        """Widgets between the counts and the failures."""
        return []

    def _filter(self) -> QLineEdit:
        field = styled(QLineEdit(placeholderText=tr("Filter by file, entry, or reason")), "field")
        field.setAccessibleName(tr("Filter by file, entry, or reason"))
        field.setClearButtonEnabled(True)
        field.textChanged.connect(self._show_matches)
        return field

    def _show_matches(self, words: str) -> None:
        for model in self._models:
            model.filter(words)

    def _show_menu(self, table: QTableView, at: QPoint) -> None:
        index = table.indexAt(at)
        model = table.model()
        if not index.isValid() or not isinstance(model, ImportReportModel):
            return
        entry = model.rows[index.row()]
        menu = rounded(QMenu(table))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        file = Path(entry.file)
        if file.is_absolute():  # not the name of an online source
            menu.addAction(tr("Show in folder"), partial(reveal, file))
        text = as_table([entry])
        menu.addAction(tr("Copy"), lambda: QGuiApplication.clipboard().setText(text))
        menu.popup(table.viewport().mapToGlobal(at))

    def _left_buttons(self) -> list[QPushButton]:
        if not self.summary.listed:
            return []
        copy, save = QPushButton(tr("Copy")), QPushButton(tr("Save…"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text()))
        save.clicked.connect(lambda: self._save(self._text()))
        return [copy, save]

    def _text(self) -> str:
        """The entries that are shown, as a table."""
        return as_table([entry for model in self._models for entry in model.rows])

    def _sum(self) -> QHBoxLayout:
        summary = self.summary
        terms_row = row(spacing=10)
        terms = (
            # Translators: the label below a number of records, as are "New" and "Failed"
            ("", summary.read, tr("Read")),
            ("=", summary.added, tr("New")),
            ("+", summary.merged, tr("Already in library")),
            ("+", summary.failed, tr("Failed")),
        )
        for sign, number, name in terms:
            if sign:
                terms_row.addWidget(styled(QLabel(sign), "faint"))
            terms_row.addWidget(_Tile(number, name), 1)
        return terms_row

    def _buttons(self) -> QHBoxLayout:
        close = styled(QPushButton(tr("Close"), default=True), "primary")
        close.clicked.connect(self.accept)
        return row(*self._left_buttons(), 0, close)

    def _save(self, text: str) -> None:
        title, kinds = tr("Save report"), tr("Table (*.tsv)")
        if file := save_file(self, DialogPurpose.failures, title, "import.tsv", kinds):
            try:
                file.write_text(text, "utf-8")
            except OSError as error:
                QMessageBox.warning(
                    self,
                    tr("Could not save"),
                    tr("Could not write {name}: {why}.", name=file, why=error.strerror),
                )


class MissingFilesDialog(ImportReportDialog):
    """A report of failures and remarks without counts."""

    HEADING = tr("Missing citations")
    FAILED = tr("Could not be fetched:")
    REMARKED = tr("Incomplete:")

    def __init__(self, summary: ImportSummary, parent: QWidget | None = None) -> None:
        super().__init__(summary, parent, title=self.HEADING)

    def _title(self) -> str:
        return self.HEADING

    def _sum(self) -> QHBoxLayout:
        return QHBoxLayout()


class SkippedFilesDialog(MissingFilesDialog):
    """The files that were not moved or renamed, with the reasons."""

    HEADING = tr("Skipped PDFs")
    FAILED = tr("Not changed:")


class _FileNameDelegate(QStyledItemDelegate):
    """Shows a name in one line, elided in the middle, which keeps the file extension."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        option.features &= ~QStyleOptionViewItem.ViewItemFeature.WrapText


class _Tile(QFrame):
    def __init__(self, number: int, name: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        large = QLabel(f"{number:,}")
        large.setFont(scaled(self.font(), 1.6, QFont.Weight.DemiBold))
        small = styled(QLabel(name), "quiet")
        column(large, small, parent=self, margins=(16, 10, 16, 10), spacing=0)
        self.setAccessibleName(f"{number} {name}")


def report_table(
    model: RowModel[Any], name: str, widths: Sequence[int], *, lines: int = 1
) -> QTableView:
    """A table with these widths of columns in pixels, of which 0 takes the rest, and `lines` lines
    in each row."""
    table = QTableView()
    model.setParent(table)
    table.setModel(model)
    table.setAccessibleName(name)
    select_rows(table)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() * lines + 14)
    header = table.horizontalHeader()
    header.setDefaultAlignment(LEFT)
    for number, width in enumerate(widths):
        table.setColumnWidth(number, width)
        if not width:
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Stretch)
    return table


def headline(summary: ImportSummary) -> str:
    """The number of records read, from how many files and in what time, as the title of a
    report."""
    if summary.stopped:
        return trn(
            "Stopped after {n:,} record; the records read so far are in the library",
            "Stopped after {n:,} records; the records read so far are in the library",
            summary.read,
        )
    if not summary.read:
        return tr("No readable records found")
    if summary.files > 1 and summary.seconds:
        return tr(
            "{records} read from {files:,} files in {duration}",
            records=trn("{n:,} record", "{n:,} records", summary.read),
            files=summary.files,
            duration=duration(summary.seconds),
        )
    if not summary.seconds:
        return trn("{n:,} record read", "{n:,} records read", summary.read)
    # Translators: {duration} is "7 s" or "2 h 5 min"
    return trn(
        "{n:,} record read in {duration}",
        "{n:,} records read in {duration}",
        summary.read,
        duration=duration(summary.seconds),
    )


def summed_up(summary: ImportSummary) -> str:
    """The counts in a line: 10 new, 2 already in library, 1 failed"""
    terms = []
    if summary.added:
        terms.append(trn("{n:,} new", "{n:,} new", summary.added))
    if summary.merged:
        terms.append(trn("{n:,} already in library", "{n:,} already in library", summary.merged))
    if summary.failed:
        terms.append(trn("{n:,} failed", "{n:,} failed", summary.failed))
    return ", ".join(terms)


def as_table(entries: Sequence[Skipped]) -> str:
    """File, entry and reason, separated by tabs, for a spreadsheet or a message."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(entries)
    return text.getvalue()
