"""Nearest neighbors of well-known papers in two models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QSplitter,
    QWidget,
)

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.builder import likes
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.language import tr
from sciread_app.tasks import Task
from sciread_app.ui.compare.panel import SEARCHING
from sciread_app.ui.compare.side import ResultColumn
from sciread_app.ui.compare.view_models import (
    ModelResults,
    in_common,
    with_moves,
)
from sciread_app.ui.evaluation.model_pair_view import InstalledPairView
from sciread_app.ui.formatting import progress_text
from sciread_app.ui.jobs.runner import Job, JobError, JobQueue, JobRunner
from sciread_app.ui.paper_list.paper_list import PaperList, PaperModel
from sciread_app.ui.style.theme import Appearance, styled
from sciread_app.ui.view_models import EMPTY_RESULTS, ResultList
from sciread_app.ui.widgets.layout.boxes import column, row

if TYPE_CHECKING:
    from sciread_app.ui.compare.gateway import CompareGateway
    from sciread_app.ui.evaluation.gateway import EvaluationGateway
    from sciread_app.ui.paper_list.paper_list import CardSource

TYPED_MS = 250


class NeighboursView(InstalledPairView):
    """Lists the papers that models A and B find similar to a paper that the user knows, with the
    differences between both lists marked."""

    picture, loading = "similar", "neighbours"
    without_second_model = tr(
        "Add or train a second model to compare the papers that each model finds similar to "
        "papers you know."
    )

    def __init__(
        self,
        dashboard: EvaluationGateway,
        comparisons: CompareGateway,
        cards: CardSource,
        jobs: JobRunner,
        appearance: Appearance,
    ) -> None:
        super().__init__(comparisons, jobs, appearance)
        self._dashboard = dashboard
        self._paper: PaperId | None = None
        self._words = ""  # by which the listed papers were found
        self._asking: Job | None = None
        self._reading: Job | None = None
        self.search_field = styled(QLineEdit(placeholderText=tr("Search for a paper")), "field")
        self.search_field.setAccessibleName(tr("Search for a paper"))
        self.search_field.setClearButtonEnabled(True)
        self.papers = PaperList(PaperModel(cards, jobs, self), appearance)
        self.papers.setAccessibleName(tr("Papers you know"))
        self.sides = [
            ResultColumn(tr("Neighbors in model {model}", model=letter), cards, jobs, appearance)
            for letter in "AB"
        ]
        self.head = styled(QLabel(wordWrap=True), "quiet")
        self.message = styled(QLabel(wordWrap=True), "quiet")
        self._typed = QTimer(self, singleShot=True, interval=TYPED_MS)
        self._build()
        self._connect()

    def ask(self) -> None:
        """Load the available models and the papers the user knows."""
        super().ask()
        self._look_for_papers()

    def tab_stops(self) -> list[QWidget]:
        sides = (side.result_list for side in self.sides)
        return [
            *self.pair.tab_stops(),
            *self.empty.buttons(),
            self.search_field,
            self.papers,
            *sides,
        ]

    def _look_for_papers(self) -> None:
        words, dashboard = self.search_field.text().strip(), self._dashboard

        def work(task: Task) -> Sequence[PaperId]:
            return dashboard.find(words, task) if words else dashboard.known_papers()

        known = tr(
            "Papers that you have read, rated, or annotated. If there are none, the latest papers."
        )
        self.head.setText(tr("Search results") if words else known)
        self._jobs.run(
            tr("Loading papers you know"),
            work,
            lambda papers: self._show_papers(papers, words),
            on_failed=lambda problem: self.head.setText(problem.message),
            replaces="neighbours papers",
        )

    def _show_papers(self, papers: Sequence[PaperId], words: str) -> None:
        """List papers; if they were found by the same words as before, the selected one stays
        selected."""
        listing = ResultList(tuple(papers), len(papers))
        same_words, self._words = self._words == words, words
        if not papers:
            self.papers.show_listing(listing)
            self._pick(None)
        elif same_words and self.papers.current() is not None:
            with self.papers.preserving_view():
                self.papers.show_listing(listing)
        else:
            self.papers.show_listing(listing)
            self.papers.go_to(0)

    def _pick(self, paper: PaperId | None) -> None:
        self._paper = paper
        self.load()

    def load(self) -> None:
        """Search for the neighbors of the selected paper with both models."""
        paper, chosen = self._paper, self.selected_models()
        if chosen is not None:
            self.show_content()
        if paper is None or chosen is None:
            self._jobs.drop(self.loading)
            for side in self.sides:
                side.clear()
            self.message.setText("" if paper else tr("Select a paper on the left."))
            return
        one, other = chosen
        query, comparisons = parse(likes([paper])), self._comparisons

        def work(task: Task) -> tuple[ModelResults, ModelResults]:
            first = comparisons.ask(one, query, SearchMode.meaning, task)
            task.step(1, 2)
            return first, comparisons.ask(other, query, SearchMode.meaning, task)

        self.message.setText(SEARCHING)
        self._asking = self._jobs.run(
            tr("Searching with two models"),
            work,
            self._show,
            on_failed=self._explain_below,
            replaces=self.loading,
        )

    def _show_progress(self, job: Job, done: int, total: int, note: str) -> None:
        if job is self._asking and not job.replaced:
            self.message.setText(f"{SEARCHING} {progress_text(job.progress, note)}")

    def _show(self, answers: tuple[ModelResults, ModelResults]) -> None:
        names = self.pair.selected
        if not all(name in self._models for name in names):
            return  # a model was removed meanwhile
        for place, side in enumerate(self.sides):
            mine, theirs = answers[place], answers[1 - place]
            # A model without encoded papers has no new neighbors.
            marked = with_moves(mine.listing, theirs.listing) if theirs.read else mine.listing
            reads = self._reading is not None
            side.show_named(self._models[names[place]], mine, marked, reads=reads)
        both = in_common(answers[0].listing, answers[1].listing)
        self.message.setText(both if answers[0].read and answers[1].read else "")

    def _read(self, model: str) -> None:
        """Encode the papers that the model has not encoded yet."""
        for side in self.sides:
            side.read_button.hide()
        self._reading = self._jobs.run(
            tr("Indexing papers with {name}", name=self._models[model].title),
            lambda task: self._comparisons.encode(model, task),
            on_failed=self._explain_below,
            queue=JobQueue.long,
            replaces="encode for comparing",
            stop_note=tr("Papers indexed so far are kept"),
        )
        self._reading.indexes = True
        self._reading.retry = partial(self._read, model)

    def _finished(self, job: Job) -> None:
        if job is self._reading:
            self._reading = None
            if self.isVisible():
                self.load()

    def _explain_below(self, problem: JobError) -> None:
        for side in self.sides:
            side.result_list.show_listing(EMPTY_RESULTS)
        self.message.setText(problem.text)

    def _build(self) -> None:
        split = QSplitter(
            Qt.Orientation.Horizontal, self._pages, childrenCollapsible=False, handleWidth=14
        )
        self._pages.addWidget(split)
        left, right = QWidget(), QWidget()
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        split.setSizes([330, 800])
        papers = (self.search_field, self.head, (self.papers, 1))
        column(*papers, parent=left, margins=0, spacing=8)
        both = row(*((side, 1) for side in self.sides), spacing=14)
        column(self.message, (both, 1), parent=right, margins=0, spacing=8)

    def _connect(self) -> None:
        self.search_field.textChanged.connect(lambda _: self._typed.start())
        self._typed.timeout.connect(self._look_for_papers)
        self.papers.current_changed.connect(self._pick)
        self._jobs.progressed.connect(self._show_progress)
        self._jobs.finished.connect(self._finished)
        for side in self.sides:
            side.read_requested.connect(self._read)
