"""Compares two models: the conclusion in a sentence, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QWidget

from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import Leaderboard, StoredReport
from sciread_app.services.evaluation.model_comparison import (
    ComparisonOutcome,
    ComparisonVerdict,
    MetricDifference,
)
from sciread_app.tasks import Task
from sciread_app.ui.evaluation.metric_table import (
    MetricDelegate,
    MetricModel,
    MetricTable,
    TableHeading,
    draw_elided,
    paint_estimate,
)
from sciread_app.ui.evaluation.model_pair_view import ModelPairView
from sciread_app.ui.evaluation.view_models import EvaluationResults, ModelToUse, tip
from sciread_app.ui.formatting import shortened
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.models.card_score_table import TOO_FEW
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, restyled, scaled, styled
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.layout.sections import action_button
from sciread_app.ui.widgets.painting import paint_box
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index
from sciread_app.ui.widgets.text.labels import plain_label, show_text
from trainer.contract.suites import suite_title

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.gateway import EvaluationGateway

METRIC, N, A, B, GAP, CHANCE, BETTER = range(7)
WIDTHS = {N: 62, A: 76, B: 76, CHANCE: 72, BETTER: 84}
LONGEST = 40  # letters of a title on a button
MARGINS = 16  # pixels to the left and right of a number, together
HOW = tr(
    "Paired test: bootstrap over the items. A difference is significant if its "
    "p-value, adjusted for the number of comparisons (Holm), is below 0.05. A "
    "difference that is not significant does not prove that the models are equally "
    "good."
)


class ComparisonTableModel(MetricModel[MetricDifference]):
    """The differences between two models by task, those that the conclusion does not count last."""

    headings = (tr("Metric"), "n", "A", "B", tr("B − A (95% CI)"), tr("p-value"), tr("Better"))
    heading_tips = {
        N: tr("Number of items that both models have a score for"),
        GAP: tr("Difference B − A with its 95% confidence interval"),
        CHANCE: tr("p-value, adjusted for the number of comparisons (Holm)"),
    }
    heading_alignments = {METRIC: LEFT, N: RIGHT, A: RIGHT, B: RIGHT, CHANCE: RIGHT}
    reach = 0.01  # the largest absolute bound of all intervals

    def show_verdict(self, verdict: ComparisonVerdict | None) -> None:
        """Show the differences of a comparison; None shows none."""
        evidence = verdict.evidence if verdict else ()
        ends = [
            abs(end)
            for each in evidence
            if each.metric.unit == "percent"
            for end in (each.difference, each.low, each.high)
            if end is not None
        ]
        self.reach = max([0.01, *ends]) * 1.06
        self.show_rows(_rows(evidence))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.ToolTipRole and column == METRIC:
            return None if isinstance(row, TableHeading) else tip(row.metric)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        if isinstance(row, TableHeading):
            return row.text if column == METRIC else None
        return _cells(row)[column]


class ComparisonTable(MetricTable):
    """The differences, each with its confidence interval around zero."""

    def __init__(self, appearance: Appearance) -> None:
        self._differences = ComparisonTableModel()
        super().__init__(tr("Differences by metric"), self._differences, appearance)
        self._delegate = ComparisonDelegate(self, self._differences, appearance)
        self.setItemDelegate(self._delegate)

    def show_verdict(self, verdict: ComparisonVerdict | None, numbers: tuple[int, int]) -> None:
        """Show a comparison; `numbers` give the colors of both models."""
        self._delegate.numbers = numbers
        self._differences.show_verdict(verdict)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(METRIC, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(GAP, QHeaderView.ResizeMode.Stretch)
        letters = QFontMetrics(scaled(self.font(), 1.0, QFont.Weight.DemiBold))
        shown = [_cells(row) for row in self._differences.rows if isinstance(row, MetricDifference)]
        for number, width in WIDTHS.items():
            needed = (letters.horizontalAdvance(cells[number]) + MARGINS for cells in shown)
            self.setColumnWidth(number, max([width, *needed]))
        self.lay_out_headings(self._differences)


class ComparisonDelegate(MetricDelegate[ComparisonTableModel]):
    """Paints differences with their confidence intervals on a scale around zero, the same in all
    rows."""

    def __init__(
        self, table: QTableView, model: ComparisonTableModel, appearance: Appearance
    ) -> None:
        super().__init__(table, model, appearance)
        self._bold = scaled(table.font(), 1.0, QFont.Weight.DemiBold)

    def paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, row: MetricDifference, column: int
    ) -> None:
        if column == GAP:
            self._paint_gap(painter, theme, box.adjusted(8, 0, -8, 0), row)
        elif column == BETTER:
            self._paint_better(painter, theme, box, row)
        else:
            self._paint_text(painter, theme, box, row, column)

    def _paint_text(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference, column: int
    ) -> None:
        text = _cells(each)[column]
        best = each.winner is not None and column == (A, B)[each.winner]
        figures = self._bold_figures if best else self._figures
        painter.setFont(figures if column in (A, B) else self._font)
        painter.setPen(QColor(theme.text if column in (A, B) else theme.quiet))
        if column in (N, CHANCE):
            painter.setFont(self._small)
        inner = box.adjusted(28, 0, -4, 0) if column == METRIC else box.adjusted(4, 0, -8, 0)
        draw_elided(
            painter, inner, Qt.AlignmentFlag.AlignVCenter if column == METRIC else RIGHT, text
        )

    def _paint_gap(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference
    ) -> None:
        painter.setFont(self._small)
        painter.setPen(QColor(theme.text if each.significant else theme.faint))
        if each.too_few:
            painter.setFont(self._font)
            draw_elided(painter, box, Qt.AlignmentFlag.AlignCenter, TOO_FEW)
            return
        middle_top = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        draw_elided(painter, box.adjusted(0, 5, 0, 0), middle_top, _cells(each)[GAP])
        if each.metric.unit != "percent":
            return  # in other units, so sizes are not comparable
        middle, line = box.center().x(), box.bottom() - 13
        half = box.width() / 2

        def across(value: float) -> float:
            return middle + value / self._model.reach * half

        painter.setPen(QPen(QColor(theme.track), 2))
        painter.drawLine(QPointF(box.left(), line), QPointF(box.right(), line))
        painter.setPen(QPen(QColor(theme.faint), 1))
        painter.drawLine(QPointF(middle, line - 6), QPointF(middle, line + 6))
        ends = None
        if each.low is not None and each.high is not None:
            ends = across(each.low), across(each.high)
        point = QPointF(across(each.difference), line)
        paint_estimate(painter, theme, self._colour(theme, each), point, ends, 4.5)

    def _paint_better(
        self, painter: QPainter, theme: Theme, box: QRectF, each: MetricDifference
    ) -> None:
        text = _cells(each)[BETTER]
        painter.setFont(self._small if each.winner is None else self._bold)
        letters = QFontMetricsF(painter.font())
        width = letters.horizontalAdvance(text)
        if each.winner is not None:
            chip = QRectF(0, 0, width + 20, 22)
            chip.moveCenter(box.center())
            soft = QColor(self._colour(theme, each))
            soft.setAlphaF(0.22)
            paint_box(painter, chip, 11, soft)
        painter.setPen(QColor(theme.faint if each.winner is None else theme.text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _colour(self, theme: Theme, each: MetricDifference) -> QColor:
        if each.winner is None:
            return QColor(theme.faint)
        return hue(self.numbers[each.winner], theme)


class ComparisonView(ModelPairView):
    """Says which of two models is better, if either is, and offers to use it for search. The test
    takes seconds and runs as a job."""

    measure_requested = Signal()
    switch_requested = Signal(str, str)  # a model to activate: name, title

    def __init__(self, gateway: EvaluationGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._gateway = gateway
        self._jobs = jobs
        self._found = EvaluationResults()
        self._asked: tuple[str, str, str] | None = None
        self.verdict: ComparisonVerdict | None = None
        self.sentence = plain_label(font=scaled(self.font(), 1.3, QFont.Weight.DemiBold))
        self.use = action_button("", tr("Use this model to search by meaning"))
        self.use.hide()
        self.use.clicked.connect(self._use)
        self._better: ModelToUse | None = None
        self.support = plain_label()
        self.data = styled(plain_label(font=scaled(self.font(), 0.92)), "quiet")
        self.table = ComparisonTable(appearance)
        self.notes = styled(plain_label(font=scaled(self.font(), 0.92)), "faint")
        self.card = ComparisonCard(appearance)
        self._build()
        self.pair.changed.connect(self.ask)

    def show_results(self, results: EvaluationResults) -> None:
        self._found = results
        self.pair.offer(results.names, usual=results.usual_pair)
        self._asked = None

    def ask(self) -> None:
        """Compare the selected models by their latest evaluations."""
        first, second = self.pair.selected
        match = self._found.pair(first, second) if first != second else None
        if match is None:
            self._jobs.drop("verdict")
            self._explain_missing_pair(len(self._found.names))
            return
        board, one, other = match
        asked = (first, second, board.key)
        if asked == self._asked and self.verdict:
            return
        self._asked, self.verdict = asked, None
        self.show_message(
            "wait", tr("Comparing the models item by item…"), tr("Takes a few seconds.")
        )

        def work(task: Task) -> tuple[ComparisonVerdict, ModelToUse | None]:
            verdict = self._gateway.comparer.compare(one, other, task)
            if verdict.answer is ComparisonOutcome.yes:
                return verdict, self._gateway.to_use(other, one)
            if verdict.answer is ComparisonOutcome.no:
                return verdict, self._gateway.to_use(one, other)
            return verdict, None

        self._jobs.run(
            tr("Comparing two models"),
            work,
            lambda results: self._show(*results, board, (one, other)),
            on_failed=self._explain,
            replaces="verdict",
        )

    def tab_stops(self) -> list[QWidget]:
        return [*self.pair.tab_stops(), *self.empty.buttons(), self.use, self.table]

    def _show(
        self,
        verdict: ComparisonVerdict,
        better: ModelToUse | None,
        board: Leaderboard,
        sides: tuple[StoredReport, StoredReport],
    ) -> None:
        self.verdict = verdict
        numbers = (
            self._found.numbers.get(sides[0].model, 0),
            self._found.numbers.get(sides[1].model, 1),
        )
        self.sentence.setText(verdict.sentence)
        self._offer(better)
        show_text(self.support, "\n".join(f"•  {one}" for one in verdict.support))
        data = self._found.called.get(board.key, board.data)
        self.data.setText(
            tr("Benchmark: {suite}. Data: {data}.", suite=suite_title(board.suite), data=data)
        )
        self.card.show_answer(verdict.answer, numbers)
        self.table.show_verdict(verdict, numbers)
        self.notes.setText("\n\n".join(_notes(verdict)))
        self.show_content()

    def _offer(self, better: ModelToUse | None) -> None:
        self._better = better
        self.use.setVisible(better is not None)
        if better:
            self.use.setText(tr("Use {model} for search", model=shortened(better.title, LONGEST)))
            self.use.setToolTip(tr("Use {model} for search", model=better.title))
            restyled(self.use, "primary" if better.recommended else "")

    def _use(self) -> None:
        if self._better:
            self.switch_requested.emit(self._better.name, self._better.title)
            self._offer(None)

    def _explain(self, problem: JobError) -> None:
        self.show_message("similar", problem.message, problem.hint, ((tr("Retry"), self.ask),))

    def _explain_missing_pair(self, models: int) -> None:
        self.verdict = None
        if models > 1:
            title = tr("These models were not evaluated on the same data")
            text = tr(
                "Only scores of the same benchmark on the same data can be compared. Evaluate "
                "both models with one benchmark on the same data."
            )
        else:
            title = tr("No two models to compare")
            text = tr("Evaluate two models on the same data to see which one is better.")
        measure = (tr("Evaluate models…"), self.measure_requested.emit)
        self.show_message("similar", title, text, (measure,))

    def _build(self) -> None:
        shown = QWidget()
        self._pages.addWidget(shown)
        column(self.card, (self.table, 1), self.notes, parent=shown, margins=0, spacing=10)
        use = (self.use, 0, Qt.AlignmentFlag.AlignLeft)
        parts = (self.sentence, use, self.support, self.data)
        column(*parts, parent=self.card, margins=(22, 14, 16, 14), spacing=7)


class ComparisonCard(QFrame):
    """A panel with a stripe in the color of the better model."""

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
        tr("Not compared because {why}: {what}.", why=refused.reason, what="; ".join(refused.what))
        for refused in verdict.refused
    ]
    return [*sentences, *verdict.notes, HOW]


def signed(each: MetricDifference, value: float) -> str:
    """With a sign, unless it rounds to zero."""
    text = each.metric.shown(value)
    shown = text.replace("-", "−")
    return f"+{text}" if value > 0 and text != each.metric.shown(0.0) else shown


def _cells(each: MetricDifference) -> tuple[str, ...]:
    metric, n = f"{each.metric.title} {each.metric.arrow}".strip(), f"{each.n:,}"
    if each.too_few:
        return metric, n, "", "", TOO_FEW, "", ""
    between = ""
    if each.low is not None and each.high is not None:
        # Translators: an interval: {low} to {high}
        between = tr("{low} to {high}", low=signed(each, each.low), high=signed(each, each.high))
        between = f"   {between}"
    if each.winner is not None:
        better = "AB"[each.winner]
    else:
        better = tr("Significant") if each.significant else tr("Not significant")
    return (
        metric,
        n,
        each.metric.shown(each.first),
        each.metric.shown(each.second),
        f"{signed(each, each.difference)}{between}",
        each.shown_p_value,
        better,
    )


def _rows(evidence: Sequence[MetricDifference]) -> list[MetricDifference | TableHeading]:
    """Rows by task; those outside the comparison come last."""
    rows: list[MetricDifference | TableHeading] = []
    for counts in (True, False):
        some = [each for each in evidence if each.counts is counts]
        if some and not counts:
            rows.append(
                TableHeading(
                    tr("Other properties of the models, not used for the conclusion"), True
                )
            )
        for task in dict.fromkeys(each.task for each in some):
            rows.append(TableHeading(task))
            rows += [each for each in some if each.task == task]
    return rows
