"""Shows running trainings in the navigation bar and the job list, and reports when they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from sciread_app.language import tr
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import Job, JobError
from sciread_app.ui.training.text import STATUS_LABELS, STOPPING, is_evaluating
from sciread_app.ui.widgets.dialogs.log_dialog import LogDialog

if TYPE_CHECKING:
    from sciread_app.services.training.runs import Runs

GOING_MS, IDLE_MS = 4_000, 30_000  # between two checks: another program may start a run as well
REMEMBERED = "training/going"
SHOW_RUN = tr("Show training run")
RESUMABLE = tr("You can resume the run where it stopped.")


class CompletionNotifier(QObject):
    """Also reports runs that ended while the window was closed."""

    def __init__(self, context: AppContext, runs: Runs, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._runs = runs
        self._jobs = context.jobs
        known = context.open_settings().value(REMEMBERED) or []
        # QSettings returns a list of one item as a string.
        self._going = {known} if isinstance(known, str) else {str(one) for one in known}
        self._jobs_of: dict[str, Job] = {}  # by the name of the run
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.look)
        context.jobs.finished.connect(self._look_if_changed)

    def look(self) -> None:
        self._jobs.run(
            tr("Loading training runs"),
            lambda task: self._runs.all(),
            self._show,
            on_failed=lambda _: self._timer.start(IDLE_MS),
            replaces="trainings watched",
        )

    def _show(self, trainings: Sequence[TrainingRun]) -> None:
        going = {one.name for one in trainings if one.status.is_active}
        for training in trainings:
            if training.name in self._going - going:
                self._report_end(training)
        if going != self._going:
            self._going = going
            self._context.open_settings().setValue(REMEMBERED, sorted(going))
        self._context.navigate.show_busy("training", bool(going))
        self._follow(trainings)
        self._timer.start(GOING_MS if going else IDLE_MS)

    def _look_if_changed(self, job: Job) -> None:
        """Check after a change of a run, such as its start."""
        if isinstance(job.result, TrainingRun):
            self.look()

    def _follow(self, trainings: Sequence[TrainingRun]) -> None:
        """Show running trainings in the job list."""
        known = {one.name: one for one in trainings}
        for name, job in list(self._jobs_of.items()):
            training = known.get(name)
            if training is None or not training.status.is_active:
                del self._jobs_of[name]
                self._end(job, training)
        for training in trainings:
            if training.status.is_active:
                name = training.name
                job = self._jobs_of.get(name) or self._jobs.follow(
                    tr("Training {name}", name=name),
                    stop=partial(
                        self._change,
                        tr("Stopping a training run"),
                        self._runs.stop,
                        name,
                    ),
                    retry=partial(
                        self._change,
                        tr("Resuming a training run"),
                        self._runs.resume,
                        name,
                    ),
                    stopping=STOPPING,
                    stop_note=tr("A checkpoint was saved"),
                    link=(SHOW_RUN, partial(self._look_at, name)),
                    show_log=partial(self._show_log, name),
                )
                self._jobs_of[name] = job
                if is_evaluating(training):
                    self._jobs.report(job, 0, 0, tr("Evaluating the model"))
                    continue
                if training.status is RunStatus.stopping:  # steps would give a wrong time left
                    self._jobs.report(job, 0, 0, STATUS_LABELS[training.status])
                    continue
                note = (
                    "" if training.status is RunStatus.running else STATUS_LABELS[training.status]
                )
                left = training.left or None
                self._jobs.report(job, training.step, training.steps, note, left)

    def _end(self, job: Job, training: TrainingRun | None) -> None:
        status = training.status if training else RunStatus.stopped
        if training and status is RunStatus.failed:
            self._jobs.end(job, problem=JobError(training.problem, training.hint))
        elif status is RunStatus.interrupted:
            self._jobs.end(job, problem=JobError(tr("The run was interrupted."), RESUMABLE))
        else:
            self._jobs.end(job, cancelled=status is not RunStatus.finished)

    def _change(self, title: str, change: Callable[[str], TrainingRun], name: str) -> None:
        self._jobs.run(title, lambda task: change(name))

    def _report_end(self, training: TrainingRun) -> None:
        """Report the end of a run, unless the user stopped it or is looking at it."""
        if self._context.navigate.shows("training") or training.status is RunStatus.stopped:
            return
        name, why = training.name, f"{training.problem} {training.hint}".strip()
        if training.status is RunStatus.finished:
            text, why = tr("Training run {name} finished.", name=name), tr("The results are ready.")
        elif training.status is RunStatus.failed:
            text = tr("Training run {name} failed.", name=name)
        else:
            text = tr("Training run {name} was interrupted.", name=name)
            why = RESUMABLE
        look = (SHOW_RUN, partial(self._look_at, name))
        messages = self._context.messages
        finished = training.status is RunStatus.finished
        show = messages.show_notice if finished else messages.show_warning
        show(text, why, look, passes=True)

    def _show_log(self, name: str, window: QWidget) -> None:
        self._jobs.run(
            tr("Loading the log"),
            lambda task: self._runs.log(name),
            lambda text: LogDialog(name, text, window).show(),
            on_failed=self._context.messages.show_problem,
        )

    def _look_at(self, name: str) -> None:
        # Imported late: the page is built when it is first opened
        from sciread_app.ui.training.page import TrainingPage

        self._context.navigate.go_to("training")
        self._context.navigate.page_of(TrainingPage).load(name)
