"""Starts a training run, or saves a job, from the form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.language import tr, trn
from sciread_app.services.training.runs import TrainingRun
from sciread_app.services.training.training_service import (
    CheckLine,
    Remedy,
    TrainingCheck,
    TrainingEstimate,
    TrainingPlan,
)
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue
from sciread_app.ui.training.dialogs import ask_where_to
from sciread_app.ui.training.form.form import TrainingForm
from sciread_app.ui.training.text import estimate_text
from sciread_app.ui.training.view_models import CorpusChoice
from sciread_app.ui.widgets.dialogs.confirmation import confirm

if TYPE_CHECKING:
    from sciread_app.ui.training.gateway import TrainingGateway

PAUSE_MS = 300  # after a change of the form, until it is checked
ESTIMATE_PAUSE_MS = 1200  # after the check, until some steps are timed, which loads the machine

T = TypeVar("T")


class TrainingFormController(QObject):
    """Checks the form when its content changes. One job runs at a time."""

    started = Signal(object)  # TrainingRun

    def __init__(
        self, gateway: TrainingGateway, context: AppContext, form: TrainingForm, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._gateway = gateway
        self._service = gateway.service
        self._context = context
        jobs = self._jobs = context.jobs
        self._form = form
        self._job: Job | None = None  # the job that the form waits for
        self._estimates: dict[str, str] = {}  # texts, by what they depend on
        self._estimating: Job | None = None
        self._wanted: tuple[TrainingPlan, str] | None = None  # to be estimated, and its key
        self._estimate_soon = QTimer(self, interval=ESTIMATE_PAUSE_MS, singleShot=True)
        self._estimate_soon.timeout.connect(self._estimate)
        self._recheck = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._recheck.timeout.connect(self._check)
        jobs.progressed.connect(self._progress)
        jobs.started.connect(self._begun)
        jobs.finished.connect(self._finished)
        form.changed.connect(self._recheck.start)
        form.changed.connect(self._forget_results)
        form.check.remedy_requested.connect(self._cure)
        form.start.clicked.connect(self.start)
        form.job.clicked.connect(self.write_job)
        form.stop.clicked.connect(self._stop_waiting)
        form.data.remove_requested.connect(self._ask_to_remove_corpus)

    def look(self) -> None:
        """Load the corpora and check the requirements of the form's content."""
        self._load_choices()
        self._recheck.start()

    def _load_choices(self) -> None:
        self._light(
            tr("Loading training data"),
            lambda task: self._gateway.choices(),
            self._form.show_choices,
            replaces="training choices",
        )

    def _check(self) -> None:
        plan = self._form.plan()
        if plan is None:
            self._form.show_unchecked(
                tr("Select training data.")
                if self._form.data.data is None
                else tr("One of the settings below is not valid.")
            )
            return
        asked = plan
        self._light(
            tr("Checking training data"),
            lambda task: self._service.check(asked, task),
            lambda check: self._checked(asked, check),
            on_failed=self._form.show_problem,
            replaces="training check",
        )

    def _checked(self, plan: TrainingPlan, check: TrainingCheck) -> None:
        self._form.show_check(check)
        self._stop_estimating()
        if not check.able or self._job:
            return
        key = repr((plan.data, plan.recipe, sorted(plan.changes.items()), check.data.stats))
        if key in self._estimates:
            self._form.show_estimate(self._estimates[key])
        else:
            self._wanted = plan, key
            self._form.show_estimate(tr("Estimating time and memory…"))
            self._estimate_soon.start()

    def _estimate(self) -> None:
        """Time some steps of the training, unless the form has been closed."""
        if self._wanted is None or not self._form.isVisible():
            return
        plan, key = self._wanted

        def show(estimate: TrainingEstimate) -> None:
            self._estimates[key] = estimate_text(estimate)
            self._form.show_estimate(self._estimates[key])

        def explain(problem: JobError) -> None:
            why = problem.text
            self._form.show_estimate(tr("Could not estimate time and memory. {why}", why=why))

        self._estimating = self._light(
            tr("Estimating the training time"),
            lambda task: self._service.estimate(plan, task),
            show,
            on_failed=explain,
        )

    def _stop_estimating(self) -> None:
        self._estimate_soon.stop()
        self._wanted = None
        if self._estimating:
            self._estimating.cancel()
            self._estimating = None
        self._form.show_estimate("")

    def _forget_results(self) -> None:
        """Remove what was shown for the plan before a change."""
        self._stop_estimating()
        self._form.show_note("")

    def _cure(self, line: CheckLine) -> None:
        """Apply a remedy: change settings, or get papers, citations or a model."""
        if line.remedy is Remedy.settings:
            self._form.settings.write(line.settings)
        elif line.remedy is Remedy.papers:
            self._context.navigate.go_to("intake")
        elif line.remedy is Remedy.citations:
            papers = line.papers
            title = trn("Fetching citations of {n:,} paper", "Fetching citations of {n:,} papers",
                        len(papers))  # fmt: skip
            self._wait(title, lambda task: self._gateway.cite(papers, task), self._cited,
                       JobQueue.network)  # fmt: skip
        elif line.remedy is Remedy.model:
            title = tr("Downloading {model}", model=line.model)
            self._wait(title, lambda task: self._gateway.fetch_model(line.model, task),
                       lambda _: self._cured(), JobQueue.network)  # fmt: skip

    def _cited(self, message: str) -> None:
        self._context.events.library_changed.emit(LibraryChanges(papers=True))
        self._cured()
        self._form.show_note(message)

    def _cured(self) -> None:
        self._forget_results()
        self._load_choices()
        self._check()

    def start(self) -> None:
        def start(plan: TrainingPlan, task: Task) -> TrainingRun:
            # Without a name, it is named as its model.
            named = replace(plan, name=plan.name or self._service.title(plan))
            return self._service.start(named, task)

        self._with_plan(tr("Preparing a training run"), start, self._started)

    def _started(self, training: object) -> None:
        self._form.name.clear()
        self._forget_results()
        self.started.emit(training)

    def write_job(self) -> None:
        """Ask for a file or folder, and export the form's content as a job for another computer."""
        plan = self._form.plan()
        usual = f"{plan.name or plan.recipe}.zip" if plan else ""
        if plan and (target := ask_where_to(usual, self._form)):
            self._with_plan(
                tr("Exporting a training job"),
                lambda plan, task: self._service.write_job(plan, target, task),
                self._exported,
                file=target,
            )

    def _exported(self, path: Path) -> None:
        self._form.show_note(tr("Exported the training job to {file}", file=path))
        self._recheck.start()  # estimates again

    def _with_plan(
        self,
        title: str,
        work: Callable[[TrainingPlan, Task], T],
        done: Callable[[T], None],
        file: Path | None = None,
    ) -> None:
        if plan := self._form.plan():
            asked = plan
            self._stop_estimating()
            self._wait(title, lambda task: work(asked, task), done, JobQueue.long, file)

    def _wait(
        self,
        title: str,
        work: Callable[[Task], T],
        done: Callable[[T], None],
        queue: JobQueue,
        file: Path | None = None,
    ) -> None:
        """Run a job that the form waits for and can cancel."""
        if self._job:
            return

        def finish(result: T) -> None:
            self._form.show_busy("")
            done(result)

        self._job = self._jobs.run(
            title, work, finish, on_failed=self._failed, on_cancelled=self._stopped, queue=queue,
            file=file,
        )  # fmt: skip
        self._show_waiting()

    def _show_waiting(self) -> None:
        """Show which job has to end first, until this one starts."""
        job = self._job
        if job is None:
            return
        others = [
            one for one in self._jobs.running(job.queue) if one is not job and one.has_started
        ]
        ahead = [one for one in others if not one.task.is_paused]
        if job.has_started or not ahead:
            self._form.show_busy(job.title)
        else:
            self._form.show_busy(tr("Waiting for: {what}", what=ahead[0].title), 0.0)

    def _failed(self, problem: JobError) -> None:
        self._form.show_busy("")
        self._form.show_trouble(problem)
        if problem.report or not self._form.isVisible():
            self._context.messages.show_problem(problem)

    def _stopped(self) -> None:
        self._form.show_busy("")
        self._form.show_note(tr("Stopped."))

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._job:
            share = done / total if total else None
            self._form.show_busy(f"{job.title}: {note}" if note else job.title, share)

    def _begun(self, job: Job) -> None:
        if (self._job and not self._job.has_started) or job is self._job:
            self._show_waiting()

    def _finished(self, job: Job) -> None:
        if job is not self._job:
            if self._job and not self._job.has_started:
                self._show_waiting()  # for the next job in the queue
        else:
            self._job = None

    def _stop_waiting(self) -> None:
        if self._job:
            self._job.cancel()

    def _ask_to_remove_corpus(self, choice: CorpusChoice) -> None:
        confirm(
            self._form,
            tr("Delete saved dataset"),
            tr("Delete the saved dataset “{title}”?", title=choice.title),
            trn(
                "The dataset with {n:,} paper is deleted permanently. Your library does not "
                "change. You cannot undo this.",
                "The dataset with {n:,} papers is deleted permanently. Your library does not "
                "change. You cannot undo this.",
                choice.papers,
            ),
            tr("Delete"),
            lambda: self._remove_corpus(choice.data.name),
        )

    def _remove_corpus(self, name: str) -> None:
        title = tr("Deleting a saved dataset")
        self._light(title, lambda task: self._service.corpora.remove(name), lambda _: self._cured())

    def _light(
        self, title: str, work: Callable[[Task], T], done: Callable[[T], Any], **options: Any
    ) -> Job:
        return self._jobs.run(title, work, done, **options)
