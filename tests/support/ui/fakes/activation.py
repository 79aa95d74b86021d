"""A fake activation service that tests can hold up."""

from __future__ import annotations

import threading

from sciread_app.errors import Cancelled
from sciread_app.services.models.active_model import ActivationResult
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused


class FakeActivation:
    """The model `theirs` encodes 300 papers before it is active; `broken` cannot be opened."""

    def __init__(self) -> None:
        self.active = "starter"
        self.ready = {"starter"}
        self.wish: str = ""
        self.elsewhere = ""
        self.go_on = threading.Event()
        self.go_on.set()
        self.look_on = threading.Event()
        self.look_on.set()
        self.given_up: list[str] = []

    def pending(self) -> str:
        return self.wish

    def title(self, model: str) -> str:
        return model.title()

    def is_ready(self, model: str) -> bool:
        if model == "broken":
            raise PackageRefused("The model broken is not whole.", "Fetch it again.")
        self.look_on.wait(60)
        return model in self.ready

    def activate(self, model: str, task: Task) -> ActivationResult:
        self.wish = model
        read = 0 if model in self.ready else 300
        for done in range(read):
            while not self.go_on.wait(0.005):
                task.step(done, read)
            if self.wish != model:
                raise Cancelled
            task.step(done, read)
        self.ready.add(model)
        before, self.active, self.wish = self.active, model, ""
        return ActivationResult(model, model.title(), read, before, before.title())

    def cancel(self, model: str) -> None:
        self.given_up.append(model)
        if self.wish == model:
            self.wish = ""

    def externally_activated_model(self) -> str:
        return self.elsewhere if self.elsewhere != self.active else ""

    def follow(self, task: Task) -> ActivationResult | None:
        if self.elsewhere == "broken":
            raise PackageRefused("The model broken is not whole.", "Fetch it again.")
        before, self.active = self.active, self.elsewhere
        return ActivationResult(self.active, self.active.title(), 0, before, before.title())
