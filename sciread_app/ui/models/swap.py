"""Another model comes to answer, while the window is used: begun, followed, gone back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from sciread_app.domain.paper import Changes
from sciread_app.errors import Cancelled
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.banner import Banner
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem

if TYPE_CHECKING:
    from sciread_app.services.activation import Activated
    from sciread_app.ui.main_window import MainWindow

LOOKS_MS = 4_000  # between two looks whether another program has activated a model


class Wanted(NamedTuple):
    """A model that is to answer: its name and how people call it."""

    model: str
    title: str


class Swaps(Protocol):
    """What is needed of activating; none is called on the window's thread."""

    def pending(self) -> Wanted | None:
        """What was begun and not ended."""
        ...

    def is_ready(self, model: str) -> bool:
        """Whether it has nothing to read, and can answer in seconds."""
        ...

    def activate(self, model: str, task: Task) -> Activated: ...

    def give_up(self, model: str) -> None: ...

    def left_behind(self) -> str:
        """The model that another program has switched to; empty if none."""
        ...

    def follow(self, task: Task) -> Activated | None: ...


class Swapping(QObject):
    """One activation at a time: a new wish takes the place of the one before. What has nothing to
    read waits for no import. Closing the window does not end a wish: the next window goes on."""

    changed = Signal(object)  # Changes
    moved = Signal()  # an activation was begun or has ended

    def __init__(self, swaps: Swaps, jobs: Jobs, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._swaps = swaps
        self._jobs = jobs
        self._banner = banner
        self._cannot_follow = ""
        self.wanted: Wanted | None = None
        self.job: Job | None = None  # that activates it, once it is known whether it has to read
        self._given_up = ""  # the model of which a person has said so last
        self._looks = QTimer(self, interval=LOOKS_MS)
        self._looks.timeout.connect(self._look)
        jobs.finished.connect(self._finished)

    def start(self) -> None:
        """Go on with what was begun before, and follow what others switch to."""
        self._looks.start()
        self._jobs.run(
            tr("Looking at models"),
            lambda task: self._swaps.pending(),
            lambda wanted: self.activate(*wanted) if wanted else None,
            lane=Lane.light,
        )

    def activate(self, model: str, title: str) -> None:
        """Let this model answer, as soon as it has read all papers."""
        wanted = Wanted(model, title)
        if self.wanted == wanted:
            return
        if self.job:
            self.job.cancel()
        self.wanted, self.job, self._given_up = wanted, None, ""
        self._jobs.run(
            tr("Looking at models"),
            lambda task: self._swaps.is_ready(model),
            partial(self._begin, wanted),
            on_failed=partial(self._refused, wanted),
            lane=Lane.light,
            instead_of="activation looked at",
        )
        self.moved.emit()

    def cancel(self) -> None:
        """Stop, and let the model answer that does so now."""
        if self.job:
            self.job.cancel()
        elif self.wanted:
            self._give_up(self.wanted.model)
            self.wanted = None
            self.moved.emit()

    def _begin(self, wanted: Wanted, ready: bool) -> None:
        if wanted != self.wanted:
            return
        if ready:
            self._banner.show_notice(tr("{title} is starting.", title=wanted.title), passes=True)
        self.job = self._jobs.run(
            tr("Preparing {title}", title=wanted.title),
            partial(self._work, wanted.model),
            self._activated,
            on_failed=partial(self._refused, wanted),
            lane=Lane.light if ready else Lane.heavy,
            instead_of="activation",
        )
        self.job.again = partial(self.activate, *wanted)
        self.job.unwanted = partial(self._give_up, wanted.model)
        self.moved.emit()

    def _work(self, model: str, task: Task) -> Activated:
        try:
            return self._swaps.activate(model, task)
        except Cancelled:
            if model == self._given_up:
                self._swaps.give_up(model)
            raise

    def _give_up(self, model: str) -> None:
        """At once: who quits before the work has stopped must not find it going on next time."""
        self._given_up = model
        self._jobs.run(
            tr("Looking at models"), lambda task: self._swaps.give_up(model), lane=Lane.light
        )

    def _activated(self, done: Activated) -> None:
        self._say(done)
        self.changed.emit(Changes(vectors=True, space=True))

    def _say(self, done: Activated, hint: str = "") -> None:
        if done.read:
            read = trn(
                "It has read {n:,} paper for that.", "It has read {n:,} papers for that.", done.read
            )
            hint = hint or read
        back: Callable[[], object] = partial(self.activate, done.before, done.before_title)
        actions = [(tr("Back to {title}", title=done.before_title), back)] if done.before else []
        said = tr("{title} answers now.", title=done.title)
        self._banner.show_notice(said, hint, *actions, passes=True)

    def _refused(self, wanted: Wanted, problem: Problem) -> None:
        """What was pending and cannot be had is not tried again with every window."""
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
                lambda task: self._swaps.left_behind(),
                self._follow,
                lane=Lane.light,
                instead_of="activation looked for",
            )

    def _follow(self, model: str) -> None:
        if not model or model == self._cannot_follow or self.wanted:
            return
        self._cannot_follow = model  # until it is known that it can be followed
        self._jobs.run(
            tr("Following another program"),
            self._swaps.follow,
            self._followed,
            lane=Lane.light,
            instead_of="activation followed",
        )

    def _followed(self, done: Activated | None) -> None:
        self._cannot_follow = ""
        if done:
            self._say(done, tr("It was activated by another program."))
            self.changed.emit(Changes(vectors=True, space=True))


def swapping_in(window: MainWindow, swaps: Swaps, jobs: Jobs) -> Swapping:
    """Tied to a window, and at work from when its library is open."""

    def look_again(changes: Changes) -> None:
        if window.page:
            window.page.compare.look_again()
        window.papers_came(changes)

    swapping = Swapping(swaps, jobs, window.banner, window)
    swapping.changed.connect(look_again)
    if window.page:
        window.page.compare.switch_wanted.connect(swapping.activate)
    window.opened.connect(swapping.start)
    return swapping
