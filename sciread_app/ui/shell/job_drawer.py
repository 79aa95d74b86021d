"""The drawer above the status bar that lists background jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from sciread_app.ui.shell.job_history import JobHistory
from sciread_app.ui.shell.main_layout import MainLayout
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.widgets.focus import FocusRestorer

if TYPE_CHECKING:
    from sciread_app.ui.shell.job_panel import JobPanel


class JobDrawer(QObject):
    """Takes the focus when it opens and returns it when it closes. The panel is created when it is
    opened for the first time."""

    ledger_requested = Signal(object)  # Ledger

    def __init__(self, frame: MainLayout, log: JobHistory, appearance: Appearance) -> None:
        super().__init__(frame)
        self._frame, self._log, self._appearance = frame, log, appearance
        self._came_from = FocusRestorer()
        self.centre: JobPanel | None = None

    def toggle(self) -> None:
        centre = self.centre = self.centre or self._made()
        if centre.isVisible():
            centre.hide()
            self._came_from.restore()
        else:
            self._came_from.remember(centre)
            centre.show()
            centre.take_focus()

    def panes(self) -> Sequence[QWidget]:
        """Return the panes that F6 cycles through."""
        return (self.centre,) if self.centre else ()

    def _made(self) -> JobPanel:
        from sciread_app.ui.shell.job_panel import (
            JobPanel,  # imported late for a faster start
        )

        centre = JobPanel(self._log, self._appearance)
        centre.closed.connect(self.toggle)
        centre.ledger_requested.connect(self.ledger_requested)
        centre.hide()
        self._frame.put_above_foot(centre)
        return centre
