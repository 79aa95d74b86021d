"""Screenshots of the activation of a model: in preparation and done."""

from __future__ import annotations

import threading
from typing import Any

from sciread_app.services.models.active_model import ActivationResult
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.shell.main_window import MainWindow
from tests.screenshots.scene import EVERYWHERE, Scene, wait

PAPERS, READ = 2_480, 1_200


class _SlowActivation:
    """A backend whose activation stops at a fixed step until `go_on` is set."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def pending(self) -> str:
        return ""

    def is_ready(self, model: str) -> bool:
        return False

    def activate(self, model: str, task: Task) -> ActivationResult:
        for done in range(0, READ + 1, 30):
            task.step(done, PAPERS)
            task.wait(0.11, "")
        while not self.go_on.wait(0.05):
            task.raise_if_cancelled()
        return ActivationResult(
            model, "SPECTER on my papers", PAPERS, "starter", "all-MiniLM-L6-v2"
        )

    def cancel(self, model: str) -> None:
        pass

    def externally_activated_model(self) -> str:
        return ""

    def follow(self, task: Task) -> ActivationResult | None:
        return None


class _NetworkRunner:
    """A job runner that puts long jobs on the network queue, for which screenshots do not wait."""

    def __init__(self, jobs: JobRunner) -> None:
        self._jobs = jobs
        self.closing = False

    def run(self, *what: Any, queue: JobQueue = JobQueue.short, **more: Any) -> Job:
        beside = JobQueue.network if queue is JobQueue.long else queue
        return self._jobs.run(*what, queue=beside, **more)


def _preparing(window: MainWindow) -> None:
    window.go_to("search")
    activation = window.activation
    assert activation and window.page
    activation._service, activation._jobs = _SlowActivation(), _NetworkRunner(window._jobs)  # type: ignore[assignment]
    activation.activate("specter-ours", "SPECTER on my papers")
    window.page.search_box.set_text("deep networks")
    window.page.search()
    window.job_panel.toggle()
    wait(lambda: window.work_log.going() and window.work_log.going()[-1].done > READ * 0.9)


def _activated(window: MainWindow) -> None:
    assert window.activation and isinstance(window.activation._service, _SlowActivation)
    window.activation._service.go_on.set()
    wait(lambda: window.activation and window.activation.request is None)
    window.job_panel.toggle()


SCENES = (
    Scene("swap-preparing", _preparing, EVERYWHERE),
    Scene("swap-answers", _activated),
)
