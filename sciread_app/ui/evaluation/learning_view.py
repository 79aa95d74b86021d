"""Learning curves: training loss by run, in one chart where losses are comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSplitter,
    QWidget,
)

from sciread_app.language import format_list, tr, trn
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.training.run_monitor import RunProgress
from sciread_app.services.training.runs import TrainingRun
from sciread_app.tasks import Task
from sciread_app.ui.jobs.runner import JobError, JobRunner
from sciread_app.ui.setting_labels import setting_label
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled, styled
from sciread_app.ui.widgets.charts.line_chart import LineChart
from sciread_app.ui.widgets.charts.primitives import Axis, PlotLine, smooth
from sciread_app.ui.widgets.layout.boxes import column
from sciread_app.ui.widgets.layout.page_stack import PageStack
from sciread_app.ui.widgets.messages.empty_state import EmptyState
from sciread_app.ui.widgets.text.labels import plain_label

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.gateway import EvaluationGateway

Learned = tuple[Mapping[str, RunProgress], Mapping[str, Sequence[CardScore]]]

FIRST = 4  # runs that are shown at first
HIGH = 270  # height of a chart in pixels
KEY = 12
# Settings that do not change the loss function: duration, learning rate, batches.
_HARMLESS = frozenset(
    ("epochs", "learning_rate", "weight_decay", "warmup", "schedule", "clip", "evaluations",
     "max_steps", "precision", "dropout", "base", "read_tokens")
)  # fmt: skip


class LearningView(QWidget):
    """Draws the loss curves of the ticked training runs, a chart for each method, with the scores
    before and after training. The color of a run is its position in the list."""

    page_requested = Signal(str)  # the key of another page

    def __init__(self, gateway: EvaluationGateway, jobs: JobRunner, appearance: Appearance) -> None:
        super().__init__()
        self._gateway = gateway
        self._jobs = jobs
        self._appearance = appearance
        self._trainings: Sequence[TrainingRun] = ()
        self._progress_by_run: Mapping[str, RunProgress] = {}
        self._scores: Mapping[str, Sequence[CardScore]] = {}
        self.list = QListWidget()
        self.list.setObjectName("ticks")
        self.list.setAccessibleName(tr("Training runs"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.charts: list[LineChart] = []
        self.empty = EmptyState(appearance)
        self._build()
        self.list.itemChanged.connect(lambda _: self._ask())
        appearance.changed.connect(self._paint)

    def ask(self) -> None:
        """Load the list of runs; known ones continue from the last event read."""
        self._jobs.run(
            tr("Loading training runs"),
            lambda task: list(self._gateway.runs.all()),
            self._show_trainings,
            on_failed=self._explain,
            replaces="learning",
        )

    def tab_stops(self) -> list[QWidget]:
        return [self.list, *self.charts, *self.empty.buttons()]

    @property
    def shown(self) -> list[TrainingRun]:
        """The ticked runs."""
        items = (self.list.item(row) for row in range(self.list.count()))
        checked = [item.checkState() is Qt.CheckState.Checked for item in items]
        return [t for t, wanted in zip(self._trainings, checked, strict=True) if wanted]

    def _show_trainings(self, trainings: Sequence[TrainingRun]) -> None:
        before = {training.name for training in self.shown} if self._trainings else None
        self._trainings = [training for training in trainings if training.method]
        self.list.blockSignals(True)
        self.list.clear()
        for number, training in enumerate(self._trainings):
            item = QListWidgetItem(f"{training.name}\n{_below(training)}")
            ticked = number < FIRST if before is None else training.name in before
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(self._trainings))
        self._paint(self._appearance.theme)
        self._ask()

    def _ask(self) -> None:
        """Load the events of the ticked runs."""
        wanted = self.shown
        if not wanted:
            self._jobs.drop("learning curves")
            self._show(({}, {}))
            return

        def work(task: Task) -> Learned:
            names = [training.name for training in wanted]
            progress_by_run = {name: self._gateway.progress_of(name, task) for name in names}
            return progress_by_run, {name: self._gateway.runs.scores(name) for name in names}

        self._jobs.run(
            tr("Loading learning curves"),
            work,
            self._show,
            on_failed=self._explain,
            replaces="learning curves",
        )

    def _show(self, learned: Learned) -> None:
        self._progress_by_run, self._scores = learned
        progress_by_run = self._progress_by_run
        while item := self._column.takeAt(0):
            if widget := item.widget():
                widget.deleteLater()
        self.charts = []
        numbers = {training.name: n for n, training in enumerate(self._trainings)}
        shown = [t for t in self._trainings if t.name in progress_by_run]
        for method, group in groupby(sorted(shown, key=_method), key=_method):
            self._add(method, list(group), numbers)
        self._column.addStretch()
        if shown:
            self._pages.setCurrentIndex(1)
        else:
            self._show_nothing()

    def _add(self, method: str, group: Sequence[TrainingRun], numbers: Mapping[str, int]) -> None:
        head = QLabel(method, textFormat=Qt.TextFormat.PlainText)
        head.setFont(scaled(self.font(), 1.15, QFont.Weight.DemiBold))
        self._column.addWidget(head)
        chart = LineChart(
            tr("Loss of {method}", method=method), self._appearance, Axis(tr("Step")),
            Axis(tr("Loss")),
        )  # fmt: skip
        chart.setFixedHeight(HIGH)
        lines: list[PlotLine] = []
        for training in group:
            lines += _lines(training, self._progress_by_run[training.name], numbers[training.name])
        chart.show_lines(lines)
        self.charts.append(chart)
        self._column.addWidget(chart)
        for text in (_differences(group), *self._after(group)):
            if text:
                label = styled(plain_label(text), "quiet")
                self._column.addWidget(label)
        self._column.addSpacing(14)

    def _after(self, group: Sequence[TrainingRun]) -> list[str]:
        """Scores of the resulting models, compared with those of their base models."""
        sentences = []
        for training in group:
            scores = [score for score in self._scores[training.name] if score.before]
            lines = [tr("{name}, before and after training:", name=training.name)]
            for title in dict.fromkeys(score.title for score in scores):
                parts = [_before_and_after(one) for one in scores if one.title == title]
                lines.append(f"•  {title}: {'; '.join(parts)}")
            if scores:
                sentences.append("\n".join(lines))
        return sentences

    def _show_nothing(self) -> None:
        if self._trainings:
            self.empty.show_message("wait", tr("Select a training run to see its learning curves"))
        else:
            self.empty.show_message(
                "wait",
                tr("No training runs yet"),
                tr("The training loss and the validation loss of each run appear here."),
                ((tr("Train a model…"), lambda: self.page_requested.emit("training")),),
            )
        self._pages.setCurrentIndex(0)

    def _explain(self, problem: JobError) -> None:
        self.empty.show_message(
            "similar", problem.message, problem.hint, ((tr("Retry"), self.ask),)
        )
        self._pages.setCurrentIndex(0)

    def _paint(self, theme: Theme) -> None:
        """Set the color of each row to that of its curve."""
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            picture = QPixmap(KEY, KEY)
            picture.fill(QColor(hue(row, theme)))
            self.list.item(row).setIcon(QIcon(picture))
        self.list.blockSignals(False)

    def _build(self) -> None:
        split = QSplitter(
            Qt.Orientation.Horizontal, self, childrenCollapsible=False, handleWidth=12
        )
        column(split, parent=self, margins=0)
        self._pages = PageStack()
        split.addWidget(self.list)
        split.addWidget(self._pages)
        split.setStretchFactor(1, 1)
        split.setSizes([250, 850])
        inner = styled(QWidget(), "column")
        self._column = column(parent=inner, margins=(4, 0, 8, 0))
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inner)
        note = styled(
            QLabel(
                tr(
                    "Losses of different methods are not comparable, so each method has its own "
                    "chart. Dots show the loss on validation papers, which are not used for "
                    "training."
                ),
                wordWrap=True,
            ),
            "faint",
        )
        shown = QWidget()
        column((scroll, 1), note, parent=shown, margins=0)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(shown)


def _method(training: TrainingRun) -> str:
    return training.method


def _lines(training: TrainingRun, progress: RunProgress, number: int) -> list[PlotLine]:
    """The raw loss, pale, the smoothed loss, and the validation loss."""
    found = []
    if "loss" in progress.curves and len(progress.curves["loss"]):
        points = progress.curves["loss"]
        found.append(PlotLine("", points.steps, points.mean, number, pale=True))
        found.append(PlotLine(training.name, points.steps, smooth(points.mean), number))
    losses_by_step = [(v.step, v.loss) for v in progress.validations if v.loss is not None]
    if losses_by_step:
        steps, losses = np.array(losses_by_step, float).T
        name = tr("{training}, validation", training=training.name)
        found.append(PlotLine(name, steps, losses, number, dots=True))
    return found


def _differences(group: Sequence[TrainingRun]) -> str:
    """The differing settings of runs in one chart that change the loss."""
    names = dict.fromkeys(name for training in group for name in training.settings)
    differ = [
        name
        for name in names
        if name not in _HARMLESS and len({str(t.settings.get(name)) for t in group}) > 1
    ]
    corpora = {str(training.corpus) for training in group}
    parts = [*map(setting_label, differ), *([tr("training data")] if len(corpora) > 1 else [])]
    if not parts:
        return ""
    return tr(
        "These runs differ in {settings}: a lower loss does not mean a better model.",
        settings=format_list(parts),
    )


def _below(training: TrainingRun) -> str:
    papers = trn("{n:,} paper", "{n:,} papers", training.papers) if training.papers else ""
    steps = trn("{n:,} step", "{n:,} steps", training.step) if training.step else ""
    return "\n".join(filter(None, (training.method, " · ".join(filter(None, (papers, steps))))))


def _before_and_after(score: CardScore) -> str:
    if score.too_few:
        return tr("{metric}: too few papers to tell (n = {n})", metric=score.metric, n=score.n)
    return tr(
        "{metric} {before} → {after} ({part} split, n = {n})",
        metric=score.metric,
        before=score.before,
        after=score.value,
        part=score.split,
        n=f"{score.n:,}",
    )
