"""Details of a task: two models' scores by class and pair, and projections of their papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QItemSelection, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QScrollArea,
    QWidget,
)

from sciread_app.language import tr
from sciread_app.services.evaluation.leaderboard import StoredReport
from sciread_app.services.evaluation.per_class_metrics import ClassScore, comparable, per_class
from sciread_app.ui.evaluation.metric_table import (
    MetricDelegate,
    MetricTable,
    draw_elided,
    paint_estimate,
)
from sciread_app.ui.evaluation.model_pair_view import ModelPairPicker
from sciread_app.ui.evaluation.task.confusion_matrix import ConfusionMatrix
from sciread_app.ui.evaluation.task.scatter import Scatter, turned
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.charts.line_chart import LineChart
from sciread_app.ui.widgets.charts.primitives import Axis, PlotLine
from sciread_app.ui.widgets.form_rows import ComboBox
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.row_table import LEFT, RIGHT, Index, RowModel
from trainer.contract.plots import Confusion, Distributions, Picture, ScatterPlot, ThresholdCurves

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.gateway import EvaluationGateway

Pictures = Mapping[str, Mapping[str, Picture]]

PARTS = (tr("A"), tr("B"))
LABEL, N, FOUND_A, FOUND_B, RIGHT_A, RIGHT_B = range(6)
ROW_HEIGHT = 40  # pixels
LABEL_WIDTH = 130  # pixels, at least
MARGINS = 20  # pixels around a heading


class ClassLine(NamedTuple):
    """A class with the scores of both models; None where a model was not evaluated."""

    label: str
    sides: tuple[ClassScore | None, ClassScore | None]

    @property
    def n(self) -> int:
        return next((side.n for side in self.sides if side), 0)


class ClassModel(RowModel[ClassLine]):
    """Recall and precision of two models by class."""

    # Translators: recall of model A, recall of model B
    headings = (
        tr("Class"),
        "n",
        tr("Recall A"),
        tr("Recall B"),
        tr("Precision A"),
        tr("Precision B"),
    )
    heading_tips = {
        FOUND_A: tr(
            "Share of the papers of the class that A predicts correctly, with its 95% "
            "confidence interval (Wilson)"
        ),
        FOUND_B: tr(
            "Share of the papers of the class that B predicts correctly, with its 95% "
            "confidence interval (Wilson)"
        ),
        RIGHT_A: tr("Share of the papers for which A predicts the class that belong to the class"),
        RIGHT_B: tr("Share of the papers for which B predicts the class that belong to the class"),
    }
    heading_alignments = {
        LABEL: LEFT,
        **dict.fromkeys((N, FOUND_A, FOUND_B, RIGHT_A, RIGHT_B), RIGHT),
    }

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _text(line, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            side = side_of(line, column)
            text = _text(line, column)
            if side and column in (FOUND_A, FOUND_B):
                low, high = f"{100 * side.low:.0f}", f"{100 * side.high:.0f}%"
                return tr("{text}, {low} to {high}", text=text, low=low, high=high)
            return text
        if role == Qt.ItemDataRole.ToolTipRole and column == LABEL:
            return line.label
        return None


class ClassTable(MetricTable):
    """The scores of two models by class."""

    selected = Signal(str)  # a label

    def __init__(self, appearance: Appearance) -> None:
        self._classes = ClassModel()
        super().__init__(tr("Classes"), self._classes, appearance)
        self._delegate = ClassDelegate(self, self._classes, appearance)
        self.setItemDelegate(self._delegate)
        for number, least in ((N, 54), *((score, 92) for score in range(FOUND_A, RIGHT_B + 1))):
            heading = self.fontMetrics().horizontalAdvance(self._classes.headings[number])
            self.setColumnWidth(number, max(least, heading + MARGINS))
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.stretch(LABEL, LABEL_WIDTH)

    def show_classes(self, lines: Sequence[ClassLine], numbers: tuple[int, int]) -> None:
        self._delegate.numbers = numbers
        self._classes.show_rows(lines)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        if (at := self.currentIndex()).isValid():
            self.selected.emit(self._classes.rows[at.row()].label)


class ClassDelegate(MetricDelegate[ClassModel]):
    """Paints the recall of a class with its confidence interval on a scale from 0 to 100."""

    def paint_cell(
        self, painter: QPainter, theme: Theme, box: QRectF, line: ClassLine, column: int
    ) -> None:
        text = _text(line, column)
        painter.setPen(QColor(theme.text if column in (LABEL, FOUND_A, FOUND_B) else theme.quiet))
        if column != LABEL:
            painter.setFont(self._small if column == N else self._figures)
        if column == LABEL:
            draw_elided(painter, box.adjusted(10, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, text)
        elif column in (FOUND_A, FOUND_B):
            top = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            painter.drawText(box.adjusted(0, 4, -10, 0), top, text)
            self._paint_strip(painter, theme, box, line, column)
        else:
            painter.drawText(box.adjusted(0, 0, -10, 0), RIGHT, text)

    def _paint_strip(
        self, painter: QPainter, theme: Theme, box: QRectF, line: ClassLine, column: int
    ) -> None:
        """Paint a bar on a scale from 0 to 100, the same in all rows."""
        side = side_of(line, column)
        if side is None:
            return
        left, width, middle = box.left() + 10, box.width() - 20, box.bottom() - 8
        colour = hue(self.numbers[column - FOUND_A], theme)
        painter.setPen(QPen(QColor(theme.track), 2))
        painter.drawLine(QPointF(left, middle), QPointF(left + width, middle))
        interval = (left + side.low * width, left + side.high * width)
        point = QPointF(left + side.recall * width, middle)
        paint_estimate(painter, theme, colour, point, interval, 3.5)


class TaskView(QWidget):
    """Shows a task that models A and B were both evaluated on: classes and confusion matrices, or
    curves and distributions, or projections, depending on what the evaluation stored."""

    measure_requested = Signal()

    def __init__(self, gateway: EvaluationGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._gateway = gateway
        self._jobs = jobs
        self._found = EvaluationResults()
        self._sides: tuple[StoredReport, StoredReport] | None = None
        self._pictures: tuple[Pictures, Pictures] = ({}, {})
        self.pair = ModelPairPicker()
        self.tasks = ComboBox()
        self.tasks.setAccessibleName(tr("Task"))
        self.empty = EmptyState(appearance)
        self.classes = ClassTable(appearance)
        self.heats = tuple(
            ConfusionMatrix(tr("Confusion matrix of model {model}", model=m), appearance)
            for m in PARTS
        )
        self.scatters = tuple(
            Scatter(tr("Projection of the papers by model {model}", model=m), appearance)
            for m in PARTS
        )
        share = Axis("", 0, 1)
        self.roc = LineChart(tr("ROC curve"), appearance, share, share)
        self.precision = LineChart(tr("Precision–recall curve"), appearance, share, share)
        self.spreads = tuple(
            LineChart(tr("Distribution of similarities by model {model}", model=model), appearance)
            for model in PARTS
        )
        self._titles: list[QLabel] = []
        self._note = styled(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "faint")
        self._build()
        self.pair.changed.connect(self.ask)
        self.tasks.activated.connect(lambda _: self._show_task())
        self.classes.selected.connect(self._point_at_class)

    def show_results(self, found: EvaluationResults) -> None:
        self._found = found
        self.pair.offer(found.names, usual=found.usual_pair)

    def ask(self) -> None:
        """Load the figures stored with both reports."""
        match = self._found.pair(*self.pair.selected)
        if match is None:
            self._jobs.drop("pictures")
            self._show_nothing()
            return
        _, one, other = match
        self._sides = one, other
        gateway = self._gateway

        def show(found: tuple[Pictures, Pictures]) -> None:
            self._pictures = found
            self._offer_tasks()

        self._jobs.run(
            tr("Loading charts"),
            lambda task: (gateway.pictures(one), gateway.pictures(other)),
            show,
            on_failed=self._explain,
            replaces="pictures",
        )

    def tab_stops(self) -> list[QWidget]:
        charts = [*self.heats, self.roc, self.precision, *self.spreads]
        return [*self.pair.tab_stops(), self.tasks, *self.empty.buttons(), self.classes, *charts]

    def _offer_tasks(self) -> None:
        assert self._sides
        before = self.tasks.currentData()
        self.tasks.clear()
        for result in self._sides[0].report.results:
            other = self._sides[1].report.result(result.task)
            drawn = any(side.get(result.task) for side in self._pictures)
            if drawn and other and not result.incomparable_reason(other):
                self.tasks.addItem(result.title, result.task)
        self.tasks.setCurrentIndex(max(self.tasks.findData(before), 0))
        self.tasks.setEnabled(self.tasks.count() > 1)
        if self.tasks.count():
            self._show_task()
        else:
            self._show_message(
                tr("No charts for these models"),
                tr("None of the tasks that both models were evaluated on has classes or curves."),
            )

    def _show_task(self) -> None:
        task = str(self.tasks.currentData())
        sides = [side.get(task, {}) for side in self._pictures]
        for title, name in zip(self._titles, 3 * self._names(), strict=True):
            title.setText(name)
        kinds: dict[type, list[Picture | None]] = {
            kind: [next((p for p in side.values() if isinstance(p, kind)), None) for side in sides]
            for kind in (Confusion, ThresholdCurves, Distributions, ScatterPlot)
        }
        self._note.clear()
        if any(kinds[Confusion]):
            self._show_classes(kinds[Confusion])
        elif any(kinds[ThresholdCurves]) or any(kinds[Distributions]):
            self._show_curves(kinds[ThresholdCurves], kinds[Distributions])
        else:
            self._show_places(kinds[ScatterPlot])

    def _show_classes(self, found: Sequence[Picture | None]) -> None:
        one, other = (p if isinstance(p, Confusion) else None for p in found)
        scores = [{s.label: s for s in per_class(p)} if p else {} for p in (one, other)]
        labels = list(dict.fromkeys(label for side in scores for label in side))
        lines = [ClassLine(label, (scores[0].get(label), scores[1].get(label))) for label in labels]
        self.classes.show_classes(lines, self._numbers())
        for heat, confusion, number in zip(self.heats, (one, other), self._numbers(), strict=True):
            heat.show_confusion(confusion, number)
        alike = one is None or other is None or comparable(one, other)
        text = tr(
            "Each row is a class and each column a prediction, in the same order. Numbers "
            "are percentages of the papers of the class. Errors are red."
        )
        if not alike:
            text += " " + tr(
                "The models were evaluated on different papers, so their classes are not "
                "comparable."
            )
        self._note.setText(text)
        self._pages.setCurrentIndex(1)

    def _show_curves(
        self, curves: Sequence[Picture | None], spreads: Sequence[Picture | None]
    ) -> None:
        roc, precision = [], []
        for name, number, found in zip(self._names(), self._numbers(), curves, strict=True):
            if isinstance(found, ThresholdCurves):
                x, y = np.asarray(found.false_alarms), np.asarray(found.found)
                roc.append(PlotLine(name, x, y, number))
                x, y = np.asarray(found.recall), np.asarray(found.precision)
                precision.append(PlotLine(name, x, y, number))
                belongs = np.full(2, found.belongs)
                precision.append(PlotLine("", np.array([0.0, 1.0]), belongs, aside=True))
        if roc:
            ends = np.array([0.0, 1.0])
            roc.append(PlotLine("", ends, ends, aside=True))
        self.roc.show_lines(
            roc, Axis(tr("False positive rate"), 0, 1), Axis(tr("True positive rate"), 0, 1)
        )
        self.precision.show_lines(precision, Axis(tr("Recall"), 0, 1), Axis(tr("Precision"), 0, 1))
        known = [spread for spread in spreads if isinstance(spread, Distributions)]
        for chart, spread in zip(self.spreads, spreads, strict=True):
            found = spread if isinstance(spread, Distributions) else None
            chart.show_lines(_spread_lines(found), *_spread_axes(known))
        self._note.setText(tr("Dashed line: chance level."))
        self._pages.setCurrentIndex(2)

    def _show_places(self, places: Sequence[Picture | None]) -> None:
        one, other = (found if isinstance(found, ScatterPlot) else None for found in places)
        self.scatters[0].show_places(one)
        self.scatters[1].show_places(turned(other, one) if one and other else other)
        self._note.setText(
            tr(
                "A sample of the papers, colored by label. The projection preserves neighbors; "
                "distances between groups mean little."
            )
        )
        self._pages.setCurrentIndex(3)

    def _point_at_class(self, label: str) -> None:
        for heat in self.heats:
            heat.show_row(label)

    def _names(self) -> list[str]:
        sides = self._sides or ()
        return [self._found.names.get(kept.model, "") for kept in sides]

    def _numbers(self) -> tuple[int, int]:
        assert self._sides
        one, other = (self._found.numbers.get(kept.model, 0) for kept in self._sides)
        return one, other

    def _show_nothing(self) -> None:
        title = tr("No evaluations yet")
        text = tr("Evaluate a model to see its results by class and pair.")
        if self._found.names:
            title = tr("These models were not evaluated on the same data")
            text = tr("Select two other models, or evaluate both on the same data.")
        self.tasks.clear()
        self.tasks.setEnabled(False)
        self._show_message(title, text, (tr("Evaluate models…"), self.measure_requested.emit))

    def _show_message(
        self, title: str, text: str, *actions: tuple[str, Callable[[], object]]
    ) -> None:
        self._note.clear()
        self.empty.show_message("similar", title, text, actions)
        self._pages.setCurrentIndex(0)

    def _explain(self, problem: JobError) -> None:
        self._show_message(problem.message, problem.hint, (tr("Retry"), self.ask))

    def _build(self) -> None:
        self._pages = PageStack(self)
        head = row((self.pair, 3), (self.tasks, 2), spacing=12)
        column(head, (self._pages, 1), self._note, parent=self, margins=0, spacing=10)
        for page in (self.empty, self._classes_page(), self._curves_page(), self._places_page()):
            self._pages.addWidget(page)

    def _classes_page(self) -> QWidget:
        maps = styled(QWidget(), "column")
        right = column(parent=maps, margins=(4, 0, 4, 0))
        for heat in self.heats:
            right.addWidget(self._title())
            right.addWidget(heat)
            right.addSpacing(10)
        right.addStretch()
        page = QWidget(self._pages)
        scroll = QScrollArea(page, widgetResizable=True)
        scroll.setWidget(maps)
        row((self.classes, 5), (scroll, 5), parent=page, margins=0, spacing=14)
        return page

    def _curves_page(self) -> QWidget:
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        heads = [
            _bold(tr("ROC curve")),
            _bold(tr("Precision–recall curve")),
            self._title(),
            self._title(),
        ]
        charts = (self.roc, self.precision, *self.spreads)
        for number, (head, chart) in enumerate(zip(heads, charts, strict=True)):
            grid.addWidget(head, number // 2 * 2, number % 2)
            grid.addWidget(chart, number // 2 * 2 + 1, number % 2)
        return page

    def _places_page(self) -> QWidget:
        page = QWidget()
        charts = (column(self._title(), (scatter, 1)) for scatter in self.scatters)
        row(*charts, parent=page, margins=0, spacing=14)
        return page

    def _title(self) -> QLabel:
        """The title of one model's chart; those of A and B alternate."""
        label = _bold("")
        self._titles.append(label)
        return label


