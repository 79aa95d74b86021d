"""The actions Undo and Redo, which name the change that they apply to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from sciread_app.domain.paper import Edit, LibraryChanges
from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.formatting import shortened
from sciread_app.ui.library.edit_queue import described

if TYPE_CHECKING:
    from sciread_app.services.library.editor import LibraryEditor

LONGEST = 60  # characters of an edit that a menu shows


class UndoMenu(QObject):
    """Updates both actions after each change of the library."""

    def __init__(
        self,
        actions: ActionRegistry,
        undo: QAction,
        redo: QAction,
        editor: LibraryEditor,
        context: AppContext,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._actions = actions
        self._undo, self._redo = undo, redo
        self._editor = editor
        self._jobs = context.jobs
        context.events.library_changed.connect(self._library_changed)
        context.events.edited.connect(self._look)
        self._look()

    def _library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self._look()

    def _look(self) -> None:
        self._jobs.run(
            tr("Checking for changes to undo"),
            lambda task: (self._editor.undoable(), self._editor.redoable()),
            self._show,
            replaces="undo",
        )

    def _show(self, edits: tuple[Edit | None, Edit | None]) -> None:
        undo, redo = (_shown(edit) for edit in edits)
        self._undo.setText(tr("&Undo: {edit}", edit=undo) if undo else tr("&Undo"))
        self._redo.setText(tr("Re&do: {edit}", edit=redo) if redo else tr("Re&do"))
        self._actions.set_unavailable_reason(self._undo, "" if undo else tr("Nothing to undo"))
        self._actions.set_unavailable_reason(self._redo, "" if redo else tr("Nothing to redo"))


def _shown(edit: Edit | None) -> str:
    """The name of an edit after «Undo: »."""
    return shortened(described(edit), LONGEST).replace("&", "&&") if edit else ""
