"""Activates a model in the background while the window is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.errors import Cancelled
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.widgets.messages.message_bar import MessageBar

if TYPE_CHECKING:
    from sciread_app.services.models.active_model import ActivationResult, ActiveModel

POLL_MS = 4_000  # between two checks whether another program has activated a model


class ActivationRequest(NamedTuple):
    """A model to activate: its name and its title."""

    model: str
    title: str


class ActivationController(QObject):
    """Runs one activation at a time: a new request replaces the previous one.

    A model without papers to encode does not wait for imports. An activation survives closing the
    window: the next window resumes it.
    """

    changed = Signal(object)  # LibraryChanges
    state_changed = Signal()  # an activation has begun or ended
    progressed = Signal()  # `share`, `status` or `is_paused` has changed

    def __init__(
        self, service: ActiveModel, jobs: JobRunner, messages: MessageBar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._jobs = jobs
        self._messages = messages
        self.request: ActivationRequest | None = None
        # The activation job, once it is known whether papers have to be encoded
        self.job: Job | None = None
        self._cancelled_model = ""  # the model whose activation the user canceled last
        self._unfollowed_model = ""  # the one of another program whose activation failed here
        self._reset_progress()
        self._poll_timer = QTimer(self, interval=POLL_MS)
        self._poll_timer.timeout.connect(self._poll)
        jobs.started.connect(self._job_changed)
        jobs.pause_changed.connect(self._job_changed)
        jobs.progressed.connect(self._job_progressed)
        jobs.finished.connect(self._finished)

    def start(self) -> None:
        """Resume a pending activation and follow models activated by other programs."""
        self._poll_timer.start()
        self._jobs.run(
            tr("Loading models"),
            self._pending_request,
            lambda pending: self.activate(*pending) if pending else None,
        )

    def activate(self, model: str, title: str) -> None:
        """Activate this model, as soon as it has encoded all papers."""
        request = ActivationRequest(model, title)
        if self.request == request:
            return
        if self.job:
            self.job.cancel()
        self.request, self.job, self._cancelled_model = request, None, ""
        self._reset_progress()
        self._jobs.run(
            tr("Loading models"),
            lambda task: self._service.is_ready(model),
            partial(self._begin, request),
            on_failed=partial(self._failed, request),
            replaces="activation looked at",
        )
        self.state_changed.emit()

    def cancel(self) -> None:
        """Cancel the activation and keep the active model."""
        if self.job:
            self.job.cancel()
        elif self.request:
            self._cancel_pending(self.request.model)
            self.request = None
            self.state_changed.emit()

    @property
    def is_paused(self) -> bool:
        return self.job is not None and self.job.task.is_paused

    @property
    def status(self) -> str:
        """The progress of the activation in one line."""
        if self.is_stopping:
            return tr("Stopping…")
        if self.job and not self.job.has_started:
            return tr("Queued")
        if self.job is None:
            return tr("Starting…")
        progress = self.job.progress
        return progress_text(progress, progress.note, paused=self.is_paused) or tr("Starting…")

    def toggle_pause(self) -> None:
        """Pause or resume the activation."""
        if self.job:
            self._jobs.set_paused(self.job, not self.is_paused)

    def _pending_request(self, task: Task) -> ActivationRequest | None:
        model = self._service.pending()
        return ActivationRequest(model, self._service.title(model)) if model else None

    def _begin(self, request: ActivationRequest, ready: bool) -> None:
        if request != self.request:
            return
        if ready:
            notice = tr("Switching to {title}.", title=request.title)
            self._messages.show_notice(notice, passes=True)
        self.job = self._jobs.run(
            tr("Preparing {title}", title=request.title),
            partial(self._activate, request.model),
            self._activated,
            on_failed=partial(self._failed, request),
            on_cancelled=lambda: None,  # see `_finished`
            queue=JobQueue.short if ready else JobQueue.long,
            replaces="activation",
            stop_note=tr("Papers indexed so far are kept"),
        )
        self.job.indexes = not ready
        self.job.retry = partial(self.activate, *request)
        self.job.on_cancel = partial(self._job_cancelled, request.model)
        self.state_changed.emit()

    def _activate(self, model: str, task: Task) -> ActivationResult:
        try:
            return self._service.activate(model, task)
        except Cancelled:
            if model == self._cancelled_model:
                self._service.cancel(model)
            raise

    def _job_cancelled(self, model: str) -> None:
        self.is_stopping = True
        self._cancel_pending(model)
        self.progressed.emit()

    def _cancel_pending(self, model: str) -> None:
        """Clear the pending activation at once: if the window closes before the job has stopped,
        the next start must not resume it.
        """
        self._cancelled_model = model
        self._jobs.run(tr("Loading models"), lambda task: self._service.cancel(model))

    def _activated(self, result: ActivationResult, hint: str = "") -> None:
        if result.read:
            hint = trn(
                "{n:,} paper was indexed.",
                "{n:,} papers were indexed.",
                result.read,
            )
        back: Callable[[], object] = partial(self.activate, result.before, result.before_title)
        label = tr("Switch back to {title}", title=result.before_title)
        actions = [(label, back)] if result.before else []
        notice = tr("Now searching with {title}.", title=result.title)
        self._messages.show_notice(notice, hint, *actions, passes=True)
        self.changed.emit(LibraryChanges(vectors=True, space=True))

    def _failed(self, request: ActivationRequest, problem: JobError) -> None:
        """Clear a pending activation that is impossible, so that not every window retries it."""
        if self.request == request:
            self.request = None
        self._messages.show_problem(problem)
        self._cancel_pending(request.model)
        self.state_changed.emit()

    def _finished(self, job: Job) -> None:
        if job is not self.job:
            return
        if job.cancelled and self.request:
            notice = tr("Canceled the switch to {title}.", title=self.request.title)
            hint = tr(
                "The papers indexed so far are kept. To resume, select “Use for search” again."
            )
            self._messages.show_notice(notice, hint)
        self.request = self.job = None
        self._reset_progress()
        self.state_changed.emit()

    def _reset_progress(self) -> None:
        self.share: float | None = None  # of the papers that are encoded, 0 to 1; None if unknown
        self.is_stopping = False  # canceled, but the job has not ended yet

    def _job_progressed(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self.job:
            self.share = min(1.0, done / total) if total else None
            self.progressed.emit()

    def _job_changed(self, job: Job) -> None:
        if job is self.job:
            self.progressed.emit()

    def _poll(self) -> None:
        if self.request is None:
            self._jobs.run(
                tr("Loading models"),
                lambda task: self._service.externally_activated_model(),
                self._follow,
                replaces="activation looked for",
                visible=False,
            )

    def _follow(self, model: str) -> None:
        if not model or model == self._unfollowed_model or self.request:
            return
        self._unfollowed_model = model  # until following it has succeeded
        self._jobs.run(
            tr("Switching to the model selected in another program"),
            self._service.follow,
            self._followed,
            replaces="activation followed",
        )

    def _followed(self, result: ActivationResult | None) -> None:
        self._unfollowed_model = ""
        if result:
            self._activated(result, tr("Another program selected this model."))
