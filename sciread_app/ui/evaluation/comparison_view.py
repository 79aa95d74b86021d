"""Compares two models: the conclusion in a sentence, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import Leaderboard, StoredReport
from sciread_app.services.evaluation.model_comparison import ComparisonOutcome, ComparisonVerdict
from sciread_app.tasks import Task
from sciread_app.ui.evaluation.comparison_table import ComparisonTable
from sciread_app.ui.evaluation.model_pair_view import ModelPairView
from sciread_app.ui.evaluation.view_models import EvaluationData, EvaluationResults
from sciread_app.ui.jobs.runner import JobError, JobQueue, JobRunner
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, scaled, styled
from sciread_app.ui.widgets.text.labels import plain_label
from trainer.contract.suites import suite_title

HOW = tr(
    "Real is what chance alone would make in less than one of twenty such comparisons as a whole: "
    "a paired bootstrap over the items, p raised for how many differences are looked at (Holm). "
    "What cannot be told from chance is no proof of being alike."
)


class ComparisonView(ModelPairView):
    measure_requested = Signal()

    def __init__(self, dashboard: EvaluationData, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._dashboard = dashboard
        self._jobs = jobs
        self._found = EvaluationResults()
        self._asked: tuple[str, str, str] | None = None
        self.verdict: ComparisonVerdict | None = None
        self.sentence = plain_label(font=scaled(self.font(), 1.3, QFont.Weight.DemiBold))
        self.support = plain_label()
        self.data = styled(plain_label(font=scaled(self.font(), 0.92)), "quiet")
        self.table = ComparisonTable(appearance)
        self.notes = styled(plain_label(font=scaled(self.font(), 0.92)), "faint")
        self.card = ComparisonCard(appearance)
        self._build()
        self.pair.changed.connect(self.ask)

    def show_found(self, found: EvaluationResults) -> None:
        self._found = found
        self.pair.offer(found.names, usual=found.usual_pair)
        self._asked = None

    def ask(self) -> None:
        """Compare the selected models by their latest evaluations."""
        first, second = self.pair.chosen
        match = self._found.pair(first, second) if first != second else None
        if match is None:
            self._explain_missing_pair(len(self._found.names))
            return
        board, one, other = match
        asked = (first, second, board.key)
        if asked == self._asked and self.verdict:
            return
        self._asked, self.verdict = asked, None
        self.show_message("wait", tr("Comparing item by item…"), tr("It takes some seconds."))

        def work(task: Task) -> ComparisonVerdict:
            return self._dashboard.compare(one, other, task)

        self._jobs.run(
            tr("Comparing two models"),
            work,
            lambda verdict: self._show(verdict, board, (one, other)),
            on_failed=self._explain,
            queue=JobQueue.short,
            replaces="verdict",
        )

    def tab_stops(self) -> list[QWidget]:
        return [*self.pair.tab_stops(), *self.empty.buttons(), self.table]

    def _show(
        self,
        verdict: ComparisonVerdict,
        board: Leaderboard,
        sides: tuple[StoredReport, StoredReport],
    ) -> None:
        self.verdict = verdict
        numbers = (
            self._found.numbers.get(sides[0].model, 0),
            self._found.numbers.get(sides[1].model, 1),
        )
        self.sentence.setText(verdict.sentence)
        self.support.setText("\n".join(f"•  {one}" for one in verdict.support))
        self.support.setVisible(bool(verdict.support))
        data = self._found.called.get(board.key, board.data)
        self.data.setText(
            tr("Measured with: {suite}. Data: {data}.", suite=suite_title(board.suite), data=data)
        )
        self.card.show_answer(verdict.answer, numbers)
        self.table.show_verdict(verdict, numbers)
        self.notes.setText("\n\n".join(_notes(verdict)))
        self.show_content()

    def _explain(self, problem: JobError) -> None:
        self.show_message("similar", problem.message, problem.hint)

    def _explain_missing_pair(self, models: int) -> None:
        self.verdict = None
        if models > 1:
            title = tr("These two were not measured on the same data")
            text = tr(
                "Only numbers of the same suite on the same data can be compared. Measure both "
                "on one of them."
            )
        else:
            title = tr("There are no two models to compare")
            text = tr("Measure two models on the same data: then this says which is better.")
        measure = (tr("Measure models…"), self.measure_requested.emit)
        self.show_message("similar", title, text, (measure,))

    def _build(self) -> None:
        shown = QWidget()
        self._pages.addWidget(shown)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.card)
        column.addWidget(self.table, 1)
        column.addWidget(self.notes)
        inner = QVBoxLayout(self.card)
        inner.setContentsMargins(22, 14, 16, 14)
        inner.setSpacing(7)
        for label in (self.sentence, self.support, self.data):
            inner.addWidget(label)


class ComparisonCard(QFrame):
    """A panel with a stripe in the colour of the better model."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._appearance = appearance
        self._stripes: Sequence[int | None] = (None,)

    def show_answer(self, answer: ComparisonOutcome, numbers: tuple[int, int]) -> None:
        self._stripes = {
            ComparisonOutcome.yes: (numbers[1],),
            ComparisonOutcome.no: (numbers[0],),
            ComparisonOutcome.both: (numbers[1], numbers[0]),
            ComparisonOutcome.unknown: (None,),
        }[answer]
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        high = (self.height() - 24) / len(self._stripes)
        for place, number in enumerate(self._stripes):
            painter.setBrush(QColor(theme.track) if number is None else hue(number, theme))
            painter.drawRoundedRect(QRectF(9, 12 + place * high, 5, high - 2), 2.5, 2.5)
        painter.end()


def _notes(verdict: ComparisonVerdict) -> list[str]:
    """Tasks that were not compared, and other caveats."""
    sentences = [
        tr("Not compared, since {why}: {what}.", why=refused.why, what="; ".join(refused.what))
        for refused in verdict.refused
    ]
    return [*sentences, *verdict.notes, HOW]
