"""The drawer above the foot, in which stands what goes on in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from sciread_app.ui.focus import ComeBack
from sciread_app.ui.frame import Frame
from sciread_app.ui.job_centre_log import WorkLog
from sciread_app.ui.theme import Appearance

if TYPE_CHECKING:
    from sciread_app.ui.job_centre import JobCentre


class WorkDrawer(QObject):
    """Open, it has the focus; closed, it gives it back. The list in it is made when it is first
    wanted."""

    ledger_wanted = Signal(object)  # Ledger

    def __init__(self, frame: Frame, log: WorkLog, appearance: Appearance) -> None:
        super().__init__(frame)
        self._frame, self._log, self._appearance = frame, log, appearance
        self._came_from = ComeBack()
        self.centre: JobCentre | None = None

    def toggle(self) -> None:
        centre = self.centre = self.centre or self._made()
        if centre.isVisible():
            centre.hide()
            self._came_from.give_back()
        else:
            self._came_from.remember(centre)
            centre.show()
            centre.take_focus()

    def panes(self) -> Sequence[QWidget]:
        """What F6 goes through."""
        return (self.centre,) if self.centre else ()

    def _made(self) -> JobCentre:
        from sciread_app.ui.job_centre import JobCentre  # who opens a window does not wait for it

        centre = JobCentre(self._log, self._appearance)
        centre.closed.connect(self.toggle)
        centre.ledger_wanted.connect(self.ledger_wanted)
        centre.hide()
        self._frame.put_above_foot(centre)
        return centre
