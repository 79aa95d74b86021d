"""Trainings that go on while one does something else: seen on the rail and among the work in the
background, told when they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from sciread_app.language import tr
from sciread_app.services.runs import Standing, Training
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.training.words import STANDINGS

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.training.values import Teacher

GOING_MS, IDLE_MS = 4_000, 30_000  # between two looks: another program may begin one as well
REMEMBERED = "training/going"


class TrainingWatch(QObject):
    """Remembers what went on when the window was closed: what has ended since is told, too."""

    def __init__(self, window: MainWindow, teacher: Teacher, jobs: Jobs) -> None:
        super().__init__(window)
        self._window = window
        self._teacher = teacher
        self._jobs = jobs
        known = window.memory().value(REMEMBERED) or []
        # A file of one line comes back as a text.
        self._going = {known} if isinstance(known, str) else {str(one) for one in known}
        self._jobs_of: dict[str, Job] = {}  # by the name of the training
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.look)
        jobs.finished.connect(self._look_if_changed)

    def look(self) -> None:
        self._jobs.run(
            tr("Looking at trainings"),
            lambda task: self._teacher.trainings(),
            self._show,
            on_failed=lambda _: self._timer.start(IDLE_MS),
            lane=Lane.light,
            instead_of="trainings watched",
        )

    def _show(self, trainings: Sequence[Training]) -> None:
        going = {one.name for one in trainings if one.standing.goes_on}
        for training in trainings:
            if training.name in self._going - going:
                self._tell(training)
        if going != self._going:
            self._going = going
            self._window.memory().setValue(REMEMBERED, sorted(going))
        self._window.rail.show_busy("training", bool(going))
        self._follow(trainings)
        self._timer.start(GOING_MS if going else IDLE_MS)

    def _look_if_changed(self, job: Job) -> None:
        """Something was done to a training, such as to begin it."""
        if isinstance(job.result, Training):
            self.look()

    def _follow(self, trainings: Sequence[Training]) -> None:
        """Show those that go on among the work in the background."""
        known = {one.name: one for one in trainings}
        for name, job in list(self._jobs_of.items()):
            training = known.get(name)
            if training is None or not training.standing.goes_on:
                del self._jobs_of[name]
                self._end(job, training)
        for training in trainings:
            if training.standing.goes_on:
                name = training.name
                job = self._jobs_of.get(name) or self._jobs.follow(
                    tr("Training {name}", name=name),
                    partial(self._change, tr("Stopping a training"), self._teacher.stop, name),
                    partial(self._change, tr("Starting a training"), self._teacher.go_on, name),
                )
                self._jobs_of[name] = job
                note = "" if training.standing is Standing.running else STANDINGS[training.standing]
                self._jobs.report(job, training.step, training.steps, note)

    def _end(self, job: Job, training: Training | None) -> None:
        if training is not None and training.standing is Standing.failed:
            self._jobs.end(job, problem=Problem(training.problem, training.hint))
        else:
            finished = training is not None and training.standing is Standing.finished
            self._jobs.end(job, cancelled=not finished)

    def _change(self, title: str, change: Callable[[str], Training], name: str) -> None:
        self._jobs.run(title, lambda task: change(name), lane=Lane.light)

    def _tell(self, training: Training) -> None:
        """That it has ended, unless somebody has ended it or sees so."""
        if self._window.shows("training") or training.standing is Standing.stopped:
            return
        name, why = training.name, f"{training.problem} {training.hint}".strip()
        if training.standing is Standing.finished:
            said, why = tr("{name} is trained.", name=name), tr("See how well it does.")
        elif training.standing is Standing.failed:
            said = tr("The training {name} has failed.", name=name)
        else:
            said = tr("The training {name} was interrupted.", name=name)
            why = tr("It can go on where it was.")
        look = (tr("Look at it"), partial(self._look_at, name))
        banner = self._window.banner
        finished = training.standing is Standing.finished
        show = banner.show_notice if finished else banner.show_warning
        show(said, why, look, passes=True)

    def _look_at(self, name: str) -> None:
        from sciread_app.ui.training.page import TrainingPage  # built when gone to

        self._window.go_to("training")
        page = self._window.other_page("training")
        if isinstance(page, TrainingPage):
            page.load(name)
