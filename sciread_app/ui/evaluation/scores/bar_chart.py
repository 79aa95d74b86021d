"""A bar chart of one metric for all models, with intervals and published numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from sciread_app.language import format_list, tr
from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.view_models import EvaluationResults, interval_words
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.charts.primitives import compact, ticks
from trainer.contract.paper_numbers import PaperNumber

# Pixels: height of a bar, distance between bars of models and of papers
BAR, STEP, PAPER_STEP = 14.0, 46.0, 30.0
TOP, EDGE = 4.0, 10.0
MOST_PAPERS = 6


class ChartBar(NamedTuple):
    """A bar. `number` gives the color; None for a published number, whose `tip` lists differences.

    `accessible_text` is the text for screen readers where it differs from the visible one.
    """

    name: str
    value: float
    shown: str
    aside: str
    low: float | None
    high: float | None
    number: int | None
    best: bool
    tip: str
    accessible_text: str = ""


class BarChart(QWidget):
    """Paints the bars of one metric, and diamonds for published numbers, on a scale that starts at
    zero. The height follows from the number of bars; tooltips give the intervals."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.bars: Sequence[ChartBar] = ()
        self._scale = (0.0, 1.0)
        self._percent = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._small = scaled(self.font(), 0.86)
        self._bold = scaled(self.font(), 1.0, QFont.Weight.DemiBold)
        appearance.changed.connect(self.update)

    def show_row(self, row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> None:
        """Show a metric of these models, and describe the bars for screen readers."""
        self.bars = bars_of(row, results, models)
        self._percent = row.metric.unit == "percent"
        self._scale = _scale(self.bars, self._percent)
        self.setAccessibleName(f"{row.result.title}, {row.metric.title}")
        sentences = (
            bar.accessible_text or f"{bar.name}: {bar.shown} {bar.aside}".strip()
            for bar in self.bars
        )
        self.setAccessibleDescription("; ".join(sentences))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, round(self._height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(180, round(self._height()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            bar = self._bar_at(event.pos().y())
            QToolTip.showText(event.globalPos(), bar.tip if bar else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_grid(painter, theme)
        top = TOP
        for bar in self.bars:
            self._paint_bar(painter, theme, bar, top)
            top += _step(bar)
        painter.end()

    def _height(self) -> float:
        return TOP + sum(map(_step, self.bars)) + QFontMetricsF(self._small).height() + 6

    def _across(self, value: float) -> float:
        low, high = self._scale
        share = (value - low) / (high - low)
        return EDGE + min(max(share, 0.0), 1.0) * (self.width() - 2 * EDGE)

    def _paint_grid(self, painter: QPainter, theme: Theme) -> None:
        painter.setFont(self._small)
        height = QFontMetricsF(self._small).height()
        floor = self.height() - height - 4
        for value in ticks(*self._scale):
            at = round(self._across(value)) + 0.5
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(QPointF(at, TOP), QPointF(at, floor))
            painter.setPen(QColor(theme.faint))
            text = tick_text(value, self._percent)
            box = QRectF(at - 40, floor + 2, 80, height)
            if at < EDGE + 2:
                box, side = QRectF(2, floor + 2, 80, height), Qt.AlignmentFlag.AlignLeft
            elif at > self.width() - EDGE - 2:
                box.moveRight(self.width() - 2)
                side = Qt.AlignmentFlag.AlignRight
            else:
                side = Qt.AlignmentFlag.AlignHCenter
            painter.drawText(box, side, text)

    def _paint_bar(self, painter: QPainter, theme: Theme, bar: ChartBar, top: float) -> None:
        ours = bar.number is not None
        self._paint_words(painter, theme, bar, top, ours)
        text = QFontMetricsF(self._bold if ours else self._small).height()
        strip = QRectF(EDGE, top + text + 3, self.width() - 2 * EDGE, BAR if ours else 6)
        start, end = self._across(max(self._scale[0], 0.0)), self._across(bar.value)
        filled = QRectF(min(start, end), strip.top(), max(abs(end - start), 1), strip.height())
        if bar.number is None:
            _paint_diamond(painter, theme, QPointF(end, strip.center().y()))
            return
        colour = hue(bar.number, theme)
        soft = QColor(colour)
        soft.setAlphaF(0.78)
        path = QPainterPath()
        path.addRoundedRect(filled, 3, 3)
        painter.fillPath(path, soft)
        if bar.low is not None and bar.high is not None:
            self._paint_interval(painter, theme, bar.low, bar.high, strip.center().y())

    def _paint_interval(
        self, painter: QPainter, theme: Theme, low: float, high: float, middle: float
    ) -> None:
        left, right = self._across(low), self._across(high)
        for colour, width in ((theme.surface, 4.0), (theme.text, 1.6)):
            painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine))
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            for end in (left, right):
                painter.drawLine(QPointF(end, middle - 4), QPointF(end, middle + 4))

    def _paint_words(
        self, painter: QPainter, theme: Theme, bar: ChartBar, top: float, ours: bool
    ) -> None:
        """Paint the name at the left, the number with its interval at the right, clear of grid
        lines.
        """
        number_font = self._bold if bar.best else (self.font() if ours else self._small)
        letters, small = QFontMetricsF(number_font), QFontMetricsF(self._small)
        height = max(letters.height(), small.height())
        painter.fillRect(QRectF(0, top, self.width(), height), QColor(theme.surface))
        right = self.width() - EDGE
        painter.setFont(self._small)
        painter.setPen(QColor(theme.faint))
        width = small.horizontalAdvance(bar.aside)
        box = QRectF(right - width, top, width, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, bar.aside)
        right -= width + (8 if bar.aside else 0)
        painter.setFont(number_font)
        painter.setPen(QColor(theme.text if ours else theme.quiet))
        width = letters.horizontalAdvance(bar.shown)
        box = QRectF(right - width, top, width, height)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, bar.shown)
        painter.setFont(self.font() if ours else self._small)
        painter.setPen(QColor(theme.text if ours else theme.quiet))
        room = right - width - 10 - EDGE
        name = QFontMetricsF(painter.font()).elidedText(bar.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(EDGE, top, room, height), Qt.AlignmentFlag.AlignVCenter, name)

    def _bar_at(self, y: float) -> ChartBar | None:
        top = TOP
        for bar in self.bars:
            top += _step(bar)
            if y < top:
                return bar
        return None


def bars_of(row: ScoreRow, results: EvaluationResults, models: Sequence[str]) -> list[ChartBar]:
    """The bars of the models, then published numbers for them or their methods, each once. Scores
    on too few papers to tell have no bars."""
    bars: list[ChartBar] = []
    papers: dict[tuple[str, float], PaperNumber] = {}
    for model in models:
        if cell := row.cells.get(model):
            between = interval_words(row, model)
            own = "" if row.n is not None else f", n = {cell.score.n:,}"
            name = results.names[model]
            if row.too_few:
                few, n = tr("Too few papers"), f"n = {cell.score.n:,}"
                number = results.numbers[model]
                bars.append(ChartBar(name, 0.0, few, n, None, None, number, False, name))
                continue
            bars.append(
                ChartBar(
                    name,
                    cell.score.value,
                    row.metric.shown(cell.score.value),
                    f"{between}{own}".strip(", "),
                    cell.score.low,
                    cell.score.high,
                    results.numbers[model],
                    cell.best,
                    f"{name}\n{between}".strip(),
                )
            )
            papers |= {(number.where, number.value): number for number in cell.papers}
    return [*bars, *(_paper(row, number) for number in list(papers.values())[:MOST_PAPERS])]


def differences(number: PaperNumber) -> str:
    """Differences between a published evaluation and ours, in words; empty if none."""
    sentences = []
    if not number.same_data:
        sentences.append(tr("different or incomplete data"))
    if not number.same_model:
        sentences.append(tr("different model weights"))
    return format_list(sentences)


def marks(number: PaperNumber) -> str:
    """The differences as short marks."""
    return ("" if number.same_data else "*") + ("" if number.same_model else "†")


def _paper(row: ScoreRow, number: PaperNumber) -> ChartBar:
    spread = "" if number.spread is None else f"± {row.metric.shown(number.spread)}"
    shown, differ = row.metric.shown(number.value), differences(number)
    return ChartBar(
        number.where,
        number.value,
        shown,
        f"{spread} {marks(number)}".strip(),
        None,
        None,
        None,
        False,
        "\n".join(filter(None, (number.where, number.note, differ))),
        ", ".join(filter(None, (f"{number.where}: {shown}", spread, differ))),
    )


def _step(bar: ChartBar) -> float:
    return PAPER_STEP if bar.number is None else STEP


def tick_text(value: float, percent: bool) -> str:
    """The label of a grid line: a share in per cent, with enough decimals to distinguish
    neighbors.
    """
    return f"{100 * value:.3g}" if percent else compact(value)


def _scale(bars: Sequence[ChartBar], percent: bool) -> tuple[float, float]:
    """A scale from zero, so that the length of a bar is proportional to its number."""
    ends = [e for bar in bars for e in (bar.value, bar.low, bar.high) if e is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if percent:
        return low, 1.0 if high > 0.5 else max(high * 1.15, 0.01)
    return low * 1.05, high * 1.08 or 1.0


def _paint_diamond(painter: QPainter, theme: Theme, at: QPointF) -> None:
    path = QPainterPath(at + QPointF(0, -6))
    for x, y in ((6, 0), (0, 6), (-6, 0)):
        path.lineTo(at + QPointF(x, y))
    path.closeSubpath()
    painter.setPen(QPen(QColor(theme.text), 1.4))
    painter.setBrush(QColor(theme.surface))
    painter.drawPath(path)
