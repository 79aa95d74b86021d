"""Activates a model in the background while the window is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import LibraryChanges
from sciread_app.errors import Cancelled
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.widgets.message_bar import MessageBar

if TYPE_CHECKING:
    from sciread_app.services.models.activation import ActivationResult

POLL_MS = 4_000  # between two checks whether another program has activated a model


class ActivationRequest(NamedTuple):
    """A model to activate: its name and its title."""

    model: str
    title: str


class ActivationBackend(Protocol):
    """Activation of models. All methods block; call them from worker threads."""

    def pending(self) -> ActivationRequest | None:
        """The activation that was begun and has not ended."""
        ...

    def is_ready(self, model: str) -> bool:
        """Whether the model has encoded all papers and can be activated in seconds."""
        ...

    def activate(self, model: str, task: Task) -> ActivationResult: ...

    def give_up(self, model: str) -> None: ...

    def externally_activated_model(self) -> str:
        """The model that another program has activated; empty if none."""
        ...

    def follow(self, task: Task) -> ActivationResult | None: ...


class ActivationController(QObject):
    """Runs one activation at a time: a new request replaces the previous one.

    A model without papers to encode does not wait for imports. An activation survives closing the
    window: the next window resumes it.
    """

    changed = Signal(object)  # Changes
    moved = Signal()  # an activation has begun or ended

    def __init__(
        self, swaps: ActivationBackend, jobs: JobRunner, banner: MessageBar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._swaps = swaps
        self._jobs = jobs
        self._banner = banner
        self._failed_model = ""
        self.wanted: ActivationRequest | None = None
        # The activation job, once it is known whether papers have to be encoded
        self.job: Job | None = None
        self._cancelled_model = ""  # the model whose activation the user cancelled last
        self._poll_timer = QTimer(self, interval=POLL_MS)
        self._poll_timer.timeout.connect(self._look)
        jobs.finished.connect(self._finished)

    def start(self) -> None:
        """Resume a pending activation and follow models activated by other programs."""
        self._poll_timer.start()
        self._jobs.run(
            tr("Looking at models"),
            lambda task: self._swaps.pending(),
            lambda wanted: self.activate(*wanted) if wanted else None,
            queue=JobQueue.short,
        )

    def activate(self, model: str, title: str) -> None:
        """Activate this model, as soon as it has encoded all papers."""
        wanted = ActivationRequest(model, title)
        if self.wanted == wanted:
            return
        if self.job:
            self.job.cancel()
        self.wanted, self.job, self._cancelled_model = wanted, None, ""
        self._jobs.run(
            tr("Looking at models"),
            lambda task: self._swaps.is_ready(model),
            partial(self._begin, wanted),
            on_failed=partial(self._refused, wanted),
            queue=JobQueue.short,
            replaces="activation looked at",
        )
        self.moved.emit()

    def cancel(self) -> None:
        """Cancel the activation and keep the active model."""
        if self.job:
            self.job.cancel()
        elif self.wanted:
            self._give_up(self.wanted.model)
            self.wanted = None
            self.moved.emit()

    def _begin(self, wanted: ActivationRequest, ready: bool) -> None:
        if wanted != self.wanted:
            return
        if ready:
            self._banner.show_notice(tr("{title} is starting.", title=wanted.title), passes=True)
        self.job = self._jobs.run(
            tr("Preparing {title}", title=wanted.title),
            partial(self._work, wanted.model),
            self._activated,
            on_failed=partial(self._refused, wanted),
            queue=JobQueue.short if ready else JobQueue.long,
            replaces="activation",
        )
        self.job.retry = partial(self.activate, *wanted)
        self.job.on_cancelled = partial(self._give_up, wanted.model)
        self.moved.emit()

    def _work(self, model: str, task: Task) -> ActivationResult:
        try:
            return self._swaps.activate(model, task)
        except Cancelled:
            if model == self._cancelled_model:
                self._swaps.give_up(model)
            raise

    def _give_up(self, model: str) -> None:
        """Clear the pending activation at once: if the window closes before the job has stopped,
        the next start must not resume it.
        """
        self._cancelled_model = model
        self._jobs.run(
            tr("Looking at models"), lambda task: self._swaps.give_up(model), queue=JobQueue.short
        )

    def _activated(self, done: ActivationResult) -> None:
        self._show_result(done)
        self.changed.emit(LibraryChanges(vectors=True, space=True))

    def _show_result(self, done: ActivationResult, hint: str = "") -> None:
        if done.read:
            read = trn(
                "It has read {n:,} paper for that.", "It has read {n:,} papers for that.", done.read
            )
            hint = hint or read
        back: Callable[[], object] = partial(self.activate, done.before, done.before_title)
        actions = [(tr("Back to {title}", title=done.before_title), back)] if done.before else []
        said = tr("{title} answers now.", title=done.title)
        self._banner.show_notice(said, hint, *actions, passes=True)

    def _refused(self, wanted: ActivationRequest, problem: JobError) -> None:
        """Clear a pending activation that is impossible, so that not every window retries it."""
        if self.wanted == wanted:
            self.wanted = None
        self._banner.show_problem(problem)
        self._give_up(wanted.model)
        self.moved.emit()

    def _finished(self, job: Job) -> None:
        if job is not self.job:
            return
        if job.cancelled and self.wanted:
            said = tr("Stopped: {title} does not answer.", title=self.wanted.title)
            hint = tr("What it has read is kept. Activated again, it goes on from there.")
            self._banner.show_notice(said, hint)
        self.wanted = self.job = None
        self.moved.emit()

    def _look(self) -> None:
        if self.wanted is None:
            self._jobs.run(
                tr("Looking at models"),
                lambda task: self._swaps.externally_activated_model(),
                self._follow,
                queue=JobQueue.short,
                replaces="activation looked for",
            )

    def _follow(self, model: str) -> None:
        if not model or model == self._failed_model or self.wanted:
            return
        self._failed_model = model  # until following it has succeeded
        self._jobs.run(
            tr("Following another program"),
            self._swaps.follow,
            self._followed,
            queue=JobQueue.short,
            replaces="activation followed",
        )

    def _followed(self, done: ActivationResult | None) -> None:
        self._failed_model = ""
        if done:
            self._show_result(done, tr("It was activated by another program."))
            self.changed.emit(LibraryChanges(vectors=True, space=True))
