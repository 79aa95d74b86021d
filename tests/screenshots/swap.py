"""Pictures of a model that comes to answer: being prepared, and when it does."""

from __future__ import annotations

import threading
from typing import Any

from sciread_app.services.activation import Activated
from sciread_app.tasks import Task
from sciread_app.ui.jobs import Job, Jobs, Lane
from sciread_app.ui.main_window import MainWindow
from sciread_app.ui.models.swap import Wanted
from tests.screenshots.scene import EVERYWHERE, Scene, wait

PAPERS, READ = 2_480, 1_200


class _Slow:
    """Has read as much as it ever will, until it may go on."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def pending(self) -> Wanted | None:
        return None

    def is_ready(self, model: str) -> bool:
        return False

    def activate(self, model: str, task: Task) -> Activated:
        for done in range(0, READ + 1, 30):
            task.step(done, PAPERS)
            task.pause(0.11, "")
        while not self.go_on.wait(0.05):
            task.check()
        return Activated(model, "SPECTER on my papers", PAPERS, "starter", "all-MiniLM-L6-v2")

    def give_up(self, model: str) -> None:
        pass

    def left_behind(self) -> str:
        return ""

    def follow(self, task: Task) -> Activated | None:
        return None


class _Beside:
    """Starts work where a picture does not wait for its end."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self.closing = False

    def run(self, *what: Any, lane: Lane, **more: Any) -> Job:
        beside = Lane.network if lane is Lane.heavy else lane
        return self._jobs.run(*what, lane=beside, **more)


def _prepared(window: MainWindow) -> None:
    window.go_to("search")
    swapping = window.swapping
    assert swapping and window.page
    swapping._swaps, swapping._jobs = _Slow(), _Beside(window._jobs)  # type: ignore[assignment]
    swapping.activate("specter-ours", "SPECTER on my papers")
    window.page.box.set_text("deep networks")
    window.page.search()
    window.toggle_work()
    wait(lambda: window.work_log.going() and window.work_log.going()[-1].done > READ * 0.9)


def _answers(window: MainWindow) -> None:
    assert window.swapping and isinstance(window.swapping._swaps, _Slow)
    window.swapping._swaps.go_on.set()
    wait(lambda: window.swapping and window.swapping.wanted is None)
    window.toggle_work()


SCENES = (
    Scene("swap-preparing", _prepared, EVERYWHERE),
    Scene("swap-answers", _answers),
)
