"""The menu's Undo and Redo: they say what would be taken back, or made again."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from sciread_app.domain.paper import Edit, LibraryChanges
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobQueue, JobRunner
from sciread_app.ui.library.edit_queue import described

LONGEST = 60  # characters of an edit that a menu shows


class Undoable(Protocol):
    def undoable(self) -> Edit | None: ...

    def redoable(self) -> Edit | None: ...


class UndoMenu(QObject):
    """Keeps both actions as they should be, whatever has changed the library."""

    def __init__(
        self,
        actions: ActionRegistry,
        undo: QAction,
        redo: QAction,
        edits: Undoable,
        jobs: JobRunner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._actions = actions
        self._undo, self._redo = undo, redo
        self._edits = edits
        self._jobs = jobs
        self.look()

    def library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self.look()

    def look(self) -> None:
        self._jobs.run(
            tr("Looking what can be undone"),
            lambda task: (self._edits.undoable(), self._edits.redoable()),
            self._show,
            queue=JobQueue.short,
            replaces="undo",
        )

    def _show(self, edits: tuple[Edit | None, Edit | None]) -> None:
        undo, redo = (_shown(edit) for edit in edits)
        self._undo.setText(tr("&Undo: {edit}", edit=undo) if undo else tr("&Undo"))
        self._redo.setText(tr("Re&do: {edit}", edit=redo) if redo else tr("Re&do"))
        self._actions.set_why_not(self._undo, "" if undo else tr("There is nothing to undo"))
        self._actions.set_why_not(self._redo, "" if redo else tr("There is nothing to redo"))


def _shown(edit: Edit | None) -> str:
    """An edit as it stands behind «Undo: »."""
    return shortened(described(edit), LONGEST).replace("&", "&&") if edit else ""
