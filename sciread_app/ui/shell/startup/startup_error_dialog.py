"""The dialog that is shown when no library can be opened: why, and what can be done instead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QInputDialog, QMessageBox, QPushButton, QWidget

from sciread_app.language import tr, trn
from sciread_app.services.maintenance.backup_rotation import Copy
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder

SAVED = tr("SciRead salvaged")  # the name of the folder that is made for what could be read


class StartupErrorDialog(QMessageBox):
    """`message` says what happened, `hint` what can be done. Closed in any way but by another
    button, it means that the person gives up."""

    folder_chosen = Signal(object)  # Path: of another library, or for a new one
    restore_requested = Signal()
    salvage_chosen = Signal(object)  # Path: a folder that is not there yet
    undecided = Signal()  # the dialog of folders was cancelled
    quit_requested = Signal()

    def __init__(
        self, message: str, hint: str, *, damaged: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(QMessageBox.Icon.Critical, "SciRead", message, parent=parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setInformativeText(hint)
        self.restore = self._button(tr("Restore a Backup…")) if damaged else None
        self.salvage = self._button(tr("Save What Can Be Read…")) if damaged else None
        self.another = self._button(tr("Choose Another Folder…"))
        self.leave = self.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole)
        self.setEscapeButton(self.leave)
        self.setDefaultButton(self.restore or self.another)
        self.buttonClicked.connect(self._chosen)

    def _button(self, name: str) -> QPushButton:
        return self.addButton(name, QMessageBox.ButtonRole.ActionRole)

    def _folder(self, title: str) -> Path | None:
        return choose_folder(self, DialogPurpose.library, title)

    def _chosen(self, button: object) -> None:
        if button is self.restore:
            self.restore_requested.emit()
        elif button is self.another and (name := self._folder(tr("Choose Another Folder"))):
            self.folder_chosen.emit(name)
        elif button is self.salvage and (
            name := self._folder(tr("Choose a Place for What Can Be Read"))
        ):
            self.salvage_chosen.emit(_free(name / SAVED))
        elif button is self.leave:
            self.quit_requested.emit()
        else:
            self.undecided.emit()


def ask_for_folder(message: str, hint: str) -> Path | None:
    """Show why a folder cannot be used and ask for another. Returns None to quit."""
    chosen: list[Path] = []
    while not chosen:
        box = StartupErrorDialog(message, hint)
        box.folder_chosen.connect(chosen.append)
        box.exec()
        if box.clickedButton() is not box.another:
            return None
    return chosen[0]


def ask_for_backup(copies: Sequence[Copy], parent: QWidget) -> Copy | None:
    """Ask which of these backups to restore. Returns None if there are none or none is chosen."""
    if not copies:
        QMessageBox.warning(
            parent,
            "SciRead",
            tr("There is no backup of this library."),
        )
        return None
    named = {_named(copy): copy for copy in copies}
    name, done = QInputDialog.getItem(
        parent, tr("Restore Backup"), tr("Backup:"), list(named), 0, False
    )
    return named[name] if done else None


def _named(copy: Copy) -> str:
    made = f"{copy.made:%Y-%m-%d %H:%M}"
    if copy.papers is None:
        return f"{made}, {copy.kind_name}"
    papers = trn("{n:,} paper", "{n:,} papers", copy.papers)
    return f"{made}, {papers}, {copy.kind_name}"


def _free(folder: Path) -> Path:
    """Return the folder, or a similar name in the same place that is not in use."""
    names = [folder, *(folder.with_name(f"{folder.name} {n}") for n in range(2, 1000))]
    return next(name for name in names if not name.exists())
