"""The loop driven through the window: pages, buttons and the texts they show."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtWidgets import QApplication, QPushButton

from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.training import LIBRARY
from sciread_app.services.evaluation.evaluation_service import LOCAL
from sciread_app.services.evaluation.model_comparison import ComparisonVerdict
from sciread_app.services.training.runs import RunStatus, TrainingRun
from sciread_app.ui.evaluation.page import COMPARE, EvaluationPage
from sciread_app.ui.jobs.runner import Job, JobQueue, JobRunner
from sciread_app.ui.models.page import ModelsPage
from sciread_app.ui.page import Page
from sciread_app.ui.shell.gateway import WindowGateway, open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.startup.garbage_collector import GarbageCollector
from sciread_app.ui.style.theme import Appearance, ThemeChoice
from sciread_app.ui.training.form.form import TrainingForm
from sciread_app.ui.training.page import TrainingPage
from sciread_app.workspace import Workspace

REPORT_INTERVAL = 30.0  # seconds between two lines of progress

P = TypeVar("P", bound=Page)
Wait = Callable[[Callable[[], object]], None]


class Windowed:
    """A window on a home. Each method waits until the window shows its result."""

    def __init__(
        self, gateway: WindowGateway, window: MainWindow, jobs: JobRunner, wait: Wait
    ) -> None:
        self._gateway, self._window, self._jobs, self._wait = gateway, window, jobs, wait
        self.quiet()

    @property
    def workspace(self) -> Workspace:
        return self._gateway.workspace

    @property
    def answers(self) -> str:
        """The model that answers, as the page of models has it."""
        page = self._go("models", ModelsPage)
        self.until(lambda: page.list.rows and not self._jobs.running())
        (title,) = [
            row.title for row in page.list.rows if row.key == self.workspace.active_model.model
        ]
        return title

    def quiet(self) -> None:
        self.until(lambda: self._window.is_open and not self._jobs.running())

    def until(self, condition: Callable[[], object]) -> None:
        self._wait(lambda: bool(condition()))

    def add(self, file: Path) -> None:
        """Import papers, which the window then indexes automatically."""
        self._window.add([file])
        self.until(lambda: self._gateway.status().papers)
        self.quiet()

    def train(self, settings: Mapping[str, Any], name: str, *, citations: bool) -> TrainingRun:
        """Fill in the form for SPECTER and press the button; with `citations`, fetch what it lacks
        before."""
        page = self._go("training", TrainingPage)
        page.begin()
        form = page.form
        form.method.cards["specter"].click()
        form.settings.write(settings)
        form.name.setText(name)
        if citations:
            self.until(lambda: _remedy(form, "Fetch citations") and not self._jobs.running())
            _remedy(form, "Fetch citations")[0].click()
            self.until(lambda: not _remedy(form, "Fetch citations") and not self._jobs.running())
        self.until(lambda: form.start.isEnabled() and not self._jobs.running())
        form.start.click()
        self.until(lambda: page.view.details and page.view.details.training.name == name)
        return self._finished(page)

    def open_run(self, folder: Path) -> TrainingRun:
        """Bring in a training that was made elsewhere."""
        page = self._go("training", TrainingPage)
        page.open(folder)
        self.until(lambda: page.view.details and page.view.details.training.name == folder.name)
        return self._finished(page)

    def activate(self) -> str:
        """Activate the model of the selected training run; return its name."""
        page = self._go("training", TrainingPage)
        told = page.view.details
        assert told
        if self._space != told.training.space:
            page.view.buttons["activate"].click()
        self.until(lambda: self._space == told.training.space and not self._jobs.running())
        return self.workspace.active_model.model

    def measure(self, models: Sequence[str]) -> ComparisonVerdict:
        """Measure these on the library, and look at how the last compares with the first."""
        page = self._go("dashboard", EvaluationPage)
        page.measure(models, LOCAL, LIBRARY)
        self.until(lambda: page.results.boards and not self._jobs.running())
        reports = {kept.report.subject.space: kept.model for kept in page.results.boards[0].reports}
        spaces = {model.name: model.space for model in self.workspace.models.all()}
        page.show_view(COMPARE)
        page.compare.pair.choose(*(reports[spaces[name]] for name in (models[0], models[-1])))
        self.until(lambda: page.compare.verdict and not self._jobs.running())
        verdict = page.compare.verdict
        assert verdict
        return verdict

    def find(self, words: str) -> list[int]:
        """Return the papers that the list shows for a semantic query, best first."""
        self._window.go_to("search")
        page = self._window.page
        assert page
        page.search_box.set_mode(SearchMode.meaning)
        page.search_box.set_text(words)
        page.search()
        self.until(lambda: page.view.query == words and not self._jobs.running())
        return [int(id) for id in page.view.listing.ids]

    @property
    def _space(self) -> str:
        with self.workspace.active_model.use() as now:
            return now.index.key if now.index else ""

    def _finished(self, page: TrainingPage) -> TrainingRun:
        self.until(lambda: page.view.details and not page.view.details.training.status.is_active)
        self.quiet()
        told = page.view.details
        assert told and told.training.status is RunStatus.finished, told
        return told.training

    def _go(self, place: str, kind: type[P]) -> P:
        self._window.go_to(place)
        page = self._window.other_page(place)
        assert isinstance(page, kind)
        self.quiet()
        return page


def numbers_of(verdict: ComparisonVerdict) -> list[dict[str, Any]]:
    """The evidence of a verdict as the command line writes it in JSON."""
    names = {"p_value": "chance", "significant": "real"}
    return [
        {names.get(key, key): value for key, value in each._asdict().items()}
        | {"metric": each.metric.name, "difference": each.difference}
        for each in verdict.evidence
    ]


def _remedy(form: TrainingForm, start: str) -> list[QPushButton]:
    """The action that the check offers."""
    return [button for button in form.check.buttons if button.text().startswith(start)]


class _Teller:
    """Prints progress at intervals."""

    def __init__(self) -> None:
        self._reported_at = time.monotonic()

    def tell(self, job: Job, done: int, total: int, note: str) -> None:
        if job.queue is JobQueue.long and time.monotonic() - self._reported_at > REPORT_INTERVAL:
            self._reported_at = time.monotonic()
            print(f"{job.title}: {done:,} of {total:,} {note}", flush=True)


@contextmanager
def offscreen(home: Path) -> Iterator[Windowed]:
    """An offscreen window of this process on a home."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    jobs = JobRunner()
    collector = GarbageCollector(jobs)
    jobs.progressed.connect(_Teller().tell)
    window = MainWindow(home, jobs, Appearance(app, ThemeChoice.light))

    def wait(condition: Callable[[], object]) -> None:
        while not condition():
            app.processEvents()
            time.sleep(0.01)

    gateway = open_gateway(home)
    try:
        window.show()
        window.open(gateway)
        wait(lambda: window.is_open)
        yield Windowed(gateway, window, jobs, wait)
    finally:
        jobs.shut_down()
        window.close()
        gateway.close()
        collector.stop()
