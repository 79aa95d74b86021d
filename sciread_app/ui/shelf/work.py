"""What is done to papers, collections, tags and searches: one thing after the other, off the
window's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.paper import Changes
from sciread_app.domain.shelf import Shelf
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.shelf.nodes import Tree
from sciread_app.ui.shelf.organiser import Organiser

Step = Callable[[Organiser], Any]


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
        self._waiting: deque[tuple[str, Callable[[], Done]]] = deque()
        self._busy = False
        self._wanted = ""
        self.shelf = Shelf()

    def load(self) -> None:
        """Look what lies where now."""
        self._grow(self._organiser.shelf)

    def sift(self, wanted: str) -> None:
        """From now on only what holds these letters."""
        self._wanted = wanted
        self._grow(lambda: self.shelf)

    def do(self, what: str, *steps: Step, lasting: bool = False) -> None:
        """Carry out these steps. `what` says what they are together; one alone says it itself.
        With `lasting` they cannot be taken back."""

        def work() -> Done:
            edits = [edit for step in steps if (edit := step(self._organiser)) is not None]
            if lasting:
                return Done(what)
            if not edits:
                return Done("Nothing had to be changed")
            return Done(edits[0].what if len(edits) == 1 else what, len(edits))

        self._queue(what, work)

    def undo(self, times: int = 1) -> None:
        self._queue("Undoing", lambda: self._back(self._organiser.undo, "Undone", times))

    def redo(self) -> None:
        self._queue("Redoing", lambda: self._back(self._organiser.redo, "Done again"))

    def _back(self, step: Callable[[], Any], said: str, times: int = 1) -> Done:
        edits = [edit for edit in (step() for _ in range(times)) if edit is not None]
        if not edits:
            return Done("There is nothing to undo" if said == "Undone" else "Nothing to do again")
        return Done(f"{said}: {_begun(edits)}")

    def _queue(self, title: str, work: Callable[[], Done]) -> None:
        self._waiting.append((title, work))
        self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy = True
        title, work = self._waiting.popleft()

        def run(task: Task) -> Done:
            return work()

        self._jobs.run(title, run, self._end, on_failed=self._fail, lane=Lane.light)

    def _end(self, done: Done) -> None:
        self._busy = False
        self.done.emit(done)
        self.changed.emit(Changes(papers=True))
        self._next()

    def _fail(self, problem: Problem) -> None:
        """Some steps may have been taken; what waits behind does not depend on them."""
        self._busy = False
        self.failed.emit(problem)
        self.changed.emit(Changes(papers=True))
        self._next()

    def _grow(self, shelf: Callable[[], Shelf]) -> None:
        wanted = self._wanted
        self._jobs.run(
            "Counting papers",
            lambda task: Tree(shelf(), wanted),
            self._show,
            lane=Lane.light,
            instead_of="shelf",
        )

    def _show(self, tree: Tree) -> None:
        self.shelf = tree.shelf
        self.came.emit(tree)


def _begun(edits: Sequence[Any]) -> str:
    """The first of several, which is what was done last, in the middle of a sentence."""
    what = str(edits[0].what)
    return what[:1].lower() + what[1:] + (f" and {len(edits) - 1} more" if len(edits) > 1 else "")


def papers(count: int) -> str:
    return "1 paper" if count == 1 else f"{count:,} papers"
