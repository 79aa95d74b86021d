"""Daily backups while the window is open, and the offer to move a library out of a risky folder."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.settings.operations import moving

if TYPE_CHECKING:
    from sciread_app.workspace import Workspace

SOON_MS = 20_000  # after the window opens, so as not to slow down the first search
OFTEN_MS = 1_800_000  # a window may stay open for days
SAFE = tr(
    "Move the library to a folder on this computer and keep only the backups in the current folder."
)


class BackupScheduler(QObject):
    """Backs up the library once a day, while the window is open, and warns of a folder in which the
    library may be damaged, such as one that is synchronized."""

    def __init__(self, context: AppContext, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._messages = context.messages
        self._events = context.events
        self._workspace = workspace
        self._jobs = context.jobs
        self._tried: date | None = None
        self._often = QTimer(self, interval=OFTEN_MS)
        self._often.timeout.connect(self.back_up)
        self._soon = QTimer(self, interval=SOON_MS, singleShot=True)
        self._soon.timeout.connect(self.back_up)

    def start(self) -> None:
        """Begin the checks, the first after a while, and warn of a risky folder at once."""
        self._soon.start()
        self._often.start()
        if risk := self._workspace.risk:
            self._messages.show_warning(
                risk,
                SAFE,
                (tr("Move library"), self._move),
                (tr("Keep current folder"), self._leave),
            )

    def back_up(self) -> None:
        """Back up the library if a backup is due; a failure is reported once a day."""
        today, home = date.today(), self._workspace.home
        backups, library = self._workspace.backups, self._workspace.library

        def begin(due: bool) -> None:
            if due and self._tried != today:
                self._tried = today
                self._jobs.run(
                    tr("Backing up the library"),
                    lambda task: backups.create_daily(library, today, task),
                    queue=JobQueue.long,
                )

        self._jobs.run(
            tr("Checking backups"),
            lambda task: not home.is_sample and backups.is_due(library, today),
            begin,
            replaces="backup",
        )

    def _move(self) -> None:
        self._events.reopen_requested.emit(moving(self._workspace.home, None))

    def _leave(self) -> None:
        self._workspace.change(accepted_risk=self._workspace.risk)
