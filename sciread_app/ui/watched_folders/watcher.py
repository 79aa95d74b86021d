"""Scans watched folders in the background, when they change and from time to time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import Job, JobQueue

if TYPE_CHECKING:
    from sciread_app.services.ingest.watched_folders import FolderScan, ScanReport
    from sciread_app.workspace import Workspace

SETTLE_MS = 1_500  # without a change, before a folder is scanned
POLL_MS = 60_000  # between scans of folders that report no changes, or are not found
WAITING_MS = 20_000  # until files that were still being written are looked at again
RESCAN_MS = 1_800_000  # between scans of all folders, since the system may lose a report
STOP_NOTE = tr("Papers imported so far are kept")


class FolderWatcher(QObject):
    """One scan runs at a time; folders that change meanwhile are scanned after it."""

    _noticed = Signal(int)  # the id of a folder that has changed, from any thread

    def __init__(
        self,
        context: AppContext,
        workspace: Workspace,
        undo: Callable[[], object],
        parent: QObject | None = None,
    ) -> None:
        """`undo` undoes the last edit of the library."""
        super().__init__(parent)
        self._workspace = workspace
        self._jobs = context.jobs
        self._events = context.events
        self._toast = context.toast
        self._navigate = context.navigate
        self._undo = undo
        self._due: set[int] = set()
        self._all_due = False
        self._polled: set[int] = set()
        self._waiting: set[int] = set()  # folders with files that are still being written
        self._job: Job | None = None
        self._settled = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settled.timeout.connect(self._scan)
        self._again = QTimer(self, singleShot=True, interval=WAITING_MS)
        self._again.timeout.connect(lambda: self._scan_some(self._waiting))
        self._poll = QTimer(self, interval=POLL_MS)
        self._poll.timeout.connect(lambda: self._scan_some(self._polled))
        self._rescan = QTimer(self, interval=RESCAN_MS)
        self._rescan.timeout.connect(self.scan_all)
        self._noticed.connect(self._notice)
        self._jobs.finished.connect(self._finished)
        self._events.watched_folders_edited.connect(self.scan_all)

    def start(self) -> None:
        """Find what has changed since the last session, and watch the folders from now on."""
        self.scan_all()
        self._poll.start()
        self._rescan.start()

    def scan_all(self) -> None:
        self._all_due = True
        self._scan()

    def _notice(self, folder: int) -> None:
        self._due.add(folder)
        self._settled.start()

    def _scan_some(self, folders: set[int]) -> None:
        if folders:
            self._due |= folders
            self._scan()

    def _scan(self) -> None:
        if self._job:  # goes on when that has finished
            return
        wanted = None if self._all_due else frozenset(self._due)
        self._due.clear()
        self._all_due = False
        self._job = self._jobs.run(
            tr("Scanning watched folders"),
            partial(self._workspace.scan_folders, wanted, self._noticed.emit),
            self._scanned,
            stop_note=STOP_NOTE,
            visible=False,
            queue=JobQueue.long,
        )

    def _scanned(self, scan: FolderScan) -> None:
        self._polled = scan.polled
        for report in scan.reports:
            self._waiting.discard(report.folder.id)
            if report.waiting:
                self._waiting.add(report.folder.id)
        if self._waiting:
            self._again.start()
        changed = [report for report in scan.reports if report.has_changes]
        if changed:
            self._events.papers_added.emit(LibraryChanges(papers=True))
        self._report(changed)
        if scan.reports:
            self._events.folders_scanned.emit()

    def _report(self, reports: list[ScanReport]) -> None:
        """Report the papers that were added, and the files that could not be read."""
        papers = [paper for report in reports for paper in report.new]
        failed = sum(report.imported.failed for report in reports)
        named = [one.folder.name for one in reports if one.new or one.imported.failed]
        place = named[0] if len(named) == 1 else trn("{n} folder", "{n} folders", len(named))
        if papers:
            # Translators: {folder} is the name of a folder, or "2 folders"
            text = trn(
                "{n:,} paper added from {folder}",
                "{n:,} papers added from {folder}",
                len(papers),
                folder=place,
            )
            title = tr("Added from {folder}", folder=place)
            show = partial(self._navigate.show_papers, papers, title)
            self._toast.show_message(text, self._undo, action=(tr("Show"), show))
        elif failed:
            text = trn(
                "{n:,} record from {folder} could not be imported",
                "{n:,} records from {folder} could not be imported",
                failed,
                folder=place,
            )
            show = partial(self._navigate.show_imports)
            self._toast.show_message(text, action=(tr("Show"), show))

    def _finished(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.cancelled and not self._jobs.closing:
            self._events.papers_added.emit(LibraryChanges(papers=True))
        elif self._all_due or self._due:
            self._settled.start()
