"""Sees to it that there is a map, and that what came in is on it: off the window's thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.language import tr
from sciread_app.services.atlas import FEWEST, Drawing
from sciread_app.ui.jobs import Job, Jobs, Lane
from sciread_app.ui.map.points import Points
from sciread_app.ui.map.values import Maps, Survey

PAUSE_MS = 700  # while papers come in one batch after the other


class Drafting(QObject):
    surveyed = Signal(object, object)  # Survey, and the Points of its drawing
    progressed = Signal(int, int, str)  # done, total, what is going on
    stopped = Signal()  # by a person, or by a fault that the window tells
    finished = Signal()
    busy_changed = Signal(bool)

    def __init__(self, maps: Maps, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._maps = maps
        self._jobs = jobs
        self.job: Job | None = None
        self._stopped = False  # a person does not want it now
        self._left = 0  # papers that could not be put on it the last time
        self._just_drawn = False
        self._outdated = False  # what is being drawn is of a model that answers no more
        self._soon = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._soon.timeout.connect(self.look)
        jobs.progressed.connect(self._progress)
        jobs.finished.connect(self._finish)

    def look(self) -> None:
        """Show the map as it is, and bring it up to date where it is not."""
        self._jobs.run(
            tr("Opening the map"),
            lambda task: self._look(),
            lambda found: self._arrive(*found),
            lane=Lane.light,
            instead_of="map survey",
        )

    def begin_anew(self) -> None:
        """Another model answers, whose map is another: what is being drawn is not wanted."""
        self._left, self._stopped = 0, False
        if self.job is not None:
            self._outdated = True
            self.job.cancel()

    def look_soon(self) -> None:
        self._soon.start()

    def draw(self, *, anew: bool = False) -> None:
        if self.job is not None:
            return
        self._stopped = False
        self.job = self._jobs.run(
            tr("Drawing the map"),
            lambda task: self._maps.draw(task, anew=anew),
            self._drawn,
            lane=Lane.heavy,
        )
        self.busy_changed.emit(True)
        self.progressed.emit(0, 0, "")

    def cancel(self) -> None:
        if self.job is not None:
            self.job.cancel()

    def _look(self) -> tuple[Survey, Points | None]:
        survey = self._maps.survey()
        drawing = survey.drawing
        return survey, Points(drawing) if drawing is not None and len(drawing.ids) else None

    def _arrive(self, survey: Survey, points: Points | None) -> None:
        self.surveyed.emit(survey, points)
        if self._just_drawn:
            self._left, self._just_drawn = survey.waiting, False
        wanted = survey.waiting > self._left and survey.with_vector >= FEWEST
        if wanted and self.job is None and not self._stopped:
            self.draw()

    def _drawn(self, drawing: Drawing | None) -> None:
        self._just_drawn = True
        self.look()

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
            self.look()
        elif job.cancelled or job.problem:
            self._stopped = True
            self.stopped.emit()
        else:
            self.finished.emit()
