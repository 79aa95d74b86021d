"""What is done to papers, collections, tags and searches: one thing after the other, off the
window's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.paper import Changes
from sciread_app.domain.shelf import Shelf
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.shelf.nodes import Tree
from sciread_app.ui.shelf.organiser import Organiser

Step = Callable[[Organiser], Any]


@dataclass(frozen=True)
class Long:
    """A step that says how far it is, and can be stopped on its way."""

    act: Callable[[Organiser, Task], Any]


@dataclass(frozen=True)
class Done:
    """What has happened, as a sentence without full stop; `edits` is how many can be taken back."""

    what: str
    edits: int = 0


class ShelfWork(QObject):
    """Verbs take turns: what was asked for first is done first, and undone last."""

    came = Signal(object)  # Tree
    changed = Signal(object)  # Changes
    done = Signal(object)  # Done
    failed = Signal(object)  # Problem

    def __init__(self, organiser: Organiser, jobs: Jobs) -> None:
        super().__init__()
        self._organiser = organiser
        self._jobs = jobs
        self._waiting: deque[tuple[str, Callable[[Task], Done]]] = deque()
        self._busy: Job | None = None
        self._wanted = ""
        self.shelf = Shelf()
        jobs.finished.connect(self._stopped)

    def load(self) -> None:
        """Look what lies where now."""
        self._grow(self._organiser.shelf)

    def sift(self, wanted: str) -> None:
        """From now on only what holds these letters."""
        self._wanted = wanted
        self._grow(lambda: self.shelf)

    def do(self, what: str, *steps: Step | Long, lasting: bool = False) -> None:
        """Carry out these steps. `what` says what they are together; one alone says it itself.
        With `lasting` they cannot be taken back."""

        def take(step: Step | Long, task: Task) -> Any:
            organiser = self._organiser
            return step.act(organiser, task) if isinstance(step, Long) else step(organiser)

        def work(task: Task) -> Done:
            edits = [edit for step in steps if (edit := take(step, task)) is not None]
            if lasting:
                return Done(what)
            if not edits:
                return Done(tr("Nothing had to be changed"))
            return Done(edits[0].what if len(edits) == 1 else what, len(edits))

        self._queue(what, work)

    def undo(self, times: int = 1) -> None:
        self._queue(tr("Undoing"), lambda task: self._undo(times))

    def redo(self) -> None:
        self._queue(tr("Redoing"), lambda task: self._redo())

    def _undo(self, times: int) -> Done:
        """The first of several is what was done last."""
        tried = (self._organiser.undo() for _ in range(times))
        edits = [edit for edit in tried if edit is not None]
        if not edits:
            return Done(tr("There is nothing to undo"))
        what, others = _within(edits[0].what), len(edits) - 1
        if not others:
            return Done(tr("Undone: {edit}", edit=what))
        return Done(
            trn("Undone: {edit} and {n} more", "Undone: {edit} and {n} more", others, edit=what)
        )

    def _redo(self) -> Done:
        edit = self._organiser.redo()
        if edit is None:
            return Done(tr("Nothing to do again"))
        return Done(tr("Done again: {edit}", edit=_within(edit.what)))

    def _queue(self, title: str, work: Callable[[Task], Done]) -> None:
        self._waiting.append((title, work))
        self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        title, work = self._waiting.popleft()
        self._busy = self._jobs.run(title, work, self._end, on_failed=self._fail, lane=Lane.light)

    def _stopped(self, job: Job) -> None:
        if job is self._busy and job.cancelled and not self._jobs.closing:
            self._end(Done(tr("Stopped: what was changed until then can be undone")))

    def _end(self, done: Done) -> None:
        self._busy = None
        self.done.emit(done)
        self.changed.emit(Changes(papers=True))
        self._next()

    def _fail(self, problem: Problem) -> None:
        """Some steps may have been taken; what waits behind does not depend on them."""
        self._busy = None
        self.failed.emit(problem)
        self.changed.emit(Changes(papers=True))
        self._next()

    def _grow(self, shelf: Callable[[], Shelf]) -> None:
        wanted = self._wanted
        self._jobs.run(
            tr("Counting papers"),
            lambda task: Tree(shelf(), wanted),
            self._show,
            lane=Lane.light,
            instead_of="shelf",
        )

    def _show(self, tree: Tree) -> None:
        self.shelf = tree.shelf
        self.came.emit(tree)


def _within(what: str) -> str:
    """What an edit did, in the middle of a sentence."""
    return what[:1].lower() + what[1:]
