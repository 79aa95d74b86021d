"""Positions of the labels of groups: over or beside their own group, clear of each other.

They depend on the zoom only, so that no label moves while the map is panned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.camera import MARGIN, Places

GAP = 6.0  # pixels between two labels
HALO = 4.0  # pixels of margin around a text, which its halo needs
WRAPPED = 170.0  # pixels from which on the two phrases of a name are written on two lines
_CELLS = 96  # rows and columns in which points are counted
_FOREIGN = 0.5  # points of other groups below a label, relative to those of its own, at most
_GOOD = 0.1  # the same, from which on no better position is looked for
# Positions that are tried, in widths and heights of the label from the center of its group.
_SHIFTS = np.array(
    [
        (right, down)
        for down in (0.0, -0.9, 0.9, -1.8, 1.8)
        for right in (0.0, -0.35, 0.35, -0.7, 0.7)
    ]
)

Boxes = NDArray[np.float64]  # [boxes, 4]: left, top, right, bottom
Counts = NDArray[np.int32]


class Placed(NamedTuple):
    """A label with its rectangle and the number of its group."""

    group: int
    text: str
    box: QRectF


class Occupancy:
    """Counts the points of a group, and of all, in rectangles of the map, on a grid."""

    def __init__(self, places: Places, labels: NDArray[np.int16], groups: int) -> None:
        self._low = places.min(axis=0).astype(float) if len(places) else np.zeros(2)
        extent = float(np.ptp(places, axis=0).max()) if len(places) else 0.0
        self._cell = max(extent, 1e-6) / _CELLS
        cells = ((places - self._low) / self._cell).astype(np.int64).clip(0, _CELLS - 1)
        group = np.where(labels < 0, groups, labels).astype(np.int64)  # the last one: no group
        flat = (group * _CELLS + cells[:, 1]) * _CELLS + cells[:, 0]
        shape = (groups + 1, _CELLS, _CELLS)
        counts = np.bincount(flat, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)
        self._sums = np.zeros((groups + 1, _CELLS + 1, _CELLS + 1), np.int32)
        self._sums[:, 1:, 1:] = counts.cumsum(axis=1).cumsum(axis=2)
        self._total = self._sums.sum(axis=0)

    def counts(self, group: int, boxes: Boxes, scale: float) -> tuple[Counts, Counts]:
        """Return the numbers of points of the group, and of all others, in each box in pixels."""
        low = np.concatenate([self._low, self._low])
        cells = np.floor((boxes / scale - low) / self._cell).astype(np.int64)
        cells[:, 2:] += 1
        left, top, right, bottom = cells.clip(0, _CELLS).T
        own, every = (
            sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
            for sums in (self._sums[group], self._total)
        )
        return own, every - own


def place(
    clusters: Sequence[Cluster],
    occupancy: Occupancy,
    extent: Places,
    scale: float,
    font: QFont,
    first: int | None = None,
) -> list[Placed]:
    """Return the labels that fit, in pixels from the origin of the map at this scale.

    The largest groups come first; the label of group `first` before all others. Labels stay within
    `extent`, the corners of the map, and a margin.
    """
    metrics = QFontMetricsF(font)
    low, high = extent * scale if len(extent) else np.zeros((2, 2))
    low, high = low + (4 - MARGIN), high + (MARGIN - 4)
    order = sorted(range(len(clusters)), key=lambda n: (n != first, -clusters[n].papers))
    placed: list[Placed] = []
    full: Boxes = np.empty((len(clusters), 4))  # of the labels placed so far
    for number in order:
        cluster = clusters[number]
        if not cluster.name or not cluster.papers:
            continue
        text = wrapped(cluster.name, metrics)
        lines = text.split("\n")
        size = np.array(
            [
                max(map(metrics.horizontalAdvance, lines)) + 2 * HALO,
                metrics.height() * len(lines) + 2,
            ]
        )
        corners = np.array(cluster.heart) * scale + (_SHIFTS - 0.5) * size
        corners = np.maximum(np.minimum(corners, high - size), low)
        boxes = np.hstack([corners - GAP, corners + size + GAP])
        own, others = occupancy.counts(number, boxes, scale)
        share = np.where(own > 0, others / own.clip(1), np.inf)
        share[_overlap(boxes, full[: len(placed)])] = np.inf
        good = np.flatnonzero(share <= _GOOD)
        best = int(good[0]) if len(good) else int(share.argmin())
        if share[best] <= _FOREIGN:
            x, y = corners[best].tolist()
            full[len(placed)] = (x, y, x + size[0], y + size[1])
            placed.append(Placed(number, text, QRectF(x, y, *size.tolist())))
    return placed


def _overlap(boxes: Boxes, others: Boxes) -> NDArray[np.bool_]:
    """Return which of the boxes overlap any of the others."""
    one, other = boxes[:, None], others[None]
    clear = (one[..., :2] >= other[..., 2:]) | (one[..., 2:] <= other[..., :2])
    overlapping: NDArray[np.bool_] = np.any(np.logical_not(np.any(clear, axis=2)), axis=1)
    return overlapping


def wrapped(name: str, metrics: QFontMetricsF) -> str:
    """Return a name with a line for each phrase if it is wide."""
    wide = metrics.horizontalAdvance(name) > WRAPPED
    return name.replace(", ", ",\n", 1) if wide else name
