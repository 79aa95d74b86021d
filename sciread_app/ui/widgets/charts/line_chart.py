"""Line charts with a legend, a read-out under the mouse, and keyboard access."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from sciread_app.language import tr
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, Theme, scaled
from sciread_app.ui.widgets.charts.primitives import (
    SWATCH,
    Axis,
    Numbers,
    PlotFrame,
    PlotLine,
    paint_key,
    paint_line,
    ticks,
)
from sciread_app.ui.widgets.painting import paint_box

GAP = 8.0  # pixels between an axis and its labels
PLAIN = Axis()
READOUT = 9.0  # padding of the read-out, in pixels


class LineChart(QWidget):
    """A line chart. Left and Right, or the mouse, move along it and show the values there."""

    hovered = Signal(object)  # the x pointed at, or None

    def __init__(self, name: str, appearance: Appearance, x: Axis = PLAIN, y: Axis = PLAIN) -> None:
        super().__init__()
        self._appearance = appearance
        self._x, self._y = x, y
        self._name = name
        self.lines: Sequence[PlotLine] = ()
        self.at: float | None = None  # the x pointed at
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._small = scaled(self.font(), 0.86)
        self._letters = QFontMetricsF(self._small)
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(420, 250)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 110)

    def show_lines(
        self, lines: Sequence[PlotLine], x: Axis | None = None, y: Axis | None = None
    ) -> None:
        self.lines = [line for line in lines if len(line.x)]
        self._x, self._y = x or self._x, y or self._y
        self.setAccessibleDescription(self._accessible_text())
        self.update()

    def readout(self) -> list[tuple[PlotLine, str]]:
        """The lines with their values at the x pointed at."""
        at = self.at
        if at is None:
            return []
        found, reach = [], self._reach()
        for line in filter(lambda line: line.is_read_out, self.lines):
            near = line.near(at)
            if not line.dots or abs(line.x[near] - at) <= reach:
                found.append((line, self._y.shown(float(line.y[near]))))
        return found

    def _reach(self) -> float:
        """The distance in units of x within which an isolated point is under the mouse."""
        low, high = self._span(self._x, [line.x for line in self.lines])
        return (high - low) / 40

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small)
        if self.lines:
            frame = self._frame()
            self._paint_axes(painter, theme, frame)
            painter.save()
            painter.setClipRect(frame.plot.adjusted(-3, -3, 3, 3))
            for line in self.lines:
                paint_line(painter, theme, frame, line)
            painter.restore()
            self._paint_legend(painter, theme)
            self._paint_readout(painter, theme, frame)
        else:
            painter.setPen(QColor(theme.faint))
            painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, tr("No data yet"))
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.end()

    def _frame(self) -> PlotFrame:
        spans = self._span(self._x, [line.x for line in self.lines]), self._y_span()
        height = self._letters.height()
        widest = max(
            (self._letters.horizontalAdvance(self._y.shown(at)) for at in ticks(*spans[1])),
            default=20.0,
        )
        top = 8 + self._legend_height() + (1.5 * height if self._y.title else 0)
        bottom = height + GAP + (height if self._x.title else 0) + 2
        room = QRectF(self.rect()).adjusted(widest + GAP + 4, top, -14, -bottom)
        return PlotFrame(room, *spans)

    def _y_span(self) -> tuple[float, float]:
        known = [line.y for line in self.lines]
        known += [each for line in self.lines for each in (line.low, line.high) if each is not None]
        low, high = self._span(self._y, known)
        air = (high - low) * 0.04
        # data that is never negative gets no negative axis
        below = max(low - air, 0.0) if low >= 0 else low - air
        return (
            low if self._y.low is not None else below,
            high if self._y.high is not None else high + air,
        )

    def _span(self, axis: Axis, known: Sequence[Numbers]) -> tuple[float, float]:
        low = axis.low if axis.low is not None else min(float(np.min(some)) for some in known)
        high = axis.high if axis.high is not None else max(float(np.max(some)) for some in known)
        return (low, high) if high > low else (low - 0.5, low + 0.5)

    def _paint_axes(self, painter: QPainter, theme: Theme, frame: PlotFrame) -> None:
        plot, height = frame.plot, self._letters.height()
        grid, faint = QPen(QColor(theme.border), 1), QColor(theme.faint)
        for value in ticks(*frame.y):
            at = round(frame.at(frame.x[0], value).y()) + 0.5
            painter.setPen(grid)
            painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at))
            painter.setPen(faint)
            box = QRectF(0, at - height / 2, plot.left() - GAP, height)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, right, self._y.shown(value))
        painter.setPen(faint)
        for value in ticks(*frame.x):
            text, at = self._x.shown(value), frame.at(value, frame.y[0]).x()
            # The last label may touch the edge.
            at = min(at, self.width() - self._letters.horizontalAdvance(text) / 2 - 1)
            box = QRectF(at - 50, plot.bottom() + GAP / 2, 100, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, text)
        if self._x.title:
            box = QRectF(plot.left(), plot.bottom() + GAP / 2 + height, plot.width(), height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, self._x.title)
        if self._y.title:
            painter.drawText(QPointF(4, plot.top() - 0.75 * height), self._y.title)

    # The legend: the names in a row that wraps.

    def _named(self) -> list[PlotLine]:
        """The first line of each name that has a legend entry."""
        found = {line.name: line for line in self.lines if line.name and line.is_read_out}
        return list(found.values()) if len(found) > 1 else []

    def _places(self) -> list[tuple[PlotLine, QRectF]]:
        found: list[tuple[PlotLine, QRectF]] = []
        x, y, height = 4.0, 4.0, self._letters.height()
        for line in self._named():
            width = SWATCH + 5 + self._letters.horizontalAdvance(line.name)
            if x + width > self.width() - 8 and x > 4:
                x, y = 4.0, y + height + 3
            found.append((line, QRectF(x, y, min(width, self.width() - 12), height)))
            x += width + 14
        return found

    def _legend_height(self) -> float:
        places = self._places()
        return places[-1][1].bottom() + 2 if places else 0.0

    def _paint_legend(self, painter: QPainter, theme: Theme) -> None:
        for line, box in self._places():
            middle = box.center().y()
            paint_key(painter, theme, line, QPointF(box.left(), middle))
            painter.setPen(QColor(theme.quiet))
            room = box.adjusted(SWATCH + 5, 0, 0, 0)
            name = self._letters.elidedText(line.name, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, name)

    # The read-out

    def _paint_readout(self, painter: QPainter, theme: Theme, frame: PlotFrame) -> None:
        found = self.readout()
        if self.at is None or not found:
            return
        across = frame.at(self.at, frame.y[0]).x()
        painter.setPen(QPen(QColor(theme.faint), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(across, frame.plot.top()), QPointF(across, frame.plot.bottom()))
        for line, _ in found:
            near = line.near(self.at)
            point_x = self.at if line.stairs else float(line.x[near])
            painter.setPen(QPen(QColor(theme.surface), 1.5))
            painter.setBrush(hue(line.number, theme))
            painter.drawEllipse(frame.at(point_x, float(line.y[near])), 4, 4)
        self._paint_box(painter, theme, frame, found, across)

    def _paint_box(
        self,
        painter: QPainter,
        theme: Theme,
        frame: PlotFrame,
        found: Sequence[tuple[PlotLine, str]],
        across: float,
    ) -> None:
        assert self.at is not None
        head = f"{self._x.title} {self._x.shown(self.at)}".strip()
        texts = [f"{line.name}  {text}".strip() for line, text in found]
        width = max(map(self._letters.horizontalAdvance, [head, *texts])) + SWATCH + 2 * READOUT
        line_height = self._letters.height() + 2
        box = QRectF(across + 12, frame.plot.top() + 4, width, line_height * (1 + len(texts)) + 10)
        if box.right() > self.width() - 4:
            box.moveRight(across - 12)
        paint_box(painter, box, 6, theme.raised, theme.border)
        painter.setPen(QColor(theme.faint))
        at = QPointF(box.left() + READOUT, box.top() + 4 + self._letters.ascent())
        painter.drawText(at, head)
        for (line, _), text in zip(found, texts, strict=True):
            at += QPointF(0, line_height)
            paint_key(painter, theme, line, at - QPointF(0, self._letters.ascent() / 2 - 1))
            painter.setPen(QColor(theme.text))
            painter.drawText(at + QPointF(SWATCH + 5, 0), text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.lines:
            frame = self._frame()
            inside = frame.plot.adjusted(-6, -6, 6, 6).contains(event.position())
            self.point_at(frame.x_of(event.position().x()) if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        known = [line.x for line in self.lines if line.is_read_out]
        if step is None or not known:
            super().keyPressEvent(event)
            return
        places: Numbers = np.unique(np.concatenate(known))
        if self.at is None:
            number = 0 if step > 0 else len(places) - 1
        else:
            # With many points, the keys move by more than one.
            stride = max(1, len(places) // 100)
            number = int(np.abs(places - self.at).argmin()) + step * stride
        self.point_at(float(places[min(max(number, 0), len(places) - 1)]))
        message = ", ".join(f"{line.name} {text}".strip() for line, text in self.readout())
        self.setAccessibleDescription(message)

    def point_at(self, x: float | None) -> None:
        if x != self.at:
            self.at = x
            self.hovered.emit(x)
            self.update()

    def _accessible_text(self) -> str:
        """The text for a screen reader."""
        ends = [
            tr("{name}: from {first} to {last}", name=line.name or self._name,
               first=self._y.shown(float(line.y[0])), last=self._y.shown(float(line.y[-1])))
            for line in self.lines
            if line.is_read_out
        ]  # fmt: skip
        return "; ".join(ends)
