"""Shows what other programs change in the library while the window is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobQueue

if TYPE_CHECKING:
    from sciread_app.storage.library import Library

POLL_MS = 4_000  # between two checks


class LibraryWatcher(QObject):
    """The command line and the imports of this window change the library in other processes.

    Counts follow at once. Lists are loaded again when the changes and all jobs of this window have
    ended, since an import of this window also changes the library.
    """

    counts_changed = Signal()

    def __init__(self, context: AppContext, library: Library, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = context.jobs
        self._events = context.events
        self._library = library
        self._is_changing = False
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        self.look()
        self._timer.start()

    def look(self) -> None:
        self._jobs.run(
            tr("Checking for changes by other programs"),
            lambda task: self._library.changed_elsewhere(),
            self._show,
            on_failed=lambda _: None,  # whatever needs the library next shows the error
            queue=JobQueue.short,
            replaces="library watched",
            visible=False,
        )

    def _show(self, changed: bool) -> None:
        queues = (JobQueue.long, JobQueue.network)
        if changed:
            self._is_changing = True
            self.counts_changed.emit()
        elif self._is_changing and not any(map(self._jobs.running, queues)):
            self._is_changing = False
            self._events.library_changed.emit(LibraryChanges(papers=True))
