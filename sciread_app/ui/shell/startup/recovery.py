"""The dialog for a library that cannot be opened, and the ways to recover: a backup, a salvage, or
another folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QInputDialog, QMessageBox, QPushButton, QWidget

from sciread_app.errors import LibraryDamaged, SciReadError
from sciread_app.language import format_moment, tr, trn
from sciread_app.paths import Home
from sciread_app.services.maintenance.backup_rotation import BackupCopy
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.settings.operations import restoring, salvaging
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, choose_folder
from sciread_app.workspace import backups_of

if TYPE_CHECKING:
    from sciread_app.ui.shell.main_window import MainWindow

SAVED = tr("SciRead recovered")  # the name of the new folder


class StartupErrorDialog(QMessageBox):
    """`message` describes the error, `hint` the ways to recover. Closing the dialog quits the
    program."""

    folder_selected = Signal(object)  # Path: the folder of another or a new library
    restore_requested = Signal()
    salvage_selected = Signal(object)  # Path: a folder that is not there yet
    folder_choice_canceled = Signal()  # the dialog of folders was canceled
    quit_requested = Signal()

    def __init__(
        self, message: str, hint: str, *, damaged: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(QMessageBox.Icon.Critical, "SciRead", message, parent=parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setInformativeText(hint)
        self.restore = self._button(tr("Restore backup…")) if damaged else None
        self.salvage = self._button(tr("Recover readable papers…")) if damaged else None
        self.another = self._button(tr("Select another folder…"))
        self.leave = self.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole)
        self.setEscapeButton(self.leave)
        self.setDefaultButton(self.restore or self.another)
        self.buttonClicked.connect(self._selected)

    def _button(self, name: str) -> QPushButton:
        return self.addButton(name, QMessageBox.ButtonRole.ActionRole)

    def _folder(self, title: str) -> Path | None:
        return choose_folder(self, DialogPurpose.library, title)

    def _selected(self, button: object) -> None:
        if button is self.restore:
            self.restore_requested.emit()
        elif button is self.another and (name := self._folder(tr("Select another folder"))):
            self.folder_selected.emit(name)
        elif button is self.salvage and (
            name := self._folder(tr("Select a folder for the recovered library"))
        ):
            self.salvage_selected.emit(_free(name / SAVED))
        elif button is self.leave:
            self.quit_requested.emit()
        else:
            self.folder_choice_canceled.emit()


class Recovery(QObject):
    """Asks how to recover, and requests that. `before`: the error of the last attempt."""

    reopen_requested = Signal(object)  # Reopening
    folder_selected = Signal(object)  # Path
    quit_requested = Signal()

    def __init__(
        self,
        home: Home,
        window: MainWindow,
        jobs: JobRunner,
        error: SciReadError,
        before: JobError | None = None,
    ) -> None:
        super().__init__(window)
        self._home = home
        self._window = window
        self._jobs = jobs
        self._damaged = isinstance(error, LibraryDamaged)
        self._message = "\n\n".join([*([before.message] if before else []), error.message])
        # The hint of the error is written for the command line.
        self._hint = (
            tr(
                "Restore a backup, or recover the readable papers to a new folder. The damaged "
                "library is kept."
            )
            if self._damaged
            else error.hint
        )

    def ask(self) -> None:
        """Show the dialog and return at once. It is shown again when a further dialog is
        canceled."""
        box = self.box = StartupErrorDialog(
            self._message, self._hint, damaged=self._damaged, parent=self._window
        )
        box.restore_requested.connect(self._list_backups)
        box.salvage_selected.connect(
            lambda folder: self.reopen_requested.emit(salvaging(self._home, folder))
        )
        box.folder_selected.connect(self.folder_selected)
        box.folder_choice_canceled.connect(self._ask_again)
        box.quit_requested.connect(self.quit_requested)
        box.finished.connect(box.deleteLater)
        box.open()

    def _ask_again(self) -> None:
        QTimer.singleShot(0, self, self.ask)

    def _list_backups(self) -> None:
        self._jobs.run(
            tr("Loading backups"), lambda task: backups_of(self._home.folder)[1].all(), self._choose
        )

    def _choose(self, copies: Sequence[BackupCopy]) -> None:
        if copy := ask_for_backup(copies, self._window):
            self.reopen_requested.emit(restoring(self._home, copy))
        else:
            self._ask_again()


def ask_for_folder(message: str, hint: str) -> Path | None:
    """Show why a folder cannot be used and ask for another. Returns None to quit."""
    chosen: list[Path] = []
    while not chosen:
        box = StartupErrorDialog(message, hint)
        box.folder_selected.connect(chosen.append)
        box.exec()
        if box.clickedButton() is not box.another:
            return None
    return chosen[0]


def ask_for_backup(copies: Sequence[BackupCopy], parent: QWidget) -> BackupCopy | None:
    """Ask which of these backups to restore. Returns None if there are none or none is chosen."""
    if not copies:
        QMessageBox.warning(parent, "SciRead", tr("This library has no backups."))
        return None
    named = {_named(copy): copy for copy in copies}
    name, done = QInputDialog.getItem(
        parent, tr("Restore backup"), tr("Backup:"), list(named), 0, False
    )
    return named[name] if done else None


def _named(copy: BackupCopy) -> str:
    created = format_moment(copy.created)
    if copy.papers is None:
        return f"{created}, {copy.kind_name}"
    papers = trn("{n:,} paper", "{n:,} papers", copy.papers)
    return f"{created}, {papers}, {copy.kind_name}"


def _free(folder: Path) -> Path:
    """Return the folder, or a similar name in the same place that is not in use."""
    names = [folder, *(folder.with_name(f"{folder.name} {n}") for n in range(2, 1000))]
    return next(name for name in names if not name.exists())
