"""Computes and updates the map layout in the background."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.language import tr
from sciread_app.services.map.map_service import FEWEST, MapLayout
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.map.canvas.points import MapPoints
from sciread_app.ui.map.view_models import MapStatus

if TYPE_CHECKING:
    from sciread_app.ui.map.gateway import MapGateway

PAUSE_MS = 700  # delay while papers are added in batches


class LayoutJob(QObject):
    """Loads the map of the active model, and draws it or adds papers to it where that is needed. A
    layout that the user has stopped does not start again by itself."""

    status_loaded = Signal(object, object)  # MapStatus, and the MapPoints of its layout
    progressed = Signal(int, int, str)  # done, total, description
    stopped = Signal()  # by the user, or by an error that the window shows
    finished = Signal()
    busy_changed = Signal(bool)

    def __init__(self, maps: MapGateway, jobs: JobRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._maps = maps
        self._jobs = jobs
        self.job: Job | None = None
        self._stopped = False  # the user has stopped it
        self._unplaced = 0  # papers that could not be placed the last time
        self._just_drawn = False
        self._outdated = False  # the running layout belongs to a model that is no longer active
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self.refresh)
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finish)

    def refresh(self) -> None:
        """Show the current map and update it where it is out of date."""
        self._jobs.run(
            tr("Loading the map"),
            lambda task: self._load(),
            lambda found: self._show_result(*found),
            replaces="map survey",
        )

    def restart(self) -> None:
        """Discard the running layout, because another model with another map is active."""
        self._unplaced, self._stopped = 0, False
        if self.job is not None:
            self._outdated = True
            self.job.cancel()

    def refresh_soon(self) -> None:
        self._timer.start()

    def draw(self, *, from_scratch: bool = False) -> None:
        """Start the layout unless it is running; `from_scratch`: place all papers again, not only
        new ones."""
        if self.job is not None:
            return
        self._stopped = False
        self.job = self._jobs.run(
            tr("Drawing the map"),
            lambda task: self._maps.draw(task, from_scratch=from_scratch),
            self._drawn,
            queue=JobQueue.long,
        )
        self.job.retry = partial(self.draw, from_scratch=from_scratch)
        self.busy_changed.emit(True)
        before = self._jobs.running(JobQueue.long)[0]
        waiting = before is not self.job
        note = tr("Waiting for: {what}", what=before.title) if waiting else ""
        self.progressed.emit(0, 0, note)

    def cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _load(self) -> tuple[MapStatus, MapPoints | None]:
        status = self._maps.status()
        drawing = status.drawing
        return status, MapPoints(drawing) if drawing is not None and len(drawing.ids) else None

    def _show_result(self, status: MapStatus, points: MapPoints | None) -> None:
        self.status_loaded.emit(status, points)
        if self._just_drawn:
            self._unplaced, self._just_drawn = status.waiting, False
        renamable = status.drawing is not None and status.drawing.renamable
        wanted = status.waiting > self._unplaced or renamable
        if wanted and status.with_vector >= FEWEST and self.job is None and not self._stopped:
            self.draw()

    def _drawn(self, drawing: MapLayout | None) -> None:
        self._just_drawn = True
        self.refresh()

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self.job:
            self.progressed.emit(done, total, note)

    def _finish(self, job: Job) -> None:
        if job is not self.job:
            return
        self.job = None
        self.busy_changed.emit(False)
        if self._outdated:
            self._outdated = False
            self.finished.emit()
            self.refresh()
        elif job.cancelled or job.problem:
            self._stopped = True
            self.stopped.emit()
        else:
            self.finished.emit()
