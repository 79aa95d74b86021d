"""What is done to papers, collections, tags and searches: one thing after the other, off the
window's thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.edits import Edit
from sciread_app.domain.paper import Changes
from sciread_app.domain.shelf import Shelf
from sciread_app.domain.tex import readable
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Job, Jobs, Lane, Problem
from sciread_app.ui.shelf.nodes import Tree
from sciread_app.ui.shelf.organiser import Organiser

Step = Callable[[Organiser], Any]
TITLE = 60  # characters of a paper's title that a message names


@dataclass(frozen=True)
class Long:
    """A step that says how far it is, and can be stopped on its way."""

    act: Callable[[Organiser, Task], Any]


@dataclass(frozen=True)
class Done:
    """What has happened, as a sentence without full stop; `edits` is how many can be undone, and
    `undone` how many can be redone. A `question` has changed nothing yet."""

    what: str
    edits: int = 0
    undone: int = 0
    question: bool = False


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
        self._began = time.time()
        self._asked_about = 0  # the edit of an earlier session that will be undone if asked again
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
        """An edit of an earlier session is only named at first, and undone when asked again."""
        self._queue(tr("Undoing"), lambda task: self._undo(times))

    def redo(self, times: int = 1) -> None:
        self._queue(tr("Redoing"), lambda task: self._redo(times))

    def _undo(self, times: int) -> Done:
        """The first of several is what was done last."""
        last = self._organiser.undoable()
        if last and last.at < self._began and last.id != self._asked_about:
            self._asked_about = last.id
            return Done(_question(last), edits=1, question=True)
        tried = (self._organiser.undo() for _ in range(times))
        edits = [edit for edit in tried if edit is not None]
        if not edits:
            return Done(tr("There is nothing to undo"))
        what, others = described(edits[0]), len(edits) - 1
        if not others:
            return Done(tr("Undone: {edit}", edit=what), undone=1)
        said = trn("Undone: {edit} and {n} more", "Undone: {edit} and {n} more", others, edit=what)
        return Done(said, undone=len(edits))

    def _redo(self, times: int) -> Done:
        tried = (self._organiser.redo() for _ in range(times))
        edits = [edit for edit in tried if edit is not None]
        if not edits:
            return Done(tr("There is nothing to redo"))
        what, others = described(edits[-1]), len(edits) - 1
        if not others:
            return Done(tr("Redone: {edit}", edit=what), edits=1)
        said = trn("Redone: {edit} and {n} more", "Redone: {edit} and {n} more", others, edit=what)
        return Done(said, edits=len(edits))

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
        if not done.question:
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


def described(edit: Edit) -> str:
    """What an edit did and to which paper, for the middle of a sentence."""
    what = edit.what[:1].lower() + edit.what[1:]
    if not edit.title:
        return what
    title = shortened(readable(edit.title), TITLE)
    # Translators: an edit, and the title of the paper it changed
    return tr("{edit} – “{title}”", edit=what, title=title)


def shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _question(edit: Edit) -> str:
    day = f"{datetime.fromtimestamp(edit.at):%Y-%m-%d %H:%M}"
    return tr(
        "Undo a change from before this session? On {day}: {edit}", day=day, edit=described(edit)
    )
