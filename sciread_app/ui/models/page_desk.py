"""What the page of models asks for, answered from a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.services.model_arrivals import Wanted
from sciread_app.services.model_trash import Removed
from sciread_app.services.models import About, Model
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace


class WorkspaceModels:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def all(self) -> Sequence[Model]:
        return self._workspace.models.all()

    def trashed(self) -> Sequence[Removed]:
        return self._workspace.models.trashed()

    def earlier(self) -> str:
        return self._workspace.models.earlier()

    def check(self, name: str, task: Task) -> Model:
        return self._workspace.models.check(name, task)

    def judge(self, name: str, task: Task) -> Model:
        return self._workspace.models.judge(name)

    def about(self, name: str) -> About | None:
        models = self._workspace.models
        here = any(model.name == name for model in models.all())
        return models.about(name) if here else None

    def add(self, source: Path, task: Task) -> Model:
        return self._workspace.arrivals.add(source, task)

    def pull(self, wanted: Wanted, task: Task) -> Model:
        return self._workspace.arrivals.pull(wanted, task)

    def export(self, name: str, target: Path, task: Task) -> Path:
        return self._workspace.models.export(name, target, task, may_replace=True)

    def rename(self, name: str, title: str) -> Model:
        return self._workspace.models.rename(name, title)

    def remove(self, name: str) -> Removed:
        # A model that is compared with holds its files open, which not every system moves then.
        self._workspace.others.close_one(name)
        return self._workspace.models.remove(name)

    def restore(self, key: str) -> Model:
        return self._workspace.models.restore(key)

    def delete(self, key: str) -> Removed:
        return self._workspace.models.delete(key)
