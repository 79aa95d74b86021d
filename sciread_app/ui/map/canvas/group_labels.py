"""Drawing of labels on the map. Screen readers get a description of a group, and Tab visits the
groups in reading order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from sciread_app.language import tr, trn
from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.label_placement import Placed
from sciread_app.ui.style.theme import Theme, scaled

WIDE, AROUND = 1.6, 12  # pixels of a halo around a text, and copies of which it consists
LINES = 8  # rows of the map that are read from the top
# Zooms, relative to the whole map, from which fine and finest groups are labeled.
NEAR = (2.4, 6.0)


class LabelRenderer:
    """Draws labels. Each is cached as a pixmap, since drawing its halo is slow."""

    def __init__(self, font: QFont) -> None:
        self.large = scaled(font, 1.15, QFont.Weight.DemiBold)
        self.small = scaled(font, 0.95, QFont.Weight.DemiBold)
        self._drawn: dict[tuple[str, float, bool, bool, float], QPixmap] = {}

    def paint(
        self, painter: QPainter, label: Placed, font: QFont, theme: Theme, *, ringed: bool
    ) -> None:
        """Paint a label; `ringed`: with the frame of the focused group."""
        ratio = painter.device().devicePixelRatioF()
        key = (label.text, font.pointSizeF(), theme.dark, ringed, ratio)
        if key not in self._drawn:
            if len(self._drawn) > 400:
                self._drawn.clear()
            self._drawn[key] = _drawn(label, font, theme, ringed, ratio)
        painter.drawPixmap(label.box.topLeft(), self._drawn[key])


def paint_lines(painter: QPainter, labels: Sequence[Placed], theme: Theme) -> None:
    """Draw the lines from labels to groups that are not at them."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((theme.surface, 3), (theme.text, 1)):  # with a halo, over points
        painter.setPen(QPen(QColor(colour), width))
        for label in labels:
            if label.end is not None:
                x = min(max(label.end.x(), label.box.left()), label.box.right())
                y = min(max(label.end.y(), label.box.top()), label.box.bottom())
                painter.drawLine(QPointF(x, y), label.end)
    painter.restore()


def description(papers: int, group: Cluster | None) -> str:
    """The name of the map for screen readers, with the focused group, if any."""
    whole = trn("Map of {n:,} paper", "Map of {n:,} papers", papers)
    if group is None:
        return whole
    if group.name:
        text = trn(
            "Group “{name}”, {n:,} paper",
            "Group “{name}”, {n:,} papers",
            group.papers,
            name=group.name,
        )
    else:
        text = trn(
            "Unnamed group, {n:,} paper",
            "Unnamed group, {n:,} papers",
            group.papers,
        )
    return tr("{map}. {group}. Press Enter to list the papers", map=whole, group=text)


def reading_order(groups: Sequence[Cluster]) -> list[int]:
    """Groups that have papers, in reading order: row by row, from left to right."""
    there = [n for n, group in enumerate(groups) if group.papers]
    return sorted(there, key=lambda n: (round(groups[n].heart[1] * LINES), groups[n].heart[0]))


def _drawn(label: Placed, font: QFont, theme: Theme, ringed: bool, ratio: float) -> QPixmap:
    size = label.box.size()
    picture = _transparent(size, ratio)
    painter = QPainter(picture)
    if ringed:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.setBrush(QColor(theme.surface))
        box = QRectF(QPointF(0, 0), size)
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 5, 5)
    # The halo consists of shifted copies of an image: drawing the text as often takes four times
    # as long, and stroking its outline even longer.
    halo = _written(label.text, size, ratio, font, theme.surface)
    for turn in range(AROUND):
        angle = 2 * math.pi * turn / AROUND
        shift = QPointF(math.cos(angle), math.sin(angle)) * WIDE * ratio
        painter.drawPixmap(QPointF(shift.toPoint()) / ratio, halo)
    painter.drawPixmap(0, 0, _written(label.text, size, ratio, font, theme.text))
    painter.end()
    return picture


def _written(text: str, size: QSizeF, ratio: float, font: QFont, colour: str) -> QPixmap:
    """Return an image of centered lines of text."""
    picture = _transparent(size, ratio)
    painter = QPainter(picture)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    metrics = QFontMetricsF(font)
    for number, line in enumerate(text.split("\n")):
        left = (size.width() - metrics.horizontalAdvance(line)) / 2
        painter.drawText(QPointF(left, 1 + metrics.ascent() + number * metrics.height()), line)
    painter.end()
    return picture


def _transparent(size: QSizeF, ratio: float) -> QPixmap:
    picture = QPixmap((size * ratio).toSize())
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture
