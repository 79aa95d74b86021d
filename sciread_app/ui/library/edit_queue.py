"""A queue of edits of papers, collections, tags and searches, run in the background in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from sciread_app.domain.library_tree import LibraryTree
from sciread_app.domain.paper import Edit, LibraryChanges
from sciread_app.domain.text.tex import readable
from sciread_app.language import format_moment, tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import Job, JobError, JobRunner
from sciread_app.ui.library.tree.nodes import LibraryTreeNodes

if TYPE_CHECKING:
    from sciread_app.services.library.editor import LibraryEditor

Step = Callable[["LibraryEditor"], Any]
TITLE = 60  # characters of a paper's title in a message


@dataclass(frozen=True)
class LongEdit:
    """An edit operation that reports progress and can be canceled."""

    act: Callable[[LibraryEditor, Task], Any]


@dataclass(frozen=True)
class CompletedEdit:
    """A completed edit. `text` is a sentence without full stop; `edits` is how many edits can be
    undone, `undone` how many can be redone. A `question` has changed nothing yet."""

    what: str
    edits: int = 0
    undone: int = 0
    question: bool = False


class EditQueue(QObject):
    """Runs edits one at a time, in the order of submission."""

    loaded = Signal(object)  # LibraryTreeNodes
    changed = Signal(object)  # LibraryChanges
    done = Signal(object)  # CompletedEdit
    failed = Signal(object)  # JobError

    def __init__(self, editor: LibraryEditor, jobs: JobRunner) -> None:
        super().__init__()
        self._editor = editor
        self._jobs = jobs
        self._waiting: deque[tuple[str, Callable[[Task], CompletedEdit], Callable[[], object]]] = (
            deque()
        )
        self._then: Callable[[], object] = lambda: None  # called when the running edit has ended
        self._busy: Job | None = None
        self._filter_text = ""
        self._began = time.time()
        self._asked_about = 0  # the earlier edit that the next undo reverts
        self.library_tree = LibraryTree()

    def load(self) -> None:
        """Load the library tree."""
        self._grow(self._editor.library_tree)

    def set_filter(self, filter_text: str) -> None:
        """Filter the tree by this text from now on."""
        self._filter_text = filter_text
        self._grow(lambda: self.library_tree)

    def submit(
        self,
        title: str,
        *steps: Step | LongEdit,
        done: str = "",
        lasting: bool = False,
        then: Callable[[], object] = lambda: None,
    ) -> None:
        """Submit edit operations. `title` names the task, as in "Tagging papers"; `done` describes
        several operations together once they are done, while a single one describes itself. With
        `lasting` they cannot be undone, and `done` describes them. `then` is called once they have
        ended, also if they failed or were stopped."""

        def take(step: Step | LongEdit, task: Task) -> Any:
            editor = self._editor
            return step.act(editor, task) if isinstance(step, LongEdit) else step(editor)

        def work(task: Task) -> CompletedEdit:
            edits = [edit for step in steps if (edit := take(step, task)) is not None]
            if lasting:
                return CompletedEdit(done)
            if not edits:
                return CompletedEdit(tr("No changes"))
            return CompletedEdit(edits[0].what if len(edits) == 1 else done, len(edits))

        self._queue(title, work, then)

    def undo(self, times: int = 1) -> None:
        """Undo edits. An edit of an earlier session or day is only named at first, and undone on a
        second request."""
        self._queue(tr("Undoing"), lambda task: self._undo(times))

    def redo(self, times: int = 1) -> None:
        self._queue(tr("Redoing"), lambda task: self._redo(times))

    def _undo(self, times: int) -> CompletedEdit:
        """Undo the last `times` edits, newest first."""
        last = self._editor.undoable()
        if last and self._is_earlier(last) and last.id != self._asked_about:
            self._asked_about = last.id
            return CompletedEdit(_question(last), edits=1, question=True)
        tried = (self._editor.undo() for _ in range(times))
        edits = [edit for edit in tried if edit is not None]
        if not edits:
            return CompletedEdit(tr("Nothing to undo"))
        what, others = described(edits[0]), len(edits) - 1
        if not others:
            return CompletedEdit(tr("Undone: {edit}", edit=what), undone=1)
        text = trn("Undone: {edit} and {n} more", "Undone: {edit} and {n} more", others, edit=what)
        return CompletedEdit(text, undone=len(edits))

    def _is_earlier(self, edit: Edit) -> bool:
        day = datetime.fromtimestamp(edit.at).date()
        return edit.at < self._began or day < datetime.now().date()

    def _redo(self, times: int) -> CompletedEdit:
        tried = (self._editor.redo() for _ in range(times))
        edits = [edit for edit in tried if edit is not None]
        if not edits:
            return CompletedEdit(tr("Nothing to redo"))
        what, others = described(edits[-1]), len(edits) - 1
        if not others:
            return CompletedEdit(tr("Redone: {edit}", edit=what), edits=1)
        text = trn("Redone: {edit} and {n} more", "Redone: {edit} and {n} more", others, edit=what)
        return CompletedEdit(text, edits=len(edits))

    def _queue(
        self,
        title: str,
        work: Callable[[Task], CompletedEdit],
        then: Callable[[], object] = lambda: None,
    ) -> None:
        self._waiting.append((title, work, then))
        self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        title, work, self._then = self._waiting.popleft()
        self._busy = self._jobs.run(
            title, work, self._end, on_failed=self._fail, on_cancelled=self._stopped
        )

    def _stopped(self) -> None:
        self._end(CompletedEdit(tr("Stopped; you can undo the changes made so far")))

    def _end(self, done: CompletedEdit) -> None:
        self._busy = None
        self.done.emit(done)
        if not done.question:
            self.changed.emit(LibraryChanges(papers=True))
        self._then()
        self._next()

    def _fail(self, problem: JobError) -> None:
        """Some operations may have succeeded; the edits queued after this one do not depend on
        it."""
        self._busy = None
        self.failed.emit(problem)
        self.changed.emit(LibraryChanges(papers=True))
        self._then()
        self._next()

    def _grow(self, library_tree: Callable[[], LibraryTree]) -> None:
        filter_text = self._filter_text
        self._jobs.run(
            tr("Counting papers"),
            lambda task: LibraryTreeNodes(library_tree(), filter_text),
            self._show,
            replaces="shelf",
        )

    def _show(self, tree: LibraryTreeNodes) -> None:
        self.library_tree = tree.library_tree
        self.loaded.emit(tree)


def described(edit: Edit) -> str:
    """The change and the paper of an edit, for the middle of a sentence."""
    what = edit.what[:1].lower() + edit.what[1:]
    if not edit.title:
        return what
    title = shortened(readable(edit.title), TITLE)
    # Translators: an edit, and the title of the paper it changed
    return tr("{edit} – “{title}”", edit=what, title=title)


def _question(edit: Edit) -> str:
    day = format_moment(datetime.fromtimestamp(edit.at))
    return tr("Undo an earlier change? {day}: {edit}", day=day, edit=described(edit))
