"""Recovery from a library that cannot be opened: a backup, a salvage, or another folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.errors import LibraryDamaged, SciReadError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.maintenance.backup_rotation import Copy
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.settings.gateway import restoring, salvaging
from sciread_app.ui.shell.startup.startup_error_dialog import StartupErrorDialog, ask_for_backup
from sciread_app.workspace import backups_of

if TYPE_CHECKING:
    from sciread_app.ui.shell.main_window import MainWindow


class Recovery(QObject):
    """Offers the ways to recover. `before`: the error of a way that was tried before."""

    reopen_requested = Signal(object)  # Reopening
    folder_chosen = Signal(object)  # Path
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
                "Restore a backup, or save what can still be read to a new folder. The damaged "
                "library is kept."
            )
            if self._damaged
            else error.hint
        )

    def ask(self) -> None:
        box = self.box = StartupErrorDialog(
            self._message, self._hint, damaged=self._damaged, parent=self._window
        )
        box.restore_requested.connect(self._list_backups)
        box.salvage_chosen.connect(
            lambda folder: self.reopen_requested.emit(salvaging(self._home, folder))
        )
        box.folder_chosen.connect(self.folder_chosen)
        box.undecided.connect(self._ask_again)
        box.quit_requested.connect(self.quit_requested)
        box.finished.connect(box.deleteLater)
        box.open()

    def _ask_again(self) -> None:
        QTimer.singleShot(0, self, self.ask)

    def _list_backups(self) -> None:
        folder: Path = self._home.folder
        self._jobs.run(
            tr("Listing backups"),
            lambda task: backups_of(folder)[1].all(),
            self._choose,
            queue=JobQueue.short,
        )

    def _choose(self, copies: Sequence[Copy]) -> None:
        if copy := ask_for_backup(copies, self._window):
            self.reopen_requested.emit(restoring(self._home, copy))
        else:
            self._ask_again()
