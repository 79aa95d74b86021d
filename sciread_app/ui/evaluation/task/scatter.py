"""A scatter plot of papers by the projection of their vectors that an evaluation computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from sciread_app.language import trn
from sciread_app.ui.style.data_colours import hue
from sciread_app.ui.style.theme import Appearance, scaled
from trainer.contract.plots import ScatterPlot

HUES = 12
DOT, REACH = 3.0, 8.0
_LEGEND = 0.34  # maximum share of the height


class Scatter(QWidget):
    """Paints papers as dots in the colors of their labels, with a legend below; the tooltip names
    the label of the nearest dot."""

    def __init__(self, name: str, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._places: ScatterPlot | None = None
        self._small = scaled(self.font(), 0.82)
        self._letters = QFontMetricsF(self._small)
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        appearance.changed.connect(self.update)

    def show_places(self, places: ScatterPlot | None) -> None:
        """Show a projection; None shows an empty widget."""
        self._places = places
        if places:
            text = trn(
                "{n:,} paper, projected by {way}",
                "{n:,} papers, projected by {way}",
                len(places.x),
                way=places.way,
            )
            self.setAccessibleDescription(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 160)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, places = self._appearance.theme, self._places
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if places:
            painter.setPen(Qt.PenStyle.NoPen)
            for point, label in zip(self._pixels(), places.label, strict=True):
                colour = hue(label, theme) if label < HUES else QColor(theme.faint)
                colour.setAlphaF(0.85)
                painter.setBrush(colour)
                painter.drawEllipse(QPointF(*point), DOT, DOT)
            self._paint_legend(painter)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        places, at = self._places, event.position()
        pixels = self._pixels()
        if places and len(pixels):
            far = np.abs(pixels - [at.x(), at.y()]).max(axis=1)
            best = int(far.argmin())
            text = places.labels[places.label[best]] if far[best] <= REACH else ""
            QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def _pixels(self) -> np.ndarray:
        """The points in pixels, as large as the widget allows."""
        if not self._places or not len(self._places.x):
            return np.empty((0, 2))
        room = QRectF(self.rect()).adjusted(8, 8, -8, -14 - self._legend_height())
        where = _where(self._places)
        low, high = where.min(axis=0), where.max(axis=0)
        scale = min(np.array([room.width(), room.height()]) / np.maximum(high - low, 1e-9))
        centred = (where - (low + high) / 2) * [scale, -scale]
        found: np.ndarray = centred + np.array([room.center().x(), room.center().y()])
        return found

    def _legend(self) -> list[tuple[str, QRectF]]:
        """The first names, as many as fit, each with its box relative to the top of the legend."""
        labels = self._places.labels[:HUES] if self._places else ()
        found: list[tuple[str, QRectF]] = []
        x, y, height = 4.0, 0.0, self._letters.height() + 2
        for label in labels:
            width = min(self._letters.horizontalAdvance(label), self.width() - 30) + 18
            if x + width > self.width() and x > 4:
                x, y = 4.0, y + height
            if y + height > self.height() * _LEGEND:
                break
            found.append((label, QRectF(x, y, width, height)))
            x += width + 8
        return found

    def _legend_height(self) -> float:
        legend = self._legend()
        return legend[-1][1].bottom() if legend else 0.0

    def _paint_legend(self, painter: QPainter) -> None:
        theme = self._appearance.theme
        top = self.height() - self._legend_height() - 2
        painter.setFont(self._small)
        for number, (label, place) in enumerate(self._legend()):
            box = place.translated(0, top)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(hue(number, theme))
            painter.drawEllipse(QPointF(box.left() + 6, box.center().y()), 4, 4)
            painter.setPen(QColor(theme.quiet))
            inner = box.adjusted(14, 0, 0, 0)
            cut = self._letters.elidedText(label, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, cut)


def turned(places: ScatterPlot, like: ScatterPlot) -> ScatterPlot:
    """The points rotated and mirrored to match the other projection as closely as possible, if both
    have the same papers; the orientation of a projection carries no meaning.
    """
    if list(places.label) != list(like.label) or not len(places.x):
        return places
    one, other = (_where(each) - _where(each).mean(axis=0) for each in (places, like))
    left, _, right = np.linalg.svd(one.T @ other)
    found = one @ (left @ right)
    return replace(places, x=found[:, 0].tolist(), y=found[:, 1].tolist())


def _where(places: ScatterPlot) -> np.ndarray:
    return np.stack([np.asarray(places.x, float), np.asarray(places.y, float)], axis=1)
