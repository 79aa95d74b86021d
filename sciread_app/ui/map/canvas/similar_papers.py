"""The papers similar to the selected one: lines to their points, sized by citations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from sciread_app.language import tr, trn
from sciread_app.ui.map.canvas.camera import Camera
from sciread_app.ui.map.canvas.points import MapPoints, added_radius
from sciread_app.ui.style.theme import Theme
from sciread_app.ui.widgets.painting import paint_box

VEIL = 0.7  # opacity of the layer that dims all other points
WEAKEST, STRONGEST = 0.25, 0.9  # opacity of a line
LEAST_RADIUS = 4.0  # pixels, of a point without known citations
MARGIN = 10  # pixels between the caption and the lower edge


class SimilarPoint(NamedTuple):
    """A point of the map, its similarity to the selected paper, and its number of citations, as
    far as known."""

    number: int
    similarity: float
    citations: int


def radius_for(citations: int, base: float) -> float:
    """Return the radius of a point in pixels."""
    return max(base, LEAST_RADIUS) + float(added_radius(np.array(citations)))


def opacities(similar: Sequence[SimilarPoint]) -> list[float]:
    """Return the opacity of each line: the most similar paper has the strongest."""
    values = [point.similarity for point in similar]
    low, spread = min(values, default=0.0), max(values, default=0.0) - min(values, default=0.0)
    span = STRONGEST - WEAKEST
    return [WEAKEST + span * ((one - low) / spread if spread else 1.0) for one in values]


def caption(similar: Sequence[SimilarPoint]) -> str:
    """Return the explanation of lines and sizes."""
    text = trn("{n} similar paper", "{n} similar papers", len(similar))
    if any(point.citations for point in similar):
        text = tr("{text}; larger points have more citations", text=text)
    return text


def paint_similar(
    painter: QPainter,
    points: MapPoints,
    camera: Camera,
    theme: Theme,
    base: float,
    selected: int,
    similar: Sequence[SimilarPoint],
) -> None:
    """Dim the map, and paint a line from the selected point to each similar one, and the points.
    `base` is the radius of an ordinary point in pixels."""
    veil = QColor(theme.surface)
    veil.setAlphaF(VEIL)
    painter.fillRect(painter.viewport(), veil)
    ends = camera.screen(points.places[[selected, *(one.number for one in similar)]]).tolist()
    start, *others = (QPointF(x, y) for x, y in ends)
    for end, opacity in zip(others, opacities(similar), strict=True):
        colour = QColor(theme.accent)
        colour.setAlphaF(opacity)
        painter.setPen(QPen(colour, 1.5))
        painter.drawLine(start, end)
    colours = points.scheme.colours(theme)
    painter.setPen(QPen(QColor(theme.surface), 1.2))
    discs = [
        (radius_for(one.citations, base), one.number, at)
        for one, at in zip(similar, others, strict=True)
    ]
    discs.sort(key=lambda disc: -disc[0])  # the largest first, so that none is covered
    for radius, number, at in [*discs, (radius_for(0, base), selected, start)]:
        painter.setBrush(colours[int(points.scheme.of[number])])
        painter.drawEllipse(at, radius, radius)


def paint_caption(painter: QPainter, frame: QRectF, text: str, font: QFont, theme: Theme) -> None:
    """Paint a caption at the lower edge of the map."""
    painter.setFont(font)
    room = painter.fontMetrics().boundingRect(text)
    box = QRectF(0, 0, room.width() + 16, room.height() + 8)
    box.moveCenter(QPointF(frame.center().x(), frame.bottom() - MARGIN - box.height() / 2))
    paint_box(painter, box, 6, theme.surface)
    painter.setPen(QColor(theme.quiet))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
