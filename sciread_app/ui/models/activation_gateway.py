"""What the window asks about activating models, answered from a workspace."""

from __future__ import annotations

from sciread_app.errors import LibraryError
from sciread_app.services.models.activation import ActivationResult
from sciread_app.tasks import Task
from sciread_app.ui.models.activation_controller import ActivationRequest
from sciread_app.workspace import Workspace


class ActivationGateway:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._activation = workspace.activation

    def pending(self) -> ActivationRequest | None:
        model = self._activation.pending()
        return ActivationRequest(model, self._title(model)) if model else None

    def is_ready(self, model: str) -> bool:
        return self._activation.is_ready(model)

    def activate(self, model: str, task: Task) -> ActivationResult:
        done = self._activation.activate(model, task)
        self._workspace.comparison.close_one(model)
        return done

    def give_up(self, model: str) -> None:
        self._activation.give_up(model)

    def externally_activated_model(self) -> str:
        return self._workspace.active_model.externally_activated_model()

    def follow(self, task: Task) -> ActivationResult | None:
        return self._activation.follow(task)

    def _title(self, model: str) -> str:
        try:
            return self._workspace.models.find(model).title
        except LibraryError:
            return model  # it cannot be activated, and why it cannot is said then
