"""Positions of the labels of groups: on or beside their own group, clear of each other. A label
without room there lies elsewhere nearby, with a line to its group.

They depend on the zoom only, so that no label moves while the map is panned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from sciread_app.services.map.map_service import Cluster
from sciread_app.ui.map.canvas.camera import MARGIN, Coordinates

GAP = 6.0  # pixels between two labels
HALO = 4.0  # pixels of margin around a text, which its halo needs
WRAPPED = 170.0  # pixels of a line, from which on a name takes several
SHORT = 120.0  # the same for the first phrase of a name
_CELLS = 160  # rows and columns in which points are counted
_FOREIGN = 0.5  # points of other groups at a label, relative to those of its own, at most
_BESIDE = 22.0  # pixels within which a label without points below has points of its group
_DISTANCE = 0.06  # cost of a distance of the height of the label
_KEEP = 0.6  # by which another position must be better to replace the one before
_INK, _MOST_INK = 3.0, 1.5  # cost of points below, by the share of the label; at most
_DISC, _LARGEST = 0.28, 113.0  # area of a point, relative to that for each point; in pixels
# Pixels of distance up to which a label lies on empty space, and the same on a crowded map.
_EMPTY, _NEAR_EMPTY = 160.0, 80.0
_POINT = 10.0  # pixels of distance that count as much as a point below a label
_NOTHING = QRectF(-1e9, -1e9, 0, 0)
# Positions that are tried, in widths and heights of the label from the center of its group.
_SHIFTS = np.array(
    [
        (right, down)
        for down in (0.0, -0.9, 0.9, -1.5, 1.5, -2.2, 2.2)
        for right in (0.0, -0.35, 0.35, -0.7, 0.7)
    ]
)
# Positions of a label joined by a line, in pixels from the center of its group; nearest first.
_OUTSIDE = np.array(
    [
        (away * math.cos(turn * math.pi / 8), away * math.sin(turn * math.pi / 8))
        for away in (50, 80, 115, 155, 200, 250)
        for turn in range(16)
    ]
)
_AWAY = np.hypot(_OUTSIDE[:, 0], _OUTSIDE[:, 1])

Boxes = NDArray[np.float64]  # [..., 4]: left, top, right, bottom
Counts = NDArray[np.int32]


class Placed(NamedTuple):
    """A label with its rectangle, the number of its group, and where a line from it leads."""

    group: int
    text: str
    box: QRectF
    end: QPointF | None = None

    def moved(self, by: QPointF) -> Placed:
        """Return the label at another position."""
        end = self.end + by if self.end is not None else None
        return self._replace(box=self.box.translated(by), end=end)


class Occupancy:
    """Counts the points of a group, and of all, in rectangles of the map, on a grid."""

    def __init__(self, places: Coordinates, labels: NDArray[np.int16], groups: int) -> None:
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
        self.papers = len(places)
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


class _Texts(NamedTuple):
    """The texts of all labels, and their sizes in pixels."""

    lines: list[str]
    sizes: NDArray[np.float64]  # [groups, 2]


class _Options(NamedTuple):
    """Positions of labels at their groups, [groups, shifts, ...]: `best` first if `allowed`."""

    texts: _Texts
    corners: NDArray[np.float64]
    boxes: Boxes
    allowed: NDArray[np.bool_]
    best: NDArray[np.int64]


class LabelPlacement:
    """Places the labels of groups, in pixels from the origin of the map at a scale.

    The largest groups come first. Labels stay within `extent`, points that enclose the map, and a
    margin. A label keeps its side of its group when the scale changes, unless another is much
    better. With `crowded`, for few groups, each is labeled: if a name has no room, its first
    phrase is shown, and a label joined by a line may lie on a few points.
    """

    def __init__(
        self,
        clusters: Sequence[Cluster],
        occupancy: Occupancy,
        extent: Coordinates,
        font: QFont,
        *,
        crowded: bool = False,
    ) -> None:
        metrics = QFontMetricsF(font)
        self._occupancy = occupancy
        self._extent = extent
        self._crowded = crowded
        named = [n for n, cluster in enumerate(clusters) if cluster.name and cluster.papers]
        named.sort(key=lambda n: -clusters[n].papers)
        names = [clusters[n].name for n in named]
        self._groups = np.array(named, np.int64)
        self._whole = _texts([wrapped(name, metrics) for name in names], metrics)
        short = [wrapped(name.partition(", ")[0], metrics, SHORT) for name in names]
        self._short = _texts(short, metrics)
        self._hearts = np.array([clusters[n].heart for n in named], float).reshape(-1, 2)
        self._shifts = np.full(len(named), -1)  # placed last, an index of _SHIFTS; -1: never
        self._placed: tuple[tuple[float, int | None, QRectF], list[Placed]] | None = None

    def at(
        self, scale: float, first: int | None = None, covered: QRectF = _NOTHING
    ) -> list[Placed]:
        """Return the labels that fit, the label of group `first` before all others, and none on
        what is `covered`."""
        if self._placed is None or self._placed[0] != (scale, first, covered):
            self._placed = ((scale, first, covered), self._place(scale, first, covered))
        return self._placed[1]

    def _place(self, scale: float, first: int | None, covered: QRectF) -> list[Placed]:
        if not len(self._groups):
            return []
        order = np.arange(len(self._groups))
        if first is not None:
            order = order[np.argsort(self._groups != first, kind="stable")]
        occupied: Boxes = np.empty((len(order) + 1, 4))  # covered, and of the labels placed so far
        occupied[0] = (covered.left(), covered.top(), covered.right(), covered.bottom())
        placed: list[Placed] = []
        whole, short = self._options(self._whole, scale), None
        for row in order.tolist():
            full = occupied[: len(placed) + 1]
            found, end = self._at_group(row, whole, full), None
            if found is None and self._crowded:
                short = short or self._options(self._short, scale)
                found = self._at_group(row, short, full)
            if found is None:
                found = self._outside(row, scale, full)
                end = QPointF(*(self._hearts[row] * scale).tolist())
            if found is not None:
                text, box = found
                occupied[len(placed) + 1] = (box.left(), box.top(), box.right(), box.bottom())
                placed.append(Placed(int(self._groups[row]), text, box, end))
        return placed

    def _frame(self, scale: float) -> tuple[Coordinates, Coordinates]:
        """Return the corners of the rectangle that labels stay in."""
        low: Coordinates = self._extent.min(axis=0) * scale + 4 - MARGIN
        high: Coordinates = self._extent.max(axis=0) * scale + MARGIN - 4
        return low, high

    def _options(self, texts: _Texts, scale: float) -> _Options:
        low, high = self._frame(scale)
        sizes = texts.sizes[:, None]
        corners = self._hearts[:, None] * scale + (_SHIFTS - 0.5) * sizes
        corners = np.maximum(np.minimum(corners, high - sizes), low)
        boxes = np.concatenate([corners - GAP, corners + sizes + GAP], axis=2)
        costs = self._costs(boxes, scale)
        before = np.flatnonzero(self._shifts >= 0)
        costs[before, self._shifts[before]] -= _KEEP
        best = np.argsort(costs, axis=1, kind="stable")
        return _Options(texts, corners, boxes, np.isfinite(costs), best)

    def _at_group(self, row: int, options: _Options, full: Boxes) -> tuple[str, QRectF] | None:
        """Return a label on or beside its group, clear of others, if there is room."""
        free = options.allowed[row] & ~_overlaps(options.boxes[row], full)
        if not free.any():
            return None
        best = options.best[row]
        self._shifts[row] = shift = best[free[best]][0]
        return _label(row, options.texts, options.corners[row, shift])

    def _outside(self, row: int, scale: float, full: Boxes) -> tuple[str, QRectF] | None:
        """Return a label on empty space near its group, if there is any; with `crowded`, else on
        few points."""
        low, high = self._frame(scale)
        reach = _NEAR_EMPTY if self._crowded else _EMPTY
        for texts in (self._whole, self._short)[: 2 if self._crowded else 1]:
            size = texts.sizes[row]
            corners = self._hearts[row] * scale + _OUTSIDE - size / 2
            boxes = np.concatenate([corners - GAP, corners + size + GAP], axis=1)
            own, others = self._occupancy.counts(self._groups[row : row + 1], boxes, scale)
            free = ((corners >= low) & (corners + size <= high)).all(axis=1)
            free &= ~_overlaps(boxes, full)
            empty = np.flatnonzero(free & (own + others == 0) & (reach >= _AWAY))
            if len(empty):
                return _label(row, texts, corners[empty[0]])
        if not self._crowded or not free.any():
            return None
        costs = np.where(free, own + others + _AWAY / _POINT, np.inf)
        return _label(row, self._short, corners[costs.argmin()])

    def _costs(self, boxes: Boxes, scale: float) -> NDArray[np.float64]:
        """Return the cost of each position of each label; infinite where it is not allowed.

        A label may lie on points of its group or beside them, if possible on few points, and on
        none of other groups.
        """
        groups = self._groups[:, None]
        own, others = self._occupancy.counts(groups, boxes, scale)
        around = boxes + np.array([-_BESIDE, -_BESIDE, _BESIDE, _BESIDE])
        near, foreign = self._occupancy.counts(groups, around, scale)
        share = np.where(own > 0, others / own.clip(1), foreign / near.clip(1))
        allowed = (near > 0) & (share <= _FOREIGN) & ((own > 0) | (others == 0))
        area = ((boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])).clip(1)
        disc = min(_DISC * scale**2 / max(self._occupancy.papers, 1), _LARGEST)
        ink = (_INK * (own + 2 * others) * disc / area).clip(max=_MOST_INK)
        # In heights: a wide label is moved to the side as far as up or down.
        away = np.hypot(_SHIFTS[:, 0] * 2, _SHIFTS[:, 1])
        return np.where(allowed, 2 * share + ink + _DISTANCE * away, np.inf)


def _overlaps(boxes: Boxes, others: Boxes) -> NDArray[np.bool_]:
    """Return which of the boxes overlap any other."""
    left, top, right, bottom = boxes.T[..., None]
    overlapping: NDArray[np.bool_] = (
        (others[:, 0] < right) & (others[:, 2] > left)
        & (others[:, 1] < bottom) & (others[:, 3] > top)
    ).any(axis=1)  # fmt: skip
    return overlapping


def _label(row: int, texts: _Texts, corner: Coordinates) -> tuple[str, QRectF]:
    return texts.lines[row], QRectF(*corner.tolist(), *texts.sizes[row].tolist())


def _texts(lines: list[str], metrics: QFontMetricsF) -> _Texts:
    return _Texts(lines, np.array([_size(text, metrics) for text in lines]).reshape(-1, 2))


def _size(text: str, metrics: QFontMetricsF) -> tuple[float, float]:
    lines = text.split("\n")
    width = max(map(metrics.horizontalAdvance, lines))
    return width + 2 * HALO, metrics.height() * len(lines) + 2


def wrapped(name: str, metrics: QFontMetricsF, width: float = WRAPPED) -> str:
    """Return a name on several lines if it is wider, in pixels: one for each phrase, or more."""
    if metrics.horizontalAdvance(name) <= width:
        return name
    lines: list[str] = []
    for phrase in name.replace(", ", ",\n").split("\n"):
        line = ""
        for word in phrase.split(" "):
            longer = f"{line} {word}" if line else word
            if line and metrics.horizontalAdvance(longer) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return "\n".join(lines)
