"""What keeps the library safe while the window is open: a copy a day, and a good place to lie."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from sciread_app.language import tr
from sciread_app.ui.jobs import Jobs, Lane

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.values_care import Care

SOON_MS = 20_000  # after the window has opened: who opens it wants to search first
OFTEN_MS = 1_800_000  # a window may stay open for days
SAFE = tr("It is safer in a folder of this computer, with only the backups where it is now.")


class Safekeeping(QObject):
    def __init__(self, window: MainWindow, care: Care, jobs: Jobs) -> None:
        super().__init__(window)
        self._window = window
        self._care = care
        self._jobs = jobs
        self._tried: date | None = None
        self._often = QTimer(self, interval=OFTEN_MS)
        self._often.timeout.connect(self.back_up)
        self._soon = QTimer(self, interval=SOON_MS, singleShot=True)
        self._soon.timeout.connect(self.back_up)

    def start(self) -> None:
        self._soon.start()
        self._often.start()
        if risk := self._care.risk:
            self._window.banner.show_warning(
                risk, SAFE, (tr("Move it there"), self._move), (tr("Leave it here"), self._leave)
            )

    def back_up(self) -> None:
        """Copy the library if that is due; what fails is told once a day."""
        today = date.today()

        def begin(due: bool) -> None:
            if due and self._tried != today:
                self._tried = today
                self._jobs.run(
                    tr("Backing up the library"), lambda task: self._care.back_up(today, task)
                )

        self._jobs.run(
            tr("Looking at the backups"),
            lambda task: self._care.backup_due(today),
            begin,
            lane=Lane.light,
            instead_of="backup",
        )

    def _move(self) -> None:
        self._window.reopen_wanted.emit(self._care.moving(None))

    def _leave(self) -> None:
        self._care.change(accepted_risk=self._care.risk)
