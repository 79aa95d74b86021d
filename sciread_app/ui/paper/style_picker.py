"""A dialog for choosing a citation style, or adding one from a .csl file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from sciread_app.domain.clipboard_formats import CopyCitation, CopyWhat, Style
from sciread_app.language import tr
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, open_file
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.text.labels import plain_label

if TYPE_CHECKING:  # imports lxml, and the start of the window needs it not
    from sciread_app.services.export.citation_styles import CitationStyles

_KEY = Qt.ItemDataRole.UserRole


class StylePicker(QDialog):
    """A dialog for choosing a citation style."""

    selected = Signal(object)  # CopyCitation

    def __init__(
        self, styles: CitationStyles, jobs: JobRunner, current: CopyWhat | None, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._styles, self._jobs = styles, jobs
        self._closed = False
        self.setWindowTitle(tr("Citation style"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget()
        self.list.setAccessibleName(self.windowTitle())
        self.list.itemActivated.connect(self._choose)
        self.in_text = QCheckBox(tr("In-text citation instead of reference"))
        self.status = styled(plain_label(), "quiet")
        self.status.hide()
        self.add = QPushButton(tr("Add style file…"), autoDefault=False)
        self.add.clicked.connect(self._add)
        self.copy = QPushButton(tr("Copy"), default=True)
        self.copy.clicked.connect(self._choose)
        cancel = QPushButton(tr("Cancel"), autoDefault=False)
        cancel.clicked.connect(self.reject)
        self._lay_out(cancel)
        known = current if isinstance(current, CopyCitation) else None
        self.in_text.setChecked(known is not None and known.in_text)
        self._fill(known.style if known else "")

    def done(self, result: int) -> None:
        self._closed = True
        super().done(result)

    def _lay_out(self, cancel: QPushButton) -> None:
        buttons = row(self.add, 1, cancel, styled(self.copy, "primary"))
        parts = (self.list, self.in_text, self.status, buttons)
        column(*parts, parent=self, margins=(16, 16, 16, 12))
        self.resize(480, 420)

    def _fill(self, chosen: str) -> None:
        self.list.clear()
        for style in self._styles.all():
            item = QListWidgetItem(style.title)
            item.setData(_KEY, style.key)
            self.list.addItem(item)
            if style.key == chosen:
                self.list.setCurrentItem(item)
        if self.list.currentRow() < 0:
            self.list.setCurrentRow(0)

    def _choose(self) -> None:
        if item := self.list.currentItem():
            self.selected.emit(CopyCitation(item.data(_KEY), self.in_text.isChecked()))
            self.accept()

    def _add(self) -> None:
        kinds, title = (
            tr("Citation styles ({pattern})", pattern="*.csl"),
            tr("Add citation style"),
        )
        if (file := open_file(self, DialogPurpose.citation_style, title, kinds)) is None:
            return
        self.add.setEnabled(False)
        self._show_message(tr("Checking {file}…", file=file.name))
        self._jobs.run(
            tr("Adding a citation style"),
            lambda task: self._styles.add(file),
            self._added,
            on_failed=self._not_added,
            replaces="add style",
        )

    def _added(self, style: Style) -> None:
        if self._closed:
            return
        self.add.setEnabled(True)
        self._show_message(tr("Added “{style}”.", style=style.title))
        self._fill(style.key)

    def _not_added(self, problem: JobError) -> None:
        if self._closed:
            return
        self.add.setEnabled(True)
        self._show_message(problem.text)

    def _show_message(self, text: str) -> None:
        self.status.setText(text)
        self.status.show()
