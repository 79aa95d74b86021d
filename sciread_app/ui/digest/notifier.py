"""Creates digests that are due while the window is open, and reports new ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobError, JobQueue

if TYPE_CHECKING:
    from sciread_app.services.digest.digest_service import DigestResult, DigestService
    from sciread_app.storage.organisation.digests import StoredDigest

SOON_MS = 30_000  # after the window opens, so as not to slow down the first search
OFTEN_MS = 300_000  # between two checks: the timer of the system may create a digest as well
RETRY_S = 4 * 3600  # after a failure, such as that of a source
LAST = "digest/last"  # setting: the id of the last digest that was reported


class _DigestStatus(NamedTuple):
    digests: Sequence[StoredDigest]
    due: bool


class DigestNotifier(QObject):
    """Notifies in the window, and on the desktop if another window is active. A digest that the
    timer of the system has made was already reported on the desktop."""

    def __init__(self, context: AppContext, digests: DigestService, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._digests = digests
        self._window = window
        self._retry_at = 0.0
        self._tray: QSystemTrayIcon | None = None
        self._often = QTimer(self, interval=OFTEN_MS)
        self._often.timeout.connect(self.look)

    def start(self) -> None:
        if self._digests.makes_digests:
            self._often.start()
            QTimer.singleShot(SOON_MS, self, self.look)

    def look(self) -> None:
        """Report a new digest, and make one if it is due."""
        digests = self._digests

        def check(task: Task) -> _DigestStatus:
            # The timer of the system creates those of its library.
            due = digests.is_due() and digests.timer().timetable() is None
            return _DigestStatus(digests.latest(1), due)

        self._context.jobs.run(
            tr("Checking digests"),
            check,
            self._show,
            on_failed=lambda _: None,  # the page shows the error
            replaces="digests watched",
        )

    def _show(self, found: _DigestStatus) -> None:
        if found.digests and found.digests[0].id > self._reported():
            latest = found.digests[0]
            self._report(latest.id, latest.papers)
            # By another process, which has added papers, too.
            self._context.events.papers_added.emit(LibraryChanges(papers=True))
        if found.due and time.monotonic() >= self._retry_at:
            self._make()

    def _make(self) -> None:
        self._retry_at = time.monotonic() + RETRY_S
        self._context.jobs.run(
            tr("Creating a digest"),
            lambda task: self._digests.make(task, due=True, fetch=True),
            self._made,
            on_failed=self._failed,
            queue=JobQueue.network,
            replaces="creating a digest",
        )

    def _made(self, result: DigestResult) -> None:
        if result.problems:
            self._failed(JobError(tr("The digest may be incomplete."), " ".join(result.problems)))
        else:
            self._retry_at = 0.0
        if result.digest.papers:
            self._report(result.digest.id, result.digest.papers, on_desktop=True)
            self._context.events.papers_added.emit(LibraryChanges(papers=True))

    def _failed(self, problem: JobError) -> None:
        if not problem.cancelled:
            self._context.messages.show_warning(problem.message, problem.hint)

    def _reported(self) -> int:
        kept = self._context.open_settings().value(LAST)
        return int(kept) if str(kept or "").isdecimal() else 0

    def _report(self, id: int, papers: int, *, on_desktop: bool = False) -> None:
        self._context.open_settings().setValue(LAST, id)
        text = trn("New digest: {n:,} paper", "New digest: {n:,} papers", papers)
        show = (tr("Show digest"), self._open)
        if not self._context.navigate.shows("digest"):
            self._context.messages.show_notice(text, "", show)
        if on_desktop and not self._window.isActiveWindow():
            self._notify(text)

    def _notify(self, text: str) -> None:
        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._window.windowIcon(), self)
            self._tray.setToolTip("SciRead")
            for clicked in (self._tray.messageClicked, self._tray.activated):
                clicked.connect(lambda *_: self._open())
        self._tray.show()
        self._tray.showMessage("SciRead", text, self._window.windowIcon())

    def _open(self) -> None:
        """Show the digest page, in front."""
        if self._tray:
            self._tray.hide()
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()
        self._context.navigate.go_to("digest")
