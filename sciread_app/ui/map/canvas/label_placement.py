"""Positions of the labels of groups: over or beside their own group, clear of each other.

They depend on the zoom only, so that no label moves while the map is panned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.camera import MARGIN, Places

GAP = 6.0  # pixels between two labels
HALO = 4.0  # pixels of margin around a text, which its halo needs
WRAPPED = 170.0  # pixels from which on the two phrases of a name are written on two lines
_CELLS = 160  # rows and columns in which points are counted
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

Boxes = NDArray[np.float64]  # [..., 4]: left, top, right, bottom
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
        most = int(np.bincount(group, minlength=1).max())
        small = np.uint16 if most < 2**16 else np.int32  # the array is large
        self._sums: NDArray[Any] = np.zeros((groups + 1, _CELLS + 1, _CELLS + 1), small)
        np.add.at(self._sums, (group, cells[:, 1] + 1, cells[:, 0] + 1), 1)
        for axis in (1, 2):  # in place
            np.cumsum(self._sums, axis=axis, out=self._sums)
        self._total: Counts = self._sums.sum(axis=0, dtype=np.int32)

    def counts(
        self, groups: NDArray[np.int64], boxes: Boxes, scale: float
    ) -> tuple[Counts, Counts]:
        """Return the numbers of points of the groups, and of all others, in boxes in pixels.

        `groups` and the boxes without their last axis have shapes that fit each other.
        """
        low = np.concatenate([self._low, self._low])
        cells = np.floor((boxes / scale - low) / self._cell).astype(np.int64)
        cells[..., 2:] += 1
        left, top, right, bottom = np.moveaxis(cells.clip(0, _CELLS), -1, 0)
        own, every = (
            sums[(*at, bottom, right)].astype(np.int32)
            - sums[(*at, top, right)]
            - sums[(*at, bottom, left)]
            + sums[(*at, top, left)]
            for sums, at in ((self._sums, (groups,)), (self._total, ()))
        )
        return own, every - own


class LabelPlacement:
    """Places the labels of groups, in pixels from the origin of the map at a scale.

    The largest groups come first. Labels stay within `extent`, the corners of the map, and a
    margin. A label keeps its side of its group when the scale changes, as long as that is good.
    """

    def __init__(
        self, clusters: Sequence[Cluster], occupancy: Occupancy, extent: Places, font: QFont
    ) -> None:
        metrics = QFontMetricsF(font)
        self._occupancy = occupancy
        self._extent = extent
        named = [n for n, cluster in enumerate(clusters) if cluster.name and cluster.papers]
        named.sort(key=lambda n: -clusters[n].papers)
        self._groups = np.array(named, np.int64)
        self._texts = [wrapped(clusters[n].name, metrics) for n in named]
        self._hearts = np.array([clusters[n].heart for n in named], float).reshape(-1, 2)
        self._sizes = np.array([_size(text, metrics) for text in self._texts]).reshape(-1, 2)
        self._shifts = np.zeros(len(named), np.int64)  # placed last, an index of _SHIFTS
        self._placed: tuple[float, int | None, list[Placed]] | None = None

    def at(self, scale: float, first: int | None = None) -> list[Placed]:
        """Return the labels that fit, the label of group `first` before all others."""
        if self._placed is None or self._placed[:2] != (scale, first):
            self._placed = (scale, first, self._place(scale, first))
        return self._placed[2]

    def _place(self, scale: float, first: int | None) -> list[Placed]:
        if not len(self._groups):
            return []
        low, high = self._extent * scale + [[4 - MARGIN], [MARGIN - 4]]
        sizes = self._sizes[:, None]
        corners = self._hearts[:, None] * scale + (_SHIFTS - 0.5) * sizes
        corners = np.maximum(np.minimum(corners, high - sizes), low)
        boxes = np.concatenate([corners - GAP, corners + sizes + GAP], axis=2)
        own, others = self._occupancy.counts(self._groups[:, None], boxes, scale)
        share = np.where(own > 0, others / own.clip(1), np.inf)
        best = _by_preference(share, self._shifts)
        order = np.arange(len(self._groups))
        if first is not None:
            order = order[np.argsort(self._groups != first, kind="stable")]
        full: Boxes = np.empty((len(order), 4))  # of the labels placed so far
        placed: list[Placed] = []
        for row in order[np.take_along_axis(share, best[:, :1], axis=1)[order, 0] <= _FOREIGN]:
            for shift in best[row]:
                if share[row, shift] > _FOREIGN:
                    break
                if not _overlaps(boxes[row, shift], full[: len(placed)]):
                    x, y = corners[row, shift].tolist()
                    width, height = self._sizes[row].tolist()
                    full[len(placed)] = (x, y, x + width, y + height)
                    box = QRectF(x, y, width, height)
                    placed.append(Placed(int(self._groups[row]), self._texts[row], box))
                    self._shifts[row] = shift
                    break
        return placed


def _by_preference(share: NDArray[np.float64], before: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of each label, best first: the one before, then the first good one."""
    rank = np.where(share <= _GOOD, np.arange(share.shape[1]) - share.shape[1], share)
    rows = np.arange(len(share))
    rank[rows, before] = np.where(share[rows, before] <= _FOREIGN, -np.inf, share[rows, before])
    return np.argsort(rank, axis=1, kind="stable")


def _overlaps(box: NDArray[np.float64], others: Boxes) -> bool:
    left, top, right, bottom = box.tolist()
    return bool(
        (
            (others[:, 0] < right) & (others[:, 2] > left)
            & (others[:, 1] < bottom) & (others[:, 3] > top)
        ).any()
    )  # fmt: skip


def _size(text: str, metrics: QFontMetricsF) -> tuple[float, float]:
    lines = text.split("\n")
    width = max(map(metrics.horizontalAdvance, lines))
    return width + 2 * HALO, metrics.height() * len(lines) + 2


def wrapped(name: str, metrics: QFontMetricsF) -> str:
    """Return a name with a line for each phrase if it is wide."""
    wide = metrics.horizontalAdvance(name) > WRAPPED
    return name.replace(", ", ",\n", 1) if wide else name
