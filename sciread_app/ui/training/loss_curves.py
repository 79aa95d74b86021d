"""Charts of a run: loss, learning rate and speed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from sciread_app.language import tr
from sciread_app.services.training.run_monitor import (
    NO_POINTS,
    CurvePoints,
    RunProgress,
    RunStage,
    Validation,
)
from sciread_app.ui.style.theme import Appearance
from sciread_app.ui.training.text import scientific
from sciread_app.ui.widgets.charts.line_chart import LineChart
from sciread_app.ui.widgets.charts.primitives import Axis, Numbers, PlotLine

LOSS_HIGH, SMALL_HIGH, LEAST_WIDE = 250, 150, 130
BESIDE = 460  # width in pixels from which the small charts are side by side
_STEP = Axis(tr("Step"), shown=lambda step: f"{step:,.0f}")
_REACH = 0.04  # half window of the moving average, as a share of all points
_OF_LOSS, _OF_VALIDATION, _OF_RATE, _OF_PACE = 0, 1, 2, 3  # indices of colors


class LossCurves(QWidget):
    """Charts of the loss, by stage of the training, of the learning rate and of the speed."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        # Translators: names of curves
        loss = Axis(tr("Loss"), shown=lambda value: f"{value:.3g}")
        rate = Axis(tr("Learning rate"), low=0.0, shown=scientific)
        pace = Axis(tr("Tokens per second"), low=0.0)
        self.loss = LineChart(tr("Loss"), appearance, _STEP, loss)
        self.rate = LineChart(tr("Learning rate"), appearance, _STEP, rate)
        self.pace = LineChart(tr("Tokens per second"), appearance, _STEP, pace)
        self.loss.setMinimumSize(LEAST_WIDE, LOSS_HIGH)
        for small in (self.rate, self.pace):
            small.setMinimumSize(LEAST_WIDE, SMALL_HIGH)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(14)
        self._grid.addWidget(self.loss, 0, 0, 1, 2)
        self._beside = False
        self._place(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the small charts in a narrow window."""
        self._place(self.width() >= BESIDE)
        super().resizeEvent(event)

    def _place(self, beside: bool) -> None:
        if beside != self._beside:
            self._beside = beside
            self._grid.addWidget(self.rate, 1, 0, 1, 1 if beside else 2)
            self._grid.addWidget(self.pace, 1 if beside else 2, 1 if beside else 0,
                                 1, 1 if beside else 2)  # fmt: skip

    def show_progress(self, progress: RunProgress) -> None:
        across = Axis(_STEP.title, low=0.0, high=float(max(progress.steps, progress.step, 1)),
                      shown=_STEP.shown)  # fmt: skip
        losses = progress.curves.get("loss", NO_POINTS)
        lines = [*_boundaries(losses, progress.stages), *_losses(losses, progress.stages)]
        lines += _validations(progress.validations)
        self.loss.show_lines(lines, x=across)
        for chart, name, number in (
            (self.rate, "learning_rate", _OF_RATE),
            (self.pace, "tokens_per_second", _OF_PACE),
        ):
            points = progress.curves.get(name, NO_POINTS)
            y = trend(points.mean) if chart is self.pace else points.mean
            chart.show_lines([PlotLine("", points.steps, y, number, filled=True)], x=across)


def trend(y: Numbers) -> Numbers:
    """Moving average; at the ends over the available side only, so that the last values do not
    jump.
    """
    reach = int(len(y) * _REACH)
    sums = np.concatenate([[0.0], np.cumsum(y)])
    at = np.arange(len(y))
    first, last = np.maximum(at - reach, 0), np.minimum(at + reach, len(y) - 1)
    found: Numbers = (sums[last + 1] - sums[first]) / (last - first + 1)
    return found


def _losses(points: CurvePoints, stages: Sequence[RunStage]) -> list[PlotLine]:
    """Curves per stage, since the losses of two stages are not comparable: raw values pale, with
    their moving average.
    """
    found = []
    for part in _by_stage(points, stages):
        ranges = bool(np.any(part.high > part.low))
        low, high = (part.low, part.high) if ranges else (None, None)
        name = tr("Training papers")
        found += [
            PlotLine(name, part.steps, part.mean, _OF_LOSS, low, high, pale=True),
            PlotLine(name, part.steps, trend(part.mean), _OF_LOSS),
        ]
    return found


def _by_stage(points: CurvePoints, stages: Sequence[RunStage]) -> list[CurvePoints]:
    firsts = [stage.first for stage in stages[1:]]
    cuts = [0, *np.searchsorted(points.steps, firsts).tolist(), len(points)]
    parts = [CurvePoints(*(column[a:b] for column in points)) for a, b in pairwise(cuts)]
    return [part for part in parts if len(part)]


def _boundaries(points: CurvePoints, stages: Sequence[RunStage]) -> list[PlotLine]:
    """A vertical line where a stage begins."""
    if not len(points):
        return []
    ends: Numbers = np.array([points.low.min(), points.high.max()])
    return [
        PlotLine(stage.name, np.array([stage.first, stage.first], float), ends, aside=True)
        for stage in stages[1:]
    ]


def _validations(validations: Sequence[Validation]) -> list[PlotLine]:
    known = [(one.step, one.loss) for one in validations if one.loss is not None]
    if not known:
        return []
    steps, losses = np.array(known, float).T
    return [PlotLine(tr("Validation papers"), steps, losses, _OF_VALIDATION, dots=True)]
