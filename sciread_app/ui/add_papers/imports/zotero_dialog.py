"""The choice of a Zotero library to import."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QLabel,
    QPushButton,
    QRadioButton,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.ui.formatting import when
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.ui.widgets.layout.boxes import column, row

if TYPE_CHECKING:
    from sciread_app.services.ingest.zotero.folders import ZoteroFolder


class ZoteroDialog(QDialog):
    """Lists the data folders that were found, any other folder, and a Zotero that runs."""

    selected = Signal(object, bool)  # Path of a data folder, or None: that which runs; with groups

    def __init__(self, folders: Sequence[ZoteroFolder], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Import from Zotero"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = parent
        self._paths: list[Path | None] = []
        self.choices: list[QRadioButton] = []
        self._list = column(margins=0, spacing=6)
        for folder in folders:
            self._add(folder.path, _described(folder))
        self._add(None, tr("The Zotero that is running"))
        self.choices[0].setChecked(True)
        self.groups = QCheckBox(tr("Include group libraries"))
        self.groups.setChecked(True)
        self.other = QPushButton(tr("Other folder…"))
        self.import_button = styled(QPushButton(tr("Import"), default=True), "primary")
        cancel = QPushButton(tr("Cancel"))
        help = tr(
            "The library is only read, also while Zotero is open. Items in its trash are left out."
        )
        if not folders:
            help = tr("No data folder of Zotero was found. Select the one that contains it.")
        explanation = styled(QLabel(help, wordWrap=True), "quiet")
        explanation.setMinimumWidth(440)
        column(
            explanation,
            self._list,
            self.groups,
            row(self.other, 1, cancel, self.import_button, spacing=8),
            parent=self,
            margins=(24, 20, 24, 18),
            spacing=14,
        )
        self.other.clicked.connect(self._choose_other)
        cancel.clicked.connect(self.reject)
        self.import_button.clicked.connect(self.accept)
        self.accepted.connect(self._emit_choice)
        for choice in self.choices:
            choice.toggled.connect(self._offer_groups)
        self._offer_groups()

    @property
    def _path(self) -> Path | None:
        """The folder that is selected; None for the Zotero that runs."""
        checked = [choice.isChecked() for choice in self.choices]
        return self._paths[checked.index(True)]

    def _add(self, path: Path | None, text: str) -> None:
        choice = QRadioButton(text)
        self._paths.append(path)
        self.choices.append(choice)
        self._list.addWidget(choice)

    def _choose_other(self) -> None:
        title = tr("Select the data folder of Zotero")
        if folder := choose_folder(self._window or self, DialogPurpose.zotero, title):
            self._add(folder, str(folder))
            self.choices[-1].toggled.connect(self._offer_groups)
            self.choices[-1].setChecked(True)

    def _offer_groups(self) -> None:
        self.groups.setEnabled(self._path is not None)

    def _emit_choice(self) -> None:
        self.selected.emit(self._path, self.groups.isChecked())


def _described(folder: ZoteroFolder) -> str:
    changed = when(folder.modified, datetime.now())
    if folder.profile:
        # Translators: a folder of Zotero, the name of its profile, and a date
        return tr(
            "{folder} (profile “{profile}”, last changed {date})",
            folder=folder.path,
            profile=folder.profile,
            date=changed,
        )
    return tr("{folder} (last changed {date})", folder=folder.path, date=changed)
