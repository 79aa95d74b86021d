"""What the window asks about activating models, answered from a workspace."""

from __future__ import annotations

from sciread_app.errors import LibraryError
from sciread_app.services.activation import Activated
from sciread_app.tasks import Task
from sciread_app.ui.models.swap import Wanted
from sciread_app.workspace import Workspace


class WorkspaceSwaps:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._activation = workspace.activation

    def pending(self) -> Wanted | None:
        model = self._activation.pending()
        return Wanted(model, self._title(model)) if model else None

    def is_ready(self, model: str) -> bool:
        return self._activation.is_ready(model)

    def activate(self, model: str, task: Task) -> Activated:
        done = self._activation.activate(model, task)
        self._workspace.others.close_one(model)
        return done

    def give_up(self, model: str) -> None:
        self._activation.give_up(model)

    def left_behind(self) -> str:
        return self._workspace.answering.left_behind()

    def follow(self, task: Task) -> Activated | None:
        return self._activation.follow(task)

    def _title(self, model: str) -> str:
        try:
            return self._workspace.models.find(model).title
        except LibraryError:
            return model  # it cannot be activated, and why it cannot is said then
