"""The evaluation page: scores, comparisons and learning curves of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QWidget,
)

from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.domain.training import TrainingData
from sciread_app.language import tr, trn
from sciread_app.services.evaluation.csv_export import write_csv
from sciread_app.services.evaluation.evaluation_service import (
    EvaluationCandidate,
    EvaluationOutcome,
)
from sciread_app.tasks import Task
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.evaluation.comparison_view import ComparisonView
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.export import ask_where, picture_of, save_picture
from sciread_app.ui.evaluation.learning_view import LearningView
from sciread_app.ui.evaluation.maps_view import MapsView
from sciread_app.ui.evaluation.neighbours_view import NeighboursView
from sciread_app.ui.evaluation.scores.view import ScoresView
from sciread_app.ui.evaluation.task.view import TaskView
from sciread_app.ui.evaluation.view_models import (
    EvaluationCorpus,
    EvaluationResults,
)
from sciread_app.ui.jobs.runner import Job, JobQueue
from sciread_app.ui.page import Page
from sciread_app.ui.style.theme import styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.rounded_popup import rounded
from sciread_app.ui.widgets.segmented_control import SegmentedControl
from sciread_app.ui.widgets.text.labels import ElidedLabel

if TYPE_CHECKING:
    from sciread_app.ui.compare.gateway import CompareGateway
    from sciread_app.ui.evaluation.gateway import EvaluationGateway
    from sciread_app.ui.paper_list.paper_list import CardSource

SCORES, COMPARE, CLASSES, LEARNING, NEIGHBOURS, MAPS = range(6)
VIEWS = (
    (tr("Scores"), tr("Scores of all models on all benchmarks")),
    # Translators: two models with each other
    (tr("Significance"), tr("Whether model B is significantly better than model A")),
    (tr("Classes"), tr("Results of two models by class, pair, and paper")),
    (tr("Learning curves"), tr("Loss curves of your training runs")),
    (tr("Neighbors"), tr("Papers that two models find similar to papers you know")),
    (tr("Maps"), tr("Maps of your papers by two models")),
)
# Names of the views, as stored
NAMES = ("scores", "compare", "classes", "learning", "neighbours", "maps")
UNMEASURED = (LEARNING, NEIGHBOURS, MAPS)  # views that work without any evaluation
MEASURE = tr("Evaluate…")
EXPORTS = ("page", "table", "picture")
TO_BEAT = ("starter", "tf-idf")  # baselines for a model trained here


W = TypeVar("W", bound=QWidget)


class EvaluationPage(Page):
    """The evaluation page. Views are built when first opened, since all at once take too long."""

    def __init__(
        self,
        dashboard: EvaluationGateway,
        comparisons: CompareGateway,
        cards: CardSource,
        context: AppContext,
    ) -> None:
        super().__init__(context.pages)
        self._context = context
        self._dashboard = dashboard
        self._jobs = context.jobs
        self._appearance = context.appearance
        self._for_two_models = (dashboard, comparisons, cards, self._jobs, self._appearance)
        self.results = EvaluationResults()
        self._measuring: Job | None = None
        self._titles: dict[str, str] = {}  # of the models that can be evaluated, by key
        self.views = SegmentedControl(tr("View"), VIEWS)
        self.scores = ScoresView(context.appearance)
        self._build()
        self._connect()
        self._show_progress("")

    @cached_property
    def compare(self) -> ComparisonView:
        view = self._add_view(ComparisonView(self._dashboard, self._jobs, self._appearance))
        view.measure_requested.connect(self.ask_what_to_measure)
        view.switch_requested.connect(self._context.activation.activate)
        view.show_results(self.results)
        return view

    @cached_property
    def classes(self) -> TaskView:
        view = self._add_view(TaskView(self._dashboard, self._jobs, self._appearance))
        view.measure_requested.connect(self.ask_what_to_measure)
        view.show_results(self.results)
        return view

    @cached_property
    def learning(self) -> LearningView:
        view = self._add_view(LearningView(self._dashboard, self._jobs, self._appearance))
        view.page_requested.connect(self._context.navigate.go_to)
        return view

    @cached_property
    def neighbours(self) -> NeighboursView:
        view = self._add_view(NeighboursView(*self._for_two_models))
        for side in view.sides:
            side.activated.connect(self._show_paper)
            side.switch_requested.connect(self._context.activation.activate)
        view.page_requested.connect(self._context.navigate.go_to)
        return view

    @cached_property
    def maps(self) -> MapsView:
        view = self._add_view(MapsView(*self._for_two_models))
        view.page_requested.connect(self._context.navigate.go_to)
        view.paper_requested.connect(self._show_paper)
        return view

    def _show_paper(self, paper: PaperId) -> None:
        self._context.navigate.show_papers([paper], tr("From the Dashboard"))

    def _add_view(self, view: W) -> W:
        self._pages.addWidget(view)
        return view

    # Interface of a page

    def refresh(self) -> None:
        self._look(self._show_results)

    def take_focus(self) -> None:
        tab_stops = [
            stop for stop in self._shown.tab_stops() if stop.isVisible() and stop.isEnabled()
        ]
        (tab_stops[-1] if self.views.current == SCORES and tab_stops else self.views).setFocus()

    def panes(self) -> Sequence[QWidget]:
        return (self.views, *(stop for stop in self._shown.tab_stops() if stop.isVisible()))

    def library_changed(self, changes: LibraryChanges) -> None:
        asked = changes.space or changes.vectors or changes.papers
        if asked and self.isVisible() and self.views.current in (NEIGHBOURS, MAPS):
            self._ask()

    # Actions

    def show_view(self, number: int) -> None:
        self.views.choose(number)
        self._pages.setCurrentWidget(self._shown)
        self._allow()
        self._ask()

    def show_or_measure(self, space: str) -> None:
        """Show the scores of this model; if there are none, offer to evaluate it."""

        def show(found: EvaluationResults) -> None:
            self._show_results(found)
            self.show_view(SCORES)
            reports = [kept.report for board in found.boards for kept in board.reports]
            if not self._measuring and all(report.subject.space != space for report in reports):
                self.ask_what_to_measure(space=space)

        self._look(show)

    def ask_what_to_measure(self, *, space: str = "") -> None:
        """Open the evaluation dialog with the model of `space` and its baselines ticked.

        Does nothing while an evaluation is running.
        """
        if self._measuring:
            return
        dashboard = self._dashboard

        def work(task: Task) -> tuple[Sequence[EvaluationCandidate], Sequence[EvaluationCorpus]]:
            return dashboard.evaluation.candidates(), dashboard.corpora()

        self._jobs.run(
            tr("Loading models and data to evaluate"),
            work,
            lambda found: self._open_dialog(*found, space),
            on_failed=self._context.messages.show_problem,
            replaces="what to measure",
        )

    def measure(self, names: Sequence[str], suite: str, data: TrainingData | Path) -> None:
        """Evaluate these models in the trainer. Does nothing while an evaluation is running, as on
        Retry of an earlier one."""
        if self._measuring:
            return
        dashboard = self._dashboard
        alone = self._titles.get(names[0], names[0])
        what = alone if len(names) == 1 else trn("{n} model", "{n} models", len(names))
        self._measuring = self._jobs.run(
            tr("Evaluating {what}", what=what),
            lambda task: dashboard.evaluation.evaluate(names, suite, data, task),
            self._measured,
            on_failed=self._context.messages.show_problem,
            queue=JobQueue.long,
            stop_note=tr("Finished results are kept"),
        )
        self._measuring.retry = lambda: self.measure(names, suite, data)
        self._measuring.link = (
            tr("Show evaluation"),
            lambda: self._context.navigate.go_to("dashboard"),
        )
        self._show_progress(tr("Queued…"))
        self._context.navigate.show_busy("dashboard", True)
        self.scores.invite(self.ask_what_to_measure, measuring=True)

    def stop_measuring(self) -> None:
        if self._measuring:
            self._measuring.cancel()

    def unavailable_reason(self, action: str) -> str:
        """Why an export, "page", "table" or "picture", is unavailable; empty if it is available."""
        is_picture = action == "picture"
        if not self.results.boards and not (is_picture and self.views.current in UNMEASURED):
            return tr("No evaluations yet")
        if not is_picture and not any(board.reports for board in self.scores.shown.boards):
            if any(board.reports for board in self.results.boards):
                return tr("No models are selected")
            return tr("No evaluations yet")  # only failed ones
        return ""

    def export_page(self) -> None:
        if target := ask_where("html", self):
            boards, dashboard = self.scores.shown.boards, self._dashboard
            self._export(target, lambda task: dashboard.evaluation.write_page(boards, target, task))

    def export_table(self) -> None:
        if target := ask_where("csv", self):
            boards = self.scores.shown.boards

            def write(task: Task) -> None:
                with target.open("w", encoding="utf-8", newline="") as stream:
                    write_csv(boards, stream)

            self._export(target, write)

    def export_picture(self, file: Path | None = None) -> None:
        if target := file or ask_where("png", self):
            picture = picture_of(self._view_widget, self._appearance)
            self._export(target, lambda task: save_picture(picture, target))

    def _export(self, file: Path, write: Callable[[Task], object]) -> None:
        self._jobs.run(
            tr("Writing {file}", file=file.name),
            write,
            lambda _: self._report_export(file),
            on_failed=self._context.messages.show_problem,
            file=file,
        )

    def _allow(self) -> None:
        for name, action in zip(EXPORTS, self.export.menu().actions(), strict=True):
            action.setEnabled(not (why := self.unavailable_reason(name)))
            action.setToolTip(why)
        self.actions_changed.emit()

    def _ask(self) -> None:
        if self.views.current != SCORES:  # scores are shown as they were loaded
            self._shown.ask()

    @property
    def _shown(self) -> Any:
        """The current view, built on first use."""
        return getattr(self, NAMES[self.views.current])

    @property
    def _view_widget(self) -> QWidget:
        return self._pages.currentWidget() or self.scores

    def _look(self, show: Callable[[EvaluationResults], None]) -> None:
        self._jobs.run(
            tr("Loading scores"), lambda task: self._dashboard.look(), show, replaces="dashboard"
        )

    def _show_results(self, results: EvaluationResults) -> None:
        self.results = results
        for name in ("scores", "compare", "classes"):
            if view := vars(self).get(name):  # only if it has been built
                view.show_results(results)
        if not results.boards:
            self.scores.invite(self.ask_what_to_measure, measuring=self._measuring is not None)
        self.show_view(self.views.current)

    def _open_dialog(
        self,
        candidates: Sequence[EvaluationCandidate],
        corpora: Sequence[EvaluationCorpus],
        space: str,
    ) -> None:
        self._titles = {one.key: one.title for one in candidates}
        dialog = EvaluateDialog(candidates, corpora, self)
        if names := [one.key for one in candidates if space and one.space == space]:
            dialog.tick([*names, *TO_BEAT])
        dialog.evaluation_requested.connect(self.measure)
        dialog.open()

    def _measured(self, done: EvaluationOutcome) -> None:
        n = len(done.reports)
        what = trn("{n} model was evaluated", "{n} models were evaluated", n)
        parts = done.remarks()
        if self._measuring:
            self._measuring.remarks = tuple(parts)
        if done.absent:
            parts.append(
                tr("Not evaluated because data is missing: {tasks}.", tasks=", ".join(done.absent))
            )
        messages = self._context.messages
        show = messages.show_warning if parts else messages.show_notice
        show(tr("{sentence}.", sentence=what), "\n".join(parts), passes=True)

    def _report_export(self, file: Path) -> None:
        exported = tr("Exported to {file}", file=file.name)
        self._context.messages.show_notice(
            tr("{sentence}.", sentence=exported), str(file.parent), passes=True
        )

    def _progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._measuring:
            share = f"{100 * done / total:.0f}%  " if total else ""
            self._show_progress(f"{share}{note}".strip())

    def _finished(self, job: Job) -> None:
        if job is self._measuring:
            self._measuring = None
            self._show_progress("")
            self._context.navigate.show_busy("dashboard", False)
            self.refresh()

    def _show_progress(self, text: str) -> None:
        busy = self._measuring is not None
        self._note.setText(text)
        for widget in (self._note, self.stop):
            widget.setVisible(busy)
        self.export.setVisible(not busy)  # both would not fit into a narrow page
        # It stays enabled: a disabled button would lose the focus to its neighbor.
        self.evaluate.setText(tr("Evaluating…") if busy else MEASURE)

    def _build(self) -> None:
        self.evaluate = styled(QPushButton(MEASURE), "primary")
        self.evaluate.setToolTip(tr("Evaluate models on your papers or on published data"))
        self.stop = QPushButton(tr("Stop"))
        self.stop.setToolTip(
            tr("Stop the evaluation; finished results are kept, and evaluating again resumes")
        )
        self.export = QPushButton(tr("Export"))
        menu = rounded(QMenu(self.export))
        menu.setToolTipsVisible(True)
        menu.addAction(tr("Scores as HTML…"), lambda: self.export_page())
        menu.addAction(tr("Scores as CSV…"), lambda: self.export_table())
        menu.addAction(tr("View as image (PNG)…"), lambda: self.export_picture())
        self.export.setMenu(menu)
        self._note: QLabel = styled(ElidedLabel(), "quiet")
        self._note.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._pages = PageStack(self)
        note = (self._note, 40)
        head = row(self.views, 1, note, self.stop, self.export, self.evaluate, spacing=10)
        column(head, (self._pages, 1), parent=self, margins=(16, 12, 16, 10), spacing=10)
        self._add_view(self.scores)
        tab_stops = [*self.views.tab_stops(), self.stop, self.export, self.evaluate]
        for one, next_one in pairwise([*tab_stops, *self.scores.tab_stops()]):
            QWidget.setTabOrder(one, next_one)

    def _connect(self) -> None:
        self.views.selected.connect(self.show_view)
        self.scores.changed.connect(self._allow)
        self.evaluate.clicked.connect(self.ask_what_to_measure)
        self.stop.clicked.connect(self.stop_measuring)
        self._jobs.progressed.connect(self._progress)
        self._jobs.finished.connect(self._finished)
