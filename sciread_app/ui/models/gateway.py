"""Services of the models page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.registry import InstalledModel, ModelDetails
from sciread_app.services.models.trash import RemovedModel
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace


class ModelsGateway:
    """All methods block. Safe to use from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def all(self) -> Sequence[InstalledModel]:
        return self._workspace.models.all()

    def trashed(self) -> Sequence[RemovedModel]:
        return self._workspace.models.trashed()

    def earlier(self) -> str:
        return self._workspace.models.earlier()

    def check(self, name: str, task: Task) -> InstalledModel:
        return self._workspace.models.check(name, task)

    def verify(self, name: str, task: Task) -> InstalledModel:
        return self._workspace.models.verify(name)

    def about(self, name: str) -> ModelDetails | None:
        models = self._workspace.models
        here = any(model.name == name for model in models.all())
        return models.about(name) if here else None

    def add(self, source: Path, task: Task) -> InstalledModel:
        return self._workspace.installer.add(source, task)

    def pull(self, wanted: DownloadRequest, task: Task) -> InstalledModel:
        return self._workspace.installer.pull(wanted, task)

    def export(self, name: str, target: Path, task: Task) -> Path:
        return self._workspace.models.export(name, target, task, may_replace=True)

    def rename(self, name: str, title: str) -> InstalledModel:
        return self._workspace.models.rename(name, title)

    def remove(self, name: str) -> RemovedModel:
        # A model that is compared with holds its files open, which not every system moves then.
        self._workspace.comparison.close_one(name)
        return self._workspace.models.remove(name)

    def restore(self, key: str) -> InstalledModel:
        return self._workspace.models.restore(key)

    def delete(self, key: str) -> RemovedModel:
        return self._workspace.models.delete(key)
