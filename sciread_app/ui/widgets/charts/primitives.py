"""Building blocks of charts: axes, lines, ticks, and how they are painted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Theme

Numbers = NDArray[np.float64]

SWATCH = 14.0  # width of a legend sample, in pixels
TICKS = 5
DOT = 3.5


def compact(value: float) -> str:
    """1200 as 1.2k, for axis labels."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{letter}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class Axis:
    """An axis. A limit that is None is taken from the data; `shown` formats a value."""

    title: str = ""
    low: float | None = None
    high: float | None = None
    shown: Callable[[float], str] = compact


@dataclass(frozen=True, eq=False)
class PlotLine:
    """One line of a chart. `number` selects its color; `low` and `high` bound a shaded band.

    With `dots` it is drawn as points; with `stairs` each value holds until the next. A `pale` line
    is in the background, without a legend entry or read-out; an `aside` line is not data.
    """

    name: str
    x: Numbers
    y: Numbers
    number: int = 0
    low: Numbers | None = None
    high: Numbers | None = None
    dots: bool = False
    stairs: bool = False
    filled: bool = False
    pale: bool = False
    aside: bool = False

    @property
    def is_read_out(self) -> bool:
        """Return whether the line has a legend entry and is read out."""
        return not (self.aside or self.pale)

    def near(self, x: float) -> int:
        """The index of the point nearest to this x; with `stairs`, of the value valid there."""
        if self.stairs:
            return min(max(int(np.searchsorted(self.x, x, "right")) - 1, 0), len(self.y) - 1)
        return int(np.abs(self.x - x).argmin())


@dataclass(frozen=True)
class PlotFrame:
    """Maps data coordinates to pixels."""

    plot: QRectF
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> QPointF:
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return QPointF(
            self.plot.left() + across * self.plot.width(),
            self.plot.bottom() - up * self.plot.height(),
        )

    def points(self, x: Numbers, y: Numbers) -> list[QPointF]:
        return [self.at(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]

    def x_of(self, pixel: float) -> float:
        across = (pixel - self.plot.left()) / max(self.plot.width(), 1)
        return self.x[0] + min(max(across, 0), 1) * (self.x[1] - self.x[0])


def ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """Evenly spaced round numbers between `low` and `high`, about `most` of them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def smooth(y: Numbers, share: float = 0.04) -> Numbers:
    """Centered moving average over at most this share of all values."""
    reach = int(len(y) * share / 2)
    sums = np.concatenate([[0.0], np.cumsum(y)])
    at = np.arange(len(y))
    around = np.minimum(np.minimum(at, len(y) - 1 - at), reach)
    found: Numbers = (sums[at + around + 1] - sums[at - around]) / (2 * around + 1)
    return found


def paint_key(painter: QPainter, theme: Theme, line: PlotLine, left: QPointF) -> None:
    """Paint the legend sample of a line; `left` is the middle of its left end."""
    colour = hue(line.number, theme)
    if line.dots:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(left + QPointF(SWATCH / 2, 0), DOT, DOT)
    else:
        painter.setPen(QPen(colour, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(left + QPointF(1, 0), left + QPointF(SWATCH - 1, 0))


def paint_line(painter: QPainter, theme: Theme, frame: PlotFrame, line: PlotLine) -> None:
    """Paint a line with its band and fill, or its dots, in the coordinates of the frame."""
    colour = QColor(theme.faint) if line.aside else hue(line.number, theme)
    if line.pale:
        colour.setAlphaF(0.3)
    if line.low is not None and line.high is not None:
        band = [*frame.points(line.x, line.high), *reversed(frame.points(line.x, line.low))]
        _fill(painter, band, colour, 0.16)
    x, y = _stairs(line.x, line.y) if line.stairs else (line.x, line.y)
    points = frame.points(x, y)
    if line.filled:
        floor = frame.plot.bottom()
        ends = [QPointF(points[-1].x(), floor), QPointF(points[0].x(), floor)]
        _fill(painter, [*points, *ends], colour, 0.18)
    if line.dots:
        painter.setPen(QPen(QColor(theme.surface), 1))
        painter.setBrush(colour)
        for point in points:
            painter.drawEllipse(point, DOT, DOT)
        return
    style = Qt.PenStyle.DashLine if line.aside else Qt.PenStyle.SolidLine
    pen = QPen(colour, 1.2 if line.aside else 1.8, style)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(points)


def _fill(painter: QPainter, outline: Sequence[QPointF], colour: QColor, strength: float) -> None:
    path = QPainterPath()
    path.addPolygon(QPolygonF(list(outline)))
    path.closeSubpath()
    soft = QColor(colour)
    soft.setAlphaF(strength)
    painter.fillPath(path, soft)


def _stairs(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """The corners of a staircase. `x` has the edges: one more than there are values, or as many."""
    edges = x if len(x) == len(y) + 1 else np.append(x, x[-1])
    return np.repeat(edges, 2)[1:-1], np.repeat(y, 2)