def _bold(text: str) -> QLabel:
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    label.setFont(scaled(label.font(), 1.0, QFont.Weight.DemiBold))
    return label


def _spread_lines(spread: Distributions | None) -> list[PlotLine]:
    if spread is None:
        return []
    edges = np.asarray(spread.edges)
    return [
        PlotLine(name, edges, np.asarray(shares), number + 2, stairs=True, filled=True)
        for number, (name, shares) in enumerate(spread.series.items())
    ]


def _spread_axes(known: Sequence[Distributions]) -> tuple[Axis, Axis]:
    """Axes with a common range, so that both charts are comparable."""
    if not known:
        return Axis(), Axis()
    edges = [edge for spread in known for edge in spread.edges]
    shares = [share for spread in known for some in spread.series.values() for share in some]
    title = known[0].axis  # begins with a small letter in reports
    across = Axis(f"{title[:1].upper()}{title[1:]}", min(edges), max(edges))
    return across, Axis(tr("Share"), 0.0, max(shares) * 1.05)


def side_of(line: ClassLine, column: int) -> ClassScore | None:
    return line.sides[column in (FOUND_B, RIGHT_B)]


def _text(line: ClassLine, column: int) -> str:
    if column == LABEL:
        return line.label
    if column == N:
        return f"{line.n:,}"
    side = side_of(line, column)
    share = (
        None if side is None else side.recall if column in (FOUND_A, FOUND_B) else side.precision
    )
    return "–" if share is None else f"{100 * share:.1f}%"
