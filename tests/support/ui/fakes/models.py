"""A fake of the models and their installer: an active model, an inactive one, a damaged one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.model_card import CardScore, Origin
from sciread_app.services.models.registry import InstalledModel, ModelDetails, ModelState
from sciread_app.services.models.trash import RemovedModel
from sciread_app.tasks import Task
from tests.support.ui.fakes.search import FakeSearch
from trainer.contract.errors import PackageRefused

STARTER = InstalledModel(
    name="starter", title="Starter", space="s", method="starter", dim=384, pooling="mean",
    max_tokens=512, template="{title} {abstract}", licence="Apache-2.0", size=91_000_000,
    checked=True, speed=850.0,
)  # fmt: skip
THEIRS = replace(
    STARTER, name="theirs", title="Theirs", space="t", method="specter", base="starter",
    created="2026-11-22T15:00:00+00:00", speed=400.0, licence="MIT",
)  # fmt: skip
BROKEN = InstalledModel(
    name="broken", title="Broken", problem="The file model.safetensors is damaged.",
    hint="Copy the model again.", size=4_000,
)  # fmt: skip
SCORES = (
    CardScore(
        "", "Ranking of candidates", "MAP", "81.20", 0.812, "70.00", 0.7, "+11.20", True,
        50, "test",
    ),
    CardScore("ours", "Topics", "macro F1", "55.00", 0.55, n=900, split="test"),
)  # fmt: skip


class FakeModels:
    def __init__(self, gateway: FakeSearch) -> None:
        self._gateway = gateway
        self.installed: dict[str, InstalledModel] = {"starter": STARTER}
        self.trash: dict[str, RemovedModel] = {}
        self.fault: Exception | None = None
        self.go_on = threading.Event()
        self.go_on.set()
        self.calls: list[object] = []

    def install(self, *models: InstalledModel) -> None:
        self.installed |= {model.name: model for model in models}

    def all(self) -> Sequence[InstalledModel]:
        activation = self._gateway.activation
        states = {activation.wish: ModelState.pending, activation.active: ModelState.active}
        return [replace(m, state=states.get(m.name, m.state)) for m in self.installed.values()]

    def trashed(self) -> Sequence[RemovedModel]:
        return list(self.trash.values())

    def earlier(self) -> str:
        return next((m.name for m in self.all() if m.state is ModelState.earlier), "")

    def check(self, name: str, task: Task) -> InstalledModel:
        self.installed[name] = replace(self.installed[name], checked=True)
        return self.installed[name]

    def verify(self, name: str) -> InstalledModel:
        self.installed[name] = replace(self.installed[name], problem="", space="b", checked=True)
        return self.installed[name]

    def about(self, name: str) -> ModelDetails:
        model = next(model for model in self.all() if model.name == name)
        sound, read = not model.problem, name in self._gateway.activation.ready
        origin = Origin("specter-small", {"margin": "2.0"}, papers=900, sha256="ab" * 32)
        card = f"# {model.title}\n\nIt is **good**." if sound else ""
        papers = self._gateway.count
        return ModelDetails(
            model, Path("/home/ada/models") / name, origin if sound else Origin(),
            SCORES if name == "theirs" else (), card, papers, 0 if read else papers,
        )  # fmt: skip

    def add(self, source: Path, task: Task) -> InstalledModel:
        self.calls.append(source)
        return self._bring(
            InstalledModel(name=source.stem, title=source.stem, space="n", checked=True), task
        )

    def pull(self, request: DownloadRequest, task: Task) -> InstalledModel:
        self.calls.append(request)
        task.step(430, 1_000, f"{request.name}: 190 of 440 MB")
        name = request.name.replace("/", "--")
        return self._bring(
            InstalledModel(name=name, title=request.name, space="h", checked=True), task
        )

    def _bring(self, model: InstalledModel, task: Task) -> InstalledModel:
        while not self.go_on.wait(0.01):
            task.raise_if_cancelled()
        if self.fault:
            fault, self.fault = self.fault, None
            raise fault
        if model.name in self.installed:
            raise PackageRefused(f"{model.title} is here already.", "There is nothing to add.")
        self.install(model)
        return model

    def export(self, name: str, target: Path, task: Task, *, may_replace: bool) -> Path:
        self.calls.append((name, target))
        return target

    def rename(self, name: str, title: str) -> InstalledModel:
        self.installed[name] = replace(self.installed[name], title=title)
        return self.installed[name]

    def remove(self, name: str) -> RemovedModel:
        model = self.installed.pop(name)
        self.trash[f"{name}@1"] = RemovedModel(f"{name}@1", name, model.title, 1.79e9, model.size)
        return self.trash[f"{name}@1"]

    def restore(self, key: str) -> InstalledModel:
        removed = self.trash.pop(key)
        model = replace(THEIRS, name=removed.name, title=removed.title)
        self.install(model)
        return model

    def delete(self, key: str) -> RemovedModel:
        return self.trash.pop(key)
